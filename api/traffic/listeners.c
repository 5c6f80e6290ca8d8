/* listeners.c: the calls of Elastic Load Balancing on listeners. */
#include "api/traffic/elbv2.h"

static bool is_secure(enum elb_protocol protocol) { return protocol == ELB_PROTOCOL_HTTPS || protocol == ELB_PROTOCOL_TLS; }

void elb_show_listener(struct op_ctx *ctx, const struct kept_balancer *balancer, const struct kept_listener *kept, struct elb_listener *shown)
{
    *shown = *kept->listener;
    shown->arn = traffic_listener_arn(&ctx->config->names, traffic_balancer_kind(balancer->balancer), kept, ctx->arena);
    shown->load_balancer_arn = traffic_balancer_arn(&ctx->config->names, balancer, ctx->arena);
}

static void show_one(struct op_ctx *ctx, const struct kept_balancer *balancer, const struct kept_listener *kept, struct listeners_response *out)
{
    out->listeners = (struct elb_listener_list){ ARENA_NEW(ctx->arena, struct elb_listener, 1), 1 };
    elb_show_listener(ctx, balancer, kept, &out->listeners.items[0]);
}

/* ---- checks ---- */

/* Their names alone matter: the proxies have the keys. */
static bool check_certificates(const struct elb_certificate_list *certificates, struct err *err)
{
    for (size_t c = 0; c < certificates->count; c++) {
        if (certificates->items[c].certificate_arn.len == 0) { return err_set(err, ERR_VALIDATION, "A certificate must have an ARN"); }
    }
    return true;
}

static bool check_listener(struct op_ctx *ctx, const struct kept_balancer *balancer, const struct elb_listener *listener, struct err *err)
{
    enum elb_balancer_type type = balancer->balancer->type;
    bool web = elb_is_http(listener->protocol);
    if (listener->protocol == ELB_PROTOCOL_UNSET || !listener->port.set) { return err_set(err, ERR_VALIDATION, "A protocol and a port must be specified"); }
    if (web != (type == ELB_BALANCER_TYPE_APPLICATION)) {
        return err_set(err, ERR_VALIDATION, "Listener protocol '" STR_FMT "' must be one of '%s'",
                       STR_ARG(enum_word(&elb_protocol_names, (int)listener->protocol)),
                       type == ELB_BALANCER_TYPE_APPLICATION ? "HTTP, HTTPS" : "UDP, TCP, TCP_UDP, TLS");
    }
    if (is_secure(listener->protocol) && listener->certificates.count == 0) {
        return err_set(err, ERR_VALIDATION, "A certificate must be specified for %s listeners", web ? "HTTPS" : "TLS");
    }
    if (!check_certificates(&listener->certificates, err)) { return false; }
    if (listener->ssl_policy.len > 0 && !elb_policy_known(listener->ssl_policy)) {
        return err_set(err, ERR_ELB_POLICY_NOT_FOUND, "SSL policy '" STR_FMT "' not found", STR_ARG(str_slice(listener->ssl_policy, 0, ELB_SHOWN_MAX)));
    }
    return elb_check_actions(ctx, &listener->default_actions, type, err);
}

/* The load balancer's listener on the port; NULL: there is none. *count: of all of them. */
static const struct kept_listener *find_at(struct op_ctx *ctx, const struct kept_balancer *balancer, int64_t port, size_t *count)
{
    struct kept_listener *all;
    *count = store_list_listeners(ctx->txn, balancer->balancer->name, &all, ctx->arena);
    for (size_t l = 0; l < *count; l++) {
        if (all[l].listener->port.value == port) { return &all[l]; }
    }
    return NULL;
}

static bool refuse_port(struct op_ctx *ctx, const struct kept_balancer *balancer, struct err *err)
{
    return err_set(err, ERR_ELB_DUPLICATE_LISTENER, "A listener already exists on this port for this load balancer '" STR_FMT "'",
                   STR_ARG(traffic_balancer_arn(&ctx->config->names, balancer, ctx->arena)));
}

