/* what_if.c: what RunTask would do now, and why. The checks of RunTask and the scheduler's search run on the writing thread, which has
 * the world; the caller prints the answer afterwards. As JSON:
 *
 * {"cluster":"default","taskDefinition":"train:3","count":3,"gang":false,
 *  "fits":2,                                  this many of them would start; of a gang all or 0
 *  "needs":{"cpu":256,"memory":512,           CPU units, MiB, of one task
 *    "gpus":[{"container":"main","count":2,"share":1,"memory":0}],
 *                                             containers that ask for some: count null is all of an instance, share is of each,
 *                                             0 where memory (MiB) says it; memory 0 is any
 *    "ports":["80","53/udp"],"networkInterfaces":0,"attributes":[{"name":"ecs.os-family","value":"LINUX"}],
 *    "constraints":["attribute:rack == r7"],"distinctInstance":false},
 *  "choice":"…",                              the rule of the choice, as a sentence
 *  "placements":[{"instance":{"id":"<32 hex>","arn":"arn:…","name":"node-a"},
 *    "containers":[{"name":"main","gpuIds":["GPU-…"],"gpuShare":1}]}],                  one for each that would start
 *  "failures":[{"arn":"arn:…","reason":"RESOURCE:GPU","detail":"…"}],                   as RunTask would give them
 *  "evidence":{                               null when all fit
 *    "detail":"needs 2 GPUs …","instances":12,"impossible":false,
 *    "groups":[{"reason":"RESOURCE:GPU","busy":true,"instances":2,"mostFree":1,"mostShareFree":0.5,"most":4,"mixed":false,
 *                                             nearest miss first. busy: it would fit on the empty instance; mostFree and most:
 *                                             of the missing resource, on one of these instances; null: it is no amount
 *      "missing":null,                        the attribute, the constraint, the port
 *      "nearest":{"id":…,"arn":…,"name":…}}],
 *    "blockedBy":[{"task":"<32 hex>","arn":"arn:…","family":"train:2","group":"family:train","startedBy":null,"created":ms,
 *      "cpu":256,"memory":512,"gpus":1}]},    without these tasks it would fit on the nearest of the first group; [] when tasks are
 *                                             not the reason, or too many of them
 *  "warning":null}                            a form of the request that only Berth reads */
#include "api/show/what_if.h"

#include "api/core/api.h"
#include "api/core/quotas.h"
#include "api/schemas/tasks.h"
#include "api/tasks/keeping.h"
#include "api/tasks/run.h"

struct what_if {
    struct launch launch;
    size_t count, allowed, fits;             /* allowed: by the quotas of the cluster */
    struct failure over;                     /* … of the others */
    struct what_if_place { struct id instance; struct task_container_list containers; } *places;   /* `fits` of them */
    struct evidence evidence;
};

/* ---- asking: on the writer's thread ---- */

/* The world changes after this, so the answer copies from it. */
static void keep_texts(struct op_ctx *ctx, struct evidence *evidence)
{
    for (size_t g = 0; g < evidence->group_count; g++) { evidence->groups[g].what = arena_str(ctx->arena, evidence->groups[g].what); }
}

static bool ask(struct op_ctx *ctx, const struct run_task_request *request, struct what_if *answer, struct err *err)
{
    struct placement placements[SCHED_TRY_MAX];
    const struct cluster *cluster = support_cluster(ctx, request->cluster, err);
    if (cluster == NULL || !launch_prepare_run(ctx, cluster, request, &answer->launch, err)) { return false; }
    const struct provider_choice *choice = &answer->launch.choice;
    if (choice->count > 0) { launch_on_provider(ctx, &answer->launch, strategy_add(choice->shares, choice->count)); }
    answer->count = request->count.set ? (size_t)request->count.value : 1;
    keeping_refresh(ctx, cluster->number);
    answer->allowed = quotas_allow(ctx, cluster, &answer->launch.pattern.tags, &answer->launch.demand, answer->count, answer->launch.gang, &answer->over);
    answer->fits = sched_try(ctx->world, &answer->launch.demand, answer->allowed, answer->launch.gang, placements, &answer->evidence);
    keep_texts(ctx, &answer->evidence);
    answer->places = ARENA_NEW(ctx->arena, struct what_if_place, answer->fits);
    for (size_t p = 0; p < answer->fits; p++) {
        answer->places[p] = (struct what_if_place){ placements[p].instance, launch_containers(ctx, &answer->launch, &placements[p]) };
    }
    return true;
}

