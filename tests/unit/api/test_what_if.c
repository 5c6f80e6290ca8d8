/* Questions that change nothing: what RunTask would do, why a task is where it is, how much more would fit. */
#include "api/tell/pulls.h"
#include "tests/unit/api/machines.h"

static int64_t revision(struct api_fixture *f)
{
    struct store_txn *txn = store_read_begin(f->store);
    int64_t now = store_revision(txn);
    CHECK("the read is sound", store_read_end(txn));
    return now;
}

/* The answer, or the error as fixture_call has it. Nothing is written, and chance goes on as if nobody had asked. */
static struct str what_if(struct api_fixture *f, const char *body)
{
    struct api_call call = { 0 };
    struct err err = { 0 };
    struct buf out = buf_in(&f->kept);
    int64_t before = revision(f);
    struct rng chance = f->rng;
    if (api_prepare_what_if(&f->config, str_from(body), &f->kept, &call, &err) && fixture_run(f, &call, &f->kept, &err)) {
        struct store_txn *txn = store_read_begin(f->store);
        struct op_ctx ctx = fixture_ctx(f, txn, &f->kept, OP_READ);
        api_print_what_if(&ctx, &call, &out);
        CHECK("the read is sound", store_read_end(txn));
    } else {
        buf_printf(&out, "%s: %s", err_wire_name(err.code), err.message);
    }
    CHECK_EQ("nothing is written", revision(f), before);
    CHECK("chance is as it was", memcmp(&chance, &f->rng, sizeof chance) == 0);
    return buf_str(&out);
}

static struct str why(struct api_fixture *f, struct id task)
{
    const struct image_pull_list nothing_pulled = { 0 };
    struct buf out = buf_in(&f->kept);
    struct store_txn *txn = store_read_begin(f->store);
    struct op_ctx ctx = fixture_ctx(f, txn, &f->kept, OP_READ);
    bool known = api_print_why(&ctx, task, &nothing_pulled, &out);
    CHECK("the read is sound", store_read_end(txn));
    return known ? buf_str(&out) : STR("nobody knows it");
}

/* ---- what-if is what RunTask then does ---- */

static void compare(struct api_fixture *f, const char *row, struct str answer, struct str made)
{
    int64_t count = count_at(f, made, "tasks");
    CHECK_EQ(row, count_at(f, answer, "placements"), count);
    CHECK_STR(row, fixture_at(f, answer, "fits"), str_from(text(f, "%d", (int)count)));
    for (int t = 0; t < (int)count; t++) {
        CHECK_STR(row, fixture_at(f, answer, text(f, "placements[%d].instance.arn", t)), fixture_at(f, made, text(f, "tasks[%d].containerInstanceArn", t)));
        struct str gpus = fixture_at(f, made, text(f, "tasks[%d].containers[0].gpuIds", t));
        CHECK_STR(row, fixture_at(f, answer, text(f, "placements[%d].containers[0].gpuIds", t)), str_is_set(gpus) ? gpus : STR("[]"));
    }
    CHECK_EQ(row, count_at(f, answer, "failures"), count_at(f, made, "failures"));
    for (int t = 0; t < (int)count_at(f, made, "failures"); t++) {
        CHECK_STR(row, fixture_at(f, answer, text(f, "failures[%d].arn", t)), fixture_at(f, made, text(f, "failures[%d].arn", t)));
        CHECK_STR(row, fixture_at(f, answer, text(f, "failures[%d].reason", t)), fixture_at(f, made, text(f, "failures[%d].reason", t)));
        struct str said = str_from(at(f, answer, text(f, "failures[%d].detail", t))), told = str_from(at(f, made, text(f, "failures[%d].detail", t)));
        size_t need = str_find(told, '.');                       /* behind it: who holds the taken part, which has other words */
        CHECK_STR(row, str_slice(said, 0, need), str_slice(told, 0, need));
    }
}

