#include "api/tasks/gang.h"

static const struct str tag_key = STR_INIT("berth:gang"), id_name = STR_INIT("BERTH_GANG_ID"), rank_name = STR_INIT("BERTH_GANG_RANK"),
    size_name = STR_INIT("BERTH_GANG_SIZE"), address_name = STR_INIT("MASTER_ADDR"), port_name = STR_INIT("MASTER_PORT");

bool gang_read(const struct tag_list *tags, bool *gang, struct err *err)
{
    *gang = false;
    for (size_t t = 0; t < tags->count; t++) {
        const struct tag *tag = &tags->items[t];
        if (!str_eq(tag->key, tag_key)) { continue; }
        *gang = str_eq(tag->value, STR("true"));
        if (*gang || str_eq(tag->value, STR("false"))) { return true; }
        return err_set(err, ERR_INVALID_PARAMETER, "The tag berth:gang can't be \"" STR_FMT "\": it should be true or false.", STR_ARG(tag->value));
    }
    return true;
}

bool gang_is_variable(struct str name) { return str_eq(name, id_name) || str_eq(name, rank_name) || str_eq(name, size_name); }

void gang_put_variables(const struct task_gang *gang, struct pair_list *environment, struct arena *arena)
{
    char hex[ID_HEX_LEN + 1];
    id_hex(gang->first, hex);
    struct pair *next = &environment->items[environment->count];
    next[0] = (struct pair){ id_name, arena_str(arena, str_from(hex)) };
    next[1] = (struct pair){ rank_name, arena_printf(arena, "%lld", (long long)gang->rank) };
    next[2] = (struct pair){ size_name, arena_printf(arena, "%lld", (long long)gang->size) };
    environment->count += GANG_VARIABLE_COUNT;
}

/* ---- where rank 0 is ---- */

static const struct pair *find_variable(const struct pair_list *environment, struct str name)
{
    for (size_t e = 0; e < environment->count; e++) {
        if (str_eq(environment->items[e].key, name)) { return &environment->items[e]; }
    }
    return NULL;
}

static bool maps_port(const struct container_definition *container, int64_t port)
{
    for (size_t m = 0; m < container->port_mappings.count; m++) {
        const struct port_mapping *mapping = &container->port_mappings.items[m];
        if (mapping->container_port.value == port && mapping->host_port.value == port && mapping->protocol != TRANSPORT_PROTOCOL_UDP) { return true; }
    }
    return false;
}

static bool leads_to_rank_0(const struct gang_master *master, const struct task_definition *def, int64_t port)
{
    if (master->is_process || def->network_mode == NETWORK_MODE_HOST) { return true; }
    if (def->network_mode != NETWORK_MODE_UNSET && def->network_mode != NETWORK_MODE_BRIDGE) { return false; }
    for (size_t c = 0; c < def->container_definitions.count; c++) {
        if (maps_port(&def->container_definitions.items[c], port)) { return true; }
    }
    return false;
}

void gang_put_master(const struct gang_master *master, const struct task_definition *def, struct pair_list *environment, struct arena *arena)
{
    enum { USUAL_PORT = 29500, PORT_MAX = 65535 };   /* torchrun's own */
    const struct pair *own_port = find_variable(environment, port_name);
    int64_t port = USUAL_PORT;
    bool known = master->address.len > 0 && find_variable(environment, address_name) == NULL
        && (own_port == NULL || (str_to_i64(own_port->value, &port) && port >= 1 && port <= PORT_MAX));
    if (!known || !leads_to_rank_0(master, def, port)) { return; }
    environment->items[environment->count++] = (struct pair){ address_name, master->address };
    if (own_port == NULL) { environment->items[environment->count++] = (struct pair){ port_name, arena_printf(arena, "%d", USUAL_PORT) }; }
}
