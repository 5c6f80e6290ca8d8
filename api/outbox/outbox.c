#include "api/outbox/outbox.h"

#include "api/show/view.h"
#include "base/json.h"
#include "base/time/moment.h"

/* ---- as EventBridge has it ---- */

static struct str moment_text(int64_t ms, bool with_ms, struct arena *arena)
{
    char text[MOMENT_TEXT_SIZE];
    (void)moment_print(ms, with_ms, text);
    return arena_str(arena, str_from(text));
}

static void put(struct json_out *out, const char *name, struct str value)
{
    json_key(out, str_from(name));
    json_str(out, value);
}

/* A UUID of version 4, from the same numbers as all ids. */
static struct str uuid_new(struct op_ctx *ctx)
{
    char hex[ID_HEX_LEN + 1];
    id_hex(id_random(ctx->rng), hex);
    return arena_printf(ctx->arena, "%.8s-%.4s-4%.3s-a%.3s-%.12s", hex, hex + 8, hex + 13, hex + 17, hex + 20);
}

static void keep(struct op_ctx *ctx, const char *type, struct str resource, struct str detail)
{
    struct buf text = buf_in(ctx->arena);
    struct json_out out = json_out_to(&text);
    json_open(&out, '{');
    put(&out, "version", STR("0"));
    put(&out, "id", uuid_new(ctx));
    put(&out, "detail-type", str_from(type));
    put(&out, "source", STR("aws.ecs"));
    put(&out, "account", ctx->config->names.account);
    put(&out, "time", moment_text(ctx->now_ms, false, ctx->arena));
    put(&out, "region", ctx->config->names.region);
    json_key(&out, STR("resources"));
    json_open(&out, '[');
    json_str(&out, resource);
    json_close(&out, ']');
    json_key(&out, STR("detail"));
    json_raw(&out, detail);
    json_close(&out, '}');
    (void)store_add_event(ctx->txn, &(struct kept_event){ .at_ms = ctx->now_ms, .type = str_from(type), .text = buf_str(&text) }, ctx->arena);
}

/* ---- times ---- */

/* Members of ECS's objects that are times end with "At"; ECS's JSON has them as seconds. */
static bool is_time(struct str name, const struct json *value)
{
    bool number = value->type == JSON_INT || value->type == JSON_REAL;
    return number && name.len > 2 && str_eq(str_slice(name, name.len - 2, name.len), STR("At"));
}

static void put_value(struct json_out *out, const struct json *value, struct arena *arena);

static void put_members(struct json_out *out, const struct json *object, struct arena *arena)
{
    for (size_t m = 0; m < object->count; m++) {
        const struct json_member *member = &object->as.members[m];
        json_key(out, member->key);
        if (is_time(member->key, &member->value)) {
            double seconds = member->value.type == JSON_INT ? (double)member->value.as.integer : member->value.as.real;
            json_str(out, moment_text((int64_t)(seconds * 1000 + 0.5), true, arena));
        } else {
            put_value(out, &member->value, arena);
        }
    }
}

static void put_value(struct json_out *out, const struct json *value, struct arena *arena)
{
    if (value->type == JSON_OBJECT) {
        json_open(out, '{');
        put_members(out, value, arena);
        json_close(out, '}');
    } else if (value->type == JSON_ARRAY) {
        json_open(out, '[');
        for (size_t i = 0; i < value->count; i++) { put_value(out, &value->as.items[i], arena); }
        json_close(out, ']');
    } else {
        json_dump(out, value);
    }
}

/* The view as ECS's reply has it, with times as texts, and the time of the change. */
static struct str detail_of(struct op_ctx *ctx, const struct schema *schema, const void *view)
{
    struct buf reply = buf_in(ctx->arena), detail = buf_in(ctx->arena);
    struct json_out printed = json_out_to(&reply), out = json_out_to(&detail);
    struct err err = { 0 };
    schema_print(schema, view, &printed);
    const struct json *tree = json_parse(buf_str(&reply), ctx->arena, &err);
    ASSERT(tree != NULL && tree->type == JSON_OBJECT);           /* our own */
    json_open(&out, '{');
    put_members(&out, tree, ctx->arena);
    put(&out, "updatedAt", moment_text(ctx->now_ms, true, ctx->arena));
    json_close(&out, '}');
    return buf_str(&detail);
}

/* ---- what happens ---- */

static bool writes(const struct op_ctx *ctx) { return ctx->config->events_keep_ms > 0; }

void outbox_task(struct op_ctx *ctx, const struct task *before, const struct task *task)
{
    if (!writes(ctx) || (before != NULL && before->version == task->version)) { return; }
    const struct cluster *cluster = support_kept_cluster_by_number(ctx, task->cluster_number);
    if (cluster == NULL) { return; }
    struct view_cache cache = view_cache_for(ctx, cluster);
    struct task_view view = { 0 };
    view_task_fill(ctx, &cache, task, view_taskdef_of(ctx, &cache, task), false, &view);
    keep(ctx, "ECS Task State Change", view.task_arn, detail_of(ctx, &task_view_schema, &view));
}

void outbox_instance(struct op_ctx *ctx, const struct instance *instance)
{
    if (!writes(ctx)) { return; }
    const struct cluster *cluster = support_kept_cluster_by_number(ctx, instance->cluster_number);
    if (cluster == NULL) { return; }
    struct instance_view view = { 0 };
    view_instance_fill(ctx, cluster, instance, false, &view);
    struct str detail = detail_of(ctx, &instance_view_schema, &view);
    struct buf whole = buf_in(ctx->arena);
    struct json_out out = json_out_to(&whole);
    json_open(&out, '{');
    put(&out, "clusterArn", names_cluster_arn(&ctx->config->names, cluster->name, ctx->arena));
    json_raw(&out, str_slice(detail, 1, detail.len));            /* its members and the end */
    keep(ctx, "ECS Container Instance State Change", view.container_instance_arn, buf_str(&whole));
}

static const char *type_of(struct str name)
{
    bool deployment = str_starts_with(name, STR("SERVICE_DEPLOYMENT_")), hook = str_starts_with(name, STR("HOOK_"));
    return deployment ? "ECS Deployment State Change" : hook ? "ECS Hook State Change" : "ECS Service Action";
}

void outbox_service(struct op_ctx *ctx, const struct cluster *cluster, const struct service *service, const struct outbox_action *action)
{
    if (!writes(ctx)) { return; }
    const struct names *names = &ctx->config->names;
    struct buf detail = buf_in(ctx->arena);
    struct json_out out = json_out_to(&detail);
    json_open(&out, '{');
    put(&out, "eventType", action->type);
    put(&out, "eventName", action->name);
    put(&out, "clusterArn", names_cluster_arn(names, cluster->name, ctx->arena));
    if (action->deployment.len > 0) { put(&out, "deploymentId", action->deployment); }
    put(&out, "createdAt", moment_text(ctx->now_ms, true, ctx->arena));
    put(&out, "updatedAt", moment_text(ctx->now_ms, true, ctx->arena));
    put(&out, "reason", action->reason);
    json_close(&out, '}');
    bool is_daemon = service->daemon != NULL;
    keep(ctx, type_of(action->name), (is_daemon ? names_daemon_arn : names_service_arn)(names, cluster->name, service->name, ctx->arena), buf_str(&detail));
}
