/* listing.c: ListMetrics of CloudWatch: for each cluster its metrics, then those of its services, then those of its machines' GPUs. */
#include "api/alarms/reading.h"
#include "api/core/support.h"
#include "model/instance.h"
#include "store/store.h"

enum { LISTED_MAX = 500, LOOKS_MAX = 2000, PAGE = 100 };

struct listing {
    struct op_ctx *ctx;
    const struct list_metrics_request *in;
    struct list_metrics_response *out; size_t room;
    size_t looks;                            /* at clusters, services and machines */
    struct str cluster, place;               /* where it goes on: "", "s" and a service's name, "i" and a machine's id; all up to there are listed */
};

static bool is_full(const struct listing *listing) { return listing->out->metrics.count >= LISTED_MAX || listing->looks >= LOOKS_MAX; }

static bool fits(const struct list_metrics_request *in, const struct metric *metric)
{
    bool fit = (!str_is_set(in->space) || str_eq(in->space, metric->namespace)) && (!str_is_set(in->name) || str_eq(in->name, metric->metric_name));
    for (size_t f = 0; f < in->dimensions.count && fit; f++) {
        const struct dimension_filter *filter = &in->dimensions.items[f];
        fit = false;
        for (size_t d = 0; d < metric->dimensions.count; d++) {
            const struct metric_dimension *dimension = &metric->dimensions.items[d];
            fit = fit || (str_eq(dimension->name, filter->name) && (!str_is_set(filter->value) || str_eq(filter->value, dimension->value)));
        }
    }
    return fit;
}

/* All metrics of one kind that have these dimensions, which live in the arena. */
static void list_for(struct listing *listing, const struct metric_dimension_list *dimensions, bool gpus, bool of_services)
{
    struct metric_list *list = &listing->out->metrics;
    for (size_t m = 0; m < served_metrics_count; m++) {
        const struct served_metric *served = &served_metrics[m];
        struct metric metric = { .namespace = served->space, .metric_name = served->name, .dimensions = *dimensions };
        if ((served->figure >= 0) != gpus || (of_services && !served->of_services) || !fits(listing->in, &metric)) { continue; }
        if (list->count == listing->room) {
            size_t size = listing->room * sizeof metric, more = listing->room < 64 ? 64 : listing->room;
            list->items = arena_grow(listing->ctx->arena, list->items, size, size + more * sizeof metric);
            listing->room += more;
        }
        list->items[list->count++] = metric;
    }
}

static struct metric_dimension_list dimensions_of(struct listing *listing, struct str name, struct str value, struct str name2, struct str value2)
{
    struct metric_dimension_list list = { ARENA_NEW(listing->ctx->arena, struct metric_dimension, 3), 1 };
    list.items[0] = (struct metric_dimension){ STR("ClusterName"), listing->cluster };
    if (str_is_set(name)) { list.items[list.count++] = (struct metric_dimension){ name, value }; }
    if (str_is_set(name2)) { list.items[list.count++] = (struct metric_dimension){ name2, value2 }; }
    return list;
}

static const struct str absent;

static void list_cluster(struct listing *listing)
{
    struct metric_dimension_list dimensions = dimensions_of(listing, absent, absent, absent, absent);
    list_for(listing, &dimensions, false, false);
    listing->looks++;
    listing->place = STR("s");
}

static void list_services(struct listing *listing, int64_t cluster)
{
    struct arena *arena = listing->ctx->arena;
    struct service_number *services = ARENA_NEW(arena, struct service_number, PAGE);
    for (size_t count = PAGE; count == PAGE;) {
        count = store_list_services(listing->ctx->txn, cluster, str_slice(listing->place, 1, listing->place.len), services, PAGE, arena);
        for (size_t s = 0; s < count; s++, listing->looks++) {
            if (is_full(listing)) { return; }
            struct metric_dimension_list dimensions = dimensions_of(listing, STR("ServiceName"), services[s].name, absent, absent);
            list_for(listing, &dimensions, false, true);
            listing->place = arena_printf(arena, "s" STR_FMT, STR_ARG(services[s].name));
        }
    }
    listing->place = STR("i");
}