/* The first certificate is the default one. */
static void fill_in(struct op_ctx *ctx, struct elb_listener *listener)
{
    if (is_secure(listener->protocol) && listener->ssl_policy.len == 0) { listener->ssl_policy = STR("ELBSecurityPolicy-TLS13-1-2-2021-06"); }
    if (!is_secure(listener->protocol)) { listener->ssl_policy = (struct str){ NULL, 0 }; listener->certificates = (struct elb_certificate_list){ NULL, 0 }; }
    if (listener->certificates.count == 0) { return; }
    listener->certificates.items = arena_copy(ctx->arena, listener->certificates.items, listener->certificates.count * sizeof *listener->certificates.items);
    listener->certificates.items[0].is_default = OPT_UNSET;
}

/* ---- CreateListener, ModifyListener ---- */

bool op_create_listener(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct create_listener_request *request = input;
    struct elb_listener listener = request->listener;
    const struct kept_balancer *balancer = elb_find_balancer(ctx, listener.load_balancer_arn, err);
    if (balancer == NULL || !elb_check_tags(&request->tags, err) || !check_listener(ctx, balancer, &listener, err)) { return false; }
    fill_in(ctx, &listener);
    size_t count;
    const struct kept_listener *known = find_at(ctx, balancer, listener.port.value, &count);
    if (known != NULL && !elb_same(ctx, &elb_listener_schema, known->listener, &listener)) { return refuse_port(ctx, balancer, err); }
    if (known != NULL) {                                         /* as with ELB: the same again is the same listener */
        show_one(ctx, balancer, known, output);
        return true;
    }
    if (!elb_check_room(count, ELB_LISTENERS_MAX, ERR_ELB_MANY_LISTENERS, "listeners of a load balancer", err)) { return false; }
    const struct kept_listener kept = {
        .id = elb_new_id(ctx), .listener = &listener, .tags = request->tags, .balancer = balancer->balancer->name, .balancer_id = balancer->id,
    };
    store_put_listener(ctx->txn, &kept);
    show_one(ctx, balancer, &kept, output);
    return true;
}

bool op_modify_listener(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct modify_listener_request *request = input;
    const struct elb_listener *change = &request->listener;
    const struct kept_balancer *balancer;
    const struct kept_listener *found = elb_find_listener(ctx, change->arn, &balancer, err);
    if (found == NULL) { return false; }
    struct elb_listener listener = *found->listener;
    if (change->port.set) { listener.port = change->port; }
    if (change->protocol != ELB_PROTOCOL_UNSET) { listener.protocol = change->protocol; }
    if (change->ssl_policy.len > 0) { listener.ssl_policy = change->ssl_policy; }
    if (change->certificates.count > 0) { listener.certificates = change->certificates; }
    if (change->default_actions.count > 0) { listener.default_actions = change->default_actions; }
    if (change->alpn_policy.items != NULL) { listener.alpn_policy = change->alpn_policy; }
    if (!check_listener(ctx, balancer, &listener, err)) { return false; }
    size_t count;
    const struct kept_listener *there = find_at(ctx, balancer, listener.port.value, &count);
    if (there != NULL && !str_eq(there->id, found->id)) { return refuse_port(ctx, balancer, err); }
    fill_in(ctx, &listener);
    struct kept_listener kept = *found;
    kept.listener = &listener;
    if (!is_secure(listener.protocol)) { kept.more = (struct elb_certificate_list){ NULL, 0 }; }
    store_put_listener(ctx->txn, &kept);
    show_one(ctx, balancer, &kept, output);
    return true;
}

/* ---- DescribeListeners, DeleteListener ---- */

