/* api_fixture.h: the whole of api/ over its own store, in one thread: a fresh directory, a clock that is a number, ids
 * and chance from a seed. One call is prepared, run in a transaction, committed and printed, as the server does it. */
#ifndef BERTH_TESTS_API_FIXTURE_H
#define BERTH_TESTS_API_FIXTURE_H

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "api/core/api.h"
#include "base/json.h"
#include "model/scaling.h"
#include "tests/unit/check.h"

enum { FIXTURE_ARENA_BYTES = 64 << 20, FIXTURE_MAP_BYTES = 256 << 20, FIXTURE_PATH_MAX = 256 };
#define FIXTURE_START_MS 1700000000000

static const struct seal_key fixture_secret_key = { { 7, 7, 7 } };

struct api_fixture {
    char dir[FIXTURE_PATH_MAX];
    struct store *store;
    struct arena kept;                       /* replies, what tests print, and the world: lives as long as the fixture */
    struct world *world;
    struct rng rng;
    struct id_gen ids;
    struct api_config config;
    struct caller caller;                    /* a test may change it between calls */
    int64_t now_ms;                          /* this too */
    enum err_code code;                      /* of the last call; ERR_NONE when it went well */
    struct effect_list effects;              /* of the last call, without the next two */
    struct service_call *calls;              /* that all operations have named, the newest first */
    struct provision_call *provisions;       /* the same of pools */
    struct str lines;                        /* that all operations have told the log, with ends of lines */
    bool by_hand;                            /* the test puts tasks into the store without a definition or a machine */
};

static inline void fixture_open_store(struct api_fixture *f)
{
    struct err err = { 0 };
    struct store_config config = { .dir = f->dir, .map_size = FIXTURE_MAP_BYTES, .sync = false };
    if (!store_open(&config, &f->store, &err)) {
        fprintf(stderr, "store: %s\n", err.message);
        abort();
    }
}

static inline void fixture_open(struct api_fixture *f)
{
    *f = (struct api_fixture){ .now_ms = FIXTURE_START_MS };
    const char *parent = getenv("TMPDIR");
    snprintf(f->dir, sizeof f->dir, "%s/berth-api-XXXXXX", parent == NULL ? "/tmp" : parent);
    ASSERT(mkdtemp(f->dir) != NULL);
    fixture_open_store(f);

    arena_init(&f->kept, FIXTURE_ARENA_BYTES);
    f->world = sched_world_create(&f->kept);
    rng_seed(&f->rng, 1);
    f->ids.rng = &f->rng;
    f->caller = (struct caller){ .access_key = STR("AKIAEXAMPLE000000001"), .user = STR("tester"), .role = ACCESS_ADMIN };
    f->config = (struct api_config){
        .scaling_minute_ms = SCALING_MINUTE_MS,
        .names = { .region = STR("us-east-1"), .account = STR("123456789012") },
        .endpoint = STR("http://127.0.0.1:9280"),
        .stopped_task_keep_ms = 3600000,
        .inactive_instance_keep_ms = 3600000,
        .history_keep_ms = (int64_t)30 * 86400000,
        .secret_key = &fixture_secret_key,
        .express_domain = STR("apps.test"), .express_port = 80,
    };
}

static inline void fixture_remove_dir(const char *path)
{
    DIR *dir = opendir(path);
    if (dir == NULL) { return; }
    for (struct dirent *entry = readdir(dir); entry != NULL; entry = readdir(dir)) {
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) {
            (void)unlinkat(dirfd(dir), entry->d_name, 0);
        }
    }
    closedir(dir);
    (void)rmdir(path);
}

/* Every test ends by asking the store for its invariants. */
static inline void fixture_close(struct api_fixture *f)
{
    struct err err = { 0 };
    struct store_txn *txn = store_read_begin(f->store);
    bool sound = f->by_hand ? store_check_bare(txn, &err) : store_check(txn, &err);
    CHECK("the store can be read at the end", store_read_end(txn));
    CHECK("the store holds its invariants", sound);
    if (!sound) { fprintf(stderr, "store: %s\n", err.message); }

    store_close(f->store);
    fixture_remove_dir(f->dir);
    arena_finish(&f->kept);
}

static inline struct op_ctx fixture_ctx(struct api_fixture *f, struct store_txn *txn, struct arena *arena, enum op_access access)
{
    struct op_ctx ctx = { .config = &f->config, .txn = txn, .arena = arena, .now_ms = f->now_ms, .caller = f->caller };
    if (access != OP_READ) {
        ctx.world = f->world;
        ctx.ids = &f->ids;
        ctx.rng = &f->rng;
    }
    return ctx;
}

