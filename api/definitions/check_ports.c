/* check_ports.c: the rules for port mappings of one container. */
#include "api/definitions/rules.h"

enum { PORT_MAX = 65535, PORT_NAME_MAX = 64, RANGES_MAX = 100 };

struct range { int64_t first, last; };

static bool port_is_valid(int64_t port)
{
    return port >= 1 && port <= PORT_MAX;
}

/* "8000-8010". */
static bool read_range(struct str text, struct range *range)
{
    struct str first, last;
    return str_cut(text, '-', &first, &last) && str_to_i64(first, &range->first) && str_to_i64(last, &range->last)
        && port_is_valid(range->first) && port_is_valid(range->last) && range->first < range->last;
}

static bool invalid_port(const struct container_definition *container, const char *member, struct err *err)
{
    return err_set(err, ERR_CLIENT, "Invalid '%s' setting for container '" STR_FMT "'.", member, STR_ARG(container->name));
}

static bool check_range(const struct task_definition *def, const struct container_definition *container,
                        const struct port_mapping *mapping, struct err *err)
{
    enum network_mode mode = taskdef_network(def);
    struct range range;
    if (mapping->container_port.set || mapping->host_port.set) {
        return err_set(err, ERR_CLIENT, "cannot specify both single port and port range");
    }
    if (mode != NETWORK_MODE_BRIDGE && mode != NETWORK_MODE_AWSVPC) {
        return err_set(err, ERR_CLIENT, "containerPortRange is not supported on container when networkMode=" STR_FMT,
                       STR_ARG(enum_word(&network_mode_names, (int)mode)));
    }
    return read_range(mapping->container_port_range, &range) || invalid_port(container, "containerPortRange", err);
}

/* Where the container sits on the host's or its own address, its port is the only one there is. */
static bool check_single(const struct task_definition *def, const struct container_definition *container,
                         const struct port_mapping *mapping, struct err *err)
{
    enum network_mode mode = taskdef_network(def);
    if (!mapping->container_port.set || !port_is_valid(mapping->container_port.value)) {
        return invalid_port(container, "containerPort", err);
    }
    bool own_address = mode == NETWORK_MODE_AWSVPC || mode == NETWORK_MODE_HOST;
    if (own_address && mapping->host_port.set && mapping->host_port.value != mapping->container_port.value) {
        return err_set(err, ERR_CLIENT, "When networkMode=" STR_FMT ", the host ports and container ports in port mappings must match.",
                       STR_ARG(enum_word(&network_mode_names, (int)mode)));
    }
    return true;
}

static bool port_name_is_valid(struct str name)
{
    if (name.len == 0 || name.len > PORT_NAME_MAX || name.ptr[0] == '-') { return false; }
    for (size_t i = 0; i < name.len; i++) {
        char c = name.ptr[i];
        bool plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
        if (!plain) { return false; }
    }
    return true;
}

static bool check_mapping(const struct task_definition *def, const struct container_definition *container,
                          const struct port_mapping *mapping, struct err *err)
{
    if (taskdef_network(def) == NETWORK_MODE_NONE) {
        return err_set(err, ERR_CLIENT, "Port mappings are not supported on container when networkMode=none");
    }
    bool good = str_is_set(mapping->container_port_range) ? check_range(def, container, mapping, err)
                                                          : check_single(def, container, mapping, err);
    if (good && str_is_set(mapping->name) && !port_name_is_valid(mapping->name)) {
        return err_set(err, ERR_CLIENT,
                       "Invalid 'name' setting for a port mapping of container '" STR_FMT "': it must have 1 to 64 lower-case letters, "
                       "digits, '_' and '-', and not begin with '-'.", STR_ARG(container->name));
    }
    return good;
}

static enum transport_protocol protocol_of(const struct port_mapping *mapping)
{
    return mapping->protocol == TRANSPORT_PROTOCOL_UNSET ? TRANSPORT_PROTOCOL_TCP : mapping->protocol;
}

/* The container's ports that a mapping covers; `mapping` has passed check_mapping. */
static struct range covered(const struct port_mapping *mapping)
{
    struct range range = { mapping->container_port.value, mapping->container_port.value };
    if (str_is_set(mapping->container_port_range)) { ASSERT(read_range(mapping->container_port_range, &range)); }
    return range;
}

/* A port may be mapped twice singly (to two ports of the host), but a range shares no port with any other mapping. */
static bool check_overlap(const struct container_definition *container, struct err *err)
{
    const struct port_mapping_list *list = &container->port_mappings;
    for (size_t a = 0; a < list->count; a++) {
        if (!str_is_set(list->items[a].container_port_range)) { continue; }
        struct range range = covered(&list->items[a]);
        for (size_t b = 0; b < list->count; b++) {
            struct range other = covered(&list->items[b]);
            bool apart = a == b || protocol_of(&list->items[a]) != protocol_of(&list->items[b])
                || other.last < range.first || range.last < other.first;
            if (!apart) {
                return err_set(err, ERR_CLIENT, "Port range '" STR_FMT "' of container '" STR_FMT "' overlaps with another port mapping.",
                               STR_ARG(list->items[a].container_port_range), STR_ARG(container->name));
            }
        }
    }
    return true;
}

bool taskdef_check_ports(const struct task_definition *def, const struct container_definition *container, struct err *err)
{
    size_t ranges = 0;
    for (size_t p = 0; p < container->port_mappings.count; p++) {
        if (!check_mapping(def, container, &container->port_mappings.items[p], err)) { return false; }
        if (str_is_set(container->port_mappings.items[p].container_port_range)) { ranges++; }
    }
    if (ranges > RANGES_MAX) {
        return err_set(err, ERR_CLIENT, "Container '" STR_FMT "' can have at most %d port ranges, but has %zu.", STR_ARG(container->name),
                       RANGES_MAX, ranges);
    }
    return check_overlap(container, err);
}
