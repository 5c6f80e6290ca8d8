/* GPUs that leave the pool and come back: an agent's report, a person's order, and what the world, the board and ECS's own words
 * make of them. */
#include "machines.h"

static struct str report_gpus(struct api_fixture *f, struct id machine, const char *more)
{
    char hex[ID_HEX_LEN + 1];
    struct api_call call;
    struct err err = { 0 };
    struct arena arena;
    arena_init(&arena, FIXTURE_ARENA_BYTES);
    id_hex(machine, hex);
    const char *body = text(f, "{\"containerInstance\":\"%s\",%s}", hex, more);
    bool good = api_prepare_health(&f->config, str_from(body), &arena, &call, &err) && fixture_run(f, &call, &arena, &err);
    arena_finish(&arena);
    f->code = err.code;
    return good ? STR("") : arena_str(&f->kept, str_from(err.message));
}

static struct str set_gpu(struct api_fixture *f, const char *uuid, const char *state)
{
    struct api_call call;
    struct err err = { 0 };
    struct arena arena;
    arena_init(&arena, FIXTURE_ARENA_BYTES);
    const char *body = text(f, "{\"uuid\":\"%s\",\"state\":\"%s\",\"reason\":\"the fan is loud\"}", uuid, state);
    bool good = api_prepare_set_gpu(&f->config, str_from(body), &arena, &call, &err) && fixture_run(f, &call, &arena, &err);
    arena_finish(&arena);
    return good ? STR("") : arena_str(&f->kept, str_from(err.message));
}

static struct str health_of(struct api_fixture *f, struct id machine, const char *path)
{
    char hex[ID_HEX_LEN + 1];
    id_hex(machine, hex);
    struct str reply = fixture_call(f, "DescribeContainerInstances",
                                    text(f, "{\"containerInstances\":[\"%s\"],\"include\":[\"CONTAINER_INSTANCE_HEALTH\"]}", hex));
    return fixture_at(f, reply, text(f, "containerInstances[0].%s", path));
}

static uint64_t free_slots(struct api_fixture *f, struct id machine)
{
    struct sched_free told = { 0 };
    CHECK("the machine is there", sched_free_on(f->world, machine, &told));
    return told.gpu_slots;
}

static struct str listed(struct api_fixture *f, const char *path)
{
    struct buf out = buf_in(&f->kept);
    struct store_txn *txn = store_read_begin(f->store);
    struct op_ctx ctx = fixture_ctx(f, txn, &f->kept, OP_READ);
    api_print_gpu_faults(&ctx, &out);
    CHECK("read", store_read_end(txn));
    return fixture_at(f, buf_str(&out), path);
}

static int64_t version_of(struct api_fixture *f, struct id machine)
{
    int64_t version = -1;
    (void)str_to_i64(health_of(f, machine, "version"), &version);
    return version;
}

#define SICK(uuid, since) "{\"uuid\":\"" uuid "\",\"reason\":\"Xid 48: double bit ECC error\",\"since\":" since "}"
#define GONE(uuid) "{\"uuid\":\"" uuid "\",\"reason\":\"Xid 79: it has fallen off the bus\",\"since\":20,\"gone\":true}"
#define IMPAIRED "\"status\":\"IMPAIRED\",\"statusReason\":\"GPU trouble\""

