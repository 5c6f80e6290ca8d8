/* support.c: what handlers ask for again and again: the cluster that is meant, effects, page sizes, tags, the caller's name. */
#include "api/core/support.h"

#include "api/core/quotas.h"

#include <stdio.h>

#include "api/core/binding.h"
#include "base/canary.h"

static const struct cluster *no_cluster(struct err *err)
{
    (void)err_set(err, ERR_CLUSTER_NOT_FOUND, "Cluster not found.");
    return NULL;
}

const struct cluster *support_cluster_ever(struct op_ctx *ctx, struct str reference, struct err *err)
{
    struct str name;
    if (!names_read_cluster(&ctx->config->names, reference, &name, err) || !binding_check_cluster(ctx, name, err)) { return NULL; }
    const struct cluster *cluster = store_cluster(ctx->txn, name, ctx->arena);
    return cluster != NULL ? cluster : no_cluster(err);
}

const struct cluster *support_cluster(struct op_ctx *ctx, struct str reference, struct err *err)
{
    const struct cluster *cluster = support_cluster_ever(ctx, reference, err);
    return cluster == NULL || cluster->status != CLUSTER_INACTIVE ? cluster : no_cluster(err);
}

const struct cluster *support_kept_cluster(struct op_ctx *ctx, struct str reference, struct err *err)
{
    if (ctx->kept_cluster != NULL && str_eq(ctx->kept_cluster->name, reference)) { return ctx->kept_cluster; }
    ctx->kept_cluster = support_cluster(ctx, reference, err);
    return ctx->kept_cluster;
}

/* One that was deleted is not kept: support_kept_cluster would find it. */
const struct cluster *support_kept_cluster_by_number(struct op_ctx *ctx, int64_t number)
{
    if (ctx->kept_cluster != NULL && ctx->kept_cluster->number == number) { return ctx->kept_cluster; }
    const struct cluster *cluster = store_cluster_by_number(ctx->txn, number, ctx->arena);
    if (cluster != NULL && cluster->status != CLUSTER_INACTIVE) { ctx->kept_cluster = cluster; }
    return cluster;
}

bool support_find_taskdef(struct op_ctx *ctx, struct str reference, const struct taskdef **taskdef, struct err *err)
{
    struct str family;
    int64_t revision;
    if (!names_read_taskdef(&ctx->config->names, reference, &family, &revision, err)) { return false; }
    if (revision == 0) { revision = store_latest_active_revision(ctx->txn, family); }
    *taskdef = revision == 0 ? NULL : store_taskdef(ctx->txn, family, revision, ctx->arena);
    return true;
}

const struct taskdef *support_kept_taskdef(struct op_ctx *ctx, const struct task *task)
{
    if (ctx->kept_taskdef != NULL && taskdef_is_of(ctx->kept_taskdef, task)) { return ctx->kept_taskdef; }
    ctx->kept_taskdef = store_taskdef_of(ctx->txn, task, ctx->arena);
    return ctx->kept_taskdef;
}

const struct instance *support_kept_instance(struct op_ctx *ctx, struct id id)
{
    if (ctx->kept_instance != NULL && id_eq(ctx->kept_instance->id, id)) { return ctx->kept_instance; }
    ctx->kept_instance = store_instance(ctx->txn, id, ctx->arena);
    return ctx->kept_instance;
}

const struct instance *support_find_reporter(struct op_ctx *ctx, struct str cluster_reference, struct str reference, struct err *err)
{
    struct id id;
    const struct cluster *cluster = support_cluster(ctx, cluster_reference, err);
    if (cluster == NULL || !names_read_id(&ctx->config->names, reference, STR("container-instance"), cluster->name, &id, err)) { return NULL; }
    const struct instance *found = store_instance(ctx->txn, id, ctx->arena);
    if (found == NULL || found->cluster_number != cluster->number || found->status == INSTANCE_INACTIVE) {
        (void)err_set(err, ERR_INVALID_PARAMETER, "The referenced container instance was not found.");
        return NULL;
    }
    return binding_check_record(ctx, cluster->name, found, err) ? found : NULL;
}

