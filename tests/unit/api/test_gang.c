/* Tasks that start together or not at all: the tag, the record, the environment of each container, and the error when there is
 * too little room. */
#include "api/tasks/gang.h"
#include "api/tell/work.h"
#include "tests/unit/api/machines.h"

#define GANG "\"tags\":[{\"key\":\"berth:gang\",\"value\":\"true\"}]"

/* The environment of the task's first container as its agent gets it, as JSON. */
static struct str told(struct api_fixture *f, struct id task)
{
    struct store_txn *txn = store_read_begin(f->store);
    struct op_ctx ctx = fixture_ctx(f, txn, &f->kept, OP_READ);
    const struct wire_payload *payload = work_payload(&ctx, &(struct work){ task, TASK_RUNNING });
    CHECK("there is a payload", payload != NULL);
    struct buf out = buf_in(&f->kept);
    struct json_out json = json_out_to(&out);
    schema_print(&wire_payload_schema, payload, &json);
    CHECK("the read is sound", store_read_end(txn));
    return fixture_at(f, buf_str(&out), "tasks[0].containers[0].environment");
}

static void test_together(void)
{
    struct api_fixture f;
    cluster_open(&f);
    (void)machine_add(&f, "a", 1);
    (void)machine_add(&f, "b", 2);
    define(&f, "train", GPUS("1") ",\"environment\":[{\"name\":\"BERTH_GANG_RANK\",\"value\":\"7\"},{\"name\":\"KEEP\",\"value\":\"1\"}]", "");
    struct str made = fixture_call(&f, "RunTask", "{\"taskDefinition\":\"train\",\"count\":3," GANG "}");
    CHECK_EQ("all three", count_at(&f, made, "tasks"), 3);
    CHECK_STR("no failure", fixture_at(&f, made, "failures"), STR("[]"));
    struct id first = id_at(&f, made, "tasks[0].taskArn");
    char hex[ID_HEX_LEN + 1];
    id_hex(first, hex);
    for (int rank = 0; rank < 3; rank++) {
        struct id task = id_at(&f, made, text(&f, "tasks[%d].taskArn", rank));
        const char *want = text(&f, "{\"KEEP\":\"1\",\"BERTH_GANG_ID\":\"%s\",\"BERTH_GANG_RANK\":\"%d\",\"BERTH_GANG_SIZE\":\"3\"}", hex, rank);
        CHECK_STR("id, rank and size; what the user wrote there is dropped", told(&f, task), str_from(want));
        report(&f, at(&f, made, text(&f, "tasks[%d].taskArn", rank)), "RUNNING", "");
        CHECK_STR("the same in every state of the task", told(&f, task), str_from(want));
    }
    (void)fixture_call(&f, "StopTask", text(&f, "{\"task\":\"%s\"}", hex));
    CHECK("and without its tags", str_ends_with(told(&f, first), STR("\"BERTH_GANG_RANK\":\"0\",\"BERTH_GANG_SIZE\":\"3\"}")));
    check_world(&f, "a gang");

    define(&f, "alone", ",\"environment\":[{\"name\":\"BERTH_GANG_RANK\",\"value\":\"7\"}]", "");
    made = fixture_call(&f, "RunTask", "{\"taskDefinition\":\"alone\",\"tags\":[{\"key\":\"berth:gang\",\"value\":\"false\"},{\"key\":\"berth.other\",\"value\":\"x\"}]}");
    CHECK("of no gang: told nothing, and the user's own stays",
          str_starts_with(told(&f, id_at(&f, made, "tasks[0].taskArn")), STR("{\"BERTH_GANG_RANK\":\"7\"")));
    fixture_close(&f);
}

