/* member.c: the roles, and the member's thread. */
#include "ha/member_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/canary.h"
#include "base/log.h"

enum {
    POLL_MS = 1000,                          /* a follower asks for the head this often, when nothing wakes it */
    TRIM_MS = 60000,                         /* between trims */
    SUSPECT_MS = 250, SUSPECT_AGAIN_MS = 200, USURP_MS = 10000,  /* early takeover: looks at the leader's machine; one try in this time */
    CORES_FOR_TWO = 4,                       /* from 4 cores on, two questions at once: a quarter more reads with 16, a tenth less with 2 */
    STILL_MS = 1000,                         /* a silent leader seems dead when the log has not moved for that long */
    REST_AFTER_MS = 2, OFF_RESTS = 3         /* leases: one that gave up the lead asks for none; one whose clock is off lets others lead */
};

/* ---- time ---- */

void member_rest(struct member *member, int64_t until_ms)
{
    if (member->config.rest != NULL) { member->config.rest(member->config.context, until_ms); return; }
    int64_t ms = until_ms - clock_monotonic_ms();
    if (ms > 0) { clock_sleep_ms(ms); }
}

/* ---- what the log says ---- */

/* If the store has all that the log had when it answered last. The lock is held. */
static void note_kept(struct member *member)
{
    bool leads = member->role == MEMBER_LEADS && member->head.term == member->term;       /* all that it has answered is in its store */
    if (leads || member->revision >= member->head.last) { member->kept_ms = member->heard_ms; }
}

/* The log has answered. The lock is held. */
static void hear(struct member *member, int64_t now_ms)
{
    member->heard_ms = now_ms > 0 ? now_ms : 1;
    note_kept(member);
}

void member_note_head(struct member *member, const struct ha_head *head)
{
    int64_t now_ms = member_now(member);
    lock_take(&member->lock);
    bool differs = head->last != member->head.last || head->term != member->head.term;
    if (head->last >= member->head.last) { member->head = *head; }       /* answers may come in another order than they were given */
    hear(member, now_ms);
    if (differs) { lock_wake_all(&member->changed); }
    lock_drop(&member->lock);
}

void member_note_proof(struct member *member, int64_t began_ms)
{
    int64_t now_ms = member_now(member);
    lock_take(&member->lock);
    if (began_ms > member->proved_ms) { member->proved_ms = began_ms; }
    hear(member, now_ms);
    lock_wake_all(&member->changed);
    lock_drop(&member->lock);
}

static enum ha_end ask_head(void *context, struct ha_head *head)
{
    struct member *member = context;
    *head = (struct ha_head){ 0 };
    enum ha_end end = member->config.engine->ops->head(member->config.engine, head, member_now(member) + CALL_MS);
    if (end == HA_DONE) { member_note_head(member, head); }
    return end;
}

/* ---- life ---- */

struct member *member_create(const struct member_config *config)
{
    struct member *member = calloc(1, sizeof *member);
    ASSERT(member != NULL && config->engine != NULL && config->lead != NULL && config->follow != NULL && config->applied != NULL);
    member->config = *config;
    lock_init(&member->lock);
    lock_signal_init(&member->changed);
    questions_init(&member->questions, ask_head, member, sysconf(_SC_NPROCESSORS_ONLN) >= CORES_FOR_TWO ? 2 : 1);
    arena_init(&member->arena, HA_ARENA);
    arena_init(&member->sink_arena, HA_ARENA);
    return member;
}

void member_free(struct member *member)
{
    if (member == NULL) { return; }
    ASSERT(!member->started);
    arena_finish(&member->arena);
    arena_finish(&member->sink_arena);
    lock_signal_finish(&member->changed);
    questions_finish(&member->questions);
    lock_finish(&member->lock);
    free(member);
}

void member_note_revision(struct member *member, int64_t revision)
{
    lock_take(&member->lock);
    if (revision > member->revision) { member->revision = revision; }
    note_kept(member);
    lock_wake_all(&member->changed);
    lock_drop(&member->lock);
}