/* The same hint twice says no more than once. */
void support_effect(struct op_ctx *ctx, enum effect_kind kind, struct id instance)
{
    enum { NEWEST = 64 };                                /* older ones are not looked at: an instance that is woken twice does no more */
    struct effect_list *effects = &ctx->effects;
    CANARY(WAKE_IS_LOST, if (effects->count > 0) { return; });
    for (size_t e = effects->count > NEWEST ? effects->count - NEWEST : 0; e < effects->count; e++) {
        if (effects->items[e].kind == kind && id_eq(effects->items[e].instance, instance)) { return; }
    }
    if (effects->count == effects->capacity) {
        size_t capacity = effects->capacity == 0 ? 8 : effects->capacity * 2;
        effects->items = arena_grow(ctx->arena, effects->items, effects->capacity * sizeof *effects->items,
                                    capacity * sizeof *effects->items);
        effects->capacity = capacity;
    }
    effects->items[effects->count] = (struct effect){ kind, instance };
    effects->count++;
}

void support_call(struct op_ctx *ctx, const struct service_call *call)
{
    struct service_call *copy = arena_copy(ctx->arena, call, sizeof *call);
    copy->key = arena_str(ctx->arena, call->key);
    copy->url = arena_str(ctx->arena, call->url);
    copy->body = arena_str(ctx->arena, call->body);
    copy->next = ctx->effects.calls;
    ctx->effects.calls = copy;
}

void support_provision(struct op_ctx *ctx, const struct provision_call *call)
{
    struct provision_call *copy = arena_copy(ctx->arena, call, sizeof *call);
    copy->provisioner = arena_str(ctx->arena, call->provisioner);
    copy->pool = arena_str(ctx->arena, call->pool);
    copy->verb = arena_str(ctx->arena, call->verb);
    copy->body = arena_str(ctx->arena, call->body);
    copy->next = ctx->effects.provisions;
    ctx->effects.provisions = copy;
}

/* In the order of the events. */
void support_line(struct op_ctx *ctx, struct str text)
{
    struct event_line **at = &ctx->effects.lines;
    while (*at != NULL) { at = &(*at)->next; }
    *at = ARENA_NEW(ctx->arena, struct event_line, 1);
    (*at)->text = arena_str(ctx->arena, text);
}

void support_hand_on(struct op_ctx *ctx, const struct effect_list *effects)
{
    for (size_t e = 0; e < effects->count; e++) { support_effect(ctx, effects->items[e].kind, effects->items[e].instance); }
    for (const struct service_call *call = effects->calls; call != NULL; call = call->next) { support_call(ctx, call); }
    for (const struct provision_call *call = effects->provisions; call != NULL; call = call->next) { support_provision(ctx, call); }
    for (const struct event_line *line = effects->lines; line != NULL; line = line->next) { support_line(ctx, line->text); }
}

size_t support_each_task(struct op_ctx *ctx, struct id instance, size_t limit, support_task_run *run, const void *given)
{
    enum { TASK_CEILING = 64 * 1024 * 1024 };            /* bytes, of an arena for one task */
    struct id *tasks;
    struct arena own;
    size_t count = store_tasks_on_instance(ctx->txn, instance, &tasks, ctx->arena);
    arena_init(&own, TASK_CEILING);
    for (size_t t = 0; t < count && t < limit; t++) {
        struct op_ctx one = *ctx;
        one.arena = &own;
        one.effects = (struct effect_list){ 0 };
        run(&one, tasks[t], given);
        support_hand_on(ctx, &one.effects);
        arena_reset(&own);
    }
    arena_finish(&own);
    return count;
}

static bool has_key(const struct tag_list *tags, struct str key)
{
    for (size_t t = 0; tags != NULL && t < tags->count; t++) {
        if (str_eq(tags->items[t].key, key)) { return true; }
    }
    return false;
}

void support_change_tags(struct op_ctx *ctx, struct tag_list *tags, const struct tag_list *added, const struct str_list *removed)
{
    struct tag_list all = { ARENA_NEW(ctx->arena, struct tag, tags->count + (added == NULL ? 0 : added->count)), 0 };
    for (size_t t = 0; t < tags->count; t++) {
        struct str key = tags->items[t].key;
        if (!has_key(added, key) && (removed == NULL || !str_list_has(removed, key))) { all.items[all.count++] = tags->items[t]; }
    }
    for (size_t a = 0; added != NULL && a < added->count; a++) { all.items[all.count++] = added->items[a]; }
    *tags = all;
}

