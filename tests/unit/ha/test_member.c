/* Three members with real stores over one log that loses, delays and repeats (engine_sim.h), paused between any two of their steps: acknowledged values stay,
 * refused ones never happened, and members with the same number of commits have the same state.
 *
 *   unit_ha_test_member [RUNS]      as many seeds; the suite runs some */
#include "ha/member.h"
#include "store/store_internal.h"
#include "tests/unit/check.h"
#include "tests/unit/ha/engine_sim.h"

#include <stdio.h>
#include <unistd.h>

#include "base/log.h"

/* Three stores in one thread: ThreadSanitizer would call the order of their locks a danger. */
const char *__tsan_default_options(void);
const char *__tsan_default_options(void) { return "detect_deadlocks=0"; }

enum { RUNS = 12, STEPS = 1500, LEASE_MS = 3000, VALUES_MAX = 4000, DEPTH_MAX = 2 };

enum fate { NOT_TRIED, ACKNOWLEDGED, REFUSED, OPEN };
struct actor {
    char dir[64];
    struct store *store;
    struct member *member;
    struct sim_engine engine;
    struct cluster_run *run;
    size_t number;
    bool open, busy;                         /* open: it takes writes; busy: it waits for the log */
};
struct cluster_run {
    struct sim_log log;
    struct actor actors[SIM_MEMBERS];
    enum fate fates[VALUES_MAX]; size_t values;
    int depth;
    size_t acknowledged, refused, unsure, leads, reads, confirms, polls, disk_failures, refused_looks, suspected;
};

/* ---- a member's surroundings ---- */

static bool on_lead(void *context) { struct actor *actor = context; actor->open = true; actor->run->leads++; return true; }
static void on_follow(void *context) { struct actor *actor = context; actor->open = false; }
static void on_applied(void *context, int64_t revision) { (void)context; (void)revision; }
static void on_suspect(void *context) { struct actor *actor = context; actor->run->suspected++; }

/* The leader is alive, also when its machine seems dead. */
static enum leader_look on_look(void *context, const char *address)
{
    struct actor *actor = context;
    enum leader_look seen = (enum leader_look)rng_below(&actor->run->log.rng, 3);
    CHECK("an address", address[0] != '\0');
    actor->run->refused_looks += seen == LEADER_REFUSES;
    return seen;
}

static int64_t now_ms(void *context) { const struct actor *actor = context; return actor->run->log.now_ms; }

static void on_rest(void *context, int64_t until_ms)
{
    struct actor *actor = context;
    if (until_ms > actor->run->log.now_ms) { actor->run->log.now_ms = until_ms; }
    sim_between(&actor->run->log, actor->number);
}

/* The entry is in the log, and then the disk fails: the commit is not kept. */
static bool fragile_sink(void *context, int64_t revision, const struct store_write *writes, size_t count, uint8_t mark[STORE_MARK_SIZE])
{
    struct actor *actor = context;
    if (!member_sink(actor->member, revision, writes, count, mark)) { return false; }
    bool fails = actor->run->log.others != NULL && rng_below(&actor->run->log.rng, 100) == 0;
    actor->run->disk_failures += fails;
    return !fails;
}

static void begin_actor(struct cluster_run *run, size_t number)
{
    struct actor *actor = &run->actors[number];
    struct err err = { 0 };
    *actor = (struct actor){ .dir = "/tmp/berth-member-XXXXXX", .run = run, .number = number, .engine = { { &sim_ops }, &run->log, number } };
    if (access("/dev/shm", W_OK) == 0) { (void)snprintf(actor->dir, sizeof actor->dir, "/dev/shm/berth-member-XXXXXX"); }
    struct member_config config = {
        .engine = &actor->engine.engine, .lease_ms = LEASE_MS, .lead = on_lead, .follow = on_follow, .applied = on_applied, .context = actor, .now_ms = now_ms,
        .rest = on_rest, .look = on_look, .suspect = on_suspect,
    };
    (void)snprintf(config.self.name, sizeof config.self.name, "m%zu", number);
    (void)snprintf(config.self.address, sizeof config.self.address, "http://m%zu", number);
    actor->member = member_create(&config);
    struct store_config store = { .dir = mkdtemp(actor->dir), .map_size = (size_t)64 << 20, .sink = fragile_sink, .sink_context = actor };
    if (!store_open(&store, &actor->store, &err)) { abort(); }
    static const struct seal_key key = { { 7 } };
    member_seal(actor->member, &key, number == 1);               /* one of them seals what it writes */
    member_use(actor->member, actor->store, number == 0);
}

