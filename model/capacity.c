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

void provider_begin(struct kept_provider *provider)
{
    provider->status = CAPACITY_PROVIDER_STATUS_ACTIVE;
    provider->update = CAPACITY_PROVIDER_UPDATE_STATUS_CREATE_COMPLETE;
}

void provider_leave(struct kept_provider *provider)
{
    provider->status = CAPACITY_PROVIDER_STATUS_DEPROVISIONING;
    provider->update = CAPACITY_PROVIDER_UPDATE_STATUS_DELETE_IN_PROGRESS;
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