size_t support_page_limit(struct opt_int max_results)
{
    enum { PAGE_MAX = 100 };
    if (!max_results.set) { return PAGE_MAX; }
    ASSERT(max_results.value >= 1 && max_results.value <= PAGE_MAX);     /* the schema's cell */
    return (size_t)max_results.value;
}

struct str support_caller_arn(struct op_ctx *ctx)
{
    return caller_arn(&ctx->config->names, &ctx->caller, ctx->arena);
}

struct str support_instance_name(const struct instance *instance, struct arena *arena)
{
    char hex[ID_HEX_LEN + 1];
    struct str name = instance_name(instance, hex);
    return name.ptr == hex ? arena_str(arena, name) : name;
}

/* ---- the same call again ---- */

/* FNV-1a over the record form. */
int64_t support_request_hash(const struct schema *schema, const void *request, struct arena *arena)
{
    struct buf bytes = buf_in(arena);
    schema_pack(schema, request, &bytes);
    uint64_t hash = 0xCBF29CE484222325u;
    for (size_t b = 0; b < bytes.len; b++) { hash = (hash ^ (unsigned char)bytes.ptr[b]) * 0x100000001B3u; }
    return (int64_t)hash;
}

bool support_check_token(struct str token, struct err *err)
{
    for (size_t i = 0; i < token.len; i++) {
        if (token.ptr[i] < 33 || token.ptr[i] > 126) {
            return err_set(err, ERR_INVALID_PARAMETER, "clientToken may have characters of ASCII from 33 to 126 only.");
        }
    }
    return true;
}

/* ---- tags ---- */

/* Letters, digits and blanks of any script, and a few signs. Beyond ASCII nothing is refused: the JSON reader has made sure
 * that it is text. */
static bool tag_text_is_valid(struct str text, size_t min, size_t max)
{
    static const char signs[] = " _.:/=+-@";
    size_t characters = 0;
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.ptr[i];
        bool continues = (c & 0xC0) == 0x80;
        bool plain = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c >= 0x80;
        if (!plain && memchr(signs, c, sizeof signs - 1) == NULL) { return false; }
        if (!continues) { characters++; }
    }
    return characters >= min && characters <= max;
}

/* A tag of Berth's own that would do nothing is a mistake. */
static const struct { struct str key; bool begins; int on; } own_tags[] = {     /* begins: keys that begin with it, too */
    { STR_INIT("berth:gang"),               false, TAGGED_DEFINITION | TAGGED_TASK },
    { STR_INIT("berth:queue"),              false, TAGGED_DEFINITION | TAGGED_TASK | TAGGED_SERVICE },
    { STR_INIT("berth:priority"),           false, TAGGED_DEFINITION | TAGGED_TASK | TAGGED_SERVICE },
    { STR_INIT("berth:preemptible"),        false, TAGGED_DEFINITION | TAGGED_TASK },
    { STR_INIT("berth:retry"),              false, TAGGED_DEFINITION | TAGGED_TASK },
    { STR_INIT("berth:max-runtime"),        false, TAGGED_DEFINITION | TAGGED_TASK },
    { STR_INIT("berth:reserve"),            false, TAGGED_DEFINITION | TAGGED_TASK },
    { STR_INIT("berth:quota"),              false, TAGGED_CLUSTER },
    { STR_INIT("berth:idle-stop"),          false, TAGGED_DEFINITION | TAGGED_TASK },
    { STR_INIT("berth:idle-ok"),            false, TAGGED_DEFINITION | TAGGED_TASK | TAGGED_SERVICE },
    { STR_INIT("berth:pre-pull"),           true,  TAGGED_CLUSTER },
    { STR_INIT("berth:replace"),            false, TAGGED_SERVICE },
    { STR_INIT("berth:placement-failures"), false, TAGGED_SERVICE },
    { STR_INIT("berth:progress-deadline"),  false, TAGGED_SERVICE },
    { STR_INIT("berth:healthy-after"),      false, TAGGED_SERVICE },
    { STR_INIT("berth:patch-after"),        false, TAGGED_PROVIDER },
    { STR_INIT("berth:patch-by"),           false, TAGGED_PROVIDER },
    { STR_INIT("berth:max-price"),          false, TAGGED_PROVIDER },
    { STR_INIT("berth:approve"),            false, TAGGED_PROVIDER },
    { STR_INIT("berth:token"),              false, TAGGED_PROVIDER },
    { STR_INIT("berth:adopt"),              false, TAGGED_PROVIDER },
    { STR_INIT("berth:suspend"),            false, TAGGED_PROVIDER },
};

