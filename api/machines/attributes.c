/* attributes.c: custom attributes of container instances: put, delete, and list all, the agent's attributes included. The world changes in the same
 * step, so the next placement uses them. Names that agents or the server give can't be put: they describe the machine. */
#include "api/handlers.h"
#include "api/core/placement.h"
#include "api/schemas/attributes.h"
#include "api/core/support.h"

#include <stdlib.h>

enum {
    ATTRIBUTES_PER_CALL_MAX = 10,            /* the schemas' cell */
    CUSTOM_MAX = 10,                         /* for each machine */
    NAME_MAX_LEN = 128, VALUE_MAX_LEN = 128,
    LIST_PAGE = 128,
    LIST_SCAN_MAX = 1024,                    /* machines that are read for one page of a filtered list */
};
static const size_t LIST_SCRATCH_MAX = (size_t)8 << 20;

/* ---- the machines that a call is about ---- */

/* Copies that the call changes; they are written when all of the call is valid. */
struct targets {
    struct op_ctx *ctx;
    const struct cluster *cluster;
    struct instance items[ATTRIBUTES_PER_CALL_MAX]; size_t count;
};

static void add_target(struct targets *targets, const struct instance *found)
{
    struct arena *arena = targets->ctx->arena;
    struct instance *target = &targets->items[targets->count++];
    *target = *found;
    target->attributes.items = ARENA_NEW(arena, struct attribute, found->attributes.count + ATTRIBUTES_PER_CALL_MAX);
    target->custom_attributes.items = ARENA_NEW(arena, struct str, found->custom_attributes.count + ATTRIBUTES_PER_CALL_MAX);
    for (size_t a = 0; a < found->attributes.count; a++) { target->attributes.items[a] = found->attributes.items[a]; }
    for (size_t c = 0; c < found->custom_attributes.count; c++) {
        target->custom_attributes.items[c] = found->custom_attributes.items[c];
    }
}

static struct instance *find_target(struct targets *targets, struct str reference, size_t index, struct err *err)
{
    struct id id;
    if (reference.len == 0) {
        (void)err_set(err, ERR_INVALID_PARAMETER, "attributes[%zu].targetId can not be blank.", index);
        return NULL;
    }
    if (!names_read_id(&targets->ctx->config->names, reference, STR("container-instance"), targets->cluster->name, &id, err)) { return NULL; }
    for (size_t t = 0; t < targets->count; t++) {
        if (id_eq(targets->items[t].id, id)) { return &targets->items[t]; }
    }
    const struct instance *found = store_instance(targets->ctx->txn, id, targets->ctx->arena);
    bool is_here = found != NULL && found->cluster_number == targets->cluster->number && found->status != INSTANCE_INACTIVE;
    if (!is_here) {
        (void)err_set(err, ERR_TARGET_NOT_FOUND, "Could not find " STR_FMT, STR_ARG(str_slice(reference, 0, 255)));
        return NULL;
    }
    ASSERT(targets->count < ATTRIBUTES_PER_CALL_MAX);           /* the list was checked to be no longer */
    add_target(targets, found);
    return &targets->items[targets->count - 1];
}

static void write_targets(struct targets *targets)
{
    for (size_t t = 0; t < targets->count; t++) { placement_put_instance(targets->ctx, &targets->items[t]); }
}

static struct attribute shown(struct targets *targets, const struct instance *target, struct str name, struct str value)
{
    struct op_ctx *ctx = targets->ctx;
    struct str arn = names_instance_arn(&ctx->config->names, targets->cluster->name, target->id, ctx->arena);
    return (struct attribute){ .name = name, .value = value, .target_id = arn };
}

/* Index of the attribute; the number of attributes: there is no attribute with that name. */
static size_t place_of(const struct attribute_list *attributes, struct str name)
{
    size_t at = 0;
    while (at < attributes->count && !str_eq(attributes->items[at].name, name)) { at++; }
    return at;
}

/* ---- valid names and values ---- */

static bool is_made_of(struct str text, const char *signs)
{
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        bool plain = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
        if (!plain && (c == '\0' || strchr(signs, c) == NULL)) { return false; }
    }
    return true;
}

static bool check_name(struct str name, size_t index, struct err *err)
{
    bool good = name.len >= 1 && name.len <= NAME_MAX_LEN && is_made_of(name, "-_./\\");
    if (!good) {
        return err_set(err, ERR_INVALID_PARAMETER, "attributes[%zu].name must have 1 to %d characters: letters, digits and -_./\\", index,
                       NAME_MAX_LEN);
    }
    if (!support_attribute_is_built_in(name)) { return true; }
    return err_set(err, ERR_INVALID_PARAMETER, "The attribute " STR_FMT " is built in: names that begin with ecs., com.amazonaws.ecs. or "
                   "berth. can't be put or deleted.", STR_ARG(name));
}