bool op_describe_listeners(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct describe_listeners_request *request = input;
    struct listeners_response *out = output;
    const struct kept_balancer *balancer;
    struct kept_listener *listeners;
    struct str after;
    if ((request->load_balancer_arn.len > 0) == (request->listener_arns.count > 0)) {
        return err_set(err, ERR_VALIDATION, "You must specify either listener ARNs or a load balancer ARN");
    }
    out->listeners.items = ARENA_NEW(ctx->arena, struct elb_listener, request->listener_arns.count + 1);
    for (size_t n = 0; n < request->listener_arns.count; n++) {
        const struct kept_listener *listener = elb_find_listener(ctx, request->listener_arns.items[n], &balancer, err);
        if (listener == NULL) { return false; }
        elb_show_listener(ctx, balancer, listener, &out->listeners.items[out->listeners.count++]);
    }
    if (request->listener_arns.count > 0) { return true; }
    balancer = elb_find_balancer(ctx, request->load_balancer_arn, err);
    if (balancer == NULL || !paging_position(ctx, STR("DescribeListeners"), request->marker, &after, err)) { return false; }
    size_t count = store_list_listeners(ctx->txn, balancer->balancer->name, &listeners, ctx->arena);
    size_t limit = request->page_size.set ? (size_t)request->page_size.value : ELB_PAGE_MAX;
    out->listeners.items = ARENA_NEW(ctx->arena, struct elb_listener, count + 1);
    for (size_t l = 0; l < count; l++) {
        if (str_is_set(after) && str_cmp(listeners[l].id, after) <= 0) { continue; }
        if (out->listeners.count == limit) {
            out->next_marker = paging_token(ctx, STR("DescribeListeners"), listeners[l - 1].id);
            break;
        }
        elb_show_listener(ctx, balancer, &listeners[l], &out->listeners.items[out->listeners.count++]);
    }
    return true;
}

void elb_drop_listener(struct op_ctx *ctx, const struct kept_listener *listener)
{
    struct kept_rule *rules;
    size_t count = elb_rules(ctx, listener, &rules);
    for (size_t r = 0; r < count; r++) { store_drop_rule(ctx->txn, rules[r].balancer, rules[r].listener_id, rules[r].id); }
    store_drop_listener(ctx->txn, listener->balancer, listener->id);
}

bool op_delete_listener(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct listener_request *request = input;
    const struct kept_balancer *balancer;
    (void)output;
    const struct kept_listener *listener = elb_find_listener(ctx, request->listener_arn, &balancer, err);
    if (listener == NULL) { return false; }
    elb_drop_listener(ctx, listener);
    return true;
}

/* ---- attributes ---- */

#define TEXT(key) { STR_INIT("routing.http." key), STR_INIT(""), .types = ELB_OF_APPLICATION }
static const struct elb_attribute attributes[] = {
    { STR_INIT("routing.http.response.server.enabled"), STR_INIT("true"), ELB_OF_APPLICATION, .words = STR_INIT("true|false") },
    { STR_INIT("tcp.idle_timeout.seconds"), STR_INIT("350"), ELB_OF_NETWORK, .least = 60, .most = 6000 },
    TEXT("response.strict_transport_security.header_value"), TEXT("response.access_control_allow_origin.header_value"),
    TEXT("response.access_control_allow_methods.header_value"), TEXT("response.access_control_allow_headers.header_value"),
    TEXT("response.access_control_allow_credentials.header_value"), TEXT("response.access_control_expose_headers.header_value"),
    TEXT("response.access_control_max_age.header_value"), TEXT("response.content_security_policy.header_value"),
    TEXT("response.x_content_type_options.header_value"), TEXT("response.x_frame_options.header_value"),
    TEXT("request.x_amzn_mtls_clientcert_serial_number.header_name"), TEXT("request.x_amzn_mtls_clientcert_issuer.header_name"),
    TEXT("request.x_amzn_mtls_clientcert_subject.header_name"), TEXT("request.x_amzn_mtls_clientcert_validity.header_name"),
    TEXT("request.x_amzn_mtls_clientcert_leaf.header_name"), TEXT("request.x_amzn_mtls_clientcert.header_name"),
    TEXT("request.x_amzn_tls_version.header_name"), TEXT("request.x_amzn_tls_cipher_suite.header_name"),
};
#undef TEXT

static struct elb_attributes attributes_of(const struct kept_listener *kept)
{
    return (struct elb_attributes){ "Listener", attributes, COUNT_OF(attributes),
                                     elb_is_http(kept->listener->protocol) ? ELB_OF_APPLICATION : ELB_OF_NETWORK };
}

