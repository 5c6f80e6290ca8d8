/* targets.c: scalable targets and their tags, what the other operations share, and the table of them. */
#include "api/scaling/scaling.h"

#include "api/core/api.h"
#include "base/text/arn.h"

static const struct str resource_head = STR_INIT("service/"), arn_head = STR_INIT("scalable-target/");
enum { ID_LEN = 20, PAGE_DEFAULT = 50 };

/* ---- what operations share ---- */

static const struct service *find_service(struct op_ctx *ctx, struct str resource, const struct cluster **cluster, struct err *err)
{
    struct err missing = { 0 };
    struct str rest = str_slice(resource, resource_head.len, resource.len);
    const char *slash = str_starts_with(resource, resource_head) ? memchr(rest.ptr, '/', rest.len) : NULL;
    if (slash == NULL) {
        (void)err_set(err, ERR_VALIDATION, "ResourceId must be service/CLUSTER/SERVICE.");
        return NULL;
    }
    size_t end = (size_t)(slash - rest.ptr);
    const struct service *service = services_find(ctx, str_slice(rest, 0, end), str_slice(rest, end + 1, rest.len), cluster, &missing);
    if (service == NULL || service->status != SERVICE_ACTIVE) {
        (void)err_set(err, ERR_VALIDATION, "ECS service doesn't exist: " STR_FMT, STR_ARG(str_slice(resource, 0, 400)));
        return NULL;
    }
    return service;
}

static bool refuse_unknown(struct str resource, struct err *err)
{
    return err_set(err, ERR_TARGET_NOT_FOUND, "No scalable target found for service namespace: ecs, resource ID: " STR_FMT
                   ", scalable dimension: ecs:service:DesiredCount", STR_ARG(str_slice(resource, 0, 400)));
}

static bool read_subject(struct op_ctx *ctx, int64_t number, struct scaling_subject *subject)
{
    const struct kept_scaling *found = store_scaling(ctx->txn, number, ctx->arena);
    const struct service *service = found == NULL ? NULL : store_service(ctx->txn, number, ctx->arena);
    const struct cluster *cluster = service == NULL ? NULL : support_kept_cluster_by_number(ctx, service->cluster_number);
    if (cluster == NULL) { return false; }
    subject->target = *found;
    subject->resource = arena_printf(ctx->arena, "service/" STR_FMT "/" STR_FMT, STR_ARG(cluster->name), STR_ARG(service->name));
    return true;
}

bool scaling_find(struct op_ctx *ctx, struct str resource, struct scaling_subject *subject, struct err *err)
{
    const struct cluster *cluster;
    struct err missing = { 0 };
    const struct service *service = find_service(ctx, resource, &cluster, &missing);
    return (service != NULL && read_subject(ctx, service->number, subject)) || refuse_unknown(resource, err);
}

bool scaling_next(struct op_ctx *ctx, struct str resource, int64_t after, struct scaling_subject *subject)
{
    struct err missing = { 0 };
    if (str_is_set(resource)) { return scaling_find(ctx, resource, subject, &missing) && subject->target.service > after; }
    for (int64_t number = after; store_list_scaling(ctx->txn, number, &number, 1) == 1;) {
        if (read_subject(ctx, number, subject)) { return true; }
    }
    return false;
}

struct scaling_place scaling_place_of(const void *items, size_t count, size_t size, struct str name)
{
    struct scaling_place place = { 0 };
    for (; place.at < count; place.at++) {
        const struct str *other = (const void *)((const char *)items + place.at * size);
        int order = str_cmp(*other, name);
        place.known = order == 0;
        if (order >= 0) { break; }
    }
    return place;
}

void *scaling_put(struct op_ctx *ctx, const void *items, size_t *count, size_t size, struct scaling_place place, const void *item)
{
    char *copy = arena_alloc(ctx->arena, *count + 1, size);
    const char *from = items;
    size_t behind = place.at + place.known;
    if (place.at > 0) { memcpy(copy, from, place.at * size); }
    memcpy(copy + place.at * size, item, size);
    if (behind < *count) { memcpy(copy + (place.at + 1) * size, from + behind * size, (*count - behind) * size); }
    *count += !place.known;
    return copy;
}

