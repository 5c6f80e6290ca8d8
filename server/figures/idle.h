/* idle.h: when a held GPU counts as idle: its samples stay below a limit for some time. A decision of one device's samples, one after the other. A sample
 * without a load, or a gap between samples, ends it: unknown time is never idle. Refuses to know tasks, stores and clocks. */
#ifndef BERTH_SERVER_FIGURES_IDLE_H
#define BERTH_SERVER_FIGURES_IDLE_H

#include <stdbool.h>
#include <stdint.h>

enum { IDLE_GAP_MS = 2 * 60 * 1000 };        /* samples that are farther apart say nothing about the time between them */

struct idle_rule { double below; int64_t after_ms; };                /* below: of 1. after_ms 0: nothing is idle */
struct idle {                                /* all zero: no sample yet */
    int64_t at_ms;                           /* of the last sample; 0: none */
    int64_t since_ms;                        /* since when all samples were below; 0: the last one was not */
    bool is_idle;                            /* for long enough */
};
/* The times that one sample adds: time that it speaks for, and of it, or before it since `since_ms`, time that was idle. */
struct idle_step { int64_t sampled_ms, idle_ms; bool begins, ends; };
struct idle_step idle_take(struct idle *idle, const struct idle_rule *rule, bool known, double load, int64_t at_ms);

#endif
