/* engine.h: a log of entries that decides: who leads, and whether an entry has happened. Knows numbers, terms and times; refuses to know the content of an
 * entry. Each engine is a table of functions: engine_etcd.c over etcd, and the simulated one of the tests.
 *
 * Entries are numbered without a gap. Only the leader appends: entry n is taken if the leader's key is still its own, n is not there, and n - 1 is. The two
 * conditions are independent, so an old leader can't add to the log, however wrong its clock is. A term is the number of one leadership; later
 * terms have higher numbers.
 *
 * An arena that is given has HA_ARENA as its ceiling: room for one useless answer of the largest size from each endpoint.
 *
 * Any function may be called by any thread, several at a time. Each returns by the given time (clock_monotonic_ms) or soon after; a call that got no answer
 * is HA_UNKNOWN: it may have happened or not. */
#ifndef BERTH_HA_ENGINE_H
#define BERTH_HA_ENGINE_H

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"

enum ha_end {
    HA_DONE,
    HA_REFUSED,                              /* a condition does not hold: another leads, or the place is taken; nothing has changed */
    HA_UNKNOWN,                              /* no answer: ask again with the same words */
    HA_FULL                                  /* of an append: the log has no space for it; nothing has changed */
};

enum {
    HA_NAME_MAX = 64, HA_ADDRESS_MAX = 256, HA_WORD_LEN = 32, HA_MEMBERS_MAX = 16, HA_NONCE_SIZE = 16, HA_PROBLEM_SIZE = 256,
    HA_ENTRY_MAX = 64 << 20, HA_ARENA = 768 << 20        /* bytes */
};

/* A member as the others see it. Texts end with NUL. */
struct ha_member {
    char name[HA_NAME_MAX + 1], address[HA_ADDRESS_MAX + 1], release[HA_NAME_MAX + 1];       /* address: a URL that other members reach */
    char word[HA_WORD_LEN + 1];              /* chance: who says it to another member is a member, because only members read it here */
    int64_t durable;                         /* the last entry that its disk has */
    int64_t format;                          /* the newest format of entries that it reads */
    int64_t priority;                        /* higher: preferred as leader */
};

/* The state of the log at one moment after the call began (linearizable). */
struct ha_head {
    int64_t last;                            /* the last entry; 0: there is none */
    int64_t first;                           /* the oldest that is kept; last + 1: none is */
    int64_t term;                            /* of the leader; 0: nobody leads */
    char leader[HA_NAME_MAX + 1], address[HA_ADDRESS_MAX + 1];
    int64_t now_ms;                          /* the engine's clock, if it has one; 0: it has none */
};

struct ha_entry { int64_t n; struct str nonce, bytes; };      /* nonce: HA_NONCE_SIZE bytes, chance: it tells who wrote the entry */

/* For a person: how the engine is. Texts end with NUL. */
struct ha_endpoint {
    char name[HA_ADDRESS_MAX + 1];
    bool answers;
    char version[HA_NAME_MAX + 1], trouble[256];         /* trouble: of one that does not answer, or complains; empty: none */
    int64_t size;                            /* bytes of its database; 0: not known */
    int64_t date_ms;                         /* its clock, in whole seconds; 0: not known */
};
struct ha_health {
    struct ha_endpoint endpoints[HA_MEMBERS_MAX]; size_t count;
    char alarm[HA_NAME_MAX + 1];             /* "NOSPACE": it takes no writes; empty: none, or nobody answered */
};

