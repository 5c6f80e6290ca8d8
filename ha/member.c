/* member.c: the roles, and the leader's commits. One lock guards what threads share; no call of the engine is made under it. */
#include "ha/member.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/canary.h"
#include "base/clock.h"
#include "base/lock.h"
#include "base/log.h"
#include "base/rng.h"
#include "ha/entry.h"
#include "ha/fitness.h"
#include "ha/others.h"
#include "ha/questions.h"

enum {
    CALL_MS = 2000,                          /* one question to the engine */
    APPEND_MS = 1000, APPEND_MAX_MS = 10000, AGAIN_MS = 200,     /* one try, all tries, and the time between them (high-availability: unknown outcomes) */
    READ_MS = 5000,                          /* a checked read waits this long */
    ENTRIES = 16, ENTRY_BYTES = 4 << 20,     /* applied in one commit */
    POLL_MS = 1000,                          /* a follower asks for the head this often, when nothing wakes it */
    TRIM_MS = 60000,                         /* between trims */
    SUSPECT_MS = 250, SUSPECT_AGAIN_MS = 200, USURP_MS = 10000,  /* early takeover: looks at the leader's machine; one try in this time */
    REST_AFTER_MS = 2, OFF_RESTS = 3         /* leases: one that gave up the lead asks for none; one whose clock is off lets others lead */
};

/* How the last commit of this member ended, as far as the log goes. */
struct last_try { int64_t revision; bool led; enum ha_end end; };

struct member {
    struct member_config config;
    struct store *store;                     /* NULL: it is being opened */
    bool origin, seals;
    struct seal_key key;
    struct questions questions;              /* what the head is */
    struct lock lock;                        /* guards the block below */
    struct lock_signal changed;
    enum member_role role;
    bool ready, lost, hand_over, stopping;   /* ready: to lead, lead() has returned; lost: the lead is over, or not sure */
    int64_t term, revision, heard_ms, proved_ms;     /* heard_ms: 0: never; proved_ms: the last question began then that said: this member leads */
    struct ha_head head;
    struct last_try last_try;
    struct err over;
    int64_t led, appended, refused, unknown;
    struct others others;                    /* of the member's thread */
    struct fitness fitness;                  /* what it knows of commits; of the clock: the member's thread's own */
    pthread_t thread; bool started;
    struct arena arena;                      /* of the member's thread, as what follows */
    struct arena sink_arena;                 /* of the thread that commits */
    int64_t renewed_ms, announced_ms, trimmed_ms, not_before_ms, suspected_ms, usurped_ms, led_ms;     /* led_ms: when somebody led last */
    bool stuck;                              /* the store did not take the next entries */
};

/* ---- time ---- */

static int64_t now_of(struct member *member) { return member->config.now_ms == NULL ? clock_monotonic_ms() : member->config.now_ms(member->config.context); }

static void rest_until(struct member *member, int64_t until_ms)
{
    if (member->config.rest != NULL) { member->config.rest(member->config.context, until_ms); return; }
    int64_t ms = until_ms - clock_monotonic_ms();
    if (ms > 0) { clock_sleep_ms(ms); }
}

/* ---- what the log says ---- */

/* The lock is held. */
static void take_head(struct member *member, const struct ha_head *head, int64_t now_ms)
{
    bool differs = head->last != member->head.last || head->term != member->head.term;
    if (head->last >= member->head.last) { member->head = *head; }       /* answers may come in another order than they were given */
    member->heard_ms = now_ms > 0 ? now_ms : 1;
    if (differs) { lock_wake_all(&member->changed); }
}

static void note_head(struct member *member, const struct ha_head *head)
{
    int64_t now_ms = now_of(member);
    lock_take(&member->lock);
    take_head(member, head, now_ms);
    lock_drop(&member->lock);
}

static void note_proof(struct member *member, int64_t began_ms)
{
    lock_take(&member->lock);
    if (began_ms > member->proved_ms) { member->proved_ms = began_ms; }
    lock_wake_all(&member->changed);
    lock_drop(&member->lock);
}

