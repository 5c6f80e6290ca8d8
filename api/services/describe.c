/* describe.c: DescribeServices, ListServices and ListServicesByNamespace. */
#include "api/handlers.h"
#include "api/services/services.h"
#include "api/show/view.h"

enum {
    SERVICES_PAGE_DEFAULT = 10,
    LIST_PAGE = 100,                         /* index entries read at a time */
    LIST_SCAN_MAX = 1000,                    /* … and for one page of a reply, however few of them match */
};

/* ---- DescribeServices ---- */

static bool includes_tags(const struct enum_list *include)
{
    for (size_t i = 0; i < include->count; i++) {
        if (include->items[i] == SERVICE_FIELD_TAGS) { return true; }
    }
    return false;
}

bool op_describe_services(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct describe_services_request *request = input;
    struct describe_services_response *response = output;
    const struct names *names = &ctx->config->names;
    size_t count = request->services.count;
    struct str named;
    if (!names_read_cluster(names, request->cluster, &named, err)) { return false; }
    if (count == 0) { return err_set(err, ERR_INVALID_PARAMETER, "Services cannot be empty."); }
    response->services.items = ARENA_NEW(ctx->arena, struct service_view, count + 1);
    response->failures.items = ARENA_NEW(ctx->arena, struct failure, count + 1);
    for (size_t s = 0; s < count; s++) {
        struct str reference = request->services.items[s];
        const struct cluster *cluster;
        struct err missing = { 0 };
        const struct service *service = services_find(ctx, request->cluster, reference, &cluster, &missing);
        if (service != NULL) {
            response->services.items[response->services.count++] = *view_service(ctx, cluster, service, includes_tags(&request->include));
        } else if (missing.code == ERR_SERVICE_NOT_FOUND) {
            response->failures.items[response->failures.count++] = view_missing(reference, names_service_arn(names, named, reference, ctx->arena));
        } else {
            *err = missing;
            return false;
        }
    }
    ASSERT(response->services.count + response->failures.count == count);
    return true;
}

/* ---- ListServices ---- */

static bool matches(struct op_ctx *ctx, const struct list_services_request *request, int64_t number)
{
    enum resource_management_type managed = request->resource_management_type;
    bool any = request->launch_type == LAUNCH_TYPE_UNSET && request->scheduling_strategy == SCHEDULING_STRATEGY_UNSET;
    if (any && managed == RESOURCE_MANAGEMENT_TYPE_UNSET) { return true; }
    const struct service *service = store_service(ctx->txn, number, ctx->arena);
    if (service == NULL || (managed != RESOURCE_MANAGEMENT_TYPE_UNSET && managed != view_service_management(service))) { return false; }
    if (request->scheduling_strategy != SCHEDULING_STRATEGY_UNSET && service->scheduling != request->scheduling_strategy) { return false; }
    if (request->launch_type == LAUNCH_TYPE_UNSET) { return true; }
    const struct service_revision *revision = store_service_revision(ctx->txn, number, service->revision, ctx->arena);
    return view_service_launch_type(service, revision) == request->launch_type;
}

/* Those that match, by name, behind *after, which moves to the last one that was looked at. True: there may be more. */
static bool list_page(struct op_ctx *ctx, const struct list_services_request *request, int64_t cluster_number, struct str *after, struct str_list *names,
                      size_t limit)
{
    struct service_number *page = ARENA_NEW(ctx->arena, struct service_number, LIST_PAGE);
    size_t scanned = 0, count;
    do {
        count = store_list_services(ctx->txn, cluster_number, *after, page, LIST_PAGE, ctx->arena);
        for (size_t s = 0; s < count; s++) {
            if (names->count == limit) { return true; }
            *after = page[s].name;
            if (matches(ctx, request, page[s].number)) { names->items[names->count++] = page[s].name; }
        }
        scanned += count;
    } while (count == LIST_PAGE && scanned < LIST_SCAN_MAX);
    return count == LIST_PAGE;
}

bool op_list_services(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct list_services_request *request = input;
    struct list_services_response *response = output;
    struct str list = STR("ListServices"), after;
    const struct cluster *cluster = support_cluster(ctx, request->cluster, err);
    if (cluster == NULL || !paging_position(ctx, list, request->next_token, &after, err)) { return false; }
    response->service_arns.items = LIST_NOTHING;

    size_t limit = request->max_results.set ? support_page_limit(request->max_results) : SERVICES_PAGE_DEFAULT;
    struct str_list names = { ARENA_NEW(ctx->arena, struct str, limit), 0 };
    if (list_page(ctx, request, cluster->number, &after, &names, limit)) { response->next_token = paging_token(ctx, list, after); }
    ASSERT(names.count <= limit);
    response->service_arns = (struct str_list){ ARENA_NEW(ctx->arena, struct str, names.count + 1), names.count };
    for (size_t n = 0; n < names.count; n++) {
        response->service_arns.items[n] = names_service_arn(&ctx->config->names, cluster->name, names.items[n], ctx->arena);
    }
    return true;
}