static void test_same_as_run_task(void)
{
    static const struct { const char *row, *body; } rows[] = {
        { "by chance",       "{\"taskDefinition\":\"plain\",\"count\":10}" },
        { "again",           "{\"taskDefinition\":\"plain\",\"count\":7}" },
        { "a GPU",           "{\"taskDefinition\":\"one\",\"count\":2}" },
        { "half of one",     "{\"taskDefinition\":\"half\",\"count\":3}" },
        { "spread",          "{\"taskDefinition\":\"plain\",\"count\":6,\"placementStrategy\":[{\"type\":\"spread\",\"field\":\"instanceId\"}]}" },
        { "random",          "{\"taskDefinition\":\"plain\",\"count\":9,\"placementStrategy\":[{\"type\":\"random\"}]}" },
        { "a gang",          "{\"taskDefinition\":\"one\",\"count\":2,\"tags\":[{\"key\":\"berth:gang\",\"value\":\"true\"}]}" },
        { "too big a gang",  "{\"taskDefinition\":\"one\",\"count\":10,\"tags\":[{\"key\":\"berth:gang\",\"value\":\"true\"}]}" },
        { "one too many",    "{\"taskDefinition\":\"one\",\"count\":10}" },
        { "none left",       "{\"taskDefinition\":\"one\"}" },
        { "nowhere",         "{\"taskDefinition\":\"one\",\"placementConstraints\":[{\"type\":\"memberOf\",\"expression\":\"attribute:rack == r7\"}]}" },
        { "no definition",   "{\"taskDefinition\":\"nope\"}" },
        { "no cluster",      "{\"taskDefinition\":\"one\",\"cluster\":\"nope\"}" },
        { "too many",        "{\"taskDefinition\":\"one\",\"count\":11}" },
        { "a bad tag",       "{\"taskDefinition\":\"one\",\"tags\":[{\"key\":\"berth:gang\",\"value\":\"maybe\"}]}" },
        { "no JSON",         "{\"taskDefinition\":" },
        { "not a word of it", "{\"taskDefinition\":\"one\",\"count\":\"two\"}" },
    };
    struct api_fixture f;
    cluster_open(&f);
    for (int m = 0; m < 5; m++) { (void)machine_add(&f, text(&f, "m%d", m), m); }
    define(&f, "plain", ",\"cpu\":10", "");
    define(&f, "one", GPUS("1"), "");
    define(&f, "half", GPUS("0.5"), "");
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct str answer = what_if(&f, rows[r].body);
        CHECK_STR(rows[r].row, what_if(&f, rows[r].body), answer);
        check_world(&f, rows[r].row);
        struct str made = fixture_call(&f, "RunTask", rows[r].body);
        if (f.code == ERR_NONE) { compare(&f, rows[r].row, answer, made); } else { CHECK_STR(rows[r].row, answer, made); }
    }
    check_world(&f, "all of it");
    fixture_close(&f);
}

/* ---- the sentence ---- */

static void check_rows(struct api_fixture *f, struct str answer, const char *const rows[][2], size_t count)
{
    for (size_t r = 0; r < count; r++) { CHECK_STR(rows[r][0], str_from(at(f, answer, rows[r][0])), str_from(rows[r][1])); }
}