static enum ha_end ask_head(void *context, struct ha_head *head)
{
    struct member *member = context;
    *head = (struct ha_head){ 0 };
    enum ha_end end = member->config.engine->ops->head(member->config.engine, head, now_of(member) + CALL_MS);
    if (end == HA_DONE) { note_head(member, head); }
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
    questions_init(&member->questions, ask_head, member);
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

static void note_revision(struct member *member, int64_t revision)
{
    lock_take(&member->lock);
    if (revision > member->revision) { member->revision = revision; }
    lock_wake_all(&member->changed);
    lock_drop(&member->lock);
}

static int64_t revision_here(struct member *member)
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
    note_revision(member, revision_of(store));
}

void member_seal(struct member *member, const struct seal_key *key, bool seals)
{
    ASSERT(!member->started);
    member->key = *key;
    member->seals = seals;
}

void member_committed(struct member *member, int64_t revision)
{
    int64_t now_ms = now_of(member);
    lock_take(&member->lock);
    fitness_commit_ends(&member->fitness, now_ms);
    lock_drop(&member->lock);
    note_revision(member, revision);
}

/* ---- the leader's commits ---- */

static bool pack(struct member *member, int64_t revision, const struct store_write *writes, size_t count, const uint8_t *before, struct str *bytes)
{
    struct entry entry = {
        .revision = revision, .time_ms = clock_now_ms(), .member = str_from(member->config.self.name), .writes = writes, .count = count,
    };
    memcpy(entry.before, before, STORE_MARK_SIZE);
    if (entry_pack(&entry, bytes, &member->sink_arena)) {
        if (member->seals) { *bytes = entry_seal(&member->key, revision, *bytes, &member->sink_arena); }
        return true;
    }
    log_line(LOG_ERROR, "ha", "a commit of %zu writes is larger than an entry of the log", count);
    return false;
}

/* The same entry again and again until the log has said what became of it, or APPEND_MAX_MS are over. */
static enum ha_end append(struct member *member, int64_t term, const struct ha_entry *entry)
{
    int64_t now_ms = now_of(member), end_ms = now_ms + APPEND_MAX_MS;
    enum ha_end end = HA_UNKNOWN;
    bool open = false;                                   /* after a try without an answer, "no space" does not end it */
    while (end == HA_UNKNOWN && now_ms < end_ms) {
        end = member->config.engine->ops->append(member->config.engine, term, entry, now_ms + APPEND_MS);
        if (end == HA_FULL && open) { end = HA_UNKNOWN; }
        open = end == HA_UNKNOWN;
        CANARY(RETRY_HAS_NEW_NUMBER, static struct ha_entry next; next = *entry; next.n++; entry = &next);
        if (end == HA_UNKNOWN) { rest_until(member, now_of(member) + AGAIN_MS); }
        now_ms = now_of(member);
    }
    return end;
}

static void note_try(struct member *member, const struct last_try *last)
{
    int64_t now_ms = now_of(member);
    lock_take(&member->lock);
    member->last_try = *last;
    if (last->led && last->end == HA_DONE) { fitness_commit_begins(&member->fitness, now_ms); }
    member->appended += last->led && last->end == HA_DONE;
    member->refused += last->led && (last->end == HA_REFUSED || last->end == HA_FULL);
    member->unknown += last->led && last->end == HA_UNKNOWN;
    if (last->led && last->end != HA_DONE && last->end != HA_FULL) { member->lost = true; }
    if (last->led && last->end == HA_DONE && member->head.last < last->revision) { member->head.last = last->revision; }
    lock_wake_all(&member->changed);
    lock_drop(&member->lock);
}

bool member_sink(void *context, int64_t revision, const struct store_write *writes, size_t count, uint8_t mark[STORE_MARK_SIZE])
{
    struct member *member = context;
    if (member->store == NULL) { return true; }          /* a new store's first commit, which is the same everywhere */
    char nonce[HA_NONCE_SIZE];
    struct str bytes;
    lock_take(&member->lock);
    int64_t term = member->term;
    struct last_try last = { revision, member->role == MEMBER_LEADS && !member->lost, HA_REFUSED };
    lock_drop(&member->lock);
    rng_secret(nonce, sizeof nonce);
    bool packed = last.led && pack(member, revision, writes, count, mark, &bytes);
    if (packed) {
        last.end = append(member, term, &(struct ha_entry){ revision, { nonce, sizeof nonce }, bytes });
        if (last.end == HA_DONE) { entry_mark(bytes, mark); }
    }
    if (packed || !last.led) { note_try(member, &last); }
    arena_reset(&member->sink_arena);
    return packed && last.end == HA_DONE;
}