static void test_none(void)
{
    struct api_fixture f;
    cluster_open(&f);
    (void)machine_add(&f, "a", 2);
    struct id b = machine_add(&f, "b", 1);
    define(&f, "train", GPUS("1"), "");
    struct str refused = fixture_call(&f, "RunTask", "{\"taskDefinition\":\"train\",\"count\":4,\"clientToken\":\"t\"," GANG "}");
    CHECK_EQ("no error", f.code, ERR_NONE);
    CHECK_STR("nothing is started", fixture_at(&f, refused, "tasks"), STR("[]"));
    CHECK_EQ("nobody is woken", (int64_t)f.effects.count, 0);
    CHECK_EQ("an entry for each", count_at(&f, refused, "failures"), 4);
    for (int t = 0; t < 4; t++) {
        CHECK_STR("in ECS's word", fixture_at(&f, refused, text(&f, "failures[%d].reason", t)), STR("RESOURCE:GPU"));
        CHECK_STR("and why", fixture_at(&f, refused, text(&f, "failures[%d].detail", t)),
                  t > 0 ? STR("As the first failure says.") : STR("4 tasks together: 3 fit, and with those in place the next needs 1 GPU. 1 instance has 2 GPUs and all are taken; "
                      "1 instance has 1 GPU and it is taken. Room for 1 more is missing."));
    }
    CHECK_STR("nothing is written", fixture_call(&f, "ListTasks", "{}"), STR("{\"taskArns\":[]}"));
    check_world(&f, "no gang");

    (void)machine_add(&f, "c", 1);
    struct str made = fixture_call(&f, "RunTask", "{\"taskDefinition\":\"train\",\"count\":4,\"clientToken\":\"t\"," GANG "}");
    CHECK_EQ("the same call when there is room", count_at(&f, made, "tasks"), 4);
    struct str again = fixture_call(&f, "RunTask", "{\"taskDefinition\":\"train\",\"count\":4,\"clientToken\":\"t\"," GANG "}");
    CHECK_STR("and the same call once more", again, made);

    char hex[ID_HEX_LEN + 1];
    id_hex(b, hex);
    fixture_check(&f, "StartTask", "StartTask", text(&f, "{\"taskDefinition\":\"train\",\"containerInstances\":[\"%s\"]," GANG "}", hex),
                  "InvalidParameterException: The tag berth:gang is for RunTask: StartTask starts on each machine that has room.");
    check_world(&f, "a gang");
    fixture_close(&f);
}

#define NO_TAG(key) \
    "InvalidParameterException: The tag \"" key "\" means nothing here. Tags that begin with \"berth:\" are Berth's own, and here may be " \
    "berth:gang, berth:queue, berth:priority, berth:preemptible, berth:retry, berth:max-runtime, berth:reserve, berth:idle-stop, berth:idle-ok."

static void test_tag(void)
{
    static const struct { const char *row, *more; int64_t tasks; const char *want; } rows[] = {
        { "not asked for", "", 1, NULL },
        { "false", ",\"tags\":[{\"key\":\"berth:gang\",\"value\":\"false\"}]", 1, NULL },
        { "true", "," GANG, 0, NULL },
        { "another key", ",\"tags\":[{\"key\":\"berth-gang\",\"value\":\"true\"}]", 1, NULL },
        { "mistyped", ",\"tags\":[{\"key\":\"berth:gangg\",\"value\":\"true\"}]", 0, NO_TAG("berth:gangg") },
        { "in capitals", ",\"tags\":[{\"key\":\"berth:Gang\",\"value\":\"true\"}]", 0, NO_TAG("berth:Gang") },
        { "a cluster's", ",\"tags\":[{\"key\":\"berth:pre-pull\",\"value\":\"a\"}]", 0, NO_TAG("berth:pre-pull") },
        { "a word", ",\"tags\":[{\"key\":\"berth:gang\",\"value\":\"yes\"}]", 0,
          "InvalidParameterException: The tag berth:gang can't be \"yes\": it should be true or false." },
        { "nothing", ",\"tags\":[{\"key\":\"berth:gang\",\"value\":\"\"}]", 0,
          "InvalidParameterException: The tag berth:gang can't be \"\": it should be true or false." },
        { "case", ",\"tags\":[{\"key\":\"berth:gang\",\"value\":\"True\"}]", 0,
          "InvalidParameterException: The tag berth:gang can't be \"True\": it should be true or false." },
        { "from the definition", ",\"propagateTags\":\"TASK_DEFINITION\"", 0, NULL },
        { "the request's own wins", ",\"propagateTags\":\"TASK_DEFINITION\",\"tags\":[{\"key\":\"berth:gang\",\"value\":\"false\"}]", 1, NULL },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct api_fixture f;
        cluster_open(&f);
        (void)machine_add(&f, "a", 1);
        define(&f, "train", GPUS("1"), "," GANG);
        struct str reply = fixture_call(&f, "RunTask", text(&f, "{\"taskDefinition\":\"train\",\"count\":2%s}", rows[r].more));
        if (rows[r].want != NULL) {
            CHECK_STR(rows[r].row, reply, str_from(rows[r].want));
        } else {
            CHECK_EQ(rows[r].row, count_at(&f, reply, "tasks"), rows[r].tasks);
            CHECK_EQ(rows[r].row, count_at(&f, reply, "failures"), 2 - rows[r].tasks);
        }
        if (rows[r].want == NULL && rows[r].tasks == 0) {
            CHECK_STR("the same machine", str_from(at(&f, reply, "failures[1].arn")), str_from(at(&f, reply, "failures[0].arn")));
            CHECK_STR("the same reason", str_from(at(&f, reply, "failures[1].reason")), STR("RESOURCE:GPU"));
            CHECK("the paragraph once", str_starts_with(str_from(at(&f, reply, "failures[0].detail")), STR("2 tasks together")));
            CHECK_STR("and a word", str_from(at(&f, reply, "failures[1].detail")), STR("As the first failure says."));
        }
        fixture_close(&f);
    }
}

