/* tags.c: tags of everything with an ARN: put, removed, listed. A table of kinds finds the tagged record. */
#include "api/capacity/machines.h"
#include "api/capacity/providers.h"
#include "api/capacity/rules.h"
#include "api/core/binding.h"
#include "api/core/placement.h"
#include "api/handlers.h"
#include "api/schemas/tags.h"
#include "api/core/support.h"
#include "api/services/services.h"
#include "api/rules/settings.h"
#include "api/tasks/terms.h"
#include "base/text/arn.h"

/* The record of an ARN: one of the pointers is set; `tags` are its tags. */
struct holder {
    const struct cluster *cluster;
    const struct taskdef *taskdef;
    const struct daemon_taskdef *daemon_taskdef;
    const struct instance *instance;
    const struct task *task;
    const struct service *service;
    const struct kept_deployment *set;
    const struct kept_provider *provider;
    struct tag_list tags;
};

/* `rest`: the part of the ARN after KIND/. `missing`: the operation's error for a missing record. */
struct search { struct op_ctx *ctx; struct str arn, rest; enum err_code missing; struct err *err; };

static bool invalid(struct search *search)
{
    return err_set(search->err, ERR_INVALID_PARAMETER, "The ARN provided is invalid.");
}

static bool missing(struct search *search)
{
    return err_set(search->err, search->missing, "The specified resource was not found: " STR_FMT,
                   STR_ARG(str_slice(search->arn, 0, 400)));
}

static bool inactive(struct search *search, const char *noun)
{
    return err_set(search->err, ERR_INVALID_PARAMETER, "The specified %s is inactive. Specify an active %s and try again.", noun, noun);
}

/* ---- finders, one for each kind ---- */

static bool find_named_cluster(struct search *search, struct str name, const struct cluster **cluster)
{
    if (!binding_check_cluster(search->ctx, name, search->err)) { return false; }
    *cluster = names_is_valid(name) ? store_cluster(search->ctx->txn, name, search->ctx->arena) : NULL;
    if (*cluster == NULL) { return err_set(search->err, ERR_CLUSTER_NOT_FOUND, "Cluster not found."); }
    return (*cluster)->status != CLUSTER_INACTIVE || inactive(search, "cluster");
}

static bool find_cluster(struct search *search, struct holder *found)
{
    if (!names_is_valid(search->rest)) { return invalid(search); }
    if (!find_named_cluster(search, search->rest, &found->cluster)) { return false; }
    found->tags = found->cluster->tags;
    return true;
}

static bool find_taskdef(struct search *search, struct holder *found)
{
    struct str family;
    int64_t revision;
    struct err unread = { 0 };
    if (binding_is_set(&search->ctx->caller)) { return binding_deny(search->ctx, search->arn, search->err); }
    if (!names_read_taskdef(&search->ctx->config->names, search->arn, &family, &revision, &unread)) { return invalid(search); }
    if (revision == 0) { return err_set(search->err, ERR_CLIENT, "Revision is missing."); }
    found->taskdef = store_taskdef(search->ctx->txn, family, revision, search->ctx->arena);
    if (found->taskdef == NULL) { return err_set(search->err, ERR_CLIENT, "Unable to describe task definition."); }
    found->tags = found->taskdef->tags;
    return true;
}

static bool find_daemon_taskdef(struct search *search, struct holder *found)
{
    struct str family;
    int64_t revision;
    struct err unread = { 0 };
    if (binding_is_set(&search->ctx->caller)) { return binding_deny(search->ctx, search->arn, search->err); }
    if (!names_read_daemon_taskdef(&search->ctx->config->names, search->arn, &family, &revision, &unread)) { return invalid(search); }
    if (revision == 0) { return err_set(search->err, ERR_CLIENT, "Revision is missing."); }
    const struct daemon_taskdef *taskdef = store_daemon_taskdef(search->ctx->txn, family, revision, search->ctx->arena);
    if (taskdef == NULL || taskdef->def.status == DAEMON_TASK_DEFINITION_STATUS_DELETED) { return missing(search); }
    found->daemon_taskdef = taskdef;
    found->tags = taskdef->tags;
    return true;
}

/* CLUSTER/ID, if there is such a cluster. */
static bool read_id(struct search *search, struct str kind, const struct cluster **cluster, struct id *id)
{
    struct str name, text;
    struct err unread = { 0 };
    bool good = str_cut(search->rest, '/', &name, &text)
        && names_read_id(&search->ctx->config->names, search->arn, kind, name, id, &unread);
    if (!good) { return invalid(search); }
    return find_named_cluster(search, name, cluster);
}