bool member_explain(struct member *member, int64_t revision, struct err *err)
{
    static const char open[] = "It is not known whether this was done: the server that ran it lost its place while it wrote. Look, and ask again.";
    lock_take(&member->lock);
    struct last_try last = member->last_try;
    bool ours = last.revision == revision;
    member->fitness.begun_ms = 0;
    if (ours && last.led && last.end == HA_DONE) { member->lost = true; }        /* in the log, and not in the store: the next leader has it */
    lock_wake_all(&member->changed);
    lock_drop(&member->lock);
    if (!ours) { return false; }
    CANARY(LANDED_IS_REFUSED, last.end = HA_REFUSED);
    if (last.led && last.end == HA_FULL) {
        return !err_set(err, ERR_UNAVAILABLE, "Nothing was changed: etcd has no space left (NOSPACE). Ask berth doctor --ha.");
    }
    if (last.led && last.end != HA_REFUSED) { (void)err_set(err, ERR_SERVER, "%s", open); return true; }
    (void)err_set(err, ERR_UNAVAILABLE, "Nothing was changed: another server leads now. Ask again.");
    return true;
}

/* ---- who leads, and who may answer ---- */

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
    int64_t now_ms = now_of(member);
    lock_take(&member->lock);
    bool sure = member->role == MEMBER_LEADS && !member->lost && now_ms - member->proved_ms <= within_ms;
    CANARY(OLD_LEADER_RENEWS, sure = member->role == MEMBER_LEADS);
    lock_drop(&member->lock);
    return sure;
}

bool member_read(struct member *member, struct err *err)
{
    struct ha_head head;
    int64_t until_ms = now_of(member) + READ_MS;
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
    int64_t now_ms = now_of(member);
    lock_take(&member->lock);
    bool fresh = member->heard_ms > 0 && now_ms - member->heard_ms <= within_ms;
    lock_drop(&member->lock);
    return fresh;
}

/* After a lease without a proof another may lead. The lock is held. */
static bool is_unsure(struct member *member) { return member->role == MEMBER_LEADS && now_of(member) - member->proved_ms > member->config.lease_ms; }

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
    int64_t now_ms = now_of(member);
    lock_take(&member->lock);
    *state = (struct member_state){
        .role = role_of(member), .self = member->config.self, .term = member->head.term, .own_term = member->term,
        .last = member->head.last, .first = member->head.first, .revision = member->revision,
        .heard_ms = member->heard_ms == 0 ? -1 : now_ms - member->heard_ms,
        .seals = member->seals, .led = member->led, .appended = member->appended, .refused = member->refused, .unknown = member->unknown,
    };
    memcpy(state->leader, member->head.leader, sizeof state->leader);
    memcpy(state->address, member->head.address, sizeof state->address);
    lock_drop(&member->lock);
}

/* ---- a follower ---- */

static void stop_for_good(struct member *member, const struct err *err)
{
    log_line(LOG_ERROR, "ha", "this member stops: %s", err->message);
    lock_take(&member->lock);
    member->role = MEMBER_STOPPED;
    member->over = *err;
    lock_wake_all(&member->changed);
    lock_drop(&member->lock);
}

static bool differs_at(int64_t n, struct err *err)
{
    return err_set(err, ERR_SERVER, "Entry %lld of the log does not follow what this server's store has: they have different histories. "
                   "Begin from a copy: move its data folder away, and start it again.", (long long)n);
}

/* Is it the entry behind the store's last commit? `mark`: of that commit, and then of this entry's. */
static bool check_entry(const struct ha_entry *item, const struct entry *entry, uint8_t mark[STORE_MARK_SIZE], struct err *err)
{
    if (entry->revision != item->n || memcmp(entry->before, mark, STORE_MARK_SIZE) != 0) { return differs_at(item->n, err); }
    entry_mark(item->bytes, mark);
    return true;
}

