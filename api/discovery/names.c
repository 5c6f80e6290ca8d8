/* names.c: the DNS names of a service revision. */
#include "api/discovery/discovery.h"
#include "api/rules/rules.h"

static void add(struct discovery_names *list, struct str name, struct str container, int64_t port)
{
    list->items[list->count++] = (struct discovery_name){ name, container, port };
}

static struct str joined(struct str name, struct str parent, struct arena *arena)
{
    return arena_printf(arena, STR_FMT "." STR_FMT, STR_ARG(name), STR_ARG(parent));
}

/* The name in the namespace, and the client alias where it is another name. */
static void add_connect(struct discovery_names *list, const struct service_connect_service *service, struct str namespace, const struct task_definition *def,
                        struct arena *arena)
{
    struct str container, name = joined(service->discovery_name.len > 0 ? service->discovery_name : service->port_name, namespace, arena);
    const struct port_mapping *mapping = service_named_port(def, service->port_name, &container);
    if (mapping == NULL) { return; }
    add(list, name, container, mapping->container_port.value);
    struct str alias = service->client_aliases.count > 0 ? service->client_aliases.items[0].dns_name : (struct str){ NULL, 0 };
    if (alias.len > 0 && !str_eq(alias, name)) { add(list, alias, container, mapping->container_port.value); }
}

struct discovery_names discovery_names_of(const struct names *names, const struct cluster *cluster, struct str service, const struct service_revision *revision,
                                          const struct task_definition *def, struct arena *arena)
{
    const struct service_connect_configuration *connect = revision->service_connect_configuration;
    struct str namespace = service_namespace(connect, cluster), name;
    size_t connected = namespace.len > 0 ? connect->services.count : 0;
    struct discovery_names list = { ARENA_NEW(arena, struct discovery_name, 1 + revision->service_registries.count + 2 * connected), 0 };
    add(&list, joined(service, cluster->name, arena), (struct str){ NULL, 0 }, 0);
    for (size_t r = 0; r < revision->service_registries.count; r++) {
        const struct service_registry *registry = &revision->service_registries.items[r];
        if (!names_read_registry(names, registry->registry_arn, &name)) { continue; }
        add(&list, name, registry->container_name, registry->port.set ? registry->port.value : registry->container_port.value);
    }
    for (size_t s = 0; s < connected; s++) { add_connect(&list, &connect->services.items[s], namespace, def, arena); }
    return list;
}

bool discovery_is_named(const struct discovery_name *name, const struct endpoint *endpoint)
{
    return (name->container.len == 0 || str_eq(name->container, endpoint->container)) && (name->port == 0 || name->port == endpoint->container_port);
}