static void end_actor(struct actor *actor)
{
    char path[96];
    member_free(actor->member);
    store_close(actor->store);
    static const char *const files[] = { "data.mdb", "lock.mdb" };
    for (size_t f = 0; f < COUNT_OF(files); f++) {
        (void)snprintf(path, sizeof path, "%s/%s", actor->dir, files[f]);
        (void)unlink(path);
    }
    (void)rmdir(actor->dir);
}

/* ---- what clients do ---- */

static struct str value_name(char *text, size_t value)
{
    (void)snprintf(text, 24, "value-%zu", value);
    return str_from(text);
}

static bool has_value(struct store *store, size_t value)
{
    char text[24];
    struct arena arena = { .ceiling = 4096 };
    struct store_txn *txn = store_read_begin(store);
    bool found = str_is_set(store_meta(txn, value_name(text, value), &arena));
    CHECK("read", store_read_end(txn));
    arena_finish(&arena);
    return found;
}

/* As the writing thread does: run, commit, and say what became of it. */
static void write_value(struct actor *actor)
{
    struct cluster_run *run = actor->run;
    struct err err = { 0 };
    char text[24];
    int64_t revision;
    if (run->values == VALUES_MAX) { return; }
    size_t value = run->values++;
    struct store_txn *txn = store_write_begin(actor->store);
    store_put_meta(txn, value_name(text, value), STR("1"));
    if (store_write_commit(txn, &revision)) {
        run->fates[value] = ACKNOWLEDGED;
        run->acknowledged++;
        member_committed(actor->member, revision);
    } else if (member_explain(actor->member, revision, &err)) {
        run->fates[value] = err.code == ERR_UNAVAILABLE ? REFUSED : OPEN;
        if (err.code == ERR_UNAVAILABLE) { run->refused++; } else { run->unsure++; }
    } else {
        CHECK("a commit fails for the log's reasons only", false);
    }
}

/* A refusal leaves: nobody else may have led when the question began, and what it rests on had all of the log. */
static void confirm(struct actor *actor)
{
    struct err err = { 0 };
    struct member_state state;
    int64_t before = actor->run->log.term, last = actor->run->log.last;
    if (!actor->open) { return; }
    struct store_txn *txn = store_read_begin(actor->store);
    int64_t revision = store_revision(txn);
    CHECK("read", store_read_end(txn));
    if (!member_confirm(actor->member, &err)) { return; }
    member_look(actor->member, &state);
    CHECK("its store had all entries", revision >= last);
    CHECK("who confirms led when it was asked", before == state.own_term);
    actor->run->confirms++;
}

/* An agent's lease may begin again when its poll is answered: by who has led within the last seconds. */
static void answer_poll(struct actor *actor)
{
    enum { PROOF_MS = 2000 };
    struct member_state state;
    const struct sim_log *log = &actor->run->log;
    if (!member_leads_surely(actor->member, PROOF_MS)) { return; }
    member_look(actor->member, &state);
    CHECK("its term has not ended long ago", log->ended_ms[state.own_term] == 0 || log->now_ms - log->ended_ms[state.own_term] <= PROOF_MS);
    actor->run->polls++;
}

static void read_checked(struct actor *actor)
{
    struct err err = { 0 };
    int64_t before = actor->run->log.last;
    if (!member_read(actor->member, &err)) { return; }
    struct store_txn *txn = store_read_begin(actor->store);
    CHECK("a checked read has all that was there when it began", store_revision(txn) >= before);
    CHECK("read", store_read_end(txn));
    actor->run->reads++;
}

static void act(struct actor *actor)
{
    uint32_t what = (uint32_t)rng_below(&actor->run->log.rng, 10);
    struct err err = { 0 };
    if (actor->busy) { return; }
    actor->busy = true;
    if (what < 4 && actor->open) { write_value(actor); }
    else if (what == 4) { confirm(actor); }
    else if (what == 5) { read_checked(actor); }
    else if (what == 7) { answer_poll(actor); }
    else if (what == 6 && rng_below(&actor->run->log.rng, 20) == 0) { member_hand_over(actor->member); }
    else { (void)member_turn(actor->member); }
    CHECK("no member stops", !member_is_over(actor->member, &err));
    actor->busy = false;
}