bool scaling_page_begin(struct op_ctx *ctx, const char *list, struct opt_int limit, struct str token, struct scaling_page *page, struct err *err)
{
    struct str position, service;
    struct err refused = { 0 };
    *page = (struct scaling_page){ .list = list, .limit = limit.set ? (size_t)limit.value : PAGE_DEFAULT };
    bool good = paging_position(ctx, str_from(list), token, &position, &refused);
    if (good && str_is_set(position)) {
        good = str_cut(position, ' ', &service, &page->key) && str_to_i64(service, &page->service) && page->service > 0;
        page->after = page->service - 1;
    }
    return good || err_set(err, ERR_INVALID_NEXT_TOKEN, "The NextToken must be the one that the page before gave.");
}

bool scaling_page_takes(struct scaling_page *page, int64_t service, struct str key)
{
    if (service < page->service || (service == page->service && str_cmp(key, page->key) <= 0)) { return false; }
    page->more = page->count == page->limit;
    if (page->more) { return false; }
    page->count++;
    page->service = service;
    page->key = key;
    return true;
}

struct str scaling_page_token(struct op_ctx *ctx, const struct scaling_page *page)
{
    if (!page->more) { return (struct str){ NULL, 0 }; }
    return paging_token(ctx, str_from(page->list), arena_printf(ctx->arena, "%lld " STR_FMT, (long long)page->service, STR_ARG(page->key)));
}

/* ---- targets ---- */

struct str scaling_target_arn(struct op_ctx *ctx, int64_t service)
{
    const struct names *names = &ctx->config->names;
    return arena_printf(ctx->arena, "arn:aws:application-autoscaling:" STR_FMT ":" STR_FMT ":scalable-target/%0*llx", STR_ARG(names->region),
                        STR_ARG(names->account), (int)ID_LEN, (unsigned long long)service);
}

static bool check_limits(const struct kept_scaling *target, struct err *err)
{
    return target->min <= target->max || err_set(err, ERR_VALIDATION, "MinCapacity must not be greater than MaxCapacity.");
}

static bool check_tags(const struct pair_list *tags, struct arena *arena, struct tag_list *list, struct err *err)
{
    struct err refused = { 0 };
    *list = (struct tag_list){ ARENA_NEW(arena, struct tag, tags->count + 1), 0 };
    for (size_t t = 0; t < tags->count; t++) { list->items[list->count++] = (struct tag){ .key = tags->items[t].key, .value = tags->items[t].value }; }
    return support_check_tags(list, TAGGED_OTHER, &refused) || err_set(err, ERR_VALIDATION, "%s", refused.message);
}

struct kept_scaling scaling_target(struct op_ctx *ctx, int64_t service, bool *known)
{
    const struct kept_scaling *found = store_scaling(ctx->txn, service, ctx->arena);
    *known = found != NULL;
    if (found != NULL) { return *found; }
    struct suspended_state *nothing = ARENA_NEW(ctx->arena, struct suspended_state, 1);
    *nothing = (struct suspended_state){ OPT_FALSE, OPT_FALSE, OPT_FALSE };
    return (struct kept_scaling){ .service = service, .created_ms = ctx->now_ms, .suspended = nothing };
}

static void set_suspended(struct kept_scaling *target, const struct suspended_state *given, struct arena *arena)
{
    struct suspended_state *state = arena_copy(arena, target->suspended, sizeof *target->suspended);
    if (given != NULL && given->in != OPT_UNSET) { state->in = given->in; }
    if (given != NULL && given->out != OPT_UNSET) { state->out = given->out; }
    if (given != NULL && given->scheduled != OPT_UNSET) { state->scheduled = given->scheduled; }
    target->suspended = state;
}

