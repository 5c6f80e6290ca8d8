#include "model/capacity.h"

#include "base/assert.h"
#include "base/table.h"

bool machine_may_move(enum machine_state from, enum machine_state to)
{
    return from != MACHINE_STATE_UNSET && to < MACHINE_STATE_COUNT && from < to;
}

void machine_move(struct kept_machine *machine, enum machine_state to, struct str reason, int64_t now_ms)
{
    ASSERT(machine_may_move(machine->state, to));
    machine->state = to;
    machine->reason = reason;
    machine->since_ms = now_ms;
    machine->attempts = 0;
}

void provider_begin(struct kept_provider *provider, int64_t now_ms)
{
    bool managed = provider->managed != NULL;
    provider->status = managed ? CAPACITY_PROVIDER_STATUS_PROVISIONING : CAPACITY_PROVIDER_STATUS_ACTIVE;
    provider->update = managed ? CAPACITY_PROVIDER_UPDATE_STATUS_CREATE_IN_PROGRESS : CAPACITY_PROVIDER_UPDATE_STATUS_CREATE_COMPLETE;
    provider->settles_ms = managed ? now_ms : 0;
}

void provider_change(struct kept_provider *provider, int64_t now_ms)
{
    ASSERT(provider->status == CAPACITY_PROVIDER_STATUS_ACTIVE);
    provider->update = CAPACITY_PROVIDER_UPDATE_STATUS_UPDATE_IN_PROGRESS;
    provider->settles_ms = now_ms;
}

bool provider_settle(struct kept_provider *provider, int64_t now_ms)
{
    if (provider->settles_ms == 0 || provider->settles_ms > now_ms) { return false; }
    bool begins = provider->status == CAPACITY_PROVIDER_STATUS_PROVISIONING;
    if (begins) { provider->status = CAPACITY_PROVIDER_STATUS_ACTIVE; }
    provider->update = begins ? CAPACITY_PROVIDER_UPDATE_STATUS_CREATE_COMPLETE : CAPACITY_PROVIDER_UPDATE_STATUS_UPDATE_COMPLETE;
    provider->settles_ms = 0;
    return true;
}

void provider_leave(struct kept_provider *provider)
{
    provider->status = CAPACITY_PROVIDER_STATUS_DEPROVISIONING;
    provider->update = CAPACITY_PROVIDER_UPDATE_STATUS_DELETE_IN_PROGRESS;
    provider->settles_ms = 0;
}

struct managed_scaling scaling_filled(const struct managed_scaling *given)
{
    struct managed_scaling filled = given != NULL ? *given : (struct managed_scaling){ .status = MANAGED_SCALING_STATUS_DISABLED };
    const struct { struct opt_int *member; int64_t usual; } rows[] = {
        { &filled.target_capacity, 100 }, { &filled.minimum_scaling_step_size, 1 }, { &filled.maximum_scaling_step_size, 10000 },
        { &filled.instance_warmup_period, 300 },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        if (!rows[r].member->set) { *rows[r].member = opt_int_of(rows[r].usual); }
    }
    return filled;
}

bool machine_stays(const struct kept_machine *machine) { return machine->state >= MACHINE_ORDERED && machine->state <= MACHINE_ACTIVE; }
bool machine_counts(const struct kept_machine *machine) { return machine_stays(machine) && machine->replace == MACHINE_REPLACE_UNSET; }

uint64_t provider_hash(struct str name)
{
    static const uint64_t key[2] = { 0x6265727468, 0x706f6f6c };
    return name.len == 0 ? 0 : hash_keyed(key, name.ptr, name.len) | 1;
}

struct str machine_ec2_id(struct id id, char text[MACHINE_EC2_ID_LEN + 1])
{
    char hex[ID_HEX_LEN + 1];
    id_hex(id, hex);
    memcpy(text, "i-", 2);
    memcpy(text + 2, hex, MACHINE_EC2_ID_LEN - 2);
    text[MACHINE_EC2_ID_LEN] = '\0';
    return (struct str){ text, MACHINE_EC2_ID_LEN };
}

bool machine_has_ec2_id(struct str text, struct id id)
{
    char own[MACHINE_EC2_ID_LEN + 1];
    return str_eq(text, machine_ec2_id(id, own));
}
