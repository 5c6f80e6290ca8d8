/* expression.h: a compiled constraint. expression.c reads the text; expression_eval.c asks it of an instance; pattern.c is the
 * regular expressions of `=~`. */
#ifndef BERTH_SCHEDULER_ASK_EXPRESSION_H
#define BERTH_SCHEDULER_ASK_EXPRESSION_H

#include "scheduler/world/world.h"

enum subject {
    SUBJECT_ATTRIBUTE, SUBJECT_AGENT_CONNECTED, SUBJECT_AGENT_VERSION, SUBJECT_EC2_INSTANCE_ID, SUBJECT_REGISTERED_AT,
    SUBJECT_RUNNING_TASKS, SUBJECT_TASK_GROUP, SUBJECT_COUNT
};
enum compare {
    COMPARE_EXISTS, COMPARE_EQUAL, COMPARE_IN, COMPARE_MATCH, COMPARE_LESS, COMPARE_LESS_EQUAL, COMPARE_GREATER,
    COMPARE_GREATER_EQUAL
};

struct pattern;
struct node {
    enum node_kind { NODE_OR, NODE_AND, NODE_NOT, NODE_TEST } kind;
    struct node *first, *next;                                   /* parts; the next part of the whole that this belongs to */
    enum subject subject; enum compare compare; bool negated;    /* NODE_TEST from here */
    struct str name; uint64_t name_hash;                         /* of the attribute */
    struct str *values; size_t value_count;
    int64_t number;                                              /* the value, for runningTasksCount and registeredAt */
    const struct pattern *pattern;
};
struct expression { struct str text; const struct node *root; bool attributes_only; };

/* `instance` may be NULL when the expression asks for attributes only. `when_empty`: as if the instance had no tasks and
 * its agent were connected. */
bool expression_holds(const struct expression *expression, const struct world *world, uint32_t kind,
                      const struct instance_slot *instance, bool when_empty);

/* False: the expression cannot hold on a machine with these attributes. Others may be there. One without a value: the machine does not have it. */
bool expression_may_hold(const struct expression *expression, const struct sched_attribute *known, size_t count);

/* ---- pattern.c: the subset of Java's regular expressions that people write ---- */
/* Literals, `.`, `[…]`, `\d \w \s` and their opposites, `* + ? {m,n}` (also lazy), `|`, `( )`, `(?: )`, `^`, `$`. The whole
 * value must match. Time grows with value times pattern, never faster. NULL: *why and *at (an index into `text`) tell. */
const struct pattern *pattern_compile(struct str text, struct arena *arena, const char **why, size_t *at);
bool pattern_matches(const struct pattern *pattern, struct str value);

#endif