static bool op_register(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct register_target_request *in = input;
    struct register_target_response *out = output;
    const struct cluster *cluster;
    const struct service *service = find_service(ctx, in->resource, &cluster, err);
    if (service == NULL) { return false; }
    if (service->scheduling == SCHEDULING_STRATEGY_DAEMON) { return err_set(err, ERR_VALIDATION, "A service with the strategy DAEMON has no desired count."); }
    bool known;
    struct kept_scaling target = scaling_target(ctx, service->number, &known);
    if (!known && (!in->min.set || !in->max.set)) {
        return err_set(err, ERR_VALIDATION, "MinCapacity and MaxCapacity must be given when a scalable target is registered first.");
    }
    if (in->min.set) { target.min = in->min.value; }
    if (in->max.set) { target.max = in->max.value; }
    if (str_is_set(in->role)) { target.role = in->role; }
    set_suspended(&target, in->suspended, ctx->arena);
    if (!check_limits(&target, err)) { return false; }
    if (in->tags.count > 0 && known) { return err_set(err, ERR_VALIDATION, "Tags of a scalable target that is registered change by TagResource."); }
    if (in->tags.count > 0 && !check_tags(&in->tags, ctx->arena, &target.tags, err)) { return false; }
    store_put_scaling(ctx->txn, &target);
    out->arn = scaling_target_arn(ctx, service->number);
    return true;
}

static bool op_deregister(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct deregister_target_request *in = input;
    struct scaling_subject subject;
    (void)output;
    if (!scaling_find(ctx, in->resource, &subject, err)) { return false; }
    store_drop_scaling(ctx->txn, subject.target.service);
    return true;
}

bool scaling_is_named(const struct str_list *names, struct str name)
{
    return names->count == 0 || str_list_has(names, name);
}

static bool op_describe(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct describe_targets_request *in = input;
    struct describe_targets_response *out = output;
    struct scaling_page page;
    struct scaling_subject subject;
    if (!scaling_page_begin(ctx, "DescribeScalableTargets", in->max_results, in->next_token, &page, err)) { return false; }
    out->targets.items = ARENA_NEW(ctx->arena, struct scalable_target_view, page.limit);
    struct str one = in->resources.count == 1 ? in->resources.items[0] : (struct str){ NULL, 0 };
    for (int64_t after = page.after; !page.more && scaling_next(ctx, one, after, &subject); after = subject.target.service) {
        if (!scaling_is_named(&in->resources, subject.resource) || !scaling_page_takes(&page, subject.target.service, STR(""))) { continue; }
        const struct kept_scaling *target = &subject.target;
        struct names const *names = &ctx->config->names;
        struct str role = str_is_set(target->role) ? target->role
            : arena_printf(ctx->arena, "arn:aws:iam::" STR_FMT ":role/aws-service-role/ecs.application-autoscaling.amazonaws.com/"
                           "AWSServiceRoleForApplicationAutoScaling_ECSService", STR_ARG(names->account));
        out->targets.items[out->targets.count++] = (struct scalable_target_view){
            SCALING_OF_ECS, subject.resource, SCALABLE_DESIRED_COUNT, { target->min, true }, { target->max, true }, role, target->created_ms,
            target->suspended, scaling_target_arn(ctx, target->service),
        };
    }
    out->next_token = scaling_page_token(ctx, &page);
    return true;
}

/* ---- tags ---- */

static bool find_arn(struct op_ctx *ctx, struct str text, struct scaling_subject *subject, struct err *err)
{
    const struct names *names = &ctx->config->names;
    struct arn arn;
    int64_t number = 0;
    bool ours = arn_parse(text, &arn) && str_eq(arn.service, STR("application-autoscaling")) && str_eq(arn.region, names->region)
        && str_eq(arn.account, names->account) && str_starts_with(arn.resource, arn_head) && arn.resource.len == arn_head.len + ID_LEN;
    for (size_t c = arn_head.len; ours && c < arn.resource.len; c++) {
        char digit = arn.resource.ptr[c];
        ours = ((digit >= '0' && digit <= '9') || (digit >= 'a' && digit <= 'f')) && number <= INT64_MAX >> 4;
        number = ours ? number * 16 + (digit <= '9' ? digit - '0' : digit - 'a' + 10) : 0;
    }
    return (ours && read_subject(ctx, number, subject))
        || err_set(err, ERR_RESOURCE_NOT_FOUND, "No scalable target found for ARN: " STR_FMT, STR_ARG(str_slice(text, 0, 400)));
}