/* Runs a prepared call in a transaction of its kind. What it noted as effects is kept in the fixture. */
static inline bool fixture_run(struct api_fixture *f, struct api_call *call, struct arena *arena, struct err *err)
{
    enum op_access access = call->operation->access;
    bool writes = access == OP_WRITE;
    struct store_txn *txn = access != OP_READ ? store_write_begin(f->store) : store_read_begin(f->store);
    struct op_ctx ctx = fixture_ctx(f, txn, arena, access);
    bool good, sound;
    if (access != OP_READ) {
        int64_t revision;
        store_job_begin(txn);
        good = api_run(call, &ctx, err);
        sound = store_job_end(txn, good && writes);              /* a look has written nothing */
        sound = store_write_commit(txn, &revision) && sound;
    } else {
        good = api_run(call, &ctx, err);
        sound = store_read_end(txn);
    }
    CHECK("the transaction is sound", sound);

    for (const struct service_call *named = ctx.effects.calls; named != NULL; named = named->next) {
        struct service_call *kept = ARENA_NEW(&f->kept, struct service_call, 1);
        *kept = *named;
        kept->key = arena_str(&f->kept, named->key);
        kept->url = arena_str(&f->kept, named->url);
        kept->body = arena_str(&f->kept, named->body);
        kept->next = f->calls;
        f->calls = kept;
    }
    for (const struct provision_call *named = ctx.effects.provisions; named != NULL; named = named->next) {
        struct provision_call *kept = arena_copy(&f->kept, named, sizeof *named);
        kept->pool = arena_str(&f->kept, named->pool);
        kept->verb = arena_str(&f->kept, named->verb);
        kept->body = arena_str(&f->kept, named->body);
        kept->next = f->provisions;
        f->provisions = kept;
    }
    for (const struct event_line *line = ctx.effects.lines; line != NULL; line = line->next) {
        f->lines = arena_printf(&f->kept, STR_FMT STR_FMT "\n", STR_ARG(f->lines), STR_ARG(line->text));
    }
    f->effects = (struct effect_list){ .items = ctx.effects.items, .count = ctx.effects.count, .capacity = ctx.effects.capacity };
    f->effects.items = arena_copy(&f->kept, ctx.effects.items, ctx.effects.count * sizeof *ctx.effects.items);
    return good;
}

/* `operation` is ECS's, or another service's with its word before it. The reply's JSON, or "ClusterNotFoundException: Cluster not found."; f->code tells which. */
static inline struct str fixture_call_str(struct api_fixture *f, const char *operation, struct str body)
{
    struct arena arena = { 0 };
    arena_init(&arena, FIXTURE_ARENA_BYTES);
    struct api_call call = { 0 };
    struct err err = { 0 };
    struct buf out = buf_in(&f->kept);
    f->effects = (struct effect_list){ 0 };
    struct str name = str_from(operation);
    static const struct api_service *const others[] = { &secretsmanager_service, &ssm_service, &alarms_service, &scaling_service, &events_service };
    const struct api_service *service = &ecs_service;
    for (size_t s = 0; s < COUNT_OF(others); s++) {
        if (!str_starts_with(name, others[s]->target)) { continue; }
        name = str_slice(name, others[s]->target.len, name.len);
        service = others[s];
    }
    static const struct { struct str head; const struct api_service *service; } heads[] = {      /* they have no target */
        { STR_INIT("scheduler:"), &scheduler_service }, { STR_INIT("elb:"), &elbv2_service },
        { STR_INIT("iam:"), &iam_service }, { STR_INIT("ec2:"), &ec2_service }, { STR_INIT("groups:"), &groups_service },
    };
    for (size_t h = 0; h < COUNT_OF(heads); h++) {
        if (!str_starts_with(name, heads[h].head)) { continue; }
        name = str_slice(name, heads[h].head.len, name.len);
        service = heads[h].service;
    }
    if (api_prepare_for(service, &f->config, &f->caller, name, body, &arena, &call, &err) && fixture_run(f, &call, &arena, &err)) {
        api_print(&call, &out);
    } else {
        struct str error = api_error_name(service, err.code);
        buf_printf(&out, STR_FMT ": %s", STR_ARG(error), err.message);
    }
    f->code = err.code;
    arena_finish(&arena);
    return buf_str(&out);
}

static inline struct str fixture_call(struct api_fixture *f, const char *operation, const char *body)
{
    return fixture_call_str(f, operation, str_from(body));
}

/* One row of a table: this call must give exactly this error, or this reply. */
static inline void fixture_check(struct api_fixture *f, const char *row, const char *operation, const char *body, const char *want)
{
    CHECK_STR(row, fixture_call(f, operation, body), str_from(want));
}

/* The member at `path` of a reply, "taskDefinition.containerDefinitions[0].cpu", as JSON text; strings without their quotes.
 * The absent string when there is no such member. */
static inline struct str fixture_at(struct api_fixture *f, struct str reply, const char *path)
{
    struct err err = { 0 };
    const struct json *value = json_parse(reply, &f->kept, &err);
    struct str rest = str_from(path);
    while (value != NULL && rest.len > 0) {
        if (rest.ptr[0] == '[') {
            struct str digits, tail;
            int64_t index = -1;
            (void)str_cut(str_slice(rest, 1, rest.len), ']', &digits, &tail);
            bool good = str_to_i64(digits, &index) && value->type == JSON_ARRAY && (size_t)index < value->count;
            value = good ? &value->as.items[index] : NULL;
            rest = tail;
        } else {
            size_t len = 0;
            if (rest.ptr[0] == '.') { rest = str_slice(rest, 1, rest.len); }
            while (len < rest.len && rest.ptr[len] != '.' && rest.ptr[len] != '[') { len++; }
            value = json_get(value, str_slice(rest, 0, len));
            rest = str_slice(rest, len, rest.len);
        }
    }
    if (value == NULL) { return (struct str){ 0 }; }
    if (value->type == JSON_STRING) { return value->as.string; }
    struct buf out = buf_in(&f->kept);
    struct json_out json = json_out_to(&out);
    json_dump(&json, value);
    return buf_str(&out);
}

#endif