/* Names the tags that would mean something there. */
static bool refuse_own_tag(struct str key, enum tagged on, struct err *err)
{
    enum { NAMES_SIZE = 512 };
    char names[NAMES_SIZE] = "";
    size_t len = 0;
    for (size_t t = 0; t < COUNT_OF(own_tags); t++) {
        if ((own_tags[t].on & (int)on) == 0) { continue; }
        int added = snprintf(names + len, sizeof names - len, "%s%s%s", len == 0 ? "" : ", ", own_tags[t].key.ptr, own_tags[t].begins ? "..." : "");
        ASSERT(added > 0 && (size_t)added < sizeof names - len);
        len += (size_t)added;
    }
    return err_set(err, ERR_INVALID_PARAMETER, "The tag \"" STR_FMT "\" means nothing here. Tags that begin with \"berth:\" are Berth's own%s%s.", STR_ARG(key),
                   len == 0 ? ", and here may be no such tag" : ", and here may be ", names);
}

static bool check_own_tag(struct str key, enum tagged on, struct err *err)
{
    static const struct str own = STR_INIT("berth:");
    if (!str_eq_nocase(str_slice(key, 0, own.len), own)) { return true; }
    for (size_t t = 0; t < COUNT_OF(own_tags); t++) {
        bool is_it = str_eq(key, own_tags[t].key) || (own_tags[t].begins && str_starts_with(key, own_tags[t].key));
        if (is_it && (own_tags[t].on & (int)on) != 0) { return true; }
    }
    return refuse_own_tag(key, on, err);
}

bool support_check_tags(const struct tag_list *tags, enum tagged on, struct err *err)
{
    enum { TAG_KEY_MAX = 128, TAG_VALUE_MAX = 256 };
    if (tags->count > TAGS_MAX) {
        return err_set(err, ERR_INVALID_PARAMETER, "A resource can have at most %d tags; %zu were given.", TAGS_MAX, tags->count);
    }
    for (size_t t = 0; t < tags->count; t++) {
        struct str key = tags->items[t].key;
        if (!tag_text_is_valid(key, 1, TAG_KEY_MAX)) {
            return err_set(err, ERR_INVALID_PARAMETER,
                           "The key of tags[%zu] must have 1 to %d characters: letters, digits, blanks and _.:/=+-@", t, TAG_KEY_MAX);
        }
        if (!tag_text_is_valid(tags->items[t].value, 0, TAG_VALUE_MAX)) {
            return err_set(err, ERR_INVALID_PARAMETER,
                           "The value of tag \"" STR_FMT "\" must have at most %d characters: letters, digits, blanks and _.:/=+-@",
                           STR_ARG(key), TAG_VALUE_MAX);
        }
        if (str_eq_nocase(str_slice(key, 0, 4), STR("aws:"))) {
            return err_set(err, ERR_INVALID_PARAMETER, "Tag keys that begin with \"aws:\" are reserved: \"" STR_FMT "\".", STR_ARG(key));
        }
        if (!check_own_tag(key, on, err)) { return false; }
        if (str_eq(key, STR("berth:quota")) && !quotas_check(tags->items[t].value, err)) { return false; }
        for (size_t before = 0; before < t; before++) {
            if (str_eq(tags->items[before].key, key)) {
                return err_set(err, ERR_INVALID_PARAMETER, "Tag key \"" STR_FMT "\" is given twice.", STR_ARG(key));
            }
        }
    }
    return true;
}