static bool op_list_tags(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct list_scaling_tags_request *in = input;
    struct list_scaling_tags_response *out = output;
    struct scaling_subject subject;
    if (!find_arn(ctx, in->arn, &subject, err)) { return false; }
    const struct tag_list *tags = &subject.target.tags;
    out->tags = (struct pair_list){ ARENA_NEW(ctx->arena, struct pair, tags->count + 1), tags->count };
    for (size_t t = 0; t < tags->count; t++) { out->tags.items[t] = (struct pair){ tags->items[t].key, tags->items[t].value }; }
    return true;
}

static bool op_tag(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct tag_scaling_request *in = input;
    struct scaling_subject subject;
    struct tag_list given;
    struct err refused = { 0 };
    (void)output;
    if (!find_arn(ctx, in->arn, &subject, err) || !check_tags(&in->tags, ctx->arena, &given, err)) { return false; }
    support_change_tags(ctx, &subject.target.tags, &given, NULL);
    if (!support_check_tags(&subject.target.tags, TAGGED_OTHER, &refused)) { return err_set(err, ERR_VALIDATION, "%s", refused.message); }
    store_put_scaling(ctx->txn, &subject.target);
    return true;
}

static bool op_untag(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct untag_scaling_request *in = input;
    struct scaling_subject subject;
    (void)output;
    if (!find_arn(ctx, in->arn, &subject, err)) { return false; }
    support_change_tags(ctx, &subject.target.tags, NULL, &in->keys);
    store_put_scaling(ctx->txn, &subject.target);
    return true;
}

/* ---- the tables ---- */

#define READS(name, in, out, run)  { STR_INIT(name), &in##_schema, &out##_schema, OP_READ, ACCESS_VIEWER, ERR_VALIDATION, run }
#define WRITES(name, in, out, run) { STR_INIT(name), &in##_schema, out, OP_WRITE, ACCESS_ADMIN, ERR_VALIDATION, run }
static const struct operation operations[] = {
    WRITES("DeleteScalingPolicy", delete_policy_request, NULL, op_delete_scaling_policy),
    WRITES("DeleteScheduledAction", delete_action_request, NULL, op_delete_scheduled_action),
    WRITES("DeregisterScalableTarget", deregister_target_request, NULL, op_deregister),
    READS("DescribeScalableTargets", describe_targets_request, describe_targets_response, op_describe),
    READS("DescribeScalingActivities", describe_activities_request, describe_activities_response, op_describe_scaling_activities),
    READS("DescribeScalingPolicies", describe_policies_request, describe_policies_response, op_describe_scaling_policies),
    READS("DescribeScheduledActions", describe_actions_request, describe_actions_response, op_describe_scheduled_actions),
    READS("ListTagsForResource", list_scaling_tags_request, list_scaling_tags_response, op_list_tags),
    WRITES("PutScalingPolicy", put_policy_request, &put_policy_response_schema, op_put_scaling_policy),
    WRITES("PutScheduledAction", put_action_request, NULL, op_put_scheduled_action),
    WRITES("RegisterScalableTarget", register_target_request, &register_target_response_schema, op_register),
    WRITES("TagResource", tag_scaling_request, NULL, op_tag),
    WRITES("UntagResource", untag_scaling_request, NULL, op_untag),
};
#undef READS
#undef WRITES

static const struct service_error errors[] = { { ERR_TARGET_NOT_FOUND, STR_INIT("ObjectNotFoundException"), 400 } };

const struct api_service scaling_service = {
    .name = STR_INIT("application-autoscaling"), .protocol = API_JSON, .target = STR_INIT("AnyScaleFrontendService."), .message = STR_INIT("Message"),
    .named = true, .unserved = STR_INIT("application-autoscaling:"), .resource = STR_INIT("*"),
    .unserved_more = STR_INIT(". Of Application Auto Scaling it serves the desired counts of services."),
    .operations = operations, .count = COUNT_OF(operations), .errors = errors, .error_count = COUNT_OF(errors),
};
