/* plant.h: a provisioner that obeys, and the steps and calls of the server, for tests of pools and their machines. The pool is named p. */
#ifndef BERTH_TESTS_PLANT_H
#define BERTH_TESTS_PLANT_H

#include "api/capacity/machines.h"
#include "base/buf.h"
#include "scheduler/reconcile/reconcile.h"
#include "tests/unit/api/machines.h"

enum { THINGS_MAX = 200 };

/* ---- the provisioner: the machines that it has started ---- */
struct thing { struct str id; char handle[16]; bool runs, registered; int starts; };
struct plant { struct thing things[THINGS_MAX]; size_t count; };

static inline struct thing *thing_of(struct plant *plant, struct str id)
{
    for (size_t t = 0; t < plant->count; t++) {
        if (str_eq(plant->things[t].id, id)) { return &plant->things[t]; }
    }
    return NULL;
}

static inline struct thing *start_thing(struct api_fixture *f, struct plant *plant, struct str id)
{
    struct thing *thing = thing_of(plant, id);
    if (thing == NULL) {
        ASSERT(plant->count < THINGS_MAX);
        thing = &plant->things[plant->count++];
        thing->id = arena_str(&f->kept, id);
        snprintf(thing->handle, sizeof thing->handle, "host%zu", plant->count);
    }
    thing->starts += !thing->runs;
    thing->runs = true;
    return thing;
}

/* The work of an obedient program, and its answer. */
static inline struct str plant_obeys(struct api_fixture *f, struct plant *plant, const struct provision_call *call)
{
    struct err err = { 0 };
    struct buf out = buf_in(&f->kept);
    bool up = str_eq(call->verb, STR("up")), list = str_eq(call->verb, STR("list"));
    const struct json *request = json_parse(call->body, &f->kept, &err), *asked = json_get(request, STR("machines"));
    buf_printf(&out, "{\"complete\":true,\"machines\":[");
    for (size_t m = 0; asked != NULL && m < asked->count; m++) {
        struct str id = json_get_str(&asked->as.items[m], STR("id"));
        struct thing *thing = up ? start_thing(f, plant, id) : thing_of(plant, id);
        if (thing != NULL) { thing->runs = up; }
        buf_printf(&out, "%s{\"id\":\"" STR_FMT "\",\"state\":\"%s\",\"handle\":\"%s\"}", m > 0 ? "," : "", STR_ARG(id), up ? "starting" : "gone",
                   thing == NULL ? "" : thing->handle);
    }
    bool any = false;
    for (size_t t = 0; list && t < plant->count; t++) {
        if (!plant->things[t].runs) { continue; }
        buf_printf(&out, "%s{\"id\":\"" STR_FMT "\",\"state\":\"running\",\"handle\":\"%s\"}", any ? "," : "", STR_ARG(plant->things[t].id),
                   plant->things[t].handle);
        any = true;
    }
    buf_printf(&out, "]}");
    return buf_str(&out);
}

/* ---- the server: steps, and the end of a call ---- */

static inline void step(struct api_fixture *f)
{
    struct api_call call;
    struct arena arena;
    arena_init(&arena, FIXTURE_ARENA_BYTES);
    api_prepare_step_services(false, &arena, &call);
    fixture_internal_in(f, &call, &arena);
    arena_finish(&arena);
}

static inline void answered(struct api_fixture *f, const struct provision_call *call, enum provisioned_end end, struct str reply)
{
    struct api_call done;
    const struct provisioned given = { call->pool, call->verb, call->body, reply, call->number, end };
    api_prepare_provisioned(&given, &f->kept, &done);
    fixture_internal(f, &done);
}

/* The call that the next step names; NULL: there is none now. */
static const struct provision_call *named(struct api_fixture *f)
{
    f->provisions = NULL;
    step(f);
    return f->provisions;
}