int64_t member_revision(struct member *member)
{
    lock_take(&member->lock);
    int64_t revision = member->revision;
    lock_drop(&member->lock);
    return revision;
}

static int64_t revision_of(struct store *store)
{
    struct store_txn *txn = store_read_begin(store);
    int64_t revision = store_revision(txn);
    return store_read_end(txn) ? revision : 0;
}

void member_use(struct member *member, struct store *store, bool origin)
{
    member->store = store;
    member->origin = origin;
    member_note_revision(member, revision_of(store));
}

void member_seal(struct member *member, const struct seal_key *key, bool seals)
{
    ASSERT(!member->started);
    member->key = *key;
    member->seals = seals;
}

void member_committed(struct member *member, int64_t revision)
{
    int64_t now_ms = member_now(member);
    lock_take(&member->lock);
    fitness_commit_ends(&member->fitness, now_ms);
    lock_drop(&member->lock);
    member_note_revision(member, revision);
}

/* ---- a follower ---- */

static void announce(struct member *member, int64_t now_ms)
{
    struct ha_engine *engine = member->config.engine;
    struct ha_member self = member->config.self;
    if (member->announced_ms != 0 && now_ms - member->announced_ms < member->config.lease_ms) { return; }
    self.durable = member_revision(member);
    if (engine->ops->announce(engine, &self, 4 * member->config.lease_ms, now_ms + CALL_MS) == HA_DONE) { member->announced_ms = now_ms; }
    if (member->role == MEMBER_LEADS) { others_look(&member->others, engine, &self, now_ms); }
}

/* The lead is this member's by the log's word. The entries before it are all there now: those of an older term can't come any more. */
static int64_t begin_to_lead(struct member *member, int64_t term)
{
    struct ha_engine *engine = member->config.engine;
    struct ha_head head;
    int64_t now_ms = member_now(member), until_ms = now_ms + member->config.lease_ms;
    enum ha_end end = HA_UNKNOWN;
    CANARY(WATCH_IS_TRUSTED, head.term = term; end = HA_DONE);
    while (end == HA_UNKNOWN && member_now(member) < until_ms) {
        end = engine->ops->head(engine, &head, until_ms);
        if (end != HA_DONE) { continue; }
        member_note_head(member, &head);
        if (head.term != term || !member_check_place(member, &head)) { break; }
        end = member_follow_up_to(member, head.last);
    }
    bool leads = end == HA_DONE && head.term == term && member->role != MEMBER_STOPPED;
    lock_take(&member->lock);
    member->term = term;
    member->lost = member->hand_over = false;
    member->fitness.begun_ms = member->fitness.slow_since_ms = 0;
    if (leads) { member->role = MEMBER_LEADS; member->led++; }
    member->proved_ms = now_ms;
    lock_drop(&member->lock);
    member->renewed_ms = now_ms;
    if (leads) { log_line(LOG_INFO, "ha", "this member leads: term %lld, from commit %lld", (long long)term, (long long)member_revision(member)); }
    bool ready = leads && member->config.lead(member->config.context);
    lock_take(&member->lock);
    member->ready = ready;
    if (leads && !ready) { member->lost = true; }
    lock_wake_all(&member->changed);
    lock_drop(&member->lock);
    if (!leads) { (void)engine->ops->resign(engine, term, member_now(member) + CALL_MS); }
    return member_now(member);
}

/* The process of a leader is dead when its machine refuses connections twice. One that is silent only seems dead: its lease decides. */
static bool is_dead(struct member *member, const struct ha_head *head, int64_t now_ms)
{
    const struct member_config *config = &member->config;
    if (config->look == NULL || head->address[0] == '\0' || now_ms - member->suspected_ms < SUSPECT_MS) { return false; }
    member->suspected_ms = now_ms;
    if (member->usurped_ms != 0 && now_ms - member->usurped_ms < USURP_MS) { return false; }
    enum leader_look seen = config->look(config->context, head->address);
    bool seems = seen == LEADER_REFUSES || (seen == LEADER_SILENT && now_ms - member->moved_ms >= STILL_MS);
    if (seems && config->suspect != NULL) { config->suspect(config->context); }
    if (seen != LEADER_REFUSES) { return false; }
    member_rest(member, now_ms + SUSPECT_AGAIN_MS);
    if (config->look(config->context, head->address) != LEADER_REFUSES) { return false; }
    member->usurped_ms = now_ms;
    return true;
}

