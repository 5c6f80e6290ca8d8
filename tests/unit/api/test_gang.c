/* Tasks that start together or not at all: the tag, what is written, what each container is told, and what is said when there is
 * too little room. */
#include "api/work.h"
#include "tests/unit/api/machines.h"

#define GANG "\"tags\":[{\"key\":\"berth:gang\",\"value\":\"true\"}]"

/* The environment of the task's first container as its agent is told, as JSON. */
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
    made = fixture_call(&f, "RunTask", "{\"taskDefinition\":\"alone\",\"tags\":[{\"key\":\"berth:gang\",\"value\":\"false\"},{\"key\":\"berth:other\",\"value\":\"x\"}]}");
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
                  STR("4 tasks together: 3 fit, and with those in place the next needs 1 GPU. 1 instance has 2 GPUs and all are taken; "
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

static void test_tag(void)
{
    static const struct { const char *row, *more; int64_t tasks; const char *want; } rows[] = {
        { "not asked for", "", 1, NULL },
        { "false", ",\"tags\":[{\"key\":\"berth:gang\",\"value\":\"false\"}]", 1, NULL },
        { "true", "," GANG, 0, NULL },
        { "another key", ",\"tags\":[{\"key\":\"berth:Gang\",\"value\":\"true\"}]", 1, NULL },
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
        fixture_close(&f);
    }
}

int main(void)
{
    test_together();
    test_none();
    test_tag();
    return check_report();
}