static void test_evidence(void)
{
    struct api_fixture f;
    cluster_open(&f);
    struct id big = machine_add(&f, "big", 4);
    (void)machine_add(&f, "small", 1);
    machine_presence(&f, machine_add(&f, "silent", 0), false);
    char hex[ID_HEX_LEN + 1];
    id_hex(big, hex);
    define(&f, "three", GPUS("3"), ",\"placementConstraints\":[{\"type\":\"memberOf\",\"expression\":\"attribute:berth.gpu-model == V100\"}]");
    define(&f, "one", GPUS("1") ",\"portMappings\":[{\"containerPort\":80,\"hostPort\":80},{\"containerPort\":53,\"hostPort\":53,\"protocol\":\"udp\"}]", "");
    struct str held = fixture_call(&f, "StartTask", text(&f, "{\"taskDefinition\":\"three\",\"startedBy\":\"nightly\",\"containerInstances\":[\"%s\"]}", hex));
    struct str answer = what_if(&f, "{\"taskDefinition\":\"three\",\"placementConstraints\":[{\"type\":\"distinctInstance\"},"
                                    "{\"type\":\"memberOf\",\"expression\":\"attribute:berth.name != other\"}]}");
    static const char *const rows[][2] = {
        { "cluster", "default" },
        { "taskDefinition", "three:1" },
        { "count", "1" },
        { "gang", "false" },
        { "fits", "0" },
        { "needs.cpu", "0" },
        { "needs.memory", "128" },
        { "needs.gpus", "[{\"container\":\"main\",\"count\":3,\"share\":1,\"memory\":0}]" },
        { "needs.ports", "[]" },
        { "needs.constraints", "[\"attribute:berth.gpu-model == V100\",\"attribute:berth.name != other\"]" },
        { "needs.distinctInstance", "true" },
        { "placements", "[]" },
        { "failures[0].reason", "DISTINCTINSTANCE" },
        { "evidence.instances", "3" },
        { "evidence.impossible", "false" },
        { "evidence.groups[0].reason", "DISTINCTINSTANCE" },
        { "evidence.groups[0].busy", "true" },
        { "evidence.groups[0].instances", "1" },
        { "evidence.groups[0].mostFree", "null" },
        { "evidence.groups[0].nearest.name", "big" },
        { "evidence.groups[1].reason", "RESOURCE:GPU" },
        { "evidence.groups[1].busy", "false" },
        { "evidence.groups[1].mostFree", "1" },
        { "evidence.groups[1].most", "1" },
        { "evidence.groups[2].reason", "AGENT" },
        { "evidence.groups[2].nearest.name", "silent" },
        { "evidence.blockedBy[0].family", "three:1" },
        { "evidence.blockedBy[0].startedBy", "nightly" },
        { "evidence.blockedBy[0].gpus", "3" },
        { "evidence.blockedBy[0].created", "1700000000000" },
        { "warning", "null" },
    };
    check_rows(&f, answer, rows, COUNT_OF(rows));
    CHECK_STR("the paragraph of RunTask", fixture_at(&f, answer, "evidence.detail"), fixture_at(&f, answer, "failures[0].detail"));
    CHECK_STR("the task in the way", fixture_at(&f, answer, "evidence.blockedBy[0].arn"), fixture_at(&f, held, "tasks[0].taskArn"));
    CHECK_EQ("it alone", count_at(&f, answer, "evidence.blockedBy"), 1);

    answer = what_if(&f, "{\"taskDefinition\":\"one\",\"count\":3}");
    static const char *const ports[][2] = {
        { "fits", "2" },
        { "needs.ports", "[\"80\",\"53/udp\"]" },
        { "failures[0].reason", "RESOURCE:GPU" },
        { "evidence.groups[0].mostFree", "0" },
        { "evidence.groups[0].mostShareFree", "0" },
        { "evidence.groups[0].most", "4" },
        { "evidence.blockedBy", "[]" },                          /* without its own first two it would fit: that is no help */
    };
    check_rows(&f, answer, ports, COUNT_OF(ports));
    check_world(&f, "nothing has changed");
    fixture_close(&f);
}

static void test_choice(void)
{
    static const struct { const char *family, *more, *want; } rows[] = {
        { "plain", "", "By chance among the machines with room, those without GPUs first." },
        { "one", "", "By gpu-mix, Berth's own policy for GPUs: where most is left for what this cluster is usually asked for, on the devices that are connected best." },
        { "plain", ",\"placementStrategy\":[{\"type\":\"spread\",\"field\":\"attribute:zone\"},{\"type\":\"binpack\",\"field\":\"memory\"}]",
          "As the request says among the machines with room: spread (attribute:zone), then binpack (memory)." },
        { "one", ",\"placementStrategy\":[{\"type\":\"random\"}]", "As the request says among the machines with room: random." },
        { "one", ",\"placementStrategy\":[{\"type\":\"binpack\",\"field\":\"gpu-fragmentation\"}]",
          "As the request says among the machines with room: binpack (gpu-fragmentation)." },
        { "one", ",\"placementStrategy\":[{\"type\":\"spread\",\"field\":\"instanceId\"}]",
          "As the request says among the machines with room: spread (instanceId); among equals by gpu-mix, Berth's own policy for GPUs: where most is "
          "left for what this cluster is usually asked for, on the devices that are connected best." },
    };
    struct api_fixture f;
    cluster_open(&f);
    (void)machine_add(&f, "a", 8);
    define(&f, "plain", "", "");
    define(&f, "one", GPUS("1"), "");
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        const char *body = text(&f, "{\"taskDefinition\":\"%s\"%s}", rows[r].family, rows[r].more);
        CHECK_STR(rows[r].want, fixture_at(&f, what_if(&f, body), "choice"), str_from(rows[r].want));
        struct str made = fixture_call(&f, "RunTask", body);
        CHECK_STR(rows[r].want, fixture_at(&f, why(&f, id_at(&f, made, "tasks[0].taskArn")), "choice"), str_from(rows[r].want));
    }
    fixture_close(&f);
}

