#include "ha/others.h"

#include <string.h>

#include "base/log.h"

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

static enum ha_end any_keeps_up(struct ha_engine *engine, const struct ha_member *mine, bool *any, int64_t until_ms)
{
    enum { NEARLY = 1000 };
    struct ha_member members[HA_MEMBERS_MAX];
    size_t count = 0;
    enum ha_end end = engine->ops->members(engine, members, &count, until_ms);
    *any = false;
    for (size_t m = 0; m < count && end == HA_DONE; m++) {
        *any = *any || (strcmp(members[m].name, mine->name) != 0 && members[m].durable + NEARLY >= mine->durable);
    }
    return end;
}

bool others_can_lead(struct ha_engine *engine, const struct ha_member *mine, int64_t until_ms)
{
    bool any;
    return any_keeps_up(engine, mine, &any, until_ms) == HA_DONE && any;
}

void others_look(struct others *others, struct ha_engine *engine, const struct ha_member *mine, int64_t now_ms)
{
    enum { WAIT_MS = 500, TOLD_MS = 60 * 1000 };
    bool any;
    if (any_keeps_up(engine, mine, &any, now_ms + WAIT_MS) != HA_DONE) { return; }
    if (any && others->told_ms != 0) { log_line(LOG_INFO, "ha", "another server keeps up with this one again"); }
    if (any) { others->had = true; others->told_ms = 0; }
    if (any || !others->had || (others->told_ms != 0 && now_ms - others->told_ms < TOLD_MS)) { return; }
    others->told_ms = now_ms > 0 ? now_ms : 1;
    log_line(LOG_ERROR, "ha", "no other server keeps up with this one: if it dies, nobody leads. Look at the others' logs");
}
