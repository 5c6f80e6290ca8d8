/* connect.c: serviceConnectConfiguration of a service. Berth serves its names: no proxy runs beside the tasks, so members that only such a proxy
 * could serve are refused. */
#include "api/rules/rules.h"

enum { SHOWN_MAX = 255 };

static bool needs_proxy(const char *member, struct err *err)
{
    return err_set(err, ERR_UNSUPPORTED_FEATURE, "%s is not available: Berth runs no proxy of Service Connect beside a task. Use a target group for it.",
                   member);
}

struct str service_namespace(const struct service_connect_configuration *connect, const struct cluster *cluster)
{
    struct str name;
    if (connect == NULL || connect->enabled != OPT_TRUE) { return (struct str){ NULL, 0 }; }
    bool has_default = connect->namespace.len == 0 && cluster->service_connect_defaults != NULL;
    return names_read_namespace(has_default ? cluster->service_connect_defaults->namespace : connect->namespace, &name) ? name : (struct str){ NULL, 0 };
}

const struct port_mapping *service_named_port(const struct task_definition *def, struct str name, struct str *container)
{
    for (size_t c = 0; c < def->container_definitions.count; c++) {
        const struct port_mapping_list *mappings = &def->container_definitions.items[c].port_mappings;
        *container = def->container_definitions.items[c].name;
        for (size_t m = 0; m < mappings->count; m++) {
            if (str_eq(mappings->items[m].name, name)) { return &mappings->items[m]; }
        }
    }
    return NULL;
}

/* The port at which every task is reached; 0: each task has another one. */
static int64_t fixed_port(const struct task_definition *def, const struct port_mapping *mapping)
{
    bool same = def->network_mode == NETWORK_MODE_HOST || def->network_mode == NETWORK_MODE_AWSVPC;
    return same ? mapping->container_port.value : mapping->host_port.value;
}

static bool check_alias(const struct service_connect_service *service, const struct task_definition *def, const struct port_mapping *mapping, struct err *err)
{
    if (service->client_aliases.count == 0) { return true; }
    const struct service_connect_client_alias *alias = &service->client_aliases.items[0];
    int64_t port = fixed_port(def, mapping);
    if (service->client_aliases.count > 1) { return err_set(err, ERR_INVALID_PARAMETER, "A Service Connect service can have at most one client alias."); }
    if (alias->test_traffic_rules != NULL) { return needs_proxy("testTrafficRules", err); }
    if (alias->dns_name.len > 0 && !names_is_dns(alias->dns_name)) {
        return err_set(err, ERR_INVALID_PARAMETER, "The dnsName " STR_FMT " is no DNS name.", STR_ARG(str_slice(alias->dns_name, 0, SHOWN_MAX)));
    }
    if (port == 0) {
        return err_set(err, ERR_UNSUPPORTED_FEATURE, "A client alias needs a port mapping with a hostPort: Berth runs no proxy of Service Connect that changes "
                       "the port.");
    }
    return alias->port.value == port
        || err_set(err, ERR_UNSUPPORTED_FEATURE, "The port of the client alias must be %lld, at which the tasks are reached: Berth runs no proxy of Service "
                   "Connect that changes the port.", (long long)port);
}

static bool check_one(const struct service_connect_service *service, const struct task_definition *def, struct err *err)
{
    struct str container, name = service->discovery_name.len > 0 ? service->discovery_name : service->port_name;
    const struct port_mapping *mapping = service_named_port(def, service->port_name, &container);
    if (mapping == NULL) {
        return err_set(err, ERR_INVALID_PARAMETER, "The portName " STR_FMT " is not the name of a port mapping in the task definition.",
                       STR_ARG(str_slice(service->port_name, 0, SHOWN_MAX)));
    }
    if (!names_is_dns(name)) {
        return err_set(err, ERR_INVALID_PARAMETER, "The discoveryName " STR_FMT " is no DNS name.", STR_ARG(str_slice(name, 0, SHOWN_MAX)));
    }
    if (service->ingress_port_override.set) { return needs_proxy("ingressPortOverride", err); }
    if (service->timeout != NULL) { return needs_proxy("timeout", err); }
    if (service->tls != NULL) { return needs_proxy("tls", err); }
    return check_alias(service, def, mapping, err);
}

bool service_check_connect(const struct service_connect_configuration *connect, const struct task_definition *def, const struct cluster *cluster,
                           struct err *err)
{
    if (connect == NULL || connect->enabled != OPT_TRUE) { return true; }
    if (service_namespace(connect, cluster).len == 0) {
        return err_set(err, ERR_INVALID_PARAMETER, "Service Connect needs a namespace that is a DNS name, or an ARN that ends with such a name: give "
                       "serviceConnectConfiguration.namespace, or the cluster a default namespace.");
    }
    for (size_t s = 0; s < connect->services.count; s++) {
        if (!check_one(&connect->services.items[s], def, err)) { return false; }
    }
    return true;
}
