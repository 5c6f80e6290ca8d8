/* members.h: this server as one of several with the same state (--ha). Knows the member (ha/member.h), how a server joins, and how a follower hands a
 * request on to the leader; refuses to know what requests mean. */
#ifndef BERTH_SERVER_MEMBERS_MEMBERS_H
#define BERTH_SERVER_MEMBERS_MEMBERS_H

#include "ha/member.h"
#include "server/net/http.h"

struct members_config {                      /* texts are lent; NULL: none */
    struct ha_etcd_config etcd;
    const char *name, *advertise;            /* of this member, and the URL at which the others and the clients reach it */
    int64_t lease_ms, max_stale_ms;
    const char *data_dir;
    bool certified;                          /* members show each other a certificate: this server speaks TLS and has one for them */
    size_t holding_max;                      /* requests that may wait for a leader at once: each holds a thread */
    bool (*lead)(void *context);             /* all four: as in struct member_config */
    void (*follow)(void *context);
    void (*applied)(void *context, int64_t revision);
    void (*suspect)(void *context);
    void *context;
};

struct members;
/* Asks nothing yet. ERR_INVALID_PARAMETER: a setting that can't be. *members owned. */
MUST_USE bool members_create(const struct members_config *config, struct members **members, struct err *err);
void          members_free(struct members *members);                 /* accepts NULL; member_stop before */
struct member *members_member(struct members *members);
struct ha_engine *members_engine(struct members *members);
const char   *members_data_dir(const struct members *members);
/* The state here is of a moment within the last max_stale_ms, as far as this member knows. ERR_UNAVAILABLE: it may be older. */
MUST_USE bool members_is_fresh(struct members *members, struct err *err);

/* Makes the open store this cluster's: a new folder takes the cluster's id, the key of the secrets and, where the log does not reach back, a copy of another
 * member's store. *store may be closed and opened again, by `config`. Waits for etcd and for a leader until a signal asks the process to stop. False and
 * *err: that, or this folder is another cluster's, or there is no copy. */
MUST_USE bool members_join(struct members *members, const struct store_config *config, struct store **store, struct err *err);

/* After ERR_STORE_DAMAGED, when nothing uses the folder any more: the store of one of several servers is kept as data.mdb.damaged, and this server begins from
 * a copy when it starts again. *err, which has the cause, says so then; it stays as it is where the folder is none of several, or another process's. */
void          members_set_aside(const char *data_dir, struct err *err);

/* ---- requests, any thread ---- */
/* The request as it came, to the leader; its answer is this one's. While nobody leads, it waits for up to MEMBERS_HOLD_MS. HERE: this server leads by now.
 * FAILED and *err (ERR_UNAVAILABLE): it did not reach a leader, or nobody knows whether it did. */
enum forward_end { FORWARD_DONE, FORWARD_HERE, FORWARD_FAILED };
enum { MEMBERS_HOLD_MS = 20 * 1000, MEMBERS_PROOF_MS = 2000 };
enum forward_end members_forward(struct members *members, struct http_request *request, struct http_answer *answer, struct err *err);
/* Does a member that joins ask? It has a certificate, where members have them, and its word is in the log's list of members, where only members write. */
MUST_USE bool members_check_joiner(struct members *members, const struct http_request *request, struct err *err);

#endif