/* All of them in one commit. HA_REFUSED and *err: one of them can't be applied here; HA_UNKNOWN: the disk did not take them. */
static enum ha_end apply(struct member *member, const struct ha_entry *items, size_t count, struct err *err)
{
    uint8_t mark[STORE_MARK_SIZE];
    int64_t revision = 0;
    bool good = true;
    struct store_txn *txn = store_write_begin(member->store);
    store_mark(txn, mark);
    for (size_t i = 0; i < count && good; i++) {
        struct entry entry;
        struct str plain;
        good = entry_open(&member->key, items[i].n, items[i].bytes, &plain, &member->arena, err)
            && entry_unpack(plain, &entry, &member->arena, err) && check_entry(&items[i], &entry, mark, err);
        if (good) { store_apply(txn, entry.revision, entry.writes, entry.count); }
    }
    const char *problem = store_txn_problem(txn);
    if (good && problem != NULL) { good = err_set(err, ERR_SERVER, "Entries from %lld of the log on can't be applied: %s", (long long)items[0].n, problem); }
    if (!good) { store_write_abort(txn); return HA_REFUSED; }
    bool kept = store_apply_commit(txn, mark, &revision);
    if (!kept && !member->stuck) {
        problem = store_txn_problem(txn);
        log_line(LOG_ERROR, "ha", "entry %lld of the log can't be kept, and is tried again: %s", (long long)items[0].n, problem == NULL ? "the disk" : problem);
    }
    if (kept && member->stuck) { log_line(LOG_INFO, "ha", "the store takes entries again"); }
    if ((member->stuck = !kept)) { return HA_UNKNOWN; }
    note_revision(member, revision);
    member->config.applied(member->config.context, revision);
    return HA_DONE;
}

/* False: the member has stopped. */
static bool check_place(struct member *member, const struct ha_head *head)
{
    struct err err = { 0 };
    int64_t revision = revision_here(member);
    if (head->last == 0 || (revision <= head->last && revision + 1 >= head->first)) { return true; }
    if (revision > head->last) {
        (void)err_set(&err, ERR_SERVER, "This server's store has commit %lld, and the log ends with %lld: the log was set back, or is another cluster's.",
                      (long long)revision, (long long)head->last);
    } else {
        (void)err_set(&err, ERR_SERVER, "This server's store ends with commit %lld, and the log begins with %lld: start again, and it begins from a copy.",
                      (long long)revision, (long long)head->first);
    }
    stop_for_good(member, &err);
    return false;
}

/* Reads and applies up to the head. HA_REFUSED: the member has stopped. */
static enum ha_end follow_up_to(struct member *member, int64_t last)
{
    struct ha_engine *engine = member->config.engine;
    struct err err = { 0 };
    for (int64_t revision = revision_here(member); revision < last; revision = revision_here(member)) {
        struct ha_entry *items;
        size_t count = 0;
        arena_reset(&member->arena);
        enum ha_end end = engine->ops->read(engine, revision + 1, ENTRIES, ENTRY_BYTES, &items, &count, &member->arena, now_of(member) + CALL_MS);
        if (end != HA_DONE || count == 0) { return HA_UNKNOWN; }     /* none: trimmed meanwhile, the next head says so */
        end = apply(member, items, count, &err);
        if (end == HA_REFUSED) { stop_for_good(member, &err); }
        if (end != HA_DONE) { return end; }
    }
    return HA_DONE;
}

static void announce(struct member *member, int64_t now_ms)
{
    struct ha_engine *engine = member->config.engine;
    struct ha_member self = member->config.self;
    if (member->announced_ms != 0 && now_ms - member->announced_ms < member->config.lease_ms) { return; }
    self.durable = revision_here(member);
    if (engine->ops->announce(engine, &self, 4 * member->config.lease_ms, now_ms + CALL_MS) == HA_DONE) { member->announced_ms = now_ms; }
    if (member->role == MEMBER_LEADS) { others_look(&member->others, engine, &self, now_ms); }
}

