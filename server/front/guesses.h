/* guesses.h: how many wrong secrets came in the last minute: a count for each address (the first 64 bits of an IPv6 address) and key id. Knows a table of
 * fixed size; callers pass the time. Refuses to know keys and requests. Any thread. */
#ifndef BERTH_SERVER_FRONT_GUESSES_H
#define BERTH_SERVER_FRONT_GUESSES_H

#include "base/str.h"

enum { GUESSES_MAX = 20, GUESSES_WINDOW_MS = 60 * 1000 };            /* wrong secrets that are allowed in a window, which begins with the first */

struct guesses;
struct guesses *guesses_create(void);                                /* owned */
void            guesses_destroy(struct guesses *guesses);            /* accepts NULL */

/* One more. True: it was the last one allowed. */
bool            guesses_count(struct guesses *guesses, struct str address, struct str key, int64_t monotonic_ms);
/* How long secrets for this key from there are refused unread; 0: they are checked. */
int64_t         guesses_wait_ms(struct guesses *guesses, struct str address, struct str key, int64_t monotonic_ms);

#endif
