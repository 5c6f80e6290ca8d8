/* engine_sim.h: a log in memory, shared by members of one process, that behaves as badly as a real one may: requests and answers are lost, requests come much
 * later than they were sent, leases end at any moment, and others act between any two steps. Everything follows from a seed. One thread. */
#ifndef BERTH_TESTS_UNIT_HA_ENGINE_SIM_H
#define BERTH_TESTS_UNIT_HA_ENGINE_SIM_H

#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "ha/engine.h"

enum { SIM_MEMBERS = 3, SIM_ENTRIES_MAX = 4000, SIM_LATE_MAX = 8 };

struct sim_entry { char nonce[HA_NONCE_SIZE]; char *bytes; size_t len; int64_t term; };
/* An append that is on its way. */
struct sim_late { int64_t term, n; char nonce[HA_NONCE_SIZE]; char *bytes; size_t len; };

struct sim_log {
    struct rng rng;
    struct sim_entry entries[SIM_ENTRIES_MAX];   /* by number */
    int64_t first, last;
    int64_t term, leases_end_ms, next_term;      /* term 0: nobody leads */
    struct ha_member leader;
    struct sim_late late[SIM_LATE_MAX]; size_t late_count;
    struct ha_member members[SIM_MEMBERS]; size_t member_count;
    int64_t now_ms;
    int trouble;                                 /* of 100 calls that many go wrong; 0: none */
    int outage;                                  /* this many more calls get no answer */
    int64_t ended_ms[SIM_ENTRIES_MAX];           /* when each term ended; 0: it has not */
    void (*others)(void *context, size_t but);   /* others act while a call of member `but` is on its way */
    void *context;
    size_t lost, late_landed, expired;           /* counters: the trouble that there was */
};

struct sim_engine { struct ha_engine engine; struct sim_log *log; size_t member; };

static inline struct sim_log *sim_log_of(struct ha_engine *engine) { return ((struct sim_engine *)(void *)engine)->log; }

static inline bool sim_chance(struct sim_log *log, int percent) { return (int)rng_below(&log->rng, 100) < percent; }

/* The conditions of an append, at the moment when it arrives. */
static inline enum ha_end sim_arrive(struct sim_log *log, int64_t term, int64_t n, const char *nonce, const char *bytes, size_t len)
{
    bool there = n <= log->last && n >= log->first && log->last > 0;
    if (there) { return memcmp(log->entries[n].nonce, nonce, HA_NONCE_SIZE) == 0 ? HA_DONE : HA_REFUSED; }
    if (log->term != term || (log->last != 0 && n != log->last + 1) || n >= SIM_ENTRIES_MAX) { return HA_REFUSED; }
    struct sim_entry *entry = &log->entries[n];
    memcpy(entry->nonce, nonce, HA_NONCE_SIZE);
    entry->bytes = malloc(len + 1);
    if (entry->bytes == NULL) { abort(); }
    memcpy(entry->bytes, bytes, len);
    entry->len = len;
    entry->term = term;
    if (log->last == 0) { log->first = n; }
    log->last = n;
    return HA_DONE;
}

static inline void sim_end_term(struct sim_log *log)
{
    if (log->term > 0 && log->term < SIM_ENTRIES_MAX) { log->ended_ms[log->term] = log->now_ms; }
    log->term = 0;
}

/* Between any two steps of a member: time passes, late requests arrive, leases end, others act. */
static inline void sim_between(struct sim_log *log, size_t member)
{
    log->now_ms += (int64_t)rng_below(&log->rng, 40);
    while (log->late_count > 0 && sim_chance(log, 30)) {
        struct sim_late late = log->late[--log->late_count];
        int64_t last = log->last;
        (void)sim_arrive(log, late.term, late.n, late.nonce, late.bytes, late.len);
        log->late_landed += log->last != last;
        free(late.bytes);
    }
    if (log->term != 0 && (log->now_ms > log->leases_end_ms || (log->trouble > 0 && sim_chance(log, 1)))) {
        sim_end_term(log);
        log->expired++;
    }
    if (log->others != NULL) { log->others(log->context, member); }
}

/* The fate of a call: 0 all is well, 1 it is lost, 2 its answer is lost. */
static inline int sim_begin(struct ha_engine *engine)
{
    struct sim_log *log = sim_log_of(engine);
    sim_between(log, ((struct sim_engine *)(void *)engine)->member);
    if (log->outage == 0 && log->trouble > 0 && rng_below(&log->rng, 1000) == 0) { log->outage = 150; }
    bool away = log->outage > 0;
    log->outage -= away;
    int fate = away || sim_chance(log, log->trouble) ? 1 + (int)rng_below(&log->rng, 2) : 0;
    log->lost += fate != 0;
    return fate;
}

static inline enum ha_end sim_end(struct ha_engine *engine, int fate, enum ha_end end)
{
    sim_between(sim_log_of(engine), ((struct sim_engine *)(void *)engine)->member);
    return fate == 0 ? end : HA_UNKNOWN;
}

static inline enum ha_end sim_campaign(struct ha_engine *engine, const struct ha_member *mine, int64_t lease_ms, int64_t instead_of, int64_t *term, int64_t until_ms)
{
    struct sim_log *log = sim_log_of(engine);
    int fate = sim_begin(engine);
    enum ha_end end = HA_REFUSED;
    (void)until_ms;
    if (fate != 1 && log->term == instead_of) {
        sim_end_term(log);
        *term = log->term = ++log->next_term;
        log->leader = *mine;
        log->leases_end_ms = log->now_ms + lease_ms;
        end = HA_DONE;
    }
    return sim_end(engine, fate, end);
}

