/* fitness.h: is this member fit to lead? Its disk must not be slow for long, and its clock must not be far from the log's. The caller's lock
 * guards it; times are of the caller's clock, in ms. */
#ifndef BERTH_HA_FITNESS_H
#define BERTH_HA_FITNESS_H

#include "ha/engine.h"

enum {
    FITNESS_SLOW_MS = 1000,                  /* a commit of the store that takes longer is slow */
    FITNESS_SLOW_FOR_MS = 10000,             /* a leader whose commits are slow for this long hands over */
    FITNESS_LOOK_MS = 60000,                 /* between questions for the log's clock */
    FITNESS_OFF_WARN_MS = 5000,              /* a clock this far from the log's is in the server's log */
    FITNESS_OFF_MOST_MS = 300000             /* and this far: no leader, since signatures are good for as long */
};

struct fitness {
    int64_t begun_ms;                        /* of the commit that the store is at; 0: none */
    int64_t slow_since_ms;                   /* 0: the last commit was not slow */
    int64_t off_ms;                          /* this machine's clock less the log's; 0 too when the log has none */
    int64_t looked_ms;                       /* when the log's clock was last asked for; 0: never */
};

void fitness_commit_begins(struct fitness *fitness, int64_t now_ms);
void fitness_commit_ends(struct fitness *fitness, int64_t now_ms);
/* Commits have been slow for FITNESS_SLOW_FOR_MS, or one has taken as long and is not over. */
bool fitness_is_slow(const struct fitness *fitness, int64_t now_ms);
/* The clocks of the log's endpoints, in whole seconds, of which the middle one counts; wall_ms: this machine's, when they were asked. */
void fitness_clock(struct fitness *fitness, const struct ha_health *health, int64_t wall_ms);
bool fitness_clock_is_off(const struct fitness *fitness, int64_t limit_ms);
/* Asks for the log's clock now and then, and reports a difference. True: it is too far off to lead. */
bool fitness_look(struct fitness *fitness, struct ha_engine *engine, int64_t now_ms);

#endif