/* All calls that are named now, obeyed. Returns their number; *verbs: their first letters. */
static inline int run_all(struct api_fixture *f, struct plant *plant, char verbs[16])
{
    int count = 0;
    for (const struct provision_call *call = named(f); call != NULL && count < 15; call = named(f)) {
        verbs[count++] = call->verb.ptr[0];
        answered(f, call, PROVISIONED_ANSWERED, plant_obeys(f, plant, call));
    }
    verbs[count] = '\0';
    return count;
}

static inline void check_verbs(struct api_fixture *f, const char *row, struct plant *plant, const char *want)
{
    char verbs[16];
    (void)run_all(f, plant, verbs);
    CHECK_STR(row, str_from(verbs), str_from(want));
}

/* Changes the pool as a request does. */
static inline void want(struct api_fixture *f, struct kept_pool *pool, int64_t desired)
{
    int64_t revision;
    struct arena arena;
    arena_init(&arena, FIXTURE_ARENA_BYTES);
    struct store_txn *txn = store_write_begin(f->store);
    struct op_ctx ctx = fixture_ctx(f, txn, &arena, OP_WRITE);
    store_job_begin(txn);
    const struct kept_pool *known = store_pool(txn, pool->name, &arena);
    struct kept_pool changed = known != NULL ? *known : *pool;
    changed.desired = desired;
    pools_put(&ctx, &changed);
    CHECK("written", store_job_end(txn, true) && store_write_commit(txn, &revision));
    arena_finish(&arena);
}

static inline struct kept_pool pool_now(struct api_fixture *f)
{
    struct store_txn *txn = store_read_begin(f->store);
    const struct kept_pool *found = store_pool(txn, STR("p"), &f->kept);
    struct kept_pool pool = found != NULL ? *found : (struct kept_pool){ 0 };
    ASSERT(store_read_end(txn));
    return pool;
}

static inline struct kept_machine *machines_now(struct api_fixture *f, size_t *count)
{
    struct kept_machine *machines;
    struct store_txn *txn = store_read_begin(f->store);
    *count = store_list_machines(txn, STR("p"), &machines, &f->kept);
    ASSERT(store_read_end(txn));
    return machines;
}

/* The states of all machines, sorted by nothing: "OBA". */
static inline const char *states(struct api_fixture *f)
{
    size_t count;
    const struct kept_machine *machines = machines_now(f, &count);
    struct buf out = buf_in(&f->kept);
    for (size_t m = 0; m < count; m++) { buf_printf(&out, "%c", "?OBADS"[machines[m].state]); }
    return arena_cstr(&f->kept, buf_str(&out));
}

/* `more`: further attributes, each with a comma behind it. */
static inline struct id agent_comes_with(struct api_fixture *f, const char *name, struct str word, const char *more)
{
    static const char attributes[] = "\"attributes\":[";
    const char *body = machine_body(f, name, 1, ""), *rest = strstr(body, attributes) + sizeof attributes - 1;
    struct str reply = fixture_call(f, "RegisterContainerInstance", text(f, "%.*s{\"name\":\"" MACHINE_ID_ATTRIBUTE "\",\"value\":\"" STR_FMT "\"},%s%s",
                                                                         (int)(rest - body), body, STR_ARG(word), more, rest));
    CHECK_EQ(name, f->code, ERR_NONE);
    struct id id = id_at(f, reply, "containerInstance.containerInstanceArn");
    machine_presence(f, id, true);
    return id;
}

static inline struct id agent_comes(struct api_fixture *f, const char *name, struct str word) { return agent_comes_with(f, name, word, ""); }

static inline struct str instance_status(struct api_fixture *f, struct id id)
{
    char hex[ID_HEX_LEN + 1];
    id_hex(id, hex);
    return fixture_at(f, fixture_call(f, "DescribeContainerInstances", text(f, "{\"containerInstances\":[\"%s\"]}", hex)), "containerInstances[0].status");
}

static inline struct kept_pool pool_open(struct api_fixture *f)
{
    cluster_open(f);
    f->config.join = STR("http://berth:9280");
    return (struct kept_pool){ .name = STR("p"), .kind = POOL_GROUP, .max = 20, .cluster = 1, .provisioner = STR("gpu"), .drain_s = 48 * 3600 };
}

#endif
