/* machines.h: machines and definitions for tests of api/, and the question whether the world in use is the world that a rebuild
 * from the store would give. */
#ifndef BERTH_TESTS_MACHINES_H
#define BERTH_TESTS_MACHINES_H

#include <stdarg.h>

#include "tests/unit/api/api_fixture.h"

#define ARN_OF(kind) "arn:aws:ecs:us-east-1:123456789012:" kind "/default/"
#define NOBODY "0123456789abcdef0123456789abcdef"

static inline const char *text(struct api_fixture *f, const char *format, ...) __attribute__((format(printf, 2, 3)));
static inline const char *text(struct api_fixture *f, const char *format, ...)
{
    char out[8192];
    va_list values;
    va_start(values, format);
    int len = vsnprintf(out, sizeof out, format, values);
    va_end(values);
    ASSERT(len >= 0 && (size_t)len < sizeof out);
    return arena_cstr(&f->kept, (struct str){ out, (size_t)len });
}

#define CHECK_TEXT(row, found, want) CHECK_STR(row, str_from(found), str_from(want))

/* As C text, for the next call's body. */
static inline const char *at(struct api_fixture *f, struct str reply, const char *path)
{
    struct str found = fixture_at(f, reply, path);
    return str_is_set(found) ? arena_cstr(&f->kept, found) : "(absent)";
}

static inline struct id id_at(struct api_fixture *f, struct str reply, const char *path)
{
    struct str arn = fixture_at(f, reply, path);
    struct id id = { 0 };
    if (arn.len >= ID_HEX_LEN) { (void)id_parse(str_slice(arn, arn.len - ID_HEX_LEN, arn.len), &id); }
    return id;
}

/* A list's length; -1 when there is none. */
static inline int64_t count_at(struct api_fixture *f, struct str reply, const char *path)
{
    struct err err = { 0 };
    struct str found = fixture_at(f, reply, path);
    if (!str_is_set(found)) { return -1; }
    const struct json *list = json_parse(found, &f->kept, &err);
    return list != NULL && list->type == JSON_ARRAY ? (int64_t)list->count : -1;
}

/* The output lives in the arena. */
static inline void fixture_internal_in(struct api_fixture *f, struct api_call *call, struct arena *arena)
{
    struct err err = { 0 };
    CHECK("an internal operation succeeds", fixture_run(f, call, arena, &err));
    CHECK("in its memory", !arena_exhausted(arena));
}

static inline void fixture_internal(struct api_fixture *f, struct api_call *call)
{
    struct arena arena;
    arena_init(&arena, FIXTURE_ARENA_BYTES);
    fixture_internal_in(f, call, &arena);
    arena_finish(&arena);
}

static inline void machine_presence(struct api_fixture *f, struct id instance, bool connected)
{
    struct api_call call;
    if (connected) { api_prepare_presence(&(struct agent_presence){ .instance = instance }, &f->kept, &call); }
    else           { api_prepare_absence(&(struct machine_batch){ &instance, 1, 1 }, &f->kept, &call); }
    fixture_internal(f, &call);
}

/* True: there may be more. */
static inline bool expire(struct api_fixture *f, int64_t limit)
{
    struct api_call call;
    struct arena arena;
    arena_init(&arena, FIXTURE_ARENA_BYTES);
    api_prepare_expire(&(struct expire_tasks){ limit }, &f->kept, &call);
    fixture_internal_in(f, &call, &arena);
    bool again = api_expire_again(&call);
    arena_finish(&arena);
    return again;
}

/* The body of a registration: 4096 CPU units, 8192 MiB, `gpus` devices GPU-<name>-0 … */
static inline const char *machine_body(struct api_fixture *f, const char *name, int gpus, const char *more)
{
    struct buf devices = buf_in(&f->kept);
    for (int g = 0; g < gpus; g++) { buf_printf(&devices, "%s{\"id\":\"GPU-%s-%d\",\"type\":\"GPU\"}", g == 0 ? "" : ",", name, g); }
    return text(f,
                "{\"totalResources\":[{\"name\":\"CPU\",\"type\":\"INTEGER\",\"integerValue\":4096},"
                "{\"name\":\"MEMORY\",\"type\":\"INTEGER\",\"integerValue\":8192},"
                "{\"name\":\"PORTS\",\"type\":\"STRINGSET\",\"stringSetValue\":[\"22\",\"2375\"]},"
                "{\"name\":\"PORTS_UDP\",\"type\":\"STRINGSET\",\"stringSetValue\":[]}],\"platformDevices\":[%.*s],"
                "\"attributes\":[{\"name\":\"berth.name\",\"value\":\"%s\"},{\"name\":\"ecs.instance-type\",\"value\":\"p3.8xlarge\"},"
                "{\"name\":\"berth.gpu-model\",\"value\":\"V100\"},{\"name\":\"berth.gpu-memory\",\"value\":\"16384\"},"
                "{\"name\":\"ecs.capability.container-ordering\"},{\"name\":\"ecs.capability.execute-command\"}],\"versionInfo\":{\"agentVersion\":\"0.1.0\"}%s}",
                (int)devices.len, devices.len == 0 ? "" : devices.ptr, name, more);
}