static bool find_instance(struct search *search, struct holder *found)
{
    const struct cluster *cluster;
    struct id id;
    if (!read_id(search, STR("container-instance"), &cluster, &id)) { return false; }
    const struct instance *instance = store_instance(search->ctx->txn, id, search->ctx->arena);
    if (instance == NULL || instance->cluster_number != cluster->number) { return missing(search); }
    if (instance->status == INSTANCE_INACTIVE) { return inactive(search, "container instance"); }
    if (!binding_check_record(search->ctx, cluster->name, instance, search->err)) { return false; }
    found->instance = instance;
    found->tags = instance->tags;
    return true;
}

static bool find_task(struct search *search, struct holder *found)
{
    const struct cluster *cluster;
    struct id id;
    if (!read_id(search, STR("task"), &cluster, &id)) { return false; }
    const struct task *task = store_task(search->ctx->txn, id, search->ctx->arena);
    if (task == NULL || task->cluster_number != cluster->number) { return missing(search); }
    if (!task_is_live(task)) {
        return err_set(search->err, ERR_INVALID_PARAMETER, "The specified task is stopped. Specify a running task and try again.");
    }
    if (!binding_check(search->ctx, task->instance, search->err)) { return false; }
    found->task = task;
    found->tags = task->tags;
    return true;
}

/* CLUSTER/NAME, if there is such a cluster. A resource with an ARN of the short form can't have tags. */
static bool read_in_cluster(struct search *search, const struct cluster **cluster, struct str *name)
{
    struct str owner;
    if (!str_cut(search->rest, '/', &owner, name)) {
        return err_set(search->err, ERR_INVALID_PARAMETER,
                       "The new ARN and resource ID format must be enabled to add tags to the service. Opt in to the new format and "
                       "try again.");
    }
    return find_named_cluster(search, owner, cluster);
}

/* One that is INACTIVE has lost its tags. */
static const struct service *find_named_service(struct search *search, const struct cluster *cluster, struct str name)
{
    struct op_ctx *ctx = search->ctx;
    if (!names_is_valid(name)) {
        (void)invalid(search);
        return NULL;
    }
    const struct service *service = store_service_named(ctx->txn, cluster->number, name, ctx->arena);
    if (service != NULL && service->status != SERVICE_INACTIVE) { return service; }
    (void)(service == NULL ? missing(search) : inactive(search, "service"));
    return NULL;
}

static bool find_service(struct search *search, struct holder *found)
{
    const struct cluster *cluster;
    struct str name;
    if (!read_in_cluster(search, &cluster, &name)) { return false; }
    found->service = find_named_service(search, cluster, name);
    if (found->service == NULL) { return false; }
    found->tags = found->service->tags;
    return true;
}

/* CLUSTER/SERVICE/ecs-svc/DIGITS */
static bool find_task_set(struct search *search, struct holder *found)
{
    const struct cluster *cluster;
    struct str name, rest;
    struct err unread = { 0 };
    int64_t digits;
    if (!read_in_cluster(search, &cluster, &rest)) { return false; }
    if (!str_cut(rest, '/', &name, &rest)) { return invalid(search); }
    const struct service *service = find_named_service(search, cluster, name);
    if (service == NULL) { return false; }
    const struct service_name owner = { cluster->name, service->name };
    if (!names_read_task_set(&search->ctx->config->names, search->arn, &owner, &digits, &unread)) { return invalid(search); }
    found->set = store_deployment(search->ctx->txn, service->number, digits, search->ctx->arena);
    if (found->set == NULL || found->set->task_set == NULL) { return missing(search); }
    found->tags = found->set->task_set->tags;
    return true;
}

static bool find_daemon(struct search *search, struct holder *found)
{
    const struct cluster *cluster;
    struct str name;
    if (!read_in_cluster(search, &cluster, &name)) { return false; }
    if (!names_is_valid(name)) { return invalid(search); }
    const struct service *daemon = store_daemon_named(search->ctx->txn, cluster->number, name, search->ctx->arena);
    if (daemon == NULL || daemon->status == SERVICE_INACTIVE) { return missing(search); }
    found->service = daemon;
    found->tags = daemon->tags;
    return true;
}

static bool find_provider(struct search *search, struct holder *found)
{
    found->provider = provider_find(search->ctx, search->rest);
    if (found->provider == NULL) { return missing(search); }
    found->tags = found->provider->tags;
    return true;
}