/* ---- ListServicesByNamespace ---- */

/* `cluster` and `service`: behind which services are looked at. known: a cluster or a service has the namespace. */
struct namespace_page {
    struct op_ctx *ctx;
    struct str namespace, cluster, service;
    struct str_list arns;
    size_t limit, scanned;
    bool known;
};

/* As it was written, or another form of the same name. */
static bool is_namespace(const struct namespace_page *page, struct str given)
{
    struct str a, b;
    return str_eq(given, page->namespace) || (names_read_namespace(given, &a) && names_read_namespace(page->namespace, &b) && str_eq(a, b));
}

static struct str default_namespace(const struct cluster *cluster)
{
    return cluster->service_connect_defaults == NULL ? (struct str){ NULL, 0 } : cluster->service_connect_defaults->namespace;
}

static bool uses_namespace(const struct namespace_page *page, const struct cluster *cluster, int64_t number)
{
    struct op_ctx *ctx = page->ctx;
    const struct service *service = store_service(ctx->txn, number, ctx->arena);
    const struct service_revision *revision = service == NULL ? NULL : store_service_revision(ctx->txn, number, service->revision, ctx->arena);
    const struct service_connect_configuration *connect = revision == NULL ? NULL : revision->service_connect_configuration;
    if (connect == NULL || connect->enabled != OPT_TRUE) { return false; }
    return is_namespace(page, connect->namespace.len > 0 ? connect->namespace : default_namespace(cluster));
}

/* False: the page is full, or enough was looked at; there is more. */
static bool list_cluster(struct namespace_page *page, const struct cluster *cluster)
{
    struct op_ctx *ctx = page->ctx;
    struct service_number *numbers = ARENA_NEW(ctx->arena, struct service_number, LIST_PAGE);
    size_t count;
    page->known = page->known || is_namespace(page, default_namespace(cluster));
    do {
        count = store_list_services(ctx->txn, cluster->number, page->service, numbers, LIST_PAGE, ctx->arena);
        for (size_t s = 0; s < count; s++) {
            if (page->arns.count == page->limit || page->scanned == LIST_SCAN_MAX) { return false; }
            page->scanned++;
            page->service = numbers[s].name;
            if (!uses_namespace(page, cluster, numbers[s].number)) { continue; }
            page->known = true;
            page->arns.items[page->arns.count++] = names_service_arn(&ctx->config->names, cluster->name, page->service, ctx->arena);
        }
    } while (count == LIST_PAGE);
    page->service = (struct str){ NULL, 0 };
    return true;
}

/* The cluster where the page before ended, then those behind it. False: there is more. */
static bool list_clusters(struct namespace_page *page)
{
    struct op_ctx *ctx = page->ctx;
    struct str *names = ARENA_NEW(ctx->arena, struct str, LIST_PAGE);
    size_t count = 1;
    names[0] = page->cluster;
    for (bool first = str_is_set(page->cluster); first || count > 0; first = false) {
        if (!first) { count = store_list_clusters(ctx->txn, page->cluster, names, LIST_PAGE, ctx->arena); }
        for (size_t n = 0; n < count; n++) {
            const struct cluster *cluster = store_cluster(ctx->txn, names[n], ctx->arena);
            page->cluster = names[n];
            if (cluster != NULL && cluster->status != CLUSTER_INACTIVE && !list_cluster(page, cluster)) { return false; }
        }
    }
    return true;
}

bool op_list_services_by_namespace(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct list_services_by_namespace_request *request = input;
    struct list_services_by_namespace_response *response = output;
    struct str list = STR("ListServicesByNamespace"), after;
    struct namespace_page page = { .ctx = ctx, .namespace = request->namespace };
    if (!paging_position(ctx, list, request->next_token, &after, err)) { return false; }
    if (str_is_set(after)) { (void)str_cut(after, '/', &page.cluster, &page.service); }
    page.limit = request->max_results.set ? support_page_limit(request->max_results) : SERVICES_PAGE_DEFAULT;
    page.arns.items = ARENA_NEW(ctx->arena, struct str, page.limit);
    if (!list_clusters(&page)) {
        response->next_token = paging_token(ctx, list, arena_printf(ctx->arena, STR_FMT "/" STR_FMT, STR_ARG(page.cluster), STR_ARG(page.service)));
    } else if (!page.known && !str_is_set(after)) {
        return err_set(err, ERR_NAMESPACE_NOT_FOUND, "Namespace not found.");
    }
    response->service_arns = page.arns;
    return true;
}