static void test_agents_word(void)
{
    struct api_fixture f;
    cluster_open(&f);
    struct id a = machine_add(&f, "a", 2);
    CHECK_STR("nobody told", health_of(&f, a, "healthStatus.details[1].status"), STR("INSUFFICIENT_DATA"));
    CHECK_STR("the whole is as the agent's connection", health_of(&f, a, "healthStatus.overallStatus"), STR("OK"));
    CHECK_STR("well", report_gpus(&f, a, "\"status\":\"OK\""), STR(""));
    CHECK_STR("OK", health_of(&f, a, "healthStatus.details[1].status"), STR("OK"));
    CHECK("no reason", !str_is_set(health_of(&f, a, "statusReason")));

    f.now_ms += 5000;
    CHECK_STR("one is sick", report_gpus(&f, a, IMPAIRED ",\"gpus\":[" SICK("GPU-a-1", "10") "]"), STR(""));
    CHECK_EQ("it is out", (int64_t)free_slots(&f, a), 1);
    CHECK_STR("impaired", health_of(&f, a, "healthStatus.overallStatus"), STR("IMPAIRED"));
    CHECK_STR("the type", health_of(&f, a, "healthStatus.details[1].type"), STR("ACCELERATED_COMPUTE"));
    CHECK_STR("the reason", health_of(&f, a, "healthStatus.details[1].statusReason"), STR("GPU trouble"));
    CHECK_STR("of the machine too", health_of(&f, a, "statusReason"), STR("GPU trouble"));
    CHECK_STR("what remains", health_of(&f, a, "remainingResources[4].stringSetValue"), STR("[\"GPU-a-0\"]"));
    check_world(&f, "one is sick");

    int64_t before = version_of(&f, a);
    CHECK_STR("the same again", report_gpus(&f, a, IMPAIRED ",\"gpus\":[" SICK("GPU-a-1", "10") "," SICK("GPU-a-1", "11") "]"), STR(""));
    CHECK_EQ("writes nothing", version_of(&f, a), before);

    const char *arn = at(&f, fixture_call(&f, "ListContainerInstances", "{}"), "containerInstanceArns[0]");
    (void)fixture_call(&f, "RegisterContainerInstance", machine_body(&f, "a", 2, text(&f, ",\"containerInstanceArn\":\"%s\"", arn)));
    CHECK_EQ("registered again", f.code, ERR_NONE);
    CHECK_EQ("a new registration gives nothing back", (int64_t)free_slots(&f, a), 1);
    CHECK_STR("well again", report_gpus(&f, a, "\"status\":\"OK\",\"gpus\":[]"), STR(""));
    CHECK_EQ("both are in the pool", (int64_t)free_slots(&f, a), 3);
    check_world(&f, "well again");
    fixture_close(&f);
}

/* How its Docker is: told by the ECS agent, about twice a minute. */
static void test_docker(void)
{
    static const int64_t minute = 60000;
    static const struct { const char *row; int64_t later_ms; enum instance_health_check_state told; const char *overall, *changed, *updated; int64_t version; } rows[] = {
        { "for the first time",       0,             INSTANCE_HEALTH_CHECK_STATE_INITIALIZING, "OK",       "1700000000.0", "1700000000.0", 3 },
        { "well",                     1000,          INSTANCE_HEALTH_CHECK_STATE_OK,           "OK",       "1700000001.0", "1700000001.0", 4 },
        { "told again",               10 * minute - 1, INSTANCE_HEALTH_CHECK_STATE_OK,         "OK",       "1700000001.0", "1700000001.0", 4 },
        { "told again, much later",   1,             INSTANCE_HEALTH_CHECK_STATE_OK,           "OK",       "1700000001.0", "1700000601.0", 4 },
        { "not well",                 1000,          INSTANCE_HEALTH_CHECK_STATE_IMPAIRED,     "IMPAIRED", "1700000602.0", "1700000602.0", 5 },
        { "well again",               1000,          INSTANCE_HEALTH_CHECK_STATE_OK,           "OK",       "1700000603.0", "1700000603.0", 6 },
    };
    struct api_fixture f;
    cluster_open(&f);
    struct id machine = machine_add(&f, "a", 0);
    CHECK("nobody told", !str_is_set(health_of(&f, machine, "healthStatus.details[1]")));
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct api_call call;
        f.now_ms += rows[r].later_ms;
        api_prepare_machine_report(&(struct machine_report){ .instance = machine, .docker = rows[r].told }, &f.kept, &call);
        fixture_internal(&f, &call);
        CHECK_STR(rows[r].row, health_of(&f, machine, "healthStatus.overallStatus"), str_from(rows[r].overall));
        CHECK_STR(rows[r].row, health_of(&f, machine, "healthStatus.details[1].type"), STR("CONTAINER_RUNTIME"));
        CHECK_STR(rows[r].row, health_of(&f, machine, "healthStatus.details[1].status"), enum_word(&instance_health_check_state_names, (int)rows[r].told));
        CHECK_STR(rows[r].row, health_of(&f, machine, "healthStatus.details[1].lastStatusChange"), str_from(rows[r].changed));
        CHECK_STR(rows[r].row, health_of(&f, machine, "healthStatus.details[1].lastUpdated"), str_from(rows[r].updated));
        CHECK_EQ(rows[r].row, version_of(&f, machine), rows[r].version);
    }
    struct api_call call;
    api_prepare_machine_report(&(struct machine_report){ .instance = { { 9 } }, .docker = INSTANCE_HEALTH_CHECK_STATE_OK }, &f.kept, &call);
    fixture_internal(&f, &call);                          /* of nobody: nothing happens */
    fixture_close(&f);
}

