/* GPUs that are not alike, parts of GPUs, and how well GPUs are connected: from an agent's words to records, and back to agents. */
#include "machines.h"

static struct instance instance_of(struct api_fixture *f, struct id id)
{
    struct store_txn *txn = store_read_begin(f->store);
    const struct instance *found = store_instance(txn, id, &f->kept);
    CHECK("it is there", found != NULL && store_read_end(txn));
    return found == NULL ? (struct instance){ 0 } : *found;
}

/* Registers a machine with `attributes` of its GPUs, JSON that follows in the list. */
static struct instance register_with(struct api_fixture *f, int gpus, const char *attributes)
{
    struct buf devices = buf_in(&f->kept);
    for (int g = 0; g < gpus; g++) { buf_printf(&devices, "%s{\"id\":\"GPU-%d\",\"type\":\"GPU\"}", g == 0 ? "" : ",", g); }
    struct str reply = fixture_call(f, "RegisterContainerInstance",
                                    text(f, "{\"totalResources\":[{\"name\":\"MEMORY\",\"type\":\"INTEGER\",\"integerValue\":8192}],"
                                         "\"platformDevices\":[%.*s],\"attributes\":[{\"name\":\"berth.gpu-model\",\"value\":\"V100\"},"
                                         "{\"name\":\"berth.gpu-memory\",\"value\":\"16384\"}%s]}", (int)devices.len, devices.ptr, attributes));
    CHECK_EQ("registered", f->code, ERR_NONE);
    return instance_of(f, id_at(f, reply, "containerInstance.containerInstanceArn"));
}

static void test_kinds(void)
{
    struct api_fixture f;
    cluster_open(&f);
    struct instance machine = register_with(&f, 3, "");
    CHECK_STR("alike", machine.gpus.items[2].model, STR("V100"));
    CHECK_EQ("memory", machine.gpus.items[2].memory_mib, 16384);
    machine = register_with(&f, 3, ",{\"name\":\"berth.gpu-kinds\",\"value\":\"2*H200/18176/1g.18gb,A100/40960\"}");
    CHECK_STR("a partition", machine.gpus.items[1].profile, STR("1g.18gb"));
    CHECK_EQ("its memory", machine.gpus.items[1].memory_mib, 18176);
    CHECK_STR("its UUID", machine.gpus.items[1].uuid, STR("GPU-1"));
    CHECK_STR("another model", machine.gpus.items[2].model, STR("A100"));
    CHECK("a whole one", !str_is_set(machine.gpus.items[2].profile));
    machine = register_with(&f, 3, ",{\"name\":\"berth.gpu-kinds\",\"value\":\"2*H200/18176/1g.18gb\"}");
    CHECK_STR("a text that is not about as many is not believed", machine.gpus.items[0].model, STR("V100"));
    check_world(&f, "kinds");
    fixture_close(&f);
}

/* ---- parts of GPUs ---- */

#define MEMORY(n)    ",\"resourceRequirements\":[{\"type\":\"GPU_MEMORY\",\"value\":\"" n "\"}]"
#define BOTH(n, mib) ",\"resourceRequirements\":[{\"type\":\"GPU\",\"value\":\"" n "\"},{\"type\":\"GPU_MEMORY\",\"value\":\"" mib "\"}]"

/* Which GPUs a task of `family` got, as numbers of the machine's slots; or the reason why none. */
static struct str run(struct api_fixture *f, const char *family)
{
    struct str reply = fixture_call(f, "RunTask", text(f, "{\"taskDefinition\":\"%s\"}", family));
    if (f->code != ERR_NONE) { return reply; }
    if (count_at(f, reply, "tasks") == 0) { return fixture_at(f, reply, "failures[0].reason"); }
    struct buf out = buf_in(&f->kept);
    int64_t count = count_at(f, reply, "tasks[0].containers[0].gpuIds");
    for (int64_t g = 0; g < count; g++) {
        struct str uuid = fixture_at(f, reply, text(f, "tasks[0].containers[0].gpuIds[%lld]", (long long)g));
        buf_put_char(&out, uuid.ptr[uuid.len - 1]);
    }
    return buf_str(&out);
}

/* The share that the record of the newest task keeps. */
static int64_t share_kept(struct api_fixture *f)
{
    struct str list = fixture_call(f, "ListTasks", "{}");
    struct id id = id_at(f, list, text(f, "taskArns[%lld]", (long long)count_at(f, list, "taskArns") - 1));
    struct store_txn *txn = store_read_begin(f->store);
    const struct task *task = store_task(txn, id, &f->kept);
    CHECK("the task is there", task != NULL && store_read_end(txn));
    return task == NULL ? -1 : task->containers.items[0].gpu_share;
}

static struct str free_gpus(struct api_fixture *f)
{
    struct str list = fixture_call(f, "ListContainerInstances", "{}");
    struct str reply = fixture_call(f, "DescribeContainerInstances",
                                    text(f, "{\"containerInstances\":[\"%s\"]}", at(f, list, "containerInstanceArns[0]")));
    return fixture_at(f, reply, "containerInstances[0].remainingResources[4].stringSetValue");
}

