/* plan.h: which commands make HAProxy send to the targets of a state, and to no others. Pure: the state and what HAProxy has go in, commands of its
 * runtime interface come out. The same for every look, so nothing is remembered: after a restart or a reload, the next look finds all of it again.
 * Backends are called tg_GROUP, servers by the number of their target; other servers are left alone. */
#ifndef BERTH_CLI_FEED_PLAN_H
#define BERTH_CLI_FEED_PLAN_H

#include "cli/feed/state.h"

#define PLAN_BACKEND "tg_"

enum { SERVER_MAINT = 0x01 | 0x02 | 0x04 | 0x20 | 0x40, SERVER_DRAIN = 0x08 | 0x10 };      /* bits of srv_admin_state */

/* A server as HAProxy has it. */
struct plan_server { struct str backend, name; unsigned admin; int64_t weight, requests; };      /* requests: those that are not answered */
struct plan_backend { struct str name; int64_t requests; };      /* requests: since this worker began */
struct plan_seen {
    struct plan_backend *backends; size_t backend_count;         /* sorted by name */
    struct plan_server *servers; size_t server_count;            /* sorted by backend and name: plan_sort */
    struct str map;                                              /* the map of weights; absent: this HAProxy has none */
    struct pair_list weights;                                    /* in it */
};
void plan_sort(struct plan_seen *seen);

struct plan {
    struct str_list commands;                                    /* in their order */
    struct str_list busy;                                        /* targets that drain and may have requests */
    bool waits;                                                  /* for requests to end: look again soon */
};

/* Texts live in `arena` or are borrowed. */
void plan_make(const struct feed_state *state, const struct plan_seen *seen, int64_t now_ms, struct plan *plan, struct arena *arena);

/* The text behind ADDRESS:PORT for a new server of the group, and the target's weight now, 1 to 100: slow start makes it grow. */
void    plan_put_server(const struct feed_group *group, const struct feed_target *target, struct buf *out);
int64_t plan_weight(const struct feed_group *group, const struct feed_target *target, int64_t now_ms);
bool    plan_wants(const struct feed_target *target);            /* is it healthy, with an address that can be written? */
struct str plan_address(const struct feed_target *target, struct arena *arena);                 /* ADDRESS:PORT, or [ADDRESS]:PORT */

/* The map of weights: for each group of an action that has more than one, RULE/GROUP → the end of its part of 0 to 1000. The first group whose end is
 * greater than a random number below 1000 gets the request. */
struct pair_list plan_weights(const struct feed_state *state, struct arena *arena);
struct str       plan_weight_key(struct str arn, struct str group, struct arena *arena);         /* arn: of the rule, or of the listener for its own action */

struct str       plan_end_of(struct str arn);                      /* behind the last '/' */

bool plan_is_name(struct str text);                              /* 1 to 128 letters, digits, '-', '_' and '.': safe in commands and configurations */

#endif