static const struct { struct str kind; bool (*find)(struct search *search, struct holder *found); } kinds[] = {
    { STR_INIT("cluster"),                find_cluster    },
    { STR_INIT("task-definition"),        find_taskdef    },
    { STR_INIT("container-instance"),     find_instance   },
    { STR_INIT("task"),                   find_task       },
    { STR_INIT("service"),                find_service    },
    { STR_INIT("task-set"),               find_task_set   },
    { STR_INIT("daemon"),                 find_daemon     },
    { STR_INIT("capacity-provider"),      find_provider   },
    { STR_INIT("daemon-task-definition"), find_daemon_taskdef },
};

static bool find(struct op_ctx *ctx, struct str reference, enum err_code missing_code, struct holder *found, struct err *err)
{
    struct arn arn;
    struct str kind;
    struct search search = { .ctx = ctx, .arn = reference, .missing = missing_code, .err = err };
    *found = (struct holder){ 0 };
    bool ours = arn_parse(reference, &arn) && str_eq(arn.service, STR("ecs")) && str_eq(arn.region, ctx->config->names.region)
        && str_eq(arn.account, ctx->config->names.account) && str_cut(arn.resource, '/', &kind, &search.rest) && search.rest.len > 0;
    for (size_t k = 0; ours && k < COUNT_OF(kinds); k++) {
        if (str_eq(kinds[k].kind, kind)) { return kinds[k].find(&search, found); }
    }
    return invalid(&search);
}

/* ---- change ---- */

static bool same_terms(const struct task_terms *a, const struct task_terms *b)
{
    if (a == NULL || b == NULL) { return a == b; }
    return a->priority == b->priority && a->preemptible == b->preemptible && a->most_ms == b->most_ms && a->reserve == b->reserve;
}

/* A change of these tags holds at once: a waiting task gets another place in the queue, its gang's first task that of the gang. Other changes leave what
 * the task has of its service. */
static void take_terms(struct op_ctx *ctx, const struct task *before, struct task *task)
{
    struct task_terms *old, *terms;
    struct err unread = { 0 };
    bool read = terms_read(&before->tags, &old, ctx->arena, &unread) && terms_read(&task->tags, &terms, ctx->arena, &unread);
    if (!read || same_terms(old, terms)) { return; }
    task->terms = terms;
    if (task->wait == NULL) { return; }
    struct task_wait *wait = arena_copy(ctx->arena, task->wait, sizeof *wait);
    wait->priority = terms == NULL ? 0 : terms->priority;
    task->wait = wait;
}

static void keep(struct op_ctx *ctx, const struct holder *found, struct tag_list tags)
{
    ASSERT((found->cluster != NULL) + (found->taskdef != NULL) + (found->daemon_taskdef != NULL) + (found->instance != NULL) + (found->task != NULL)
           + (found->service != NULL) + (found->set != NULL) + (found->provider != NULL) == 1);
    if (found->cluster != NULL) {
        struct cluster cluster = *found->cluster;
        cluster.tags = tags;
        store_put_cluster(ctx->txn, &cluster);
        placement_put_cluster_tags(ctx, &cluster);
    } else if (found->taskdef != NULL) {
        struct taskdef taskdef = *found->taskdef;
        taskdef.tags = tags;
        store_put_taskdef(ctx->txn, &taskdef);
    } else if (found->daemon_taskdef != NULL) {
        struct daemon_taskdef taskdef = *found->daemon_taskdef;
        taskdef.tags = tags;
        store_put_daemon_taskdef(ctx->txn, &taskdef);
    } else if (found->instance != NULL) {
        struct instance instance = *found->instance;
        instance.tags = tags;
        placement_put_instance(ctx, &instance);
    } else if (found->service != NULL) {
        struct service service = *found->service;
        service.tags = tags;
        services_changed(ctx, &service);
    } else if (found->provider != NULL) {
        struct kept_provider provider = *found->provider;
        provider.tags = tags;
        store_put_provider(ctx->txn, &provider);
        pools_touch(ctx, provider.pool);
    } else if (found->set != NULL) {
        struct kept_deployment set = *found->set;
        struct task_set_part part = *set.task_set;
        part.tags = tags;
        set.task_set = &part;
        store_put_deployment(ctx->txn, &set);
    } else {
        struct task task = *found->task;
        task.tags = tags;
        take_terms(ctx, found->task, &task);
        placement_change_task(ctx, found->task, &task);
    }
}

