/* checks.h: health checks of targets: what to ask which address, what an answer means for the target's state, and how both travel between the server and
 * Berth's own agent. The agent checks the targets on its machine, the server all others, with the same rules. Pure; checker.h asks. */
#ifndef BERTH_WIRE_CHECKS_H
#define BERTH_WIRE_CHECKS_H

#include "model/records/traffic.h"
#include "model/schema.h"

/* ---- what counts as good ---- */

enum { MATCHER_CODE_MAX = 999 };
/* ELB's matcher: "200", "200,302", "200-299". Both are pure; a text that is not valid fits nothing. */
bool matcher_is_valid(struct str matcher);
bool matcher_fits(struct str matcher, int64_t code);

/* ---- one check ---- */

enum check_version { CHECK_VERSION_UNSET, CHECK_HTTP1, CHECK_HTTP2, CHECK_GRPC, CHECK_VERSION_COUNT };

struct target_check {
    struct str group, name;                          /* the target, with its port */
    struct opt_int port;
    struct opt_int registration;                     /* tells it apart from a target that had the same name and port before */
    enum elb_protocol protocol;                      /* HTTP, HTTPS or TCP */
    enum check_version version;
    struct str address; struct opt_int check_port;
    struct str path, matcher;
    struct opt_int interval, timeout;                /* seconds */
    struct opt_int healthy, unhealthy;               /* thresholds: how many results in a row */
};
struct target_check_list { struct target_check *items; size_t count; };

enum { CHECKS_MAX = 4096 };                          /* of one machine; the agent leaves the others out, and its log says so */
/* The numbers of a checker's results begin above this: it grows with each change that was taken, over restarts of both sides and changes of the clock. */
static inline int64_t checks_number(int64_t traffic_revision) { return traffic_revision << 20; }

struct wire_checks {                                 /* "BerthChecksMessage": all checks of a machine; replaces the earlier message */
    struct str message_id;
    struct opt_int number;                           /* the numbers of reports are above it */
    struct target_check_list checks;
};
extern const struct schema wire_checks_schema;
/* As the group says, with ELB's defaults for what it leaves out. Borrows from both. */
struct target_check check_of(const struct target_group *group, const struct kept_target *target);

/* ---- the state ---- */

enum check_cause { CHECK_CAUSE_UNSET, CHECK_GOOD, CHECK_CODE, CHECK_TIMEOUT, CHECK_FAILED, CHECK_CAUSE_COUNT };
struct check_result { enum check_cause cause; int64_t code; };      /* code: of CHECK_CODE, HTTP's */

/* One target, as its checks found it. `state` UNSET: not checked yet. */
struct check_progress { enum target_state state; int64_t in_row; bool good; struct check_result last; };
/* Takes one result. True: the state is another now. A first bad result makes a target INITIAL ("in progress"), so that clients see that it is checked. */
bool check_take(struct check_progress *progress, int64_t healthy, int64_t unhealthy, struct check_result result);
/* How many good results in a row make it healthy: one is enough for a target that has never been unhealthy, as in ELB. */
int64_t check_needs(enum target_state state, int64_t healthy);

/* The words of DescribeTargetHealth: absent for a healthy target. `description` lives in the arena. */
void check_words(enum target_state state, struct check_result result, struct str *reason, struct str *description, struct arena *arena);

/* ---- reports ---- */

struct check_told {                                  /* the state of one target, since the result with this number */
    struct str group, name;
    struct opt_int port, registration, number, code;
    enum target_state state, from;                   /* INITIAL, HEALTHY, UNHEALTHY; from UNSET: its first state since the checker began */
    enum check_cause cause;
};
struct check_told_list { struct check_told *items; size_t count; };
/* POST /berth/v1/agent/checks: all states that a machine has found. A later report has higher numbers for the targets whose state is another; one that
 * comes again, or late, changes nothing. */
struct checks_report { struct str cluster, container_instance; struct check_told_list targets; };
extern const struct schema checks_report_schema;

#endif