static int64_t follow_turn(struct member *member)
{
    struct ha_engine *engine = member->config.engine;
    struct ha_head head;
    int64_t now_ms = member_now(member), term = 0;
    if (engine->ops->head(engine, &head, now_ms + CALL_MS) != HA_DONE) { return member_now(member) + AGAIN_MS; }
    if (head.last != member_revision(member)) { member->moved_ms = now_ms; }
    member_note_head(member, &head);
    if (!member_check_place(member, &head)) { return INT64_MAX; }
    enum ha_end end = member_follow_up_to(member, head.last);
    if (end != HA_DONE) { return end == HA_REFUSED ? INT64_MAX : member_now(member) + AGAIN_MS; }
    announce(member, member_now(member));
    bool off = fitness_look(&member->fitness, engine, member_now(member));
    now_ms = member_now(member);
    if (head.term != 0 || member->led_ms == 0) { member->led_ms = now_ms > 0 ? now_ms : 1; }
    bool dead = head.term != 0 && !off && is_dead(member, &head, now_ms), lets = off && now_ms - member->led_ms < OFF_RESTS * member->config.lease_ms;
    if ((head.term == 0 || dead) && !lets && now_ms >= member->not_before_ms && (head.last > 0 || member->origin)) {
        if (dead) { log_line(LOG_WARN, "ha", "the leader's machine (%s) refuses connections: this member takes over", head.leader); }
        end = engine->ops->campaign(engine, &member->config.self, member->config.lease_ms, dead ? head.term : 0, &term, now_ms + CALL_MS);
        return end == HA_DONE ? begin_to_lead(member, term) : member_now(member) + AGAIN_MS / 4;
    }
    engine->ops->wait(engine, member_revision(member), now_ms + (member->config.look != NULL ? SUSPECT_MS : POLL_MS));
    return member_now(member);
}

/* ---- the leader ---- */

static int64_t step_down(struct member *member, bool gives)
{
    struct ha_engine *engine = member->config.engine;
    log_line(gives ? LOG_INFO : LOG_WARN, "ha", "this member does not lead any more%s", gives ? ": it hands over" : "");
    lock_take(&member->lock);
    int64_t term = member->term;
    member->lost = true;
    member->ready = false;
    lock_drop(&member->lock);
    member->config.follow(member->config.context);       /* the last commit has ended, well or not */
    (void)engine->ops->resign(engine, term, member_now(member) + CALL_MS);
    lock_take(&member->lock);
    member->role = MEMBER_FOLLOWS;
    member->hand_over = false;
    if (member->head.term == term) { member->head.term = 0; }
    lock_drop(&member->lock);
    member_note_revision(member, revision_of(member->store));
    int64_t now_ms = member_now(member);
    if (gives) { member->not_before_ms = now_ms + REST_AFTER_MS * member->config.lease_ms; }
    return now_ms;
}

static void trim(struct member *member, int64_t now_ms, int64_t term)
{
    struct ha_engine *engine = member->config.engine;
    int64_t below = 0;
    if (now_ms - member->trimmed_ms < TRIM_MS) { return; }
    member->trimmed_ms = now_ms;
    if (!others_trim_point(engine, member_revision(member), &below, now_ms + CALL_MS)) { return; }
    if (below > 1 && engine->ops->trim(engine, term, below, member_now(member) + CALL_MS) == HA_UNKNOWN) {
        log_line(LOG_WARN, "ha", "old entries of the log were not removed: it did not answer");
    }
}