/* The ECS agent sends its versions when it connects; Berth's own agent sends them when it registers. */
static void test_versions(void)
{
    static const struct { const char *row; struct version_info told; const char *want; int64_t version; } rows[] = {
        { "for the first time", { STR_INIT("1.105.1"), STR_INIT("a8b3e7d3"), STR_INIT("DockerVersion: 28.2.2") },
          "{\"agentVersion\":\"1.105.1\",\"agentHash\":\"a8b3e7d3\",\"dockerVersion\":\"DockerVersion: 28.2.2\"}", 3 },
        { "told again", { STR_INIT("1.105.1"), STR_INIT("a8b3e7d3"), STR_INIT("DockerVersion: 28.2.2") },
          "{\"agentVersion\":\"1.105.1\",\"agentHash\":\"a8b3e7d3\",\"dockerVersion\":\"DockerVersion: 28.2.2\"}", 3 },
        { "another Docker", { STR_INIT("1.105.1"), STR_INIT("a8b3e7d3"), STR_INIT("DockerVersion: 29.0.0") },
          "{\"agentVersion\":\"1.105.1\",\"agentHash\":\"a8b3e7d3\",\"dockerVersion\":\"DockerVersion: 29.0.0\"}", 4 },
    };
    struct api_fixture f;
    cluster_open(&f);
    struct str made = fixture_call(&f, "RegisterContainerInstance", "{\"clientToken\":\"one\"}");
    struct id machine = id_at(&f, made, "containerInstance.containerInstanceArn");
    machine_presence(&f, machine, true);
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct api_call call;
        api_prepare_machine_report(&(struct machine_report){ .instance = machine, .version = &rows[r].told }, &f.kept, &call);
        fixture_internal(&f, &call);
        CHECK_STR(rows[r].row, health_of(&f, machine, "versionInfo"), str_from(rows[r].want));
        CHECK_EQ(rows[r].row, version_of(&f, machine), rows[r].version);
    }
    CHECK("nothing was said of Docker's health", !str_is_set(health_of(&f, machine, "healthStatus.details[1]")));
    (void)fixture_call(&f, "RegisterContainerInstance", text(&f, "{\"clientToken\":\"two\",\"containerInstanceArn\":\"%s\"}",
                                                             at(&f, made, "containerInstance.containerInstanceArn")));
    CHECK_STR("who registers again and says nothing of it, changes nothing", health_of(&f, machine, "versionInfo"), str_from(rows[2].want));
    fixture_close(&f);
}