/* ---- why a task is where it is ---- */

static void test_why(void)
{
    struct api_fixture f;
    cluster_open(&f);
    struct id machine = machine_add(&f, "node-a", 4);
    define(&f, "train", GPUS("2"), "");
    struct str made = fixture_call(&f, "RunTask", "{\"taskDefinition\":\"train\",\"startedBy\":\"nightly\",\"count\":2,"
        "\"tags\":[{\"key\":\"berth:gang\",\"value\":\"true\"}],\"placementStrategy\":[{\"type\":\"binpack\",\"field\":\"gpu\"}],"
        "\"placementConstraints\":[{\"type\":\"memberOf\",\"expression\":\"attribute:berth.gpu-model == V100\"}]}");
    struct id task = id_at(&f, made, "tasks[1].taskArn");
    const char *arn = at(&f, made, "tasks[1].taskArn");
    static const char *const rows[][2] = {
        { "task.family", "train:1" },
        { "task.startedBy", "nightly" },
        { "task.instanceName", "node-a" },
        { "task.gpus", "2" },
        { "task.stopped", "null" },
        { "lastStatus", "PENDING" },
        { "desiredStatus", "RUNNING" },
        { "gang.rank", "1" },
        { "gang.size", "2" },
        { "strategies", "[\"binpack (gpu)\"]" },
        { "constraints", "[\"attribute:berth.gpu-model == V100\"]" },
        { "detail", "It has its place on node-a, where the agent is to start it. It has 2 GPUs, 0 CPU units and 128 MiB of memory on node-a. "
          "It is number 1 of a gang of 2, which was placed at once. How it got its place: As the request says among the machines with room: "
          "binpack (gpu); among equals by gpu-mix, Berth's own policy for GPUs: where most is left for what this cluster is usually asked for, on the devices "
          "that are connected best." },
    };
    struct str answer = why(&f, task);
    check_rows(&f, answer, rows, COUNT_OF(rows));
    CHECK_STR("the gang's id", fixture_at(&f, answer, "gang.id"), str_slice(fixture_at(&f, made, "tasks[0].taskArn"), strlen(ARN_OF("task")), 200));
    CHECK_STR("its GPUs", fixture_at(&f, answer, "task.containers[0].gpuIds"), fixture_at(&f, made, "tasks[1].containers[0].gpuIds"));

    static const struct { const char *row, *want; } texts[] = {
        { "running", "It runs on node-a. It has 2 GPUs" },
        { "stop is ordered", "Its stop is ordered. It keeps its place on node-a until the agent there reports its end. It has 2 GPUs" },
        { "the agent is silent", "Its stop is ordered. It keeps its place on node-a until the agent there reports its end. That agent is not "
          "connected: until it is back, Berth can change and learn nothing there. It has 2 GPUs" },
        { "stopped", "It stopped (UserInitiated): Task stopped by user (enough). Container main ended with exit code 137: killed. It had 2 GPUs" },
        { "in the history", "It stopped (UserInitiated): Task stopped by user (enough). Container main ended with exit code 137: killed. It had 2 GPUs, "
          "0 CPU units and 128 MiB of memory on node-a." },
        { "forgotten", "" },
    };
    for (size_t t = 0; t < COUNT_OF(texts); t++) {
        switch (t) {
        case 0: report(&f, arn, "RUNNING", ""); break;
        case 1: (void)fixture_call(&f, "StopTask", text(&f, "{\"task\":\"%s\",\"reason\":\"enough\"}", arn)); break;
        case 2: machine_presence(&f, machine, false); break;
        case 3: report(&f, arn, "STOPPED", "{\"containerName\":\"main\",\"status\":\"STOPPED\",\"exitCode\":137,\"reason\":\"killed\"}"); break;
        case 4: f.now_ms += f.config.stopped_task_keep_ms + 1; break;
        default: f.now_ms += f.config.history_keep_ms + 1; break;
        }
        expire(&f, 100);
        answer = why(&f, task);
        bool known = texts[t].want[0] != '\0';
        CHECK_EQ(texts[t].row, str_eq(answer, STR("nobody knows it")), !known);
        if (known) { CHECK_STR(texts[t].row, str_slice(fixture_at(&f, answer, "detail"), 0, strlen(texts[t].want)), str_from(texts[t].want)); }
        if (t == 4) { CHECK_STR("how it was chosen is forgotten", fixture_at(&f, answer, "choice"), STR("null")); }
    }

    char hex[ID_HEX_LEN + 1];
    id_hex(machine_add(&f, "node-b", 0), hex);
    define(&f, "plain", "", "");
    made = fixture_call(&f, "StartTask", text(&f, "{\"taskDefinition\":\"plain\",\"containerInstances\":[\"%s\"]}", hex));
    answer = why(&f, id_at(&f, made, "tasks[0].taskArn"));
    CHECK_STR("StartTask", fixture_at(&f, answer, "choice"), STR("StartTask named the machine."));
    CHECK_STR("of no gang", fixture_at(&f, answer, "gang"), STR("null"));
    CHECK_STR("nothing was said", fixture_at(&f, answer, "strategies"), STR("[]"));
    fixture_close(&f);
}

