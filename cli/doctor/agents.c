/* doctor_agents.c: checks the machines' agents in a server's store: do they work with this version, and which
 * records have no machine any more? */
#include <stdlib.h>

#include "agent/doctor.h"
#include "wire/agent_protocol.h"
#include "base/array.h"
#include "cli/cli.h"
#include "store/store.h"

struct agent_record { int64_t cluster_number; struct str name; bool connected; };
struct agent_look {
    int64_t own, other_version, strange;
    struct str first, why;                           /* of the agents that do not fit */
    struct agent_record *records; size_t count, capacity;
    struct arena *arena;
};

static void look_at_agent(void *context, const struct instance *instance)
{
    struct agent_look *look = context;
    struct err err = { 0 };
    bool found;
    if (!agent_is_own(instance)) { return; }
    struct str name = arena_str(look->arena, instance_attribute(instance, STR("berth.name"), &found));
    look->records = array_grow(look->records, &look->capacity, look->count + 1, sizeof *look->records);
    look->records[look->count++] = (struct agent_record){ instance->cluster_number, name, instance->agent_connected == OPT_TRUE };
    look->own++;
    bool same = instance->version_info != NULL && str_eq(instance->version_info->agent_version, STR(BERTH_VERSION));
    if (!same) { look->other_version++; }
    if (agent_protocol_check(instance, &err) || look->strange++ > 0) { return; }
    look->first = name;
    look->why = arena_str(look->arena, str_from(err.message));
}

static void put_protocol(const struct agent_look *look, struct finding_list *findings)
{
    if (look->strange > 0) {
        struct str text = arena_printf(look->arena, "this server and %lld of %lld agents do not work together, such as " STR_FMT ": " STR_FMT,
                                       (long long)look->strange, (long long)look->own, STR_ARG(look->first), STR_ARG(look->why));
        doctor_put(findings, "agents", FINDING_FAIL, text, "install the same version on the server and on those machines");
    } else {
        struct str text = arena_printf(look->arena, "%lld agents speak this server's protocol; %lld of them have a version other than " BERTH_VERSION,
                                       (long long)look->own, (long long)look->other_version);
        doctor_put(findings, "agents", FINDING_OK, text, NULL);
    }
}

/* By name, those with an agent first. */
static int compare_records(const void *left, const void *right)
{
    const struct agent_record *a = left, *b = right;
    if (a->cluster_number != b->cluster_number) { return a->cluster_number < b->cluster_number ? -1 : 1; }
    int order = str_cmp(a->name, b->name);
    return order != 0 ? order : (int)b->connected - (int)a->connected;
}

/* A machine that was restarted without its folder looks like another machine of the same name, so an operator has to decide. */
static void put_former(const struct agent_look *look, struct finding_list *findings)
{
    size_t former = 0, first = 0;
    qsort(look->records, look->count, sizeof *look->records, compare_records);
    for (size_t r = 1, head = 0; r < look->count; r++) {
        const struct agent_record *one = &look->records[r];
        bool same = one->cluster_number == look->records[head].cluster_number && str_eq(one->name, look->records[head].name);
        if (!same) { head = r; }
        if (!same || one->connected || !look->records[head].connected) { continue; }
        if (former++ == 0) { first = r; }
    }
    if (former == 0) { return; }
    doctor_put(findings, "former-machines", FINDING_WARN,
               arena_printf(look->arena, "machines without an agent that share a name with a connected one: %zu, such as " STR_FMT, former,
                            STR_ARG(look->records[first].name)),
               "if an agent lost its folder, and these are its old records: aws ecs deregister-container-instance --force --container-instance ID");
}

void cli_doctor_agents(struct store_txn *txn, struct finding_list *findings, struct arena *arena)
{
    struct agent_look look = { .arena = arena };
    store_scan_instances(txn, look_at_agent, &look);
    if (look.own > 0) {
        put_protocol(&look, findings);
        put_former(&look, findings);
    }
    free(look.records);
}