/* A machine with an agent that is there. */
static inline struct id machine_add(struct api_fixture *f, const char *name, int gpus)
{
    struct str reply = fixture_call(f, "RegisterContainerInstance", machine_body(f, name, gpus, ""));
    CHECK_EQ(name, f->code, ERR_NONE);
    struct id id = id_at(f, reply, "containerInstance.containerInstanceArn");
    machine_presence(f, id, true);
    return id;
}

/* The same, with a zone. */
static inline struct id machine_add_in(struct api_fixture *f, const char *name, int gpus, const char *zone)
{
    static const char attributes[] = "\"attributes\":[";
    const char *body = machine_body(f, name, gpus, ""), *rest = strstr(body, attributes) + sizeof attributes - 1;
    struct str reply = fixture_call(f, "RegisterContainerInstance",
                                    text(f, "%.*s{\"name\":\"ecs.availability-zone\",\"value\":\"%s\"},%s", (int)(rest - body), body, zone, rest));
    CHECK_EQ(name, f->code, ERR_NONE);
    struct id id = id_at(f, reply, "containerInstance.containerInstanceArn");
    machine_presence(f, id, true);
    return id;
}

/* A definition of one container "main"; `more` is JSON that follows in the container, `task` in the definition. */
static inline void define(struct api_fixture *f, const char *family, const char *more, const char *task)
{
    (void)fixture_call(f, "RegisterTaskDefinition",
                       text(f, "{\"family\":\"%s\",\"containerDefinitions\":[{\"name\":\"main\",\"image\":\"busybox\",\"memory\":128%s}]%s}",
                            family, more, task));
    CHECK_EQ(family, f->code, ERR_NONE);
}

#define GPUS(n) ",\"resourceRequirements\":[{\"type\":\"GPU\",\"value\":\"" n "\"}]"

static inline void cluster_open(struct api_fixture *f)
{
    fixture_open(f);
    (void)fixture_call(f, "CreateCluster", "{}");
    CHECK_EQ("the cluster is there", f->code, ERR_NONE);
}

/* The world in use is the one that the store would give. */
static inline void check_world(struct api_fixture *f, const char *row)
{
    enum { MACHINES_MAX = 512 };
    struct arena arena;
    struct id ids[MACHINES_MAX];
    arena_init(&arena, FIXTURE_ARENA_BYTES);
    struct world *rebuilt = sched_world_create(&arena);
    struct store_txn *txn = store_read_begin(f->store);
    api_load_world(rebuilt, txn);
    const struct cluster *cluster = store_cluster(txn, STR("default"), &arena);
    size_t count = store_list_instances(txn, cluster->number, INSTANCE_STATUS_UNSET, (struct id){ 0 }, ids, MACHINES_MAX);
    CHECK_EQ(row, sched_instance_count(f->world, cluster->number), (int64_t)count);
    CHECK_EQ(row, sched_instance_count(rebuilt, cluster->number), (int64_t)count);
    for (size_t i = 0; i < count; i++) {
        struct sched_free used = { 0 }, wanted = { 0 };
        CHECK(row, sched_free_on(f->world, ids[i], &used));
        CHECK(row, sched_free_on(rebuilt, ids[i], &wanted));
        CHECK_EQ(row, used.cpu, wanted.cpu);
        CHECK_EQ(row, used.memory_mib, wanted.memory_mib);
        CHECK_EQ(row, (int64_t)used.gpu_slots, (int64_t)wanted.gpu_slots);
        CHECK_EQ(row, (int64_t)used.tasks, (int64_t)wanted.tasks);
        CHECK_EQ(row, used.awaits_daemons, wanted.awaits_daemons);
        CHECK(row, memcmp(used.gpu_free, wanted.gpu_free, sizeof used.gpu_free) == 0);
    }
    CHECK(row, store_read_end(txn));
    arena_finish(&arena);
}

static inline void report(struct api_fixture *f, const char *task, const char *status, const char *containers)
{
    struct str reply = fixture_call(f, "SubmitTaskStateChange",
                                    text(f, "{\"task\":\"%s\",\"status\":\"%s\",\"reason\":\"\",\"containers\":[%s]}", task, status, containers));
    CHECK_STR("a report is acknowledged", reply, STR("{\"acknowledgment\":\"ACK\"}"));
}

#endif