static int64_t lead_turn(struct member *member)
{
    struct ha_engine *engine = member->config.engine;
    int64_t now_ms = member_now(member), third_ms = member->config.lease_ms / 3;
    lock_take(&member->lock);
    bool lost = member->lost, gives = member->hand_over, slow = fitness_is_slow(&member->fitness, now_ms);
    int64_t term = member->term;
    lock_drop(&member->lock);
    if (!lost && !gives && slow) {
        struct ha_member self = member->config.self;
        self.durable = member_revision(member);
        gives = others_can_lead(engine, &self, now_ms + CALL_MS);
        if (gives) { log_line(LOG_WARN, "ha", "this machine's disk has been slow for %d s: another one will lead", FITNESS_SLOW_FOR_MS / 1000); }
    }
    if (lost || gives) { return step_down(member, gives && !lost); }
    if (now_ms - member->renewed_ms >= third_ms) {
        enum ha_end end = engine->ops->renew(engine, term, now_ms + third_ms);
        if (end == HA_DONE) { member_note_proof(member, now_ms); }
        if (end == HA_REFUSED || !member_leads_surely(member, 2 * member->config.lease_ms)) { return step_down(member, false); }
        member->renewed_ms = now_ms;
    }
    announce(member, member_now(member));
    trim(member, member_now(member), term);
    return member->renewed_ms + third_ms;
}

int64_t member_turn(struct member *member)
{
    ASSERT(member->store != NULL);
    if (member->role == MEMBER_STOPPED) { return INT64_MAX; }
    return member->role == MEMBER_LEADS ? lead_turn(member) : follow_turn(member);
}

bool member_catch_up(struct member *member, int64_t until_ms, struct err *err)
{
    struct ha_head head;
    enum ha_end end = HA_UNKNOWN;
    ASSERT(member->store != NULL && !member->started);
    while (end == HA_UNKNOWN && member_now(member) < until_ms) {
        end = member->config.engine->ops->head(member->config.engine, &head, member_now(member) + CALL_MS);
        if (end == HA_DONE) {
            member_note_head(member, &head);
            end = member_check_place(member, &head) ? member_follow_up_to(member, head.last) : HA_REFUSED;
        }
        if (end == HA_UNKNOWN) { member_rest(member, member_now(member) + AGAIN_MS); }
    }
    if (end == HA_REFUSED) { *err = member->over; }
    if (end == HA_DONE && !member_check_last(member, head.last, err)) { return false; }
    return end == HA_DONE || (end == HA_UNKNOWN ? err_set(err, ERR_SERVER, "The log of the servers does not answer.") : false);
}

static bool wait_turn(struct member *member, int64_t due_ms)
{
    lock_take(&member->lock);
    bool in_time = true;
    while (!member->stopping && in_time && member_now(member) < due_ms && !(member->role == MEMBER_LEADS && (member->lost || member->hand_over))) {
        in_time = lock_wait_until(&member->changed, &member->lock, due_ms);
    }
    bool go_on = !member->stopping;
    lock_drop(&member->lock);
    return go_on;
}

static void *member_thread(void *context)
{
    struct member *member = context;
    int64_t due_ms = 0;
    while (wait_turn(member, due_ms)) {
        int64_t next_ms = member_turn(member), latest_ms = member_now(member) + 60 * 1000;
        due_ms = next_ms < latest_ms ? next_ms : latest_ms;
    }
    if (member->role == MEMBER_LEADS) { (void)step_down(member, true); }
    return NULL;
}

bool member_start(struct member *member, struct err *err)
{
    member->started = pthread_create(&member->thread, NULL, member_thread, member) == 0;
    return member->started || err_set(err, ERR_SERVER, "There is no thread for following the other servers.");
}

void member_stop(struct member *member)
{
    if (member == NULL || !member->started) { return; }
    lock_take(&member->lock);
    member->stopping = true;
    lock_wake_all(&member->changed);
    lock_drop(&member->lock);
    ASSERT(pthread_join(member->thread, NULL) == 0);
    member->started = false;
}
