/* show.c: endpoints and names as JSON.
 *
 * {"revision":N,"service":"web","cluster":"default","endpoints":[{"task":"…","container":"web","containerPort":80,"protocol":"tcp","address":"10.0.0.7",
 *  "port":32768,"zone":"a","health":"HEALTHY","since":…,"names":["web.default"]}]}                            health: UNKNOWN where nothing is checked
 * {"revision":N,"commit":N,"names":[{"name":"web.default","address":"10.0.0.7","port":32768,"protocol":"tcp"}]}   port 0: the name has several ports */
#include "api/discovery/discovery.h"

#include <stdlib.h>

#include "api/core/api.h"
#include "api/services/services.h"
#include "base/table.h"
#include "wire/own_json.h"

enum { SHOWN_MAX = 255 };

/* Another number for another text; exact in a JSON number of any client. */
static int64_t revision_of(struct str text)
{
    static const uint64_t key[2] = { 0 };
    return (int64_t)(hash_keyed(key, text.ptr, text.len) >> 12) + 1;
}

static void print_endpoints(void *context, const struct endpoint *endpoints, size_t count, const struct discovery_names *names)
{
    struct json_out *out = context;
    for (size_t e = 0; e < count; e++) {
        const struct endpoint *endpoint = &endpoints[e];
        json_open(out, '{');
        own_json_id(out, STR("task"), endpoint->task);
        own_json_str(out, STR("container"), endpoint->container);
        own_json_i64(out, STR("containerPort"), endpoint->container_port);
        own_json_str(out, STR("protocol"), enum_word(&transport_protocol_names, (int)endpoint->protocol));
        own_json_str(out, STR("address"), endpoint->address);
        own_json_i64(out, STR("port"), endpoint->port);
        own_json_str(out, STR("zone"), endpoint->zone);
        own_json_str(out, STR("health"), endpoint->checked ? STR("HEALTHY") : STR("UNKNOWN"));
        own_json_ms(out, STR("since"), endpoint->since_ms);
        json_name(out, STR("names"));
        json_open(out, '[');
        for (size_t n = 0; n < names->count; n++) {
            if (discovery_is_named(&names->items[n], endpoint)) { json_str(out, names->items[n].name); }
        }
        json_close(out, ']');
        json_close(out, '}');
    }
}

/* ---- one service ---- */

static const struct service *find(struct op_ctx *ctx, struct str cluster_reference, struct str name, const struct cluster **cluster, struct err *err)
{
    struct err missing = { 0 };
    const struct service *service = services_find(ctx, cluster_reference, name, cluster, &missing);
    if (service != NULL && service->status != SERVICE_INACTIVE) { return service; }
    bool is_missing = service != NULL || missing.code == ERR_SERVICE_NOT_FOUND || missing.code == ERR_CLUSTER_NOT_FOUND;
    struct str named = cluster_reference.len > 0 ? cluster_reference : STR("default");
    if (!is_missing) { *err = missing; return NULL; }
    (void)err_set(err, ERR_RESOURCE_NOT_FOUND, "There is no service " STR_FMT " in the cluster " STR_FMT ".", STR_ARG(str_slice(name, 0, SHOWN_MAX)),
                  STR_ARG(str_slice(named, 0, SHOWN_MAX)));
    return NULL;
}

bool api_print_endpoints(struct op_ctx *ctx, struct str cluster_reference, struct str name, int64_t *revision, struct buf *buf, struct err *err)
{
    const struct cluster *cluster;
    const struct service *service = find(ctx, cluster_reference, name, &cluster, err);
    if (service == NULL) { return false; }
    struct buf text = buf_in(ctx->arena);
    struct json_out out = json_out_to(&text);
    json_open(&out, '[');
    discovery_walk(ctx, cluster, service, print_endpoints, &out);
    json_close(&out, ']');
    *revision = revision_of(buf_str(&text));
    out = json_out_to(buf);
    json_open(&out, '{');
    own_json_i64(&out, STR("revision"), *revision);
    own_json_str(&out, STR("service"), service->name);
    own_json_str(&out, STR("cluster"), cluster->name);
    json_name(&out, STR("endpoints"));
    json_raw(&out, buf_str(&text));
    json_close(&out, '}');
    return true;
}

/* ---- all names ---- */