static bool check_value(struct str value, size_t index, struct err *err)
{
    if (!str_is_set(value)) { return true; }
    bool fits = value.len >= 1 && value.len <= VALUE_MAX_LEN;
    if (fits && is_made_of(value, "-_./\\@: ") && value.ptr[0] != ' ' && value.ptr[value.len - 1] != ' ') { return true; }
    return err_set(err, ERR_INVALID_PARAMETER, "attributes[%zu].value must have 1 to %d characters: letters, digits and -_./\\@: and "
                   "blanks, though not at its ends.", index, VALUE_MAX_LEN);
}

/* ---- PutAttributes ---- */

static size_t count_custom(const struct instance *instance)
{
    size_t count = 0;
    for (size_t a = 0; a < instance->attributes.count; a++) {
        count += !support_attribute_is_built_in(instance->attributes.items[a].name);
    }
    return count;
}

static void remember_name(struct instance *instance, struct str name)
{
    struct str_list *names = &instance->custom_attributes;
    if (!str_list_has(names, name)) { names->items[names->count++] = name; }
}

static bool put_one(struct instance *target, const struct attribute *given, struct err *err)
{
    struct attribute_list *attributes = &target->attributes;
    size_t at = place_of(attributes, given->name);
    if (at == attributes->count) {
        if (count_custom(target) >= CUSTOM_MAX) {
            return err_set(err, ERR_ATTRIBUTE_LIMIT_EXCEEDED, "A container instance can have at most %d custom attributes.", CUSTOM_MAX);
        }
        attributes->count++;
    }
    attributes->items[at] = (struct attribute){ .name = given->name, .value = given->value };
    remember_name(target, given->name);
    return true;
}

bool op_put_attributes(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct put_attributes_request *request = input;
    struct put_attributes_response *response = output;
    struct targets targets = { .ctx = ctx, .cluster = support_cluster(ctx, request->cluster, err) };
    if (targets.cluster == NULL) { return false; }

    response->attributes.items = ARENA_NEW(ctx->arena, struct attribute, request->attributes.count);
    for (size_t a = 0; a < request->attributes.count; a++) {
        const struct attribute *given = &request->attributes.items[a];
        if (!check_name(given->name, a, err) || !check_value(given->value, a, err)) { return false; }
        struct instance *target = find_target(&targets, given->target_id, a, err);
        if (target == NULL || !put_one(target, given, err)) { return false; }
        response->attributes.items[response->attributes.count++] = shown(&targets, target, given->name, given->value);
    }
    write_targets(&targets);
    return true;
}

/* ---- DeleteAttributes ---- */

static void forget_name(struct instance *instance, struct str name)
{
    struct str_list *names = &instance->custom_attributes;
    size_t kept = 0;
    for (size_t n = 0; n < names->count; n++) {
        if (!str_eq(names->items[n], name)) { names->items[kept++] = names->items[n]; }
    }
    names->count = kept;
}

static void delete_at(struct instance *target, size_t at)
{
    struct attribute_list *attributes = &target->attributes;
    ASSERT(at < attributes->count);                              /* the caller has found it there */
    forget_name(target, attributes->items[at].name);
    for (size_t a = at + 1; a < attributes->count; a++) { attributes->items[a - 1] = attributes->items[a]; }
    attributes->count--;
}

/* An attribute that the machine does not have is no error, and is not in the reply. */
bool op_delete_attributes(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct delete_attributes_request *request = input;
    struct delete_attributes_response *response = output;
    struct targets targets = { .ctx = ctx, .cluster = support_cluster(ctx, request->cluster, err) };
    if (targets.cluster == NULL) { return false; }

    response->attributes.items = ARENA_NEW(ctx->arena, struct attribute, request->attributes.count);
    for (size_t a = 0; a < request->attributes.count; a++) {
        const struct attribute *given = &request->attributes.items[a];
        if (!check_name(given->name, a, err)) { return false; }
        struct instance *target = find_target(&targets, given->target_id, a, err);
        if (target == NULL) { return false; }
        size_t at = place_of(&target->attributes, given->name);
        if (at == target->attributes.count) { continue; }
        struct attribute gone = target->attributes.items[at];
        response->attributes.items[response->attributes.count++] = shown(&targets, target, gone.name, gone.value);
        delete_at(target, at);
    }
    if (response->attributes.count > 0) { write_targets(&targets); }
    return true;
}

/* ---- ListAttributes ---- */

/* In order of registration, and within a machine by name. A position is "ID NAME", after which the next page begins, or "ID" when all attributes of
 * that machine have been read. */
struct listing {
    struct op_ctx *ctx;
    const struct cluster *cluster;
    struct str name, value;                  /* as requested; absent: any */
    struct arena scratch;                    /* for one machine at a time */
    struct attribute *found; size_t count, limit;
    struct id last; struct str last_name;    /* the newest entry that was found or read */
};