static void list_machine(struct listing *listing, struct id id, struct str hex)
{
    const struct instance *instance = store_instance(listing->ctx->txn, id, listing->ctx->arena);
    for (size_t g = 0; instance != NULL && g < instance->gpus.count; g++) {
        struct metric_dimension_list dimensions = dimensions_of(listing, STR("ContainerInstanceId"), hex, STR("GpuId"), instance->gpus.items[g].uuid);
        list_for(listing, &dimensions, true, false);
    }
}

static void list_machines(struct listing *listing, int64_t cluster)
{
    struct arena *arena = listing->ctx->arena;
    struct id *ids = ARENA_NEW(arena, struct id, PAGE), after = { { 0 } };
    char hex[ID_HEX_LEN + 1];
    if (!id_parse(str_slice(listing->place, 1, listing->place.len), &after)) { after = (struct id){ { 0 } }; }
    for (size_t count = PAGE; count == PAGE;) {
        count = store_list_instances(listing->ctx->txn, cluster, INSTANCE_ACTIVE, after, ids, PAGE);
        for (size_t i = 0; i < count; i++, listing->looks++) {
            if (is_full(listing)) { return; }
            after = ids[i];
            id_hex(after, hex);
            struct str text = arena_str(arena, (struct str){ hex, ID_HEX_LEN });
            list_machine(listing, after, text);
            listing->place = arena_printf(arena, "i" STR_FMT, STR_ARG(text));
        }
    }
    listing->place = STR("");
}

/* True: all of the cluster is listed. */
static bool list_rest(struct listing *listing, struct str name)
{
    const struct cluster *cluster = store_cluster(listing->ctx->txn, name, listing->ctx->arena);
    listing->cluster = name;
    if (cluster == NULL || cluster->status == CLUSTER_INACTIVE) { return true; }
    if (listing->place.len == 0) { list_cluster(listing); }
    if (listing->place.ptr[0] == 's') { list_services(listing, cluster->number); }
    if (listing->place.len > 0 && listing->place.ptr[0] == 'i') { list_machines(listing, cluster->number); }
    return listing->place.len == 0;
}

/* False: there is more, from *after and the listing's place on. */
static bool list_all(struct listing *listing, struct str *after)
{
    struct op_ctx *ctx = listing->ctx;
    struct str *names = ARENA_NEW(ctx->arena, struct str, PAGE);
    bool whole = listing->place.len == 0 || list_rest(listing, *after);
    for (size_t count = PAGE; count == PAGE && whole;) {
        count = store_list_clusters(ctx->txn, *after, names, PAGE, ctx->arena);
        for (size_t c = 0; c < count && whole; c++) {
            if (is_full(listing)) { return false; }
            *after = names[c];
            whole = list_rest(listing, *after);
        }
    }
    return whole;
}

bool op_list_metrics(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    struct listing listing = { .ctx = ctx, .in = input, .out = output };
    struct str position, after;
    struct err refused = { 0 };
    if (!paging_position(ctx, STR("ListMetrics"), listing.in->next_token, &position, &refused)) {
        return err_set(err, ERR_INVALID_NEXT_TOKEN, "The NextToken must be the one that the page before gave.");
    }
    (void)str_cut(position, '/', &after, &listing.place);
    bool whole = list_all(&listing, &after);
    if (listing.out->metrics.items == NULL) { listing.out->metrics.items = LIST_NOTHING; }
    if (whole) { return true; }
    listing.out->next_token = paging_token(ctx, STR("ListMetrics"), arena_printf(ctx->arena, STR_FMT "/" STR_FMT, STR_ARG(after), STR_ARG(listing.place)));
    return true;
}