/* The random numbers go on as if nobody had asked, so that a RunTask right after this does as answered. */
static bool op_what_if(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    struct rng chance = *ctx->rng;
    bool good = ask(ctx, input, output, err);
    *ctx->rng = chance;
    return good;
}

static const struct schema answer_schema = { STR_INIT("what if"), sizeof(struct what_if), NULL, 0 };     /* api_print_what_if prints it */
static const struct operation what_if_operation = {
    .name = STR_INIT("berth:WhatIf"), .input = &run_task_request_schema, .output = &answer_schema, .access = OP_LOOK,
    .invalid = ERR_INVALID_PARAMETER, .run = op_what_if,
};

bool api_prepare_what_if(const struct api_config *config, struct str body, struct arena *arena, struct api_call *call, struct err *err)
{
    return api_decode(config, &what_if_operation, body, arena, call, err);
}

/* ---- needs ---- */

static struct str container_name(const struct what_if *answer, size_t container)
{
    return answer->launch.taskdef->def.container_definitions.items[container].name;
}

static void put_gpu_needs(struct json_out *out, const struct what_if *answer)
{
    const struct demand *demand = &answer->launch.demand;
    json_key(out, STR("gpus"));
    json_open(out, '[');
    for (size_t c = 0; c < demand->container_count; c++) {
        const struct gpu_ask *gpus = &demand->gpus[c];
        if (gpus->count == 0) { continue; }
        json_open(out, '{');
        own_json_str(out, STR("container"), container_name(answer, c));
        own_json_opt_int(out, STR("count"), (struct opt_int){ gpus->count, gpus->count != DEMAND_GPUS_ALL });
        own_json_thousandths(out, STR("share"), gpus->share);
        own_json_i64(out, STR("memory"), gpus->memory_mib);
        json_close(out, '}');
    }
    json_close(out, ']');
}

static void put_ports(struct json_out *out, const struct demand *demand, struct arena *arena)
{
    json_key(out, STR("ports"));
    json_open(out, '[');
    for (size_t p = 0; p < demand->port_count; p++) {
        const char *udp = (demand->ports[p] & PORT_UDP) != 0 ? "/udp" : "";
        json_str(out, arena_printf(arena, "%d%s", (int)(demand->ports[p] & ~(int64_t)PORT_UDP), udp));
    }
    json_close(out, ']');
}

static void put_constraints(struct json_out *out, const struct what_if *answer)
{
    const struct demand *demand = &answer->launch.demand;
    const struct task_placing *placing = answer->launch.pattern.placing;
    const struct task_definition_placement_constraint_list *defined = &answer->launch.taskdef->def.placement_constraints;
    json_key(out, STR("constraints"));
    json_open(out, '[');
    for (size_t c = 0; c < defined->count; c++) { json_str(out, defined->items[c].expression); }
    for (size_t c = 0; placing != NULL && c < placing->constraints.count; c++) {
        if (placing->constraints.items[c].expression.len > 0) { json_str(out, placing->constraints.items[c].expression); }
    }
    json_close(out, ']');
    json_key(out, STR("distinctInstance"));
    json_bool(out, demand->distinct_instance);
}

static void put_needs(struct op_ctx *ctx, struct json_out *out, const struct what_if *answer)
{
    const struct demand *demand = &answer->launch.demand;
    json_key(out, STR("needs"));
    json_open(out, '{');
    own_json_i64(out, STR("cpu"), demand->cpu);
    own_json_i64(out, STR("memory"), demand->memory_mib);
    put_gpu_needs(out, answer);
    put_ports(out, demand, ctx->arena);
    own_json_i64(out, STR("networkInterfaces"), demand->interfaces);
    json_key(out, STR("attributes"));
    json_open(out, '[');
    for (size_t a = 0; a < demand->attribute_count; a++) {
        json_open(out, '{');
        own_json_str(out, STR("name"), demand->attributes[a].name);
        own_json_str(out, STR("value"), demand->attributes[a].value);
        json_close(out, '}');
    }
    json_close(out, ']');
    put_constraints(out, answer);
    json_close(out, '}');
}

/* ---- where ---- */

void what_if_put_instance(struct op_ctx *ctx, struct json_out *out, struct str key, const struct cluster *cluster, struct id id)
{
    if (id_is_zero(id)) {
        own_json_str(out, key, (struct str){ 0 });
        return;
    }
    const struct instance *instance = store_instance(ctx->txn, id, ctx->arena);
    json_key(out, key);
    json_open(out, '{');
    own_json_id(out, STR("id"), id);
    own_json_str(out, STR("arn"), names_instance_arn(&ctx->config->names, cluster->name, id, ctx->arena));
    own_json_str(out, STR("name"), instance == NULL ? (struct str){ 0 } : support_instance_name(instance, ctx->arena));
    json_close(out, '}');
}