struct row { struct str name, address; int64_t port; enum transport_protocol protocol; };       /* port 0: the name has several */
struct rows { struct op_ctx *ctx; struct row *items; size_t count, capacity; };

static void add_row(struct rows *rows, struct str name, struct str address, int64_t port, enum transport_protocol protocol)
{
    if (rows->count == rows->capacity) {
        size_t capacity = rows->capacity == 0 ? 64 : 2 * rows->capacity;
        rows->items = arena_grow(rows->ctx->arena, rows->items, rows->capacity * sizeof *rows->items, capacity * sizeof *rows->items);
        rows->capacity = capacity;
    }
    rows->items[rows->count++] = (struct row){ arena_str(rows->ctx->arena, name), arena_str(rows->ctx->arena, address), port, protocol };
}

static int compare_rows(const void *left, const void *right)
{
    const struct row *a = left, *b = right;
    int order = str_cmp(a->name, b->name);
    if (order == 0) { order = str_cmp(a->address, b->address); }
    if (order == 0) { order = (a->port > b->port) - (a->port < b->port); }
    return order != 0 ? order : (int)a->protocol - (int)b->protocol;
}

/* The endpoints of one task. For a name with several of its ports the row has port 0. */
static void add_task(void *context, const struct endpoint *endpoints, size_t count, const struct discovery_names *names)
{
    struct rows *rows = context;
    for (size_t n = 0; n < names->count; n++) {
        const struct endpoint *found = NULL;
        bool several = false;
        for (size_t e = 0; e < count; e++) {
            if (!discovery_is_named(&names->items[n], &endpoints[e])) { continue; }
            several = found != NULL;
            found = &endpoints[e];
            if (several) { break; }
        }
        if (found != NULL) { add_row(rows, names->items[n].name, found->address, several ? 0 : found->port, found->protocol); }
    }
}

static void add_service(void *context, const struct service *service)
{
    struct rows *rows = context;
    const struct cluster *cluster = store_cluster_by_number(rows->ctx->txn, service->cluster_number, rows->ctx->arena);
    if (cluster != NULL) { discovery_walk(rows->ctx, cluster, service, add_task, rows); }
}

/* A target group is a name too. */
static void add_groups(struct rows *rows)
{
    struct kept_group *groups;
    struct kept_target *targets;
    size_t count = store_list_groups(rows->ctx->txn, &groups, rows->ctx->arena);
    for (size_t g = 0; g < count; g++) {
        const struct target_group *group = groups[g].group;
        size_t target_count = store_list_targets(rows->ctx->txn, group->name, &targets, rows->ctx->arena);
        enum transport_protocol protocol = group->protocol == ELB_PROTOCOL_UDP ? TRANSPORT_PROTOCOL_UDP : TRANSPORT_PROTOCOL_TCP;
        for (size_t t = 0; t < target_count; t++) {
            if (targets[t].state == TARGET_HEALTHY) { add_row(rows, group->name, targets[t].address, targets[t].port, protocol); }
        }
    }
}

int64_t api_print_names(struct op_ctx *ctx, struct buf *buf)
{
    struct rows rows = { .ctx = ctx };
    struct buf text = buf_in(ctx->arena);
    struct json_out out = json_out_to(&text);
    store_scan_services(ctx->txn, add_service, &rows);
    add_groups(&rows);
    if (rows.count > 0) { qsort(rows.items, rows.count, sizeof *rows.items, compare_rows); }
    json_open(&out, '[');
    for (size_t r = 0; r < rows.count; r++) {
        const struct row *row = &rows.items[r];
        if (r > 0 && compare_rows(row, row - 1) == 0) { continue; }
        json_open(&out, '{');
        own_json_str(&out, STR("name"), row->name);
        own_json_str(&out, STR("address"), row->address);
        own_json_i64(&out, STR("port"), row->port);
        own_json_str(&out, STR("protocol"), enum_word(&transport_protocol_names, (int)row->protocol));
        json_close(&out, '}');
    }
    json_close(&out, ']');
    int64_t revision = revision_of(buf_str(&text));
    out = json_out_to(buf);
    json_open(&out, '{');
    own_json_i64(&out, STR("revision"), revision);
    own_json_i64(&out, STR("commit"), store_revision(ctx->txn));
    json_name(&out, STR("names"));
    json_raw(&out, buf_str(&text));
    json_close(&out, '}');
    return revision;
}