static void test_tasks(void)
{
    struct api_fixture f;
    cluster_open(&f);
    struct id a = machine_add(&f, "a", 2);
    define(&f, "one", GPUS("1"), "");
    struct str first = fixture_call(&f, "RunTask", "{\"taskDefinition\":\"one\"}"), second = fixture_call(&f, "RunTask", "{\"taskDefinition\":\"one\"}");
    const char *on[2] = { at(&f, first, "tasks[0].taskArn"), at(&f, second, "tasks[0].taskArn") };
    const char *gpus[2] = { at(&f, first, "tasks[0].containers[0].gpuIds[0]"), at(&f, second, "tasks[0].containers[0].gpuIds[0]") };
    report(&f, on[0], "RUNNING", "{\"containerName\":\"main\",\"status\":\"RUNNING\"}");
    (void)report_gpus(&f, a, text(&f, "\"status\":\"IMPAIRED\",\"gpus\":[{\"uuid\":\"%s\",\"reason\":\"Xid 48\",\"since\":10}]", gpus[0]));
    struct str told = fixture_call(&f, "DescribeTasks", text(&f, "{\"tasks\":[\"%s\",\"%s\"]}", on[0], on[1]));
    CHECK_STR("who runs there goes on", fixture_at(&f, told, "tasks[0].desiredStatus"), STR("RUNNING"));

    (void)report_gpus(&f, a, text(&f, "\"status\":\"IMPAIRED\",\"gpus\":[{\"uuid\":\"%s\",\"reason\":\"Xid 79\",\"since\":20,\"gone\":true}]", gpus[0]));
    CHECK_EQ("the agent is woken", (int64_t)f.effects.count, 1);
    told = fixture_call(&f, "DescribeTasks", text(&f, "{\"tasks\":[\"%s\",\"%s\"]}", on[0], on[1]));
    CHECK_STR("its task ends", fixture_at(&f, told, "tasks[0].desiredStatus"), STR("STOPPED"));
    CHECK_STR("the code", fixture_at(&f, told, "tasks[0].stopCode"), STR("InfrastructureHealth"));
    CHECK_STR("the reason", fixture_at(&f, told, "tasks[0].stoppedReason"), str_from(text(&f, "InfrastructureHealth: %s is gone: Xid 79", gpus[0])));
    CHECK_STR("the other goes on", fixture_at(&f, told, "tasks[1].desiredStatus"), STR("RUNNING"));
    report(&f, on[0], "STOPPED", "{\"containerName\":\"main\",\"status\":\"STOPPED\",\"exitCode\":137}");
    report(&f, on[1], "STOPPED", "{\"containerName\":\"main\",\"status\":\"STOPPED\",\"exitCode\":0}");
    told = fixture_call(&f, "RunTask", "{\"taskDefinition\":\"one\",\"count\":2}");
    CHECK_EQ("one of two finds a place", count_at(&f, told, "tasks"), 1);
    CHECK_STR("on the good one", fixture_at(&f, told, "tasks[0].containers[0].gpuIds[0]"), str_from(gpus[1]));
    CHECK_STR("and why the other does not", fixture_at(&f, told, "failures[0].detail"),
              STR("needs 1 GPU. 1 instance has 2 GPUs, of which none is free and 1 is quarantined. Would fit when a task with a GPU ends."));
    check_world(&f, "gone");
    fixture_close(&f);
}

static void test_by_hand(void)
{
    struct api_fixture f;
    cluster_open(&f);
    struct id a = machine_add(&f, "a", 2);
    CHECK_STR("unknown", set_gpu(&f, "GPU-x", "QUARANTINED"), STR("No machine has a GPU with the UUID GPU-x."));
    CHECK_STR("in the pool", set_gpu(&f, "GPU-a-0", "AVAILABLE"), STR("The GPU GPU-a-0 is not in quarantine."));
    CHECK_STR("taken out", set_gpu(&f, "GPU-a-0", "QUARANTINED"), STR(""));
    CHECK_EQ("it is out", (int64_t)free_slots(&f, a), 2);
    CHECK_STR("who", listed(&f, "gpus[0].by"), STR("tester"));
    CHECK_STR("why", listed(&f, "gpus[0].reason"), STR("the fan is loud"));
    (void)report_gpus(&f, a, "\"status\":\"OK\",\"gpus\":[" SICK("GPU-a-0", "10") "," SICK("GPU-a-1", "10") "]");
    CHECK_EQ("the agent doubts both", (int64_t)free_slots(&f, a), 0);
    CHECK_STR("given back", set_gpu(&f, "GPU-a-0", "AVAILABLE"), STR(""));
    CHECK_EQ("one is back", (int64_t)free_slots(&f, a), 1);
    CHECK_STR("who gave it back", listed(&f, "gpus[1].restoredBy"), STR("tester"));
    (void)report_gpus(&f, a, "\"status\":\"OK\",\"gpus\":[" SICK("GPU-a-0", "10") "]");
    CHECK_EQ("the same fault is no news", (int64_t)free_slots(&f, a), 3);
    (void)report_gpus(&f, a, "\"status\":\"OK\",\"gpus\":[" SICK("GPU-a-0", "11") "]");
    CHECK_EQ("a new one is", (int64_t)free_slots(&f, a), 2);
    (void)report_gpus(&f, a, "\"status\":\"OK\",\"gpus\":[" GONE("GPU-a-0") "]");
    CHECK_STR("a GPU that is gone can't be given back", set_gpu(&f, "GPU-a-0", "AVAILABLE"),
              STR("The GPU GPU-a-0 does not answer (Xid 79: it has fallen off the bus): it comes back by itself once it does."));
    CHECK_STR("taken out too", set_gpu(&f, "GPU-a-0", "QUARANTINED"), STR(""));
    (void)report_gpus(&f, a, "\"status\":\"OK\"");
    CHECK_EQ("a person's word outlives the agent's", (int64_t)free_slots(&f, a), 2);
    check_world(&f, "by hand");
    fixture_close(&f);
}

