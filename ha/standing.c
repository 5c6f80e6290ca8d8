/* standing.c: who leads, and who may answer, as far as this member knows. */
#include "ha/member_internal.h"

#include "base/canary.h"

enum { READ_MS = 5000 };                     /* a checked read waits this long */

static bool unavailable(struct err *err, const char *why) { return err_set(err, ERR_UNAVAILABLE, "%s Ask again.", why); }

bool member_confirm(struct member *member, struct err *err)
{
    struct ha_head head;
    lock_take(&member->lock);
    int64_t term = member->term;
    bool leads = member->role == MEMBER_LEADS && !member->lost;
    lock_drop(&member->lock);
    if (!leads) { return unavailable(err, "This server does not lead."); }
    CANARY(CONFIRMS_ITSELF, return true);
    enum ha_end end = questions_ask(&member->questions, &head);
    if (end == HA_DONE && head.term == term) { return true; }
    lock_take(&member->lock);
    member->lost = member->lost || end == HA_DONE;
    lock_wake_all(&member->changed);
    lock_drop(&member->lock);
    return unavailable(err, end == HA_DONE ? "Another server leads now." : "The log of the servers does not answer.");
}

bool member_leads_surely(struct member *member, int64_t within_ms)
{
    int64_t now_ms = member_now(member);
    lock_take(&member->lock);
    bool sure = member->role == MEMBER_LEADS && !member->lost && now_ms - member->proved_ms <= within_ms;
    CANARY(OLD_LEADER_RENEWS, sure = member->role == MEMBER_LEADS);
    lock_drop(&member->lock);
    return sure;
}

bool member_read(struct member *member, struct err *err)
{
    struct ha_head head;
    int64_t until_ms = member_now(member) + READ_MS;
    bool in_time = true;
    if (questions_ask(&member->questions, &head) != HA_DONE) { return unavailable(err, "The log of the servers does not answer."); }
    lock_take(&member->lock);
    while (member->revision < head.last && in_time && member->role != MEMBER_STOPPED) { in_time = lock_wait_until(&member->changed, &member->lock, until_ms); }
    bool good = member->revision >= head.last;
    lock_drop(&member->lock);
    return good || unavailable(err, "This server is behind the one that leads.");
}

bool member_is_fresh(struct member *member, int64_t within_ms)
{
    int64_t now_ms = member_now(member);
    lock_take(&member->lock);
    bool fresh = member->kept_ms > 0 && now_ms - member->kept_ms <= within_ms;
    lock_drop(&member->lock);
    return fresh;
}

/* After a lease without a proof another may lead. The lock is held. */
static bool is_unsure(struct member *member) { return member->role == MEMBER_LEADS && member_now(member) - member->proved_ms > member->config.lease_ms; }

bool member_leader(struct member *member, int64_t until_ms, char address[HA_ADDRESS_MAX + 1])
{
    bool in_time = true;
    lock_take(&member->lock);
    while ((member->head.term == 0 || (member->role == MEMBER_LEADS && (!member->ready || is_unsure(member)))) && in_time && !member->stopping) {
        in_time = lock_wait_until(&member->changed, &member->lock, until_ms);
    }
    bool found = member->head.term != 0 && in_time;
    memcpy(address, member->head.address, sizeof member->head.address);
    lock_drop(&member->lock);
    return found;
}

/* The lock is held. */
static enum member_role role_of(struct member *member)
{
    return member->role == MEMBER_LEADS && (member->lost || !member->ready || is_unsure(member)) ? MEMBER_FOLLOWS : member->role;
}

enum member_role member_role(struct member *member)
{
    lock_take(&member->lock);
    enum member_role role = role_of(member);
    lock_drop(&member->lock);
    return role;
}

bool member_is_over(struct member *member, struct err *err)
{
    lock_take(&member->lock);
    bool over = member->role == MEMBER_STOPPED;
    if (over) { *err = member->over; }
    lock_drop(&member->lock);
    return over;
}

void member_hand_over(struct member *member)
{
    lock_take(&member->lock);
    member->hand_over = true;
    lock_wake_all(&member->changed);
    lock_drop(&member->lock);
}

void member_look(struct member *member, struct member_state *state)
{
    int64_t now_ms = member_now(member);
    lock_take(&member->lock);
    *state = (struct member_state){
        .role = role_of(member), .self = member->config.self, .term = member->head.term, .own_term = member->term,
        .last = member->head.last, .first = member->head.first, .revision = member->revision,
        .heard_ms = member->heard_ms == 0 ? -1 : now_ms - member->heard_ms, .kept_ms = member->kept_ms == 0 ? -1 : now_ms - member->kept_ms,
        .seals = member->seals, .led = member->led, .appended = member->appended, .refused = member->refused, .unknown = member->unknown,
    };
    memcpy(state->leader, member->head.leader, sizeof state->leader);
    memcpy(state->address, member->head.address, sizeof state->address);
    lock_drop(&member->lock);
}