/* ---- headroom ---- */

static struct str headroom(struct api_fixture *f, const char *cluster)
{
    struct api_call call;
    struct err err = { 0 };
    struct buf out = buf_in(&f->kept);
    api_prepare_headroom(&call);
    CHECK("asked", fixture_run(f, &call, &f->kept, &err));
    CHECK_EQ("as the world is now", api_headroom(&call)->revision, revision(f));
    return api_print_headroom(api_headroom(&call), str_from(cluster), &out) ? buf_str(&out) : STR("there is none of that name");
}

static void test_headroom(void)
{
    struct api_fixture f;
    cluster_open(&f);
    (void)fixture_call(&f, "CreateCluster", "{\"clusterName\":\"other\"}");
    (void)machine_add(&f, "a", 8);
    (void)machine_add(&f, "b", 2);
    (void)machine_add(&f, "c", 0);
    define(&f, "one", ",\"cpu\":96" GPUS("1"), "");
    (void)fixture_call(&f, "RunTask", "{\"taskDefinition\":\"one\",\"placementConstraints\":[{\"type\":\"memberOf\",\"expression\":\"attribute:berth.name == a\"}]}");
    CHECK_EQ("one runs", f.code, ERR_NONE);
    static const char *const rows[][2] = {
        { "clusters[0].name", "default" },
        { "clusters[0].instances", "3" },
        { "clusters[0].cpuFree", "12192" },
        { "clusters[0].mostCpuFree", "4096" },
        { "clusters[0].gpusFree", "9" },
        { "clusters[0].fits", "[{\"gpus\":1,\"tasks\":9},{\"gpus\":2,\"tasks\":4},{\"gpus\":4,\"tasks\":1},{\"gpus\":8,\"tasks\":0}]" },
        { "clusters[0].models[0].model", "V100" },
        { "clusters[0].models[0].instances", "2" },
        { "clusters[0].models[1]", "(absent)" },
        { "clusters[1].name", "other" },
        { "clusters[1].instances", "0" },
        { "clusters[1].models", "[]" },
    };
    check_rows(&f, headroom(&f, ""), rows, COUNT_OF(rows));
    struct str one = headroom(&f, "other");
    CHECK_STR("one of them", fixture_at(&f, one, "clusters[0].name"), STR("other"));
    CHECK_EQ("alone", count_at(&f, one, "clusters"), 1);
    CHECK_STR("none", headroom(&f, "nope"), STR("there is none of that name"));
    fixture_close(&f);
}

int main(void)
{
    test_same_as_run_task();
    test_evidence();
    test_choice();
    test_why();
    test_headroom();
    return check_report();
}
