/* member.h: one server of several with the same state. One member leads: its commits go through the log (engine.h) before they are kept. The others follow:
 * they apply the log's entries to their own stores. Knows roles, the log and the store; refuses to know HTTP, agents and jobs.
 *
 *   the leader's commit   member_sink: the entry is in the log, then the store keeps it, then the answer leaves
 *   an answer without a commit (a refusal, a read, a poll)   member_confirm, member_read: the log says who leads, by a question that began after the request
 *   a follower            member_turn, on its own thread: reads the log by its numbers, applies, and becomes the leader when there is none
 *
 * A member that is not sure that it leads says nothing. What it leaves open is decided by the log, and by the next leader. */
#ifndef BERTH_HA_MEMBER_H
#define BERTH_HA_MEMBER_H

#include "base/seal.h"
#include "ha/engine.h"
#include "store/store.h"

enum member_role { MEMBER_FOLLOWS, MEMBER_LEADS, MEMBER_STOPPED };       /* STOPPED: its store can't follow the log; member_is_over says why */

enum leader_look { LEADER_ANSWERS, LEADER_SILENT, LEADER_REFUSES };       /* REFUSES: its machine lives, and its process is dead */

struct member_config {
    struct ha_engine *engine;                /* lent */
    struct ha_member self;                   /* `durable` is filled in */
    int64_t lease_ms;                        /* 2,000 to 30,000 */
    /* All on the thread of member_turn. lead: the store has all of the log; when it returns true, this member takes writes. follow: it does not lead any
     * more; when it returns, nothing writes to the store. applied: the store has this revision of another leader. */
    bool (*lead)(void *context);
    void (*follow)(void *context);
    void (*applied)(void *context, int64_t revision);
    enum leader_look (*look)(void *context, const char *address);        /* at this leader's machine. NULL: it is not looked at */
    void (*suspect)(void *context);          /* the leader seems dead, so this member may lead soon. NULL: not asked for */
    void *context;
    int64_t (*now_ms)(void *context);        /* both NULL: the real ones */
    void (*rest)(void *context, int64_t until_ms);
};

struct member;
struct member *member_create(const struct member_config *config);    /* before the store opens: its sink needs it */
/* `origin`: the cluster began with this store, so this member may lead while the log is empty. */
void           member_use(struct member *member, struct store *store, bool origin);         /* lent, until member_free */
/* The key of sealed entries; `seals`: this member's own are sealed. Copied. Before member_catch_up; again if the key is made later, before member_start. */
void           member_seal(struct member *member, const struct seal_key *key, bool seals);
void           member_free(struct member *member);

/* The sink of the store's configuration, with the member as its context. Before member_use all commits are taken, and go nowhere. */
bool           member_sink(void *member, int64_t revision, const struct store_write *writes, size_t count, uint8_t mark[STORE_MARK_SIZE]);

/* ---- its thread ---- */
int64_t        member_turn(struct member *member);                   /* one step; when the next one is due, at the latest */
MUST_USE bool  member_start(struct member *member, struct err *err); /* a thread that takes turns */
/* Gives up the lead, if it has it, so that another may take it at once, and ends the thread. */
void           member_stop(struct member *member);
/* The store has all entries that were in the log when the call began. False and *err: not by that time, or never. For a start; before member_start. */
MUST_USE bool  member_catch_up(struct member *member, int64_t until_ms, struct err *err);

/* ---- any thread ---- */
enum member_role member_role(struct member *member);
MUST_USE bool  member_is_over(struct member *member, struct err *err);
/* This member leads, and the log has said so since the call began. ERR_UNAVAILABLE otherwise. */
MUST_USE bool  member_confirm(struct member *member, struct err *err);
/* This member leads, and has known it within that time: for answers to agents, whose leases count from when they asked. A later leader waits longer. */
bool           member_leads_surely(struct member *member, int64_t within_ms);
/* The store has what the log had when the call began, on any member. ERR_UNAVAILABLE: not within some seconds. */
MUST_USE bool  member_read(struct member *member, struct err *err);
/* Had the store all of the log within that time? */
bool           member_is_fresh(struct member *member, int64_t within_ms);
/* Why the commit of this revision failed, as its callers should hear it. False: for no reason of the log's. The leadership is over when an entry is in the
 * log but not in the store, or may be. */
MUST_USE bool  member_explain(struct member *member, int64_t revision, struct err *err);
/* The address of the member that leads; false: nobody does, as far as is known. Waits for one until then. */
MUST_USE bool  member_leader(struct member *member, int64_t until_ms, char address[HA_ADDRESS_MAX + 1]);
void           member_committed(struct member *member, int64_t revision);     /* the leader's store has it */
void           member_hand_over(struct member *member);              /* a leader gives up the lead to another soon */

struct member_state {
    enum member_role role;
    struct ha_member self;
    int64_t term, last, first;               /* the log's, as of its last answer */
    int64_t own_term;                        /* this member's last leadership; 0: it never led */
    int64_t revision;                        /* of this member's store */
    int64_t heard_ms, kept_ms;               /* how long ago the log answered, and the store had all of it; -1: never */
    char leader[HA_NAME_MAX + 1], address[HA_ADDRESS_MAX + 1];
    bool seals;
    int64_t led, appended, refused, unknown;         /* counters: times it led; entries; refused and open appends */
};
void           member_look(struct member *member, struct member_state *state);

#endif
