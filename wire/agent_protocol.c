#include "wire/agent_protocol.h"

#include "wire/wire.h"

static bool read_number(const struct instance *instance, struct str name, int64_t *number, struct err *err)
{
    bool found;
    struct str text = instance_attribute(instance, name, &found);
    *number = PROTOCOL_UNTOLD;
    if (!found || (str_to_i64(text, number) && *number >= 0 && *number <= PROTOCOL_MAX)) { return true; }
    return err_set(err, ERR_INVALID_PARAMETER, "The value of attribute " STR_FMT " must be a number from 0 to %d.", STR_ARG(name), PROTOCOL_MAX);
}

bool agent_is_own(const struct instance *instance)
{
    bool has_runtime, has_number;
    (void)instance_attribute(instance, STR("berth.runtime"), &has_runtime);
    (void)instance_attribute(instance, STR(PROTOCOL_ATTRIBUTE), &has_number);
    return has_runtime || has_number;
}

bool agent_protocol_check(const struct instance *instance, struct err *err)
{
    ASSERT(instance != NULL);
    struct protocol_range range;
    struct str version = instance->version_info == NULL ? STR("") : instance->version_info->agent_version;
    return !agent_is_own(instance)
        || (read_number(instance, STR(PROTOCOL_ATTRIBUTE), &range.newest, err)
            && read_number(instance, STR(PROTOCOL_OLDEST_ATTRIBUTE), &range.oldest, err)
            && protocol_check_agent(range, version, err));
}