struct ha_engine;
struct ha_engine_ops {
    /* The cluster's id, made once: *id is the one after the call, `proposed` when there was none. Up to HA_NAME_MAX bytes; in `arena`. */
    enum ha_end (*claim_id)(struct ha_engine *engine, struct str proposed, struct str *id, struct arena *arena, int64_t until_ms);
    /* Becomes the leader with a lease of lease_ms when nobody is, or, when `instead_of` is not 0, in place of the leader of that term, however alive it is.
     * Each try has a new lease. HA_REFUSED: another leads. */
    enum ha_end (*campaign)(struct ha_engine *engine, const struct ha_member *mine, int64_t lease_ms, int64_t instead_of, int64_t *term, int64_t until_ms);
    /* The lease of this leadership begins again. HA_REFUSED: it is over. */
    enum ha_end (*renew)(struct ha_engine *engine, int64_t term, int64_t until_ms);
    enum ha_end (*resign)(struct ha_engine *engine, int64_t term, int64_t until_ms);
    /* Is `term` still the leader's? An answer that began after the call did. HA_REFUSED: it is not. */
    enum ha_end (*confirm)(struct ha_engine *engine, int64_t term, int64_t until_ms);
    /* HA_DONE also when this very entry (its nonce) is there already. HA_REFUSED: it is not there, and this term can't add it any more. One try by one
     * endpoint: the caller repeats an UNKNOWN one. Entries of more than a request of the engine go in parts; none is seen before all are there. */
    enum ha_end (*append)(struct ha_engine *engine, int64_t term, const struct ha_entry *entry, int64_t until_ms);
    enum ha_end (*head)(struct ha_engine *engine, struct ha_head *head, int64_t until_ms);
    /* Entries from `from` on, in order and without a gap, at most `limit` and about `bytes_max` together, but at least one if there is one. *count 0: `from` is
     * not there (yet, or any more: ask for the head). Lists are in `arena`. */
    enum ha_end (*read)(struct ha_engine *engine, int64_t from, size_t limit, size_t bytes_max, struct ha_entry **entries, size_t *count, struct arena *arena,
                        int64_t until_ms);
    /* Entries below `below` go, and so does the engine's own history. Only the leader of `term` may. */
    enum ha_end (*trim)(struct ha_engine *engine, int64_t term, int64_t below, int64_t until_ms);
    /* Writes this member down for lease_ms, again at each call. `members`: all that are written down, up to HA_MEMBERS_MAX, in order of names. */
    enum ha_end (*announce)(struct ha_engine *engine, const struct ha_member *mine, int64_t lease_ms, int64_t until_ms);
    enum ha_end (*members)(struct ha_engine *engine, struct ha_member *members, size_t *count, int64_t until_ms);
    /* Returns when the log may have moved past entry n, or the time has come: a hint, no more. */
    void (*wait)(struct ha_engine *engine, int64_t n, int64_t until_ms);
    /* Removes what a member has written down; one that lives writes it again. HA_REFUSED: there is none of this name. */
    enum ha_end (*forget)(struct ha_engine *engine, const char *name, int64_t until_ms);
    /* Asks each endpoint by itself; returns when all have answered or have had their share of the time. */
    void (*health)(struct ha_engine *engine, struct ha_health *health, int64_t until_ms);
    /* One small durable write beside the log, for who measures how long that takes. */
    enum ha_end (*probe)(struct ha_engine *engine, int64_t until_ms);
    /* Why the last call that failed did, for a person; empty: none has. */
    void (*problem)(struct ha_engine *engine, char words[HA_PROBLEM_SIZE]);
    void (*close)(struct ha_engine *engine);
};
struct ha_engine { const struct ha_engine_ops *ops; };       /* the first member of an engine's own struct */

/* ---- engine_etcd.c ---- */
struct ha_etcd_config {                      /* texts are borrowed while it opens; NULL: none */
    const char *url;                         /* etcd://h1:2379,h2:2379,h3:2379/NAME; etcds:// for TLS */
    const char *user, *password;
    const char *ca, *cert, *key;             /* PEM files */
    const char *near;                        /* a URL: the endpoint on its host, if there is one, is asked first */
};
/* Asks nothing yet: etcd may be away. ERR_INVALID_PARAMETER: no such URL. *engine owned. */
MUST_USE bool ha_etcd_open(const struct ha_etcd_config *config, struct ha_engine **engine, struct err *err);

#endif