static void put_places(struct op_ctx *ctx, struct json_out *out, const struct what_if *answer)
{
    json_key(out, STR("placements"));
    json_open(out, '[');
    for (size_t p = 0; p < answer->fits; p++) {
        const struct what_if_place *place = &answer->places[p];
        json_open(out, '{');
        what_if_put_instance(ctx, out, STR("instance"), answer->launch.cluster, place->instance);
        json_key(out, STR("containers"));
        json_open(out, '[');
        for (size_t c = 0; c < place->containers.count; c++) {
            json_open(out, '{');
            own_json_str(out, STR("name"), container_name(answer, c));
            own_json_strs(out, STR("gpuIds"), &place->containers.items[c].gpu_ids);
            own_json_thousandths(out, STR("gpuShare"), gpu_share_of(place->containers.items[c].gpu_share));
            json_close(out, '}');
        }
        json_close(out, ']');
        json_close(out, '}');
    }
    json_close(out, ']');
}

static void put_strategies(struct buf *out, const struct placement_strategy_list *strategies)
{
    for (size_t s = 0; s < strategies->count; s++) {
        const struct placement_strategy *strategy = &strategies->items[s];
        buf_put(out, s == 0 ? STR("") : STR(", then "));
        buf_put(out, enum_word(&placement_strategy_type_names, (int)strategy->type));
        if (strategy->field.len > 0) { buf_printf(out, " (" STR_FMT ")", STR_ARG(str_slice(strategy->field, 0, 128))); }
    }
}

/* Random placement leaves no equals, and a named policy decides alone. */
static bool leaves_no_choice(const struct placement_strategy_list *strategies)
{
    for (size_t s = 0; s < strategies->count; s++) {
        const struct placement_strategy *strategy = &strategies->items[s];
        bool is_policy = strategy->type == PLACEMENT_STRATEGY_TYPE_BINPACK && sched_is_policy(strategy->field);
        if (is_policy || strategy->type == PLACEMENT_STRATEGY_TYPE_RANDOM) { return true; }
    }
    return false;
}

void what_if_put_choice(struct buf *out, const struct task_placing *placing, bool wants_gpus)
{
    bool ends_there = placing != NULL && leaves_no_choice(&placing->strategies);
    if (placing != NULL && placing->named == OPT_TRUE) {
        buf_put(out, STR("StartTask named the machine."));
        return;
    }
    if (placing != NULL && placing->strategies.count > 0) {
        buf_put(out, STR("As the request says among the machines with room: "));
        put_strategies(out, &placing->strategies);
        buf_put(out, ends_there || !wants_gpus ? STR(".") : STR("; among equals by "));
    } else {
        buf_put(out, wants_gpus ? STR("By ") : STR("By chance among the machines with room, those without GPUs first."));
    }
    if (wants_gpus && !ends_there) {
        buf_put(out, sched_own_policy());
        buf_put(out, STR(", Berth's own policy for GPUs: where most is left for what this cluster is usually asked for, on the devices that are "
                         "connected best."));
    }
}

static bool wants_gpus(const struct demand *demand)
{
    bool wants = false;
    for (size_t c = 0; c < demand->container_count; c++) { wants |= demand->gpus[c].count != 0; }
    return wants;
}

/* ---- why not ---- */

/* Amounts are printed when an amount is missing. */
static void put_amounts(struct json_out *out, const struct evidence_group *group)
{
    bool is_gpu = group->verdict == LACKS_GPU && !str_is_set(group->what);
    bool is_amount = is_gpu || group->verdict == LACKS_CPU || group->verdict == LACKS_MEMORY || group->verdict == LACKS_INTERFACE;
    bool has_total = is_amount || group->verdict == LACKS_GPU_MEMORY;
    own_json_opt_int(out, STR("mostFree"), (struct opt_int){ group->most, is_amount });
    if (is_gpu) {
        own_json_thousandths(out, STR("mostShareFree"), group->most_share);
    } else {
        own_json_str(out, STR("mostShareFree"), (struct str){ 0 });
    }
    own_json_opt_int(out, STR("most"), (struct opt_int){ group->total, has_total });
    json_key(out, STR("mixed"));
    json_bool(out, group->mixed);
}

