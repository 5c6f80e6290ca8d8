/* guesses.h: who gave wrong secrets in the last minute: a count for each address (the first 64 bits of one of IPv6) and key id. Knows
 * a table of fixed size and times that it is handed; refuses to know keys and requests. Any thread. */
#ifndef BERTH_SERVER_FRONT_GUESSES_H
#define BERTH_SERVER_FRONT_GUESSES_H

#include "base/str.h"

enum { GUESSES_MAX = 20, GUESSES_WINDOW_MS = 60 * 1000 };            /* wrong secrets that are borne in a window; it begins with the first */

struct guesses;
struct guesses *guesses_create(void);                                /* owned */
void            guesses_destroy(struct guesses *guesses);            /* accepts NULL */

/* One more. True: it was the last that is borne. */
bool            guesses_count(struct guesses *guesses, struct str address, struct str key, int64_t monotonic_ms);
/* How long until secrets of this key are looked at again from there; 0: they are. */
int64_t         guesses_wait_ms(struct guesses *guesses, struct str address, struct str key, int64_t monotonic_ms);

#endif