static bool is_reserved(struct str key) { return str_eq_nocase(str_slice(key, 0, 4), STR("aws:")); }

/* A known key gets the new value and keeps its position; new keys are added at the end. */
static struct tag_list merge(struct op_ctx *ctx, const struct tag_list *old, const struct tag_list *added)
{
    struct tag_list merged = { ARENA_NEW(ctx->arena, struct tag, old->count + added->count), old->count };
    if (old->count > 0) { memcpy(merged.items, old->items, old->count * sizeof *old->items); }
    for (size_t a = 0; a < added->count; a++) {
        size_t at = 0;
        while (at < merged.count && !str_eq(merged.items[at].key, added->items[a].key)) { at++; }
        merged.items[at] = added->items[a];
        if (at == merged.count) { merged.count++; }
    }
    ASSERT(merged.count >= old->count && merged.count <= old->count + added->count);
    return merged;
}

/* `all`: with those that the holder has. */
static bool check_tags(const struct holder *found, const struct tag_list *tags, const struct tag_list *all, struct err *err)
{
    if (found->service != NULL) { return service_check_tags(tags, err); }
    if (found->cluster != NULL) { return support_check_tags(tags, TAGGED_CLUSTER, err); }
    if (found->taskdef != NULL) { return support_check_tags(tags, TAGGED_DEFINITION, err); }
    if (found->provider != NULL) { return rules_check_tags(tags, all, err); }
    if (found->task != NULL) { return support_check_tags(tags, TAGGED_TASK, err) && terms_check(tags, err); }
    return support_check_tags(tags, TAGGED_OTHER, err);
}

/* Tags that Berth adds are not counted. */
static bool check_count(const struct tag_list *tags, struct err *err)
{
    size_t own = 0;
    for (size_t t = 0; t < tags->count; t++) { own += is_reserved(tags->items[t].key) ? 0 : 1; }
    return own <= TAGS_MAX
        || err_set(err, ERR_LIMIT_EXCEEDED, "A resource can have at most %d tags; it would have %zu.", TAGS_MAX, own);
}

bool op_tag_resource(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct tag_resource_request *in = input;
    struct holder found;
    (void)output;
    if (!support_check_tags(&in->tags, TAGGED_ANY, err) || !find(ctx, in->resource_arn, ERR_RESOURCE_NOT_FOUND, &found, err)) { return false; }
    struct tag_list merged = merge(ctx, &found.tags, &in->tags);
    if (!check_tags(&found, &in->tags, &merged, err) || !check_count(&merged, err)) { return false; }
    keep(ctx, &found, merged);
    return true;
}

static bool check_keys(const struct str_list *keys, struct err *err)
{
    enum { TAG_KEY_MAX = 128, UTF8_MAX = 4 };
    for (size_t k = 0; k < keys->count; k++) {
        struct str key = keys->items[k];
        if (key.len == 0 || key.len > TAG_KEY_MAX * UTF8_MAX) {
            return err_set(err, ERR_INVALID_PARAMETER, "tagKeys[%zu] must have 1 to %d characters.", k, TAG_KEY_MAX);
        }
        if (is_reserved(key)) {
            return err_set(err, ERR_INVALID_PARAMETER, "Tag keys that begin with \"aws:\" are reserved: \"" STR_FMT "\".", STR_ARG(key));
        }
    }
    return true;
}

/* A key that the resource does not have is no error. */
bool op_untag_resource(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct untag_resource_request *in = input;
    struct holder found;
    (void)output;
    if (!check_keys(&in->tag_keys, err) || !find(ctx, in->resource_arn, ERR_RESOURCE_NOT_FOUND, &found, err)) { return false; }
    struct tag_list left = found.tags;
    support_change_tags(ctx, &left, NULL, &in->tag_keys);
    ASSERT(left.count <= found.tags.count);
    if (left.count < found.tags.count) { keep(ctx, &found, left); }
    return true;
}

/* In the model, ListTagsForResource has no ResourceNotFoundException. */
bool op_list_tags_for_resource(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct list_tags_for_resource_request *in = input;
    struct list_tags_for_resource_response *out = output;
    struct holder found;
    if (!find(ctx, in->resource_arn, ERR_INVALID_PARAMETER, &found, err)) { return false; }
    out->tags = found.tags;
    if (out->tags.items == NULL) { out->tags.items = LIST_NOTHING; }
    return true;
}
