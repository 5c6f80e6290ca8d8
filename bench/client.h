/* client.h: signed requests over plain sockets, for driving a server hard: built once, sent many times. Knows HTTP/1.1 with
 * keep-alive and a Content-Length; nothing more. */
#ifndef BERTH_BENCH_CLIENT_H
#define BERTH_BENCH_CLIENT_H

#include "base/arena.h"

_Noreturn void bench_fail(const char *what, struct str detail);
int64_t  bench_now_us(void);                                 /* monotonic */
uint64_t bench_chance(uint64_t *state);                      /* xorshift64, so that every run asks for the same */
#define BENCH_SEED 88172645463325252u
int64_t  bench_number(const char *text);                     /* an argument of the program; ends it when that is no number from 0 on */
void     bench_sort(int64_t *values, size_t count);
double   bench_ms(const int64_t *sorted_us, size_t count, size_t percent);   /* 50: the median, 100: the last; count > 0 */

struct bench_target { const char *host; int port; const char *path, *access_key, *secret; };

/* The bytes of one POST, signed now: good for five minutes. `operation` NULL: no target header (paths of Berth's own). */
struct str bench_request(const struct bench_target *target, const char *path, const char *operation, struct str body, struct arena *arena);

int  bench_try_connect(const struct bench_target *target);  /* a blocking socket with TCP_NODELAY; -1 and errno when refused */
int  bench_connect(const struct bench_target *target);      /* the same; ends the program when refused */
void bench_close(int fd);
void bench_begin(void);                                     /* once: connections speak TLS when BENCH_TLS is set; whose certificate it is, is not asked */
bool bench_send(int fd, struct str request);                /* false: it did not leave as a whole */

/* The part of an answer that has been read. True once it is whole; *status is then its HTTP status and the buffer is empty again. */
struct bench_answer { char bytes[16 * 1024 * 1024]; size_t len; bool last; };       /* last: the server ends the connection with it */
bool bench_answer_read(int fd, struct bench_answer *answer, int *status, struct str *body, bool *closed);

/* One request and its whole answer, blocking. The body is borrowed from `answer` until the next call. */
struct str bench_call(int fd, struct str request, struct bench_answer *answer, int *status);

/* The same of one operation, signed now; ends the program when the answer is not a 200. The request lives in `arena`. */
struct str bench_ask(const struct bench_target *target, int fd, const char *operation, struct str body, struct bench_answer *answer, struct arena *arena);

#endif
