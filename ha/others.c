#include "ha/others.h"

#include <string.h>

bool others_trim_point(struct ha_engine *engine, int64_t last, int64_t *below, int64_t until_ms)
{
    struct ha_member members[HA_MEMBERS_MAX];
    size_t count = 0;
    int64_t least = last;
    if (engine->ops->members(engine, members, &count, until_ms) != HA_DONE) { return false; }
    for (size_t m = 0; m < count; m++) {
        if (members[m].durable < least) { least = members[m].durable; }
    }
    *below = count < 2 ? last - OTHERS_KEPT_ALONE : least - OTHERS_KEPT;
    return true;
}

bool others_can_lead(struct ha_engine *engine, const struct ha_member *mine, int64_t until_ms)
{
    enum { NEARLY = 1000 };
    struct ha_member members[HA_MEMBERS_MAX];
    size_t count = 0;
    if (engine->ops->members(engine, members, &count, until_ms) != HA_DONE) { return false; }
    for (size_t m = 0; m < count; m++) {
        if (strcmp(members[m].name, mine->name) != 0 && members[m].durable + NEARLY >= mine->durable) { return true; }
    }
    return false;
}
