/* Machines that report the same GPUs: which one holds them, and which is next. */
#include "machines.h"

static const char *hex_of(struct api_fixture *f, struct id id)
{
    char hex[ID_HEX_LEN + 1];
    id_hex(id, hex);
    return text(f, "%s", hex);
}

static uint64_t free_slots(struct api_fixture *f, struct id machine)
{
    struct sched_free told = { 0 };
    return sched_free_on(f->world, machine, &told) ? told.gpu_slots : 0;
}

/* The same machine again, with `gpus` GPUs. */
static void again(struct api_fixture *f, struct id machine, int gpus)
{
    (void)fixture_call(f, "RegisterContainerInstance",
                       machine_body(f, "x", gpus, text(f, ",\"containerInstanceArn\":\"" ARN_OF("container-instance") "%s\"", hex_of(f, machine))));
    CHECK_EQ("again", f->code, ERR_NONE);
}

static void leave(struct api_fixture *f, struct id machine)
{
    (void)fixture_call(f, "DeregisterContainerInstance", text(f, "{\"containerInstance\":\"%s\",\"force\":true}", hex_of(f, machine)));
    CHECK_EQ("leaves", f->code, ERR_NONE);
}

static struct str order(struct api_fixture *f, const char *uuid, const char *state)
{
    struct api_call call;
    struct err err = { 0 };
    struct arena arena;
    arena_init(&arena, FIXTURE_ARENA_BYTES);
    const char *body = text(f, "{\"uuid\":\"%s\",\"state\":\"%s\"}", uuid, state);
    bool good = api_prepare_set_gpu(&f->config, str_from(body), &arena, &call, &err) && fixture_run(f, &call, &arena, &err);
    arena_finish(&arena);
    return good ? STR("") : arena_str(&f->kept, str_from(err.message));
}

static struct str reason_of(struct api_fixture *f, struct id machine)
{
    struct str reply = fixture_call(f, "DescribeContainerInstances",
                                    text(f, "{\"containerInstances\":[\"%s\"],\"include\":[\"CONTAINER_INSTANCE_HEALTH\"]}", hex_of(f, machine)));
    return fixture_at(f, reply, "containerInstances[0].healthStatus.details[1].statusReason");
}

static bool names(struct str reason, const char *holder) { return str_contains(reason, str_from(holder)); }

static void test_holders(void)
{
    struct api_fixture f;
    cluster_open(&f);
    struct id a = machine_add(&f, "x", 2), b = machine_add(&f, "x", 3), c = machine_add(&f, "x", 1);
    CHECK_EQ("the first holds what it has", (int64_t)free_slots(&f, a), 3);
    CHECK_EQ("the second only its own GPUs", (int64_t)free_slots(&f, b), 4);
    CHECK_EQ("the third nothing", (int64_t)free_slots(&f, c), 0);
    CHECK("the reason names the holder", names(reason_of(&f, b), hex_of(&f, a)) && names(reason_of(&f, c), hex_of(&f, a)));

    define(&f, "gpu", GPUS("1"), "");
    struct str made = fixture_call(&f, "RunTask", "{\"taskDefinition\":\"gpu\",\"count\":4}");
    CHECK_EQ("each is given once", count_at(&f, made, "tasks"), 3);
    check_world(&f, "held");
    CHECK("nobody lifts it", names(order(&f, "GPU-x-0", "AVAILABLE"), "has this GPU too"));
    CHECK_STR("a person takes out the holder's", order(&f, "GPU-x-0", "QUARANTINED"), STR(""));
    CHECK_STR("and gives it back", order(&f, "GPU-x-0", "AVAILABLE"), STR(""));

    again(&f, a, 2);
    again(&f, c, 1);
    CHECK_EQ("a machine that comes again does not collide with itself", (int64_t)free_slots(&f, b), 0);
    CHECK("and is not ignored", names(reason_of(&f, c), hex_of(&f, a)) && !str_is_set(reason_of(&f, a)));

    leave(&f, a);
    CHECK_EQ("the next to have registered holds it", (int64_t)free_slots(&f, b), 3);
    CHECK_EQ("the third still nothing", (int64_t)free_slots(&f, c), 0);
    CHECK("and the reason names the new holder", names(reason_of(&f, c), hex_of(&f, b)));
    check_world(&f, "passed on");
    again(&f, a, 2);
    CHECK_EQ("a machine that was gone comes last", (int64_t)free_slots(&f, a), 0);
    again(&f, b, 0);
    CHECK_EQ("told no longer: passed on, the oldest first", (int64_t)free_slots(&f, a), 3);
    CHECK("to one", names(reason_of(&f, c), hex_of(&f, a)));
    check_world(&f, "told no longer");
    fixture_close(&f);
}

/* The cost of a registration has a limit, and a machine that has one of the places comes again. */
static void test_many(void)
{
    enum { TELLERS_MAX = 16 };
    struct api_fixture f;
    cluster_open(&f);
    struct id last = { 0 };
    for (int m = 0; m < TELLERS_MAX; m++) { last = machine_add(&f, "x", 1); }
    fixture_check(&f, "one too many", "RegisterContainerInstance", machine_body(&f, "x", 1, ""),
                  "ClientException: The GPU GPU-x-0 is reported by 16 machines already.");
    again(&f, last, 1);
    check_world(&f, "many");
    fixture_close(&f);
}

/* An agent's own words, and what it can't say. */
static void test_reports(void)
{
    struct api_fixture f;
    cluster_open(&f);
    struct id a = machine_add(&f, "x", 1), b = machine_add(&f, "x", 1);
    struct api_call call;
    struct err err = { 0 };
    const char *body = text(&f, "{\"containerInstance\":\"%s\",\"status\":\"OK\",\"gpus\":[]}", hex_of(&f, b));
    CHECK("well", api_prepare_health(&f.config, str_from(body), &f.kept, &call, &err) && fixture_run(&f, &call, &f.kept, &err));
    CHECK_EQ("an agent that is well does not lift it", (int64_t)free_slots(&f, b), 0);
    leave(&f, a);
    CHECK_EQ("the other's end does", (int64_t)free_slots(&f, b), 1);
    fixture_close(&f);
}

int main(void)
{
    test_holders();
    test_many();
    test_reports();
    return check_report();
}