static void test_shares(void)
{
    static const struct { const char *family, *more, *want; int64_t kept; } rows[] = {
        { "half", GPUS("0.5"), "0", 500 },          { "half", NULL, "0", 500 },              { "more", GPUS("0.6"), "1", 600 },
        { "one", GPUS("1"), "2", 0 },               { "more", NULL, "RESOURCE:GPU", 0 },     { "one", NULL, "RESOURCE:GPU", 0 },
        { "rest", GPUS("0.4"), "1", 400 },          { "little", GPUS("0.001"), "RESOURCE:GPU", 0 },
    };
    struct api_fixture f;
    cluster_open(&f);
    (void)machine_add(&f, "a", 3);
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        if (rows[r].more != NULL) { define(&f, rows[r].family, rows[r].more, ""); }
        CHECK_STR(rows[r].family, run(&f, rows[r].family), str_from(rows[r].want));
        if (rows[r].want[0] != 'R') { CHECK_EQ(rows[r].family, share_kept(&f), rows[r].kept); }
        if (r == 1) { CHECK_STR("only wholly free GPUs are free", free_gpus(&f), STR("[\"GPU-a-1\",\"GPU-a-2\"]")); }
        check_world(&f, rows[r].family);
    }
    CHECK_STR("none is free", free_gpus(&f), STR("[]"));
    struct store_txn *txn = store_read_begin(f.store);
    struct err err = { 0 };
    CHECK("the store is sound", store_check(txn, &err) && store_read_end(txn));

    struct str list = fixture_call(&f, "ListTasks", "{}");
    for (int64_t t = 0; t < 2; t++) { report(&f, at(&f, list, text(&f, "taskArns[%lld]", (long long)t)), "STOPPED", ""); }
    CHECK_STR("both halves gone, it is free", free_gpus(&f), STR("[\"GPU-a-0\"]"));
    CHECK_STR("for a whole task", run(&f, "one"), STR("0"));
    check_world(&f, "after");
    fixture_close(&f);
}

/* The machine's devices have 16384 MiB. */
static void test_memory(void)
{
    static const struct { const char *family, *more, *want; int64_t kept; } rows[] = {
        { "8-gib", MEMORY("8192"), "0", 500 },              { "8-gib", NULL, "0", 500 },
        { "quarter-8-gib", BOTH("0.25", "8192"), "1", 500 },{ "half-1-gib", BOTH("0.5", "1024"), "1", 500 },
        { "too-much", MEMORY("16385"), "RESOURCE:GPU", 0 }, { "too-big", BOTH("1", "16385"), "RESOURCE:GPU", 0 },
        { "one-big", BOTH("1", "16384"), "2", 0 },
    };
    struct api_fixture f;
    cluster_open(&f);
    (void)machine_add(&f, "a", 3);
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        if (rows[r].more != NULL) { define(&f, rows[r].family, rows[r].more, ""); }
        CHECK_STR(rows[r].family, run(&f, rows[r].family), str_from(rows[r].want));
        if (rows[r].want[0] != 'R') { CHECK_EQ(rows[r].family, share_kept(&f), rows[r].kept); }
    }
    check_world(&f, "memory");
    fixture_close(&f);
}

static void test_start_task(void)
{
    struct api_fixture f;
    cluster_open(&f);
    (void)machine_add(&f, "a", 1);
    define(&f, "most", GPUS("0.7"), "");
    const char *arn = at(&f, fixture_call(&f, "ListContainerInstances", "{}"), "containerInstanceArns[0]");
    const char *body = text(&f, "{\"taskDefinition\":\"most\",\"containerInstances\":[\"%s\"]}", arn);
    struct str reply = fixture_call(&f, "StartTask", body);
    CHECK_STR("on the machine that was named", fixture_at(&f, reply, "tasks[0].containers[0].gpuIds"), STR("[\"GPU-a-0\"]"));
    CHECK_EQ("its share", share_kept(&f), 700);
    reply = fixture_call(&f, "StartTask", body);
    CHECK_STR("where 0.3 is left", fixture_at(&f, reply, "failures[0].reason"), STR("RESOURCE:GPU"));
    check_world(&f, "StartTask");
    fixture_close(&f);
}

static void add_machine(struct api_fixture *f, int gpus, const char *attributes)
{
    struct instance machine = register_with(f, gpus, attributes);
    machine_presence(f, machine.id, true);
}

static void test_partitions(void)
{
    struct api_fixture f;
    cluster_open(&f);
    add_machine(&f, 3, ",{\"name\":\"berth.gpu-kinds\",\"value\":\"2*H200/18176/1g.18gb,H200/143771\"}");
    define(&f, "one", GPUS("1"), "");
    define(&f, "memory", MEMORY("10000"), "");
    CHECK_STR("who asks for memory gets a partition", run(&f, "memory"), STR("0"));
    CHECK_EQ("all of it", share_kept(&f), 0);
    CHECK_STR("who asks for a GPU gets a whole one", run(&f, "one"), STR("2"));
    CHECK_STR("and no partition", run(&f, "one"), STR("RESOURCE:GPU"));
    CHECK_STR("the other one", run(&f, "memory"), STR("1"));
    CHECK_STR("no more", run(&f, "memory"), STR("RESOURCE:GPU"));
    fixture_close(&f);
}

static void test_links(void)
{
    struct api_fixture f;
    cluster_open(&f);
    add_machine(&f, 4, ",{\"name\":\"berth.gpu-links\",\"value\":\"20,220,20,20,220,20\"}");     /* 0 and 2, 1 and 3 */
    define(&f, "two", GPUS("2"), "");
    CHECK_STR("the pair that is connected", run(&f, "two"), STR("02"));
    CHECK_STR("and the other", run(&f, "two"), STR("13"));
    fixture_close(&f);
    cluster_open(&f);
    add_machine(&f, 4, ",{\"name\":\"berth.gpu-links\",\"value\":\"20,220,20\"}");
    define(&f, "two", GPUS("2"), "");
    CHECK_STR("a text that is not about as many is not believed", run(&f, "two"), STR("01"));
    fixture_close(&f);
}

int main(void)
{
    test_kinds();
    test_shares();
    test_memory();
    test_start_task();
    test_partitions();
    test_links();
    return check_report();
}
