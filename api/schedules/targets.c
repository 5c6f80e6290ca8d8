/* targets.c: a target as a request of RunTask: EcsParameters has the same members, written otherwise, and Input is RunTask's overrides. */
#include "api/schedules/schedules.h"

#include "base/text/arn.h"

enum { STARTED_BY_MAX = 36 };
static const struct str overlap_key = STR_INIT("berth:overlap"), overlap_allow = STR_INIT("allow");

int64_t schedules_task_count(const struct schedule_target *target)
{
    return target->ecs->task_count.set ? target->ecs->task_count.value : 1;
}

/* ---- tags ---- */

/* EventBridge has [{"Key":"a","Value":"b"}], Scheduler [{"a":"b"}], where Terraform writes [{"key":"a","value":"b"}]. */
static const struct json *find_member(const struct json *item, const char *upper, const char *lower)
{
    const struct json *found = json_get(item, str_from(upper));
    return found != NULL ? found : json_get(item, str_from(lower));
}

typedef void each_tag(void *context, struct str key, const struct json *value);

/* False: it is no list of objects. */
static bool walk_tags(struct str text, struct arena *arena, each_tag *visit, void *context)
{
    struct err unread = { 0 };
    if (!str_is_set(text)) { return true; }
    const struct json *list = json_parse(text, arena, &unread);
    if (list == NULL || list->type != JSON_ARRAY) { return false; }
    for (size_t t = 0; t < list->count; t++) {
        if (list->as.items[t].type != JSON_OBJECT) { return false; }
        const struct json *item = &list->as.items[t], *key = find_member(item, "Key", "key"), *value = find_member(item, "Value", "value");
        if (key != NULL && key->type == JSON_STRING && value != NULL) {
            visit(context, key->as.string, value);
            continue;
        }
        for (size_t m = 0; m < item->count; m++) { visit(context, item->as.members[m].key, &item->as.members[m].value); }
    }
    return true;
}

static void print_tag(void *context, struct str key, const struct json *value)
{
    struct json_out *out = context;
    if (str_eq(key, overlap_key)) { return; }            /* Berth's own: no tag of the tasks */
    json_open(out, '{');
    json_key(out, STR("key"));
    json_str(out, key);
    json_key(out, STR("value"));
    json_dump(out, value);
    json_close(out, '}');
}

struct overlap { bool given, allowed, readable; };

static void read_overlap(void *context, struct str key, const struct json *value)
{
    struct overlap *overlap = context;
    if (!str_eq(key, overlap_key)) { return; }
    overlap->given = true;
    overlap->allowed = value->type == JSON_STRING && str_eq(value->as.string, overlap_allow);
}

static struct overlap overlap_of(const struct schedule_target *target, struct arena *arena)
{
    struct overlap overlap = { false, false, false };
    overlap.readable = walk_tags(target->ecs->tags, arena, read_overlap, &overlap);
    return overlap;
}

bool schedules_may_overlap(const struct schedule_target *target, struct arena *arena) { return overlap_of(target, arena).allowed; }

/* ---- the request ---- */

/* {"awsvpcConfiguration":{"Subnets":…}} with small first letters. What has another form goes on as it is: RunTask refuses it. */
static void print_network(struct json_out *out, struct str text, struct arena *arena)
{
    static const struct str words[] = { STR_INIT("subnets"), STR_INIT("securityGroups"), STR_INIT("assignPublicIp") };
    struct err unread = { 0 };
    const struct json *network = json_parse(text, arena, &unread), *inner = json_get(network, STR("awsvpcConfiguration"));
    if (inner == NULL || inner->type != JSON_OBJECT) {
        json_raw(out, text);
        return;
    }
    json_open(out, '{');
    json_key(out, STR("awsvpcConfiguration"));
    json_open(out, '{');
    for (size_t m = 0; m < inner->count; m++) {
        struct str key = inner->as.members[m].key;
        for (size_t w = 0; w < COUNT_OF(words); w++) { key = str_eq_nocase(key, words[w]) ? words[w] : key; }
        json_key(out, key);
        json_dump(out, &inner->as.members[m].value);
    }
    json_close(out, '}');
    json_close(out, '}');
}

static void print_str(struct json_out *out, const char *name, struct str value)
{
    if (!str_is_set(value)) { return; }
    json_key(out, str_from(name));
    json_str(out, value);
}