/* ---- where rank 0 is ---- */

static void test_master(void)
{
    enum { PORT = 29500 };
    static const struct {
        const char *row; enum network_mode mode; bool is_process; const char *address; int64_t container_port, host_port; bool udp;
        const char *name, *value, *want;
    } rows[] = {
        { "on the machine's network",      NETWORK_MODE_HOST,   false, "10.0.0.1", 0, 0, false,       NULL, NULL, "MASTER_ADDR=10.0.0.1 MASTER_PORT=29500 " },
        { "a plain process",               NETWORK_MODE_UNSET,  true,  "10.0.0.1", 0, 0, false,       NULL, NULL, "MASTER_ADDR=10.0.0.1 MASTER_PORT=29500 " },
        { "no address is known",           NETWORK_MODE_HOST,   false, "",         0, 0, false,       NULL, NULL, "" },
        { "a bridge, and no way in",       NETWORK_MODE_UNSET,  false, "10.0.0.1", 0, 0, false,       NULL, NULL, "" },
        { "a port of the machine",         NETWORK_MODE_BRIDGE, false, "10.0.0.1", PORT, PORT, false, NULL, NULL, "MASTER_ADDR=10.0.0.1 MASTER_PORT=29500 " },
        { "a port that is open",           NETWORK_MODE_BRIDGE, false, "10.0.0.1", PORT, 0, false,    NULL, NULL, "" },
        { "leads to another port",         NETWORK_MODE_BRIDGE, false, "10.0.0.1", PORT, 8080, false, NULL, NULL, "" },
        { "leads to another program",      NETWORK_MODE_BRIDGE, false, "10.0.0.1", PORT, PORT, true,  NULL, NULL, "" },
        { "a port of the definition's",    NETWORK_MODE_BRIDGE, false, "10.0.0.1", 4000, 4000, false, "MASTER_PORT", "4000", "MASTER_PORT=4000 MASTER_ADDR=10.0.0.1 " },
        { "that is not mapped",            NETWORK_MODE_BRIDGE, false, "10.0.0.1", PORT, PORT, false, "MASTER_PORT", "4000", "MASTER_PORT=4000 " },
        { "the largest port",              NETWORK_MODE_HOST,   false, "10.0.0.1", 0, 0, false, "MASTER_PORT", "65535", "MASTER_PORT=65535 MASTER_ADDR=10.0.0.1 " },
        { "no port",                       NETWORK_MODE_HOST,   false, "10.0.0.1", 0, 0, false, "MASTER_PORT", "65536", "MASTER_PORT=65536 " },
        { "an address of the definition's", NETWORK_MODE_HOST,  false, "10.0.0.1", 0, 0, false, "MASTER_ADDR", "hub", "MASTER_ADDR=hub " },
        { "an address of the task's own",  NETWORK_MODE_AWSVPC, false, "10.0.0.1", PORT, PORT, false, NULL, NULL, "" },
        { "no network",                    NETWORK_MODE_NONE,   false, "10.0.0.1", PORT, PORT, false, NULL, NULL, "" },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct arena arena = { .ceiling = 1 << 16 };
        struct pair pairs[1 + GANG_MASTER_COUNT] = { { str_from(rows[r].name == NULL ? "" : rows[r].name), str_from(rows[r].value == NULL ? "" : rows[r].value) } };
        struct pair_list environment = { pairs, rows[r].name == NULL ? 0 : 1 };
        struct port_mapping mapping = {
            .container_port = opt_int_of(rows[r].container_port), .host_port = opt_int_of(rows[r].host_port),
            .protocol = rows[r].udp ? TRANSPORT_PROTOCOL_UDP : TRANSPORT_PROTOCOL_UNSET,
        };
        struct container_definition container = { .port_mappings = { &mapping, rows[r].container_port > 0 ? 1 : 0 } };
        const struct task_definition def = { .network_mode = rows[r].mode, .container_definitions = { &container, 1 } };
        const struct gang_master master = { str_from(rows[r].address), rows[r].is_process };
        gang_put_master(&master, &def, &environment, &arena);
        struct buf out = buf_in(&arena);
        for (size_t e = 0; e < environment.count; e++) { buf_printf(&out, STR_FMT "=" STR_FMT " ", STR_ARG(pairs[e].key), STR_ARG(pairs[e].value)); }
        CHECK_STR(rows[r].row, buf_str(&out), str_from(rows[r].want));
        arena_finish(&arena);
    }
}

int main(void)
{
    test_master();
    test_together();
    test_none();
    test_tag();
    return check_report();
}