static inline enum ha_end sim_renew(struct ha_engine *engine, int64_t term, int64_t until_ms)
{
    struct sim_log *log = sim_log_of(engine);
    int fate = sim_begin(engine);
    (void)until_ms;
    bool mine = log->term == term;
    if (fate != 1 && mine) { log->leases_end_ms = log->now_ms + 3000; }
    return sim_end(engine, fate, mine ? HA_DONE : HA_REFUSED);
}

static inline enum ha_end sim_resign(struct ha_engine *engine, int64_t term, int64_t until_ms)
{
    struct sim_log *log = sim_log_of(engine);
    int fate = sim_begin(engine);
    (void)until_ms;
    bool mine = log->term == term;
    if (fate != 1 && mine) { sim_end_term(log); }
    return sim_end(engine, fate, mine ? HA_DONE : HA_REFUSED);
}

static inline enum ha_end sim_confirm(struct ha_engine *engine, int64_t term, int64_t until_ms)
{
    int fate = sim_begin(engine);
    (void)until_ms;
    enum ha_end end = sim_log_of(engine)->term == term ? HA_DONE : HA_REFUSED;
    return sim_end(engine, fate, end);
}

static inline enum ha_end sim_append(struct ha_engine *engine, int64_t term, const struct ha_entry *entry, int64_t until_ms)
{
    struct sim_log *log = sim_log_of(engine);
    int fate = sim_begin(engine);
    (void)until_ms;
    if (fate == 1 && log->late_count < SIM_LATE_MAX && sim_chance(log, 50)) {    /* not lost, but late */
        struct sim_late late = { .term = term, .n = entry->n, .len = entry->bytes.len, .bytes = malloc(entry->bytes.len + 1) };
        if (late.bytes == NULL) { abort(); }
        memcpy(late.nonce, entry->nonce.ptr, HA_NONCE_SIZE);
        memcpy(late.bytes, entry->bytes.ptr, late.len);
        log->late[log->late_count++] = late;
    }
    enum ha_end end = fate == 1 ? HA_UNKNOWN : sim_arrive(log, term, entry->n, entry->nonce.ptr, entry->bytes.ptr, entry->bytes.len);
    return sim_end(engine, fate, end);
}

static inline enum ha_end sim_head(struct ha_engine *engine, struct ha_head *head, int64_t until_ms)
{
    struct sim_log *log = sim_log_of(engine);
    int fate = sim_begin(engine);
    (void)until_ms;
    *head = (struct ha_head){ .last = log->last, .first = log->last == 0 ? 1 : log->first, .term = log->term };
    if (log->term != 0) {
        memcpy(head->leader, log->leader.name, sizeof head->leader);
        memcpy(head->address, log->leader.address, sizeof head->address);
    }
    return sim_end(engine, fate, HA_DONE);
}

static inline enum ha_end sim_read(struct ha_engine *engine, int64_t from, size_t limit, size_t bytes_max, struct ha_entry **entries, size_t *count,
                                   struct arena *arena, int64_t until_ms)
{
    struct sim_log *log = sim_log_of(engine);
    int fate = sim_begin(engine);
    (void)bytes_max;
    (void)until_ms;
    *count = 0;
    *entries = ARENA_NEW(arena, struct ha_entry, limit);
    for (int64_t n = from; log->last > 0 && n >= log->first && n <= log->last && *count < limit; n++) {
        const struct sim_entry *entry = &log->entries[n];
        (*entries)[(*count)++] = (struct ha_entry){ n, arena_str(arena, (struct str){ entry->nonce, HA_NONCE_SIZE }),
                                                    arena_str(arena, (struct str){ entry->bytes, entry->len }) };
    }
    return sim_end(engine, fate, HA_DONE);
}

static inline enum ha_end sim_trim(struct ha_engine *engine, int64_t term, int64_t below, int64_t until_ms)
{
    struct sim_log *log = sim_log_of(engine);
    (void)until_ms;
    if (log->term != term) { return HA_REFUSED; }
    if (below > log->first) { log->first = below; }
    return HA_DONE;
}

static inline enum ha_end sim_announce(struct ha_engine *engine, const struct ha_member *mine, int64_t lease_ms, int64_t until_ms)
{
    struct sim_log *log = sim_log_of(engine);
    (void)lease_ms;
    (void)until_ms;
    size_t m = 0;
    while (m < log->member_count && strcmp(log->members[m].name, mine->name) != 0) { m++; }
    if (m == log->member_count) { log->member_count++; }
    log->members[m] = *mine;
    return HA_DONE;
}

static inline enum ha_end sim_members(struct ha_engine *engine, struct ha_member *members, size_t *count, int64_t until_ms)
{
    struct sim_log *log = sim_log_of(engine);
    (void)until_ms;
    *count = log->member_count;
    memcpy(members, log->members, log->member_count * sizeof *members);
    return HA_DONE;
}

static inline void sim_wait(struct ha_engine *engine, int64_t n, int64_t until_ms)
{
    struct sim_log *log = sim_log_of(engine);
    if (log->last <= n && until_ms > log->now_ms) { log->now_ms += (int64_t)rng_below(&log->rng, (uint32_t)(until_ms - log->now_ms) + 1); }
}

static const struct ha_engine_ops sim_ops = {
    .campaign = sim_campaign, .renew = sim_renew, .resign = sim_resign, .confirm = sim_confirm, .append = sim_append, .head = sim_head, .read = sim_read,
    .trim = sim_trim, .announce = sim_announce, .members = sim_members, .wait = sim_wait,
};

static inline void sim_log_free(struct sim_log *log)
{
    for (size_t n = 0; n < SIM_ENTRIES_MAX; n++) { free(log->entries[n].bytes); }
    for (size_t l = 0; l < log->late_count; l++) { free(log->late[l].bytes); }
}

#endif