static void put_group(struct op_ctx *ctx, struct json_out *out, const struct what_if *answer, const struct evidence_group *group)
{
    json_open(out, '{');
    own_json_str(out, STR("reason"), verdict_reason(group->verdict));
    json_key(out, STR("busy"));
    json_bool(out, !group->impossible);
    own_json_i64(out, STR("instances"), group->count);
    put_amounts(out, group);
    own_json_str(out, STR("missing"), group->what);
    what_if_put_instance(ctx, out, STR("nearest"), answer->launch.cluster, group->example);
    json_close(out, '}');
}

void what_if_put_task(struct op_ctx *ctx, struct json_out *out, const struct cluster *cluster, struct id id)
{
    const struct task *task = store_task(ctx->txn, id, ctx->arena);
    if (task == NULL || !task_is_live(task)) { return; }
    json_open(out, '{');
    own_json_id(out, STR("task"), id);
    own_json_str(out, STR("arn"), names_task_arn(&ctx->config->names, cluster->name, id, ctx->arena));
    own_json_str(out, STR("family"), arena_printf(ctx->arena, STR_FMT ":%lld", STR_ARG(task->family), (long long)task->revision));
    own_json_str(out, STR("group"), task->group);
    own_json_str(out, STR("startedBy"), task->started_by);
    own_json_ms(out, STR("created"), task->created_ms);
    own_json_i64(out, STR("cpu"), task->cpu);
    own_json_i64(out, STR("memory"), task->memory_mib);
    own_json_thousandths(out, STR("gpus"), task_gpu_thousandths(task));
    json_close(out, '}');
}

static void put_evidence(struct op_ctx *ctx, struct json_out *out, const struct what_if *answer, struct str detail)
{
    const struct evidence *evidence = &answer->evidence;
    json_key(out, STR("evidence"));
    json_open(out, '{');
    own_json_str(out, STR("detail"), detail);
    own_json_i64(out, STR("instances"), evidence->instances);
    json_key(out, STR("impossible"));
    json_bool(out, evidence->impossible);
    json_key(out, STR("groups"));
    json_open(out, '[');
    for (size_t g = 0; g < evidence->group_count; g++) { put_group(ctx, out, answer, &evidence->groups[g]); }
    json_close(out, ']');
    json_key(out, STR("blockedBy"));
    json_open(out, '[');
    for (size_t h = 0; h < evidence->holder_count; h++) { what_if_put_task(ctx, out, answer->launch.cluster, evidence->holders[h]); }
    json_close(out, ']');
    json_close(out, '}');
}

static void put_failures(struct op_ctx *ctx, struct json_out *out, const struct what_if *answer)
{
    size_t others = answer->count - answer->fits;
    bool over = answer->fits == answer->allowed && others > 0;
    struct failure_list failures = over ? launch_failures_of(ctx, answer->over, others) : launch_failures(ctx, &answer->launch, &answer->evidence, others);
    json_key(out, STR("failures"));
    json_open(out, '[');
    for (size_t f = 0; f < failures.count; f++) {
        json_open(out, '{');
        own_json_str(out, STR("arn"), failures.items[f].arn);
        own_json_str(out, STR("reason"), failures.items[f].reason);
        own_json_str(out, STR("detail"), failures.items[f].detail);
        json_close(out, '}');
    }
    json_close(out, ']');
    if (failures.count > 0) { put_evidence(ctx, out, answer, failures.items[0].detail); } else { own_json_str(out, STR("evidence"), (struct str){ 0 }); }
}

void api_print_what_if(struct op_ctx *ctx, const struct api_call *call, struct buf *out)
{
    ASSERT(call->operation == &what_if_operation);
    const struct what_if *answer = call->output;
    const struct task *pattern = &answer->launch.pattern;
    struct json_out json = json_out_to(out);
    struct buf choice = buf_in(ctx->arena);
    what_if_put_choice(&choice, pattern->placing, wants_gpus(&answer->launch.demand));
    json_open(&json, '{');
    own_json_str(&json, STR("cluster"), answer->launch.cluster->name);
    own_json_str(&json, STR("taskDefinition"), arena_printf(ctx->arena, STR_FMT ":%lld", STR_ARG(pattern->family), (long long)pattern->revision));
    own_json_i64(&json, STR("count"), (int64_t)answer->count);
    json_key(&json, STR("gang"));
    json_bool(&json, answer->launch.gang);
    own_json_i64(&json, STR("fits"), (int64_t)answer->fits);
    put_needs(ctx, &json, answer);
    own_json_str(&json, STR("choice"), buf_str(&choice));
    put_places(ctx, &json, answer);
    put_failures(ctx, &json, answer);
    own_json_str(&json, STR("warning"), call->warning);
    json_close(&json, '}');
}