bool op_describe_listener_attributes(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct listener_request *request = input;
    const struct kept_balancer *balancer;
    const struct kept_listener *listener = elb_find_listener(ctx, request->listener_arn, &balancer, err);
    if (listener == NULL) { return false; }
    const struct elb_attributes known = attributes_of(listener);
    elb_show_attributes(ctx, &known, &listener->attributes, output);
    return true;
}

bool op_modify_listener_attributes(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct modify_listener_attributes_request *request = input;
    const struct kept_balancer *balancer;
    const struct kept_listener *found = elb_find_listener(ctx, request->listener_arn, &balancer, err);
    if (found == NULL) { return false; }
    struct kept_listener kept = *found;
    const struct elb_attributes known = attributes_of(found);
    if (!elb_set_attributes(ctx, &known, &kept.attributes, &request->attributes, err)) { return false; }
    store_put_listener(ctx->txn, &kept);
    elb_show_attributes(ctx, &known, &kept.attributes, output);
    return true;
}

/* ---- certificates ---- */

static size_t place_of(const struct elb_certificate_list *list, struct str arn)
{
    size_t at = 0;
    while (at < list->count && !str_eq(list->items[at].certificate_arn, arn)) { at++; }
    return at;
}

static bool change_certificates(struct op_ctx *ctx, const struct listener_certificates_request *request, bool add, struct certificates_response *out,
                                struct err *err)
{
    const struct kept_balancer *balancer;
    const struct kept_listener *found = elb_find_listener(ctx, request->listener_arn, &balancer, err);
    if (found == NULL) { return false; }
    if (!check_certificates(&request->certificates, err)) { return false; }
    if (!is_secure(found->listener->protocol)) { return err_set(err, ERR_VALIDATION, "Only HTTPS and TLS listeners have certificates"); }
    struct kept_listener kept = *found;
    struct elb_certificate_list more = { ARENA_NEW(ctx->arena, struct elb_certificate, kept.more.count + request->certificates.count), kept.more.count };
    for (size_t c = 0; c < kept.more.count; c++) { more.items[c] = kept.more.items[c]; }
    for (size_t c = 0; c < request->certificates.count; c++) {
        struct str arn = request->certificates.items[c].certificate_arn;
        size_t at = place_of(&more, arn);
        bool is_default = place_of(&found->listener->certificates, arn) < found->listener->certificates.count;
        if (is_default && !add) { return err_set(err, ERR_ELB_NOT_PERMITTED, "The default certificate of a listener cannot be removed"); }
        if (is_default) { continue; }
        if (add && at == more.count) { more.items[more.count++] = (struct elb_certificate){ .certificate_arn = arn }; }
        if (!add && at < more.count) { more.items[at] = more.items[--more.count]; }
    }
    if (more.count > ELB_CERTIFICATES_MAX) {
        return err_set(err, ERR_ELB_MANY_CERTIFICATES, "A listener can have at most %d certificates beside its default one", ELB_CERTIFICATES_MAX);
    }
    kept.more = more;
    store_put_listener(ctx->txn, &kept);
    if (out != NULL) { out->certificates = request->certificates; }
    return true;
}

bool op_add_listener_certificates(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    return change_certificates(ctx, input, true, output, err);
}

bool op_remove_listener_certificates(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    (void)output;
    return change_certificates(ctx, input, false, NULL, err);
}

bool op_describe_listener_certificates(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct describe_certificates_request *request = input;
    struct certificates_response *out = output;
    const struct kept_balancer *balancer;
    const struct kept_listener *listener = elb_find_listener(ctx, request->listener_arn, &balancer, err);
    if (listener == NULL) { return false; }
    const struct elb_certificate_list *first = &listener->listener->certificates;
    out->certificates.items = ARENA_NEW(ctx->arena, struct elb_certificate, first->count + listener->more.count + 1);
    for (size_t c = 0; c < first->count; c++) {
        out->certificates.items[out->certificates.count++] = (struct elb_certificate){ first->items[c].certificate_arn, OPT_TRUE };
    }
    for (size_t c = 0; c < listener->more.count; c++) {
        out->certificates.items[out->certificates.count++] = (struct elb_certificate){ listener->more.items[c].certificate_arn, OPT_FALSE };
    }
    return true;
}