static void print_raw(struct json_out *out, const char *name, struct str value)
{
    if (!str_is_set(value)) { return; }
    json_key(out, str_from(name));
    json_raw(out, value);
}

static void print_bool(struct json_out *out, const char *name, enum opt_bool value)
{
    if (value == OPT_UNSET) { return; }
    json_key(out, str_from(name));
    json_bool(out, value == OPT_TRUE);
}

struct str schedules_run_task(const struct kept_schedule *schedule, const struct schedule_target *target, int64_t count, struct arena *arena)
{
    const struct ecs_parameters *ecs = target->ecs;
    struct buf text = buf_in(arena);
    struct json_out out = json_out_to(&text);
    const char *kind = schedule->rule == OPT_TRUE ? "events-rule" : "chronos-schedule";
    json_open(&out, '{');
    print_str(&out, "cluster", target->arn);
    print_str(&out, "taskDefinition", ecs->task_definition_arn);
    json_key(&out, STR("count"));
    json_i64(&out, count);
    print_str(&out, "startedBy", str_slice(arena_printf(arena, "%s/" STR_FMT, kind, STR_ARG(schedule->name)), 0, STARTED_BY_MAX));
    print_str(&out, "launchType", ecs->launch_type);
    print_str(&out, "platformVersion", ecs->platform_version);
    print_str(&out, "group", ecs->group);
    print_str(&out, "referenceId", ecs->reference_id);
    print_str(&out, "propagateTags", ecs->propagate_tags);
    print_bool(&out, "enableECSManagedTags", ecs->managed_tags);
    print_bool(&out, "enableExecuteCommand", ecs->execute_command);
    print_raw(&out, "capacityProviderStrategy", ecs->capacity_provider_strategy);
    print_raw(&out, "placementConstraints", ecs->placement_constraints);
    print_raw(&out, "placementStrategy", ecs->placement_strategy);
    print_raw(&out, "overrides", target->input.len > 0 ? target->input : (struct str){ NULL, 0 });
    if (str_is_set(ecs->network_configuration)) {
        json_key(&out, STR("networkConfiguration"));
        print_network(&out, ecs->network_configuration, arena);
    }
    json_key(&out, STR("tags"));
    json_open(&out, '[');
    (void)walk_tags(ecs->tags, arena, print_tag, &out);    /* checked before it was put */
    json_close(&out, ']');
    json_close(&out, '}');
    return buf_str(&text);
}

/* ---- checks ---- */

static bool check_request(struct op_ctx *ctx, const struct kept_schedule *schedule, const struct schedule_target *target, struct err *err)
{
    struct err refused = { 0 };
    struct api_call call;
    if (target->input.len > 0 && json_parse(target->input, ctx->arena, &refused) == NULL) {
        return err_set(err, ERR_VALIDATION, "Input must be JSON, the overrides of RunTask: %s", refused.message);
    }
    struct str body = schedules_run_task(schedule, target, schedules_task_count(target), ctx->arena);
    return api_decode(ctx->config, api_operation(STR("RunTask")), body, ctx->arena, &call, &refused)
        || err_set(err, ERR_VALIDATION, "The target is not a request of RunTask: %s", refused.message);
}

bool schedules_check_target(struct op_ctx *ctx, const struct kept_schedule *schedule, const struct schedule_target *target, struct err *err)
{
    struct str cluster;
    struct err refused = { 0 };
    if (str_is_set(target->input_path) || str_is_set(target->input_transformer)) {
        return err_set(err, ERR_VALIDATION, "Berth does not serve %s: Input holds the overrides of RunTask.",
                       str_is_set(target->input_path) ? "InputPath" : "InputTransformer");
    }
    if (!arn_looks_like(target->arn) || !names_read_cluster(&ctx->config->names, target->arn, &cluster, &refused) || target->ecs == NULL) {
        return err_set(err, ERR_VALIDATION, "Berth serves targets that run tasks: Arn must be the ARN of a cluster of ECS, and EcsParameters must be given.");
    }
    struct overlap overlap = overlap_of(target, ctx->arena);
    if (!overlap.readable) { return err_set(err, ERR_VALIDATION, "Tags of EcsParameters must be a list of objects."); }
    if (overlap.given && !overlap.allowed) { return err_set(err, ERR_VALIDATION, "The value of the tag berth:overlap must be \"allow\"."); }
    return check_request(ctx, schedule, target, err);
}