static void others(void *context, size_t but)
{
    struct cluster_run *run = context;
    if (run->depth >= DEPTH_MAX) { return; }
    run->depth++;
    for (size_t more = rng_below(&run->log.rng, 3); more > 0; more--) {
        size_t other = rng_below(&run->log.rng, SIM_MEMBERS);
        if (other != but) { act(&run->actors[other]); }
    }
    run->depth--;
}

/* ---- at the end ---- */

static void settle(struct cluster_run *run)
{
    run->log.trouble = run->log.outage = 0;
    run->log.others = NULL;
    for (int turns = 0; turns < 400; turns++) {
        run->log.now_ms += 100;
        for (size_t m = 0; m < SIM_MEMBERS; m++) { (void)member_turn(run->actors[m].member); }
    }
}

static void check_end(struct cluster_run *run)
{
    uint8_t marks[SIM_MEMBERS][STORE_MARK_SIZE];
    for (size_t m = 0; m < SIM_MEMBERS; m++) {
        struct store_txn *txn = store_read_begin(run->actors[m].store);
        CHECK_EQ("every member has all of the log", store_revision(txn), run->log.last);
        store_mark(txn, marks[m]);
        CHECK("read", store_read_end(txn));
        CHECK("and the same history", memcmp(marks[m], marks[0], STORE_MARK_SIZE) == 0);
        for (size_t v = 0; v < run->values; v++) {
            bool has = has_value(run->actors[m].store, v);
            CHECK("acknowledged ones are there", run->fates[v] != ACKNOWLEDGED || has);
            CHECK("refused ones never were", run->fates[v] != REFUSED || !has);
        }
    }
}

/* A start with all entries looks at the last one. */
static void check_start(struct cluster_run *run)
{
    struct err err = { 0 };
    struct member *member = run->actors[0].member;
    char *letter = &run->log.entries[run->log.last].bytes[run->log.entries[run->log.last].len - 1];
    CHECK("its last entry is the log's", member_catch_up(member, run->log.now_ms + 1000, &err));
    *letter ^= 1;
    CHECK("another one is another history", !member_catch_up(member, run->log.now_ms + 1000, &err));
    CHECK(err.message, strstr(err.message, "different histories") != NULL || strstr(err.message, "sealed") != NULL);
    *letter ^= 1;
}

static void one_run(uint64_t seed)
{
    static struct cluster_run run;
    memset(&run, 0, sizeof run);
    rng_seed(&run.log.rng, seed);
    run.log.now_ms = 1000;
    run.log.trouble = (int)(seed % 4) * 7;
    for (size_t m = 0; m < SIM_MEMBERS; m++) { begin_actor(&run, m); }
    run.log.others = others;
    run.log.context = &run;
    for (int step = 0; step < STEPS; step++) {
        run.log.now_ms += (int64_t)rng_below(&run.log.rng, 60);
        act(&run.actors[rng_below(&run.log.rng, SIM_MEMBERS)]);
    }
    settle(&run);
    check_end(&run);
    check_start(&run);
    CHECK("much was written, by several leaders", run.acknowledged > 50 && run.leads > 3 && run.reads > 0 && run.confirms > 0 && run.polls > 0);
    CHECK("leaders that live were taken for dead, and for silent", run.refused_looks > 0 && run.suspected > run.refused_looks / 2);
    CHECK("and much went wrong", run.log.trouble > 0 || seed % 4 == 0 || (run.log.lost > 20 && run.log.expired > 0));
    for (size_t m = 0; m < SIM_MEMBERS; m++) { end_actor(&run.actors[m]); }
    sim_log_free(&run.log);
    if (getenv("VERBOSE") != NULL) {
        printf("seed %llu: %zu acknowledged, %zu refused, %zu open, %zu leads, %zu reads, %zu confirms, %zu polls, %zu disk failures, %zu lost, %zu late, %zu expired\n", (unsigned long long)seed,
               run.acknowledged, run.refused, run.unsure, run.leads, run.reads, run.confirms, run.polls, run.disk_failures, run.log.lost, run.log.late_landed, run.log.expired);
    }
}

int main(int argc, char **argv)
{
    int64_t runs = RUNS;
    if (argc > 1 && !str_to_i64(str_from(argv[1]), &runs)) { return 2; }
    log_set_level(LOG_ERROR);
    for (int64_t seed = 1; seed <= runs; seed++) { one_run((uint64_t)seed); }
    return check_report();
}
