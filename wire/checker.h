/* checker.h: checks targets over the network: one thread, over libcurl, for a machine's agent and for the server. Knows addresses, intervals and results
 * (checks.h); refuses to know who reads the states. Certificates of targets are not checked, and redirects not followed, as in ELB. */
#ifndef BERTH_WIRE_CHECKER_H
#define BERTH_WIRE_CHECKER_H

#include "base/arena.h"
#include "base/err.h"
#include "wire/checks.h"

enum { CHECKS_AT_ONCE = 64 };                        /* the others wait, the oldest first */

struct checker;
/* `news` is called by the checker's thread when a state has changed, and after each list: read checker_states then. It must not block. Owned; NULL: no
 * thread, or libcurl can't begin. */
struct checker *checker_start(void (*news)(void *owner), void *owner, struct err *err);
void checker_stop(struct checker *checker);          /* ends its thread; NULL: nothing */

/* Any thread. All targets from now on, copied. A target that was there before, with the same registration, keeps its state, and is checked by the new
 * rules; a new one is checked at once. The numbers of later changes are above `number`. Checks after the first CHECKS_MAX are left out if `bounded`. */
void checker_set(struct checker *checker, const struct target_check_list *checks, int64_t number, bool bounded);
/* Any thread. The states of all targets that have one. Lives in the arena. */
struct check_told_list checker_states(struct checker *checker, struct arena *arena);

#endif