static void test_bad_reports(void)
{
    static const struct { const char *row, *body; enum err_code code; } rows[] = {
        { "no status", "\"gpus\":[]", ERR_INVALID_PARAMETER },
        { "an unknown status", "\"status\":\"FINE\"", ERR_INVALID_PARAMETER },
        { "a device without a name", "\"status\":\"OK\",\"gpus\":[{\"reason\":\"x\"}]", ERR_INVALID_PARAMETER },
        { "an empty name", "\"status\":\"OK\",\"gpus\":[{\"uuid\":\"\"}]", ERR_INVALID_PARAMETER },
        { "a finding's status", "\"status\":\"OK\",\"findings\":[{\"check\":\"x\",\"status\":\"BAD\"}]", ERR_INVALID_PARAMETER },
        { "another shape", "\"status\":\"OK\",\"gpus\":{}", ERR_SERIALIZATION },
        { "another cluster", "\"status\":\"OK\",\"cluster\":\"other\"", ERR_CLUSTER_NOT_FOUND },
    };
    struct api_fixture f;
    cluster_open(&f);
    struct id a = machine_add(&f, "a", 1), nobody = { { 1 } };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        (void)report_gpus(&f, a, rows[r].body);
        CHECK_EQ(rows[r].row, f.code, rows[r].code);
    }
    CHECK_STR("nobody", report_gpus(&f, nobody, "\"status\":\"OK\""), STR("The referenced container instance was not found."));
    CHECK_EQ("nothing came of it", (int64_t)free_slots(&f, a), 1);
    fixture_close(&f);
}

static void test_board(void)
{
    struct api_fixture f;
    cluster_open(&f);
    struct id a = machine_add(&f, "a", 2);
    (void)report_gpus(&f, a, IMPAIRED ",\"findings\":[{\"check\":\"nvidia-driver\",\"status\":\"FAIL\",\"text\":\"no driver\",\"remedy\":\"install it\"}],"
                      "\"gpus\":[" GONE("GPU-a-1") "]");
    (void)set_gpu(&f, "GPU-a-1", "QUARANTINED");
    struct buf out = buf_in(&f.kept);
    struct store_txn *txn = store_read_begin(f.store);
    struct op_ctx ctx = fixture_ctx(&f, txn, &f.kept, OP_READ);
    api_print_board(&ctx, &out);
    CHECK("read", store_read_end(txn));
    struct str board = buf_str(&out);
    CHECK_STR("one is well", fixture_at(&f, board, "instances[0].gpus[0].fault"), STR("null"));
    CHECK_STR("a GPU that is gone counts more", fixture_at(&f, board, "instances[0].gpus[1].fault.reason"), STR("Xid 79: it has fallen off the bus"));
    CHECK_STR("its agent said so", fixture_at(&f, board, "instances[0].gpus[1].fault.by"), STR("null"));
    CHECK_STR("health", fixture_at(&f, board, "instances[0].health"), STR("IMPAIRED"));
    CHECK_STR("a finding", fixture_at(&f, board, "instances[0].findings[0].remedy"), STR("install it"));
    fixture_close(&f);
}

int main(void)
{
    test_agents_word();
    test_docker();
    test_versions();
    test_tasks();
    test_by_hand();
    test_bad_reports();
    test_board();
    return check_report();
}