/* The lead is this member's by the log's word. The entries before it are all there now: those of an older term can't come any more. */
static int64_t begin_to_lead(struct member *member, int64_t term)
{
    struct ha_engine *engine = member->config.engine;
    struct ha_head head;
    int64_t now_ms = now_of(member), until_ms = now_ms + member->config.lease_ms;
    enum ha_end end = HA_UNKNOWN;
    CANARY(WATCH_IS_TRUSTED, head.term = term; end = HA_DONE);
    while (end == HA_UNKNOWN && now_of(member) < until_ms) {
        end = engine->ops->head(engine, &head, until_ms);
        if (end != HA_DONE) { continue; }
        note_head(member, &head);
        if (head.term != term || !check_place(member, &head)) { break; }
        end = follow_up_to(member, head.last);
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
    if (leads) { log_line(LOG_INFO, "ha", "this member leads: term %lld, from commit %lld", (long long)term, (long long)revision_here(member)); }
    bool ready = leads && member->config.lead(member->config.context);
    lock_take(&member->lock);
    member->ready = ready;
    if (leads && !ready) { member->lost = true; }
    lock_wake_all(&member->changed);
    lock_drop(&member->lock);
    if (!leads) { (void)engine->ops->resign(engine, term, now_of(member) + CALL_MS); }
    return now_of(member);
}

/* The process of a leader is dead when its machine refuses connections twice, and the log has not moved between. */
static bool is_dead(struct member *member, const struct ha_head *head, int64_t now_ms)
{
    const struct member_config *config = &member->config;
    if (config->refuses == NULL || head->address[0] == '\0' || now_ms - member->suspected_ms < SUSPECT_MS) { return false; }
    member->suspected_ms = now_ms;
    if ((member->usurped_ms != 0 && now_ms - member->usurped_ms < USURP_MS) || !config->refuses(config->context, head->address)) { return false; }
    if (config->suspect != NULL) { config->suspect(config->context); }
    rest_until(member, now_ms + SUSPECT_AGAIN_MS);
    if (!config->refuses(config->context, head->address)) { return false; }
    member->usurped_ms = now_ms;
    return true;
}

static int64_t follow_turn(struct member *member)
{
    struct ha_engine *engine = member->config.engine;
    struct ha_head head;
    int64_t now_ms = now_of(member), term = 0;
    if (engine->ops->head(engine, &head, now_ms + CALL_MS) != HA_DONE) { return now_of(member) + AGAIN_MS; }
    note_head(member, &head);
    if (!check_place(member, &head)) { return INT64_MAX; }
    enum ha_end end = follow_up_to(member, head.last);
    if (end != HA_DONE) { return end == HA_REFUSED ? INT64_MAX : now_of(member) + AGAIN_MS; }
    announce(member, now_of(member));
    bool off = fitness_look(&member->fitness, engine, now_of(member));
    now_ms = now_of(member);
    if (head.term != 0 || member->led_ms == 0) { member->led_ms = now_ms > 0 ? now_ms : 1; }
    bool dead = head.term != 0 && !off && is_dead(member, &head, now_ms), lets = off && now_ms - member->led_ms < OFF_RESTS * member->config.lease_ms;
    if ((head.term == 0 || dead) && !lets && now_ms >= member->not_before_ms && (head.last > 0 || member->origin)) {
        if (dead) { log_line(LOG_WARN, "ha", "the leader's machine (%s) refuses connections: this member takes over", head.leader); }
        end = engine->ops->campaign(engine, &member->config.self, member->config.lease_ms, dead ? head.term : 0, &term, now_ms + CALL_MS);
        return end == HA_DONE ? begin_to_lead(member, term) : now_of(member) + AGAIN_MS / 4;
    }
    engine->ops->wait(engine, revision_here(member), now_ms + (member->config.refuses != NULL ? SUSPECT_MS : POLL_MS));
    return now_of(member);
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
    (void)engine->ops->resign(engine, term, now_of(member) + CALL_MS);
    lock_take(&member->lock);
    member->role = MEMBER_FOLLOWS;
    member->hand_over = false;
    if (member->head.term == term) { member->head.term = 0; }
    lock_drop(&member->lock);
    note_revision(member, revision_of(member->store));
    int64_t now_ms = now_of(member);
    if (gives) { member->not_before_ms = now_ms + REST_AFTER_MS * member->config.lease_ms; }
    return now_ms;
}

static void trim(struct member *member, int64_t now_ms, int64_t term)
{
    struct ha_engine *engine = member->config.engine;
    int64_t below = 0;
    if (now_ms - member->trimmed_ms < TRIM_MS) { return; }
    member->trimmed_ms = now_ms;
    if (!others_trim_point(engine, revision_here(member), &below, now_ms + CALL_MS)) { return; }
    if (below > 1 && engine->ops->trim(engine, term, below, now_of(member) + CALL_MS) == HA_UNKNOWN) {
        log_line(LOG_WARN, "ha", "old entries of the log were not removed: it did not answer");
    }
}

static int64_t lead_turn(struct member *member)
{
    struct ha_engine *engine = member->config.engine;
    int64_t now_ms = now_of(member), third_ms = member->config.lease_ms / 3;
    lock_take(&member->lock);
    bool lost = member->lost, gives = member->hand_over, slow = fitness_is_slow(&member->fitness, now_ms);
    int64_t term = member->term;
    lock_drop(&member->lock);
    if (!lost && !gives && slow) {
        struct ha_member self = member->config.self;
        self.durable = revision_here(member);
        gives = others_can_lead(engine, &self, now_ms + CALL_MS);
        if (gives) { log_line(LOG_WARN, "ha", "this machine's disk has been slow for %d s: another one will lead", FITNESS_SLOW_FOR_MS / 1000); }
    }
    if (lost || gives) { return step_down(member, gives && !lost); }
    if (now_ms - member->renewed_ms >= third_ms) {
        enum ha_end end = engine->ops->renew(engine, term, now_ms + third_ms);
        if (end == HA_DONE) { note_proof(member, now_ms); }
        if (end == HA_REFUSED || !member_leads_surely(member, 2 * member->config.lease_ms)) { return step_down(member, false); }
        member->renewed_ms = now_ms;
    }
    announce(member, now_of(member));
    trim(member, now_of(member), term);
    return member->renewed_ms + third_ms;
}

int64_t member_turn(struct member *member)
{
    ASSERT(member->store != NULL);
    if (member->role == MEMBER_STOPPED) { return INT64_MAX; }
    return member->role == MEMBER_LEADS ? lead_turn(member) : follow_turn(member);
}

/* A member that has nothing to read would find only with the next entry that it has another key than the others, or another history. */
static bool check_last(struct member *member, int64_t last, struct err *err)
{
    struct ha_engine *engine = member->config.engine;
    struct ha_entry *entries;
    struct str plain;
    uint8_t mark[STORE_MARK_SIZE], kept[STORE_MARK_SIZE];
    size_t count = 0;
    arena_reset(&member->arena);
    if (engine->ops->read(engine, last, 1, 1, &entries, &count, &member->arena, now_of(member) + CALL_MS) != HA_DONE || count == 0) { return true; }
    struct store_txn *txn = store_read_begin(member->store);
    store_mark(txn, kept);
    bool same = store_revision(txn) == last;
    if (!store_read_end(txn) || !same) { return true; }
    entry_mark(entries[0].bytes, mark);
    return entry_open(&member->key, last, entries[0].bytes, &plain, &member->arena, err) && (memcmp(mark, kept, sizeof mark) == 0 || differs_at(last, err));
}

bool member_catch_up(struct member *member, int64_t until_ms, struct err *err)
{
    struct ha_head head;
    enum ha_end end = HA_UNKNOWN;
    ASSERT(member->store != NULL && !member->started);
    while (end == HA_UNKNOWN && now_of(member) < until_ms) {
        end = member->config.engine->ops->head(member->config.engine, &head, now_of(member) + CALL_MS);
        if (end == HA_DONE) {
            note_head(member, &head);
            end = check_place(member, &head) ? follow_up_to(member, head.last) : HA_REFUSED;
        }
        if (end == HA_UNKNOWN) { rest_until(member, now_of(member) + AGAIN_MS); }
    }
    if (end == HA_REFUSED) { *err = member->over; }
    if (end == HA_DONE && !check_last(member, head.last, err)) { return false; }
    return end == HA_DONE || (end == HA_UNKNOWN ? err_set(err, ERR_SERVER, "The log of the servers does not answer.") : false);
}

static bool wait_turn(struct member *member, int64_t due_ms)
{
    lock_take(&member->lock);
    bool in_time = true;
    while (!member->stopping && in_time && now_of(member) < due_ms && !(member->role == MEMBER_LEADS && (member->lost || member->hand_over))) {
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
        int64_t next_ms = member_turn(member), latest_ms = now_of(member) + 60 * 1000;
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
