/* client.h: the agent's loop: signed HTTP calls to the server, timers, and work handed over by other threads, all run by the one thread that
 * turns it. Thousands of calls may be open at once. Knows HTTP, signatures and errors (libcurl's one owner in this room); refuses to know what
 * calls ask and what the answers mean. */
#ifndef BERTH_AGENT_LINK_CLIENT_H
#define BERTH_AGENT_LINK_CLIENT_H

#include "agent/link/credentials.h"
#include "base/timers.h"

enum { CLIENT_URL_MAX = 512, CLIENT_REPLY_MAX = 8 * 1024 * 1024 };

/* Where calls go: "http://10.0.0.5:9280/prefix" taken apart. */
struct endpoint { char origin[CLIENT_URL_MAX], host[CLIENT_URL_MAX], prefix[CLIENT_URL_MAX]; bool loopback; };
bool endpoint_parse(struct str url, struct endpoint *endpoint, struct err *err);
/* The URLs of servers with one state, with commas between. All are good, or *err says which is not. */
enum { ENDPOINTS_MAX = 8 };
struct endpoints { struct endpoint items[ENDPOINTS_MAX]; size_t count; };
bool endpoints_parse(struct str urls, struct endpoints *endpoints, struct err *err);

struct reply {
    long status;                                 /* HTTP; 0: there was no answer */
    struct str body;                             /* borrowed until done() returns */
    struct err err;                              /* code ERR_NONE when all is well */
    bool closing;                                /* the loop has ended; nothing is wrong, and no call is tried again */
};
bool reply_is_transient(const struct reply *reply);     /* the same call may succeed later */
void reply_read_error(struct reply *reply);             /* fills err from the status and the body */
enum err_code reply_error_code(struct str name, long status);    /* of an error as answers name it; unknown: by the HTTP status */

enum call_kind { CALL_SHORT, CALL_LONG };        /* few short calls go out at once; long polls all do */

/* One call. Lives inside the struct of its caller, in place until done() has been called; done() may start it again. */
struct call {
    /* set by the caller */
    const struct endpoint *endpoint;
    const char *path;                            /* behind the endpoint's prefix: "/" */
    const char *operation;                       /* "RunTask", "AmazonSSM.GetParameters"; NULL: the path is enough */
    enum call_kind kind;
    const struct credentials *credentials;       /* the signature's; NULL: the agent's own */
    int64_t timeout_ms;
    void (*done)(void *owner, const struct reply *reply);
    void *owner;
    /* the client's */
    char *body; size_t body_len;
    char *answer; size_t answer_len, answer_capacity;
    void *easy, *headers, *pool;                 /* pool: the one that it is in now */
    void *home;                                  /* the pool of its long calls: its connection is there */
    struct call *next, *previous;
    char *error_text;                            /* while it is on its way */
    int64_t server_time_ms;                      /* from the answer's Date header; 0: none */
    size_t sent_to;                              /* which of the client's servers had the address then */
    bool active, queued, corrected;              /* on its way; waits to be sent; sent again with a better clock */
};

/* Work for the loop's thread. */
struct post { void (*run)(void *owner); void *owner; struct post *next; };

struct client;
struct client *client_create(const struct credentials *credentials, const char *region, struct err *err);   /* owned; credentials borrowed */
const struct credentials *client_credentials(const struct client *client);       /* borrowed, as they were */
void    client_destroy(struct client *client);                                   /* NULL: nothing */
void    client_set_ca(struct client *client, const char *ca_file);               /* before the first call; borrowed; see ca.h */

/* Before the first call. `server`, lent, holds one of `all`, borrowed: when a call to it gets no answer, it becomes the next one. */
void    client_set_servers(struct client *client, struct endpoint *server, const struct endpoints *all);

/* The loop's thread only. */
void    client_start(struct client *client, struct call *call, struct str body); /* body is copied */
void    client_cancel(struct client *client, struct call *call);                 /* done() is not called; not on its way: nothing */
void    client_leave(struct call *call);                                          /* a call that will not be started again; its pool has room for one more */
struct timers *client_timers(struct client *client);
struct rng *client_rng(struct client *client);
int64_t client_now(const struct client *client);                                 /* monotonic, as of this turn */
void    client_turn(struct client *client, int64_t wait_ms);                     /* waits at most this long for something to do */
void    client_close(struct client *client);                                     /* ends all calls: each gets the answer of a lost one */

/* Any thread. `post` stays the client's until it is run. False: the loop has ended and it will not be. */
bool    client_post(struct client *client, struct post *post);
/* Any thread but the loop's: waits for the answer. *body lives in `arena`. */
bool    client_call(struct client *client, const struct endpoint *endpoint, const char *path, const char *operation, struct str request,
                    int64_t timeout_ms, struct str *body, bool *transient, struct arena *arena, struct err *err);
/* The same, signed with these (borrowed) instead of the agent's own; NULL: with those. */
bool    client_call_as(struct client *client, const struct credentials *credentials, const struct endpoint *endpoint, const char *path,
                       const char *operation, struct str request, int64_t timeout_ms, struct str *body, bool *transient, struct arena *arena,
                       struct err *err);
/* The same, to one of Berth's own paths; a CALL_LONG may wait for long without delaying others. */
bool    client_call_kind(struct client *client, enum call_kind kind, const struct endpoint *endpoint, const char *path, struct str request,
                         int64_t timeout_ms, struct str *body, bool *transient, struct arena *arena, struct err *err);

#endif