static void listing_finish(struct listing *listing) { arena_finish(&listing->scratch); }

static int order_by_name(const void *a, const void *b)
{
    return str_cmp(((const struct attribute *)a)->name, ((const struct attribute *)b)->name);
}

static bool is_asked_for(const struct listing *listing, const struct attribute *attribute, struct str behind)
{
    if (behind.len > 0 && str_cmp(attribute->name, behind) <= 0) { return false; }
    if (listing->name.len > 0 && !str_eq(attribute->name, listing->name)) { return false; }
    return listing->value.len == 0 || str_eq(attribute->value, listing->value);
}

/* False: the page was full before this entry. */
static bool list_instance(struct listing *listing, struct id id, struct str behind)
{
    struct arena *arena = listing->ctx->arena;
    arena_reset(&listing->scratch);
    const struct instance *instance = store_instance(listing->ctx->txn, id, &listing->scratch);
    if (instance == NULL || instance->status == INSTANCE_INACTIVE) { return true; }

    struct attribute *sorted = arena_copy(&listing->scratch, instance->attributes.items, instance->attributes.count * sizeof *sorted);
    if (instance->attributes.count > 1) { qsort(sorted, instance->attributes.count, sizeof *sorted, order_by_name); }
    struct str arn = names_instance_arn(&listing->ctx->config->names, listing->cluster->name, id, arena);
    for (size_t a = 0; a < instance->attributes.count; a++) {
        if (!is_asked_for(listing, &sorted[a], behind)) { continue; }
        if (listing->count == listing->limit) { return false; }
        listing->last = id;
        listing->last_name = arena_str(arena, sorted[a].name);
        listing->found[listing->count++] = (struct attribute){
            .name = listing->last_name, .value = arena_str(arena, sorted[a].value), .target_id = arn,
        };
    }
    return true;
}

/* True: there is more after the page, or may be. */
static bool list_page(struct listing *listing, struct id after, struct str behind)
{
    struct id page[LIST_PAGE];
    size_t scanned = 0, count;
    if (behind.len > 0 && !list_instance(listing, after, behind)) { return true; }
    do {
        count = store_list_instances(listing->ctx->txn, listing->cluster->number, INSTANCE_STATUS_UNSET, after, page, LIST_PAGE);
        for (size_t i = 0; i < count; i++) {
            after = page[i];
            if (!list_instance(listing, page[i], STR(""))) { return true; }
        }
        scanned += count;
    } while (count == LIST_PAGE && scanned < LIST_SCAN_MAX);
    if (count < LIST_PAGE) { return false; }
    listing->last = after;
    listing->last_name = (struct str){ 0 };
    return true;
}

static bool read_position(struct op_ctx *ctx, struct str token, struct id *after, struct str *behind, struct err *err)
{
    struct str position, hex;
    *after = (struct id){ 0 };
    *behind = STR("");
    if (!paging_position(ctx, STR("ListAttributes"), token, &position, err)) { return false; }
    if (!str_is_set(position)) { return true; }
    if (!str_cut(position, ' ', &hex, behind)) { *behind = STR(""); }
    return id_parse(hex, after)
        || err_set(err, ERR_INVALID_PARAMETER, "Invalid token: nextToken must be the one that the page before gave.");
}

static struct str write_position(const struct listing *listing)
{
    char hex[ID_HEX_LEN + 1];
    id_hex(listing->last, hex);
    const char *blank = listing->last_name.len > 0 ? " " : "";
    struct str position = arena_printf(listing->ctx->arena, "%s%s" STR_FMT, hex, blank, STR_ARG(listing->last_name));
    return paging_token(listing->ctx, STR("ListAttributes"), position);
}

bool op_list_attributes(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct list_attributes_request *request = input;
    struct list_attributes_response *response = output;
    const struct cluster *cluster = support_cluster(ctx, request->cluster, err);
    if (cluster == NULL) { return false; }
    if (request->attribute_value.len > 0 && request->attribute_name.len == 0) {
        return err_set(err, ERR_INVALID_PARAMETER, "attributeValue can't be given without attributeName.");
    }
    struct id after;
    struct str behind;
    if (!read_position(ctx, request->next_token, &after, &behind, err)) { return false; }

    AUTO(listing_finish) struct listing listing = {
        .ctx = ctx, .cluster = cluster, .name = request->attribute_name, .value = request->attribute_value,
        .limit = support_page_limit(request->max_results),
    };
    arena_init(&listing.scratch, LIST_SCRATCH_MAX);
    listing.found = ARENA_NEW(ctx->arena, struct attribute, listing.limit);
    bool is_more = list_page(&listing, after, behind);
    ASSERT(listing.count <= listing.limit);                      /* list_instance ends a full page */
    response->attributes = (struct attribute_list){ listing.found, listing.count };
    if (is_more) { response->next_token = write_position(&listing); }
    return true;
}
