/* rollout.h: what `berth services` and `berth deploy` read from ECS's replies: a task definition with other images, how far a service's deployment
 * is, how it ended, and lines that say so. Pure: nothing is asked or printed. Private to cli/commands. */
#ifndef BERTH_CLI_ROLLOUT_H
#define BERTH_CLI_ROLLOUT_H

#include "base/json.h"

/* Appends the input of RegisterTaskDefinition to `body`: the task definition and tags in `reply`, an answer of DescribeTaskDefinition, with other images.
 * All other members stay as they are, but those that only the server sets are left out. `images` is "[CONTAINER=]IMAGE,..."; the name may be left out
 * if there is one container. False and ERR_INVALID_PARAMETER: an item does not name one container, or two items name the same. */
bool rollout_definition(const struct json *reply, struct str images, struct buf *body, struct err *err);

/* Tasks of a service: of its PRIMARY deployment, and `old`: the running ones of its other deployments. */
struct progress { int64_t desired, running, pending, failed, old; };

struct progress rollout_progress(const struct json *service);
int64_t         rollout_count(const struct json *object, const char *name);         /* 0 if it is missing; never more than a count of ECS can be */
bool            rollout_is_settled(const struct json *service);                    /* as many tasks run as it wants, and none is pending */
int             rollout_percent(int64_t running, int64_t desired);                  /* 0 to 100; 100 if none is wanted */

enum rollout_end { ROLLOUT_GOES_ON, ROLLOUT_SUCCEEDED, ROLLOUT_FAILED };
enum rollout_end rollout_end(struct str status);                                    /* by the status of a service deployment */

/* The number of events at the beginning of `events`, newest first, that came after the one with the id `seen`: all of them if it is not there. */
size_t rollout_new_events(const struct json *events, struct str seen);

/* "IN_PROGRESS: 1 of 2 running, 1 pending, 2 old, 3 failed". Counts of 0 after the first two are left out. */
void rollout_line(struct str status, const struct progress *progress, struct buf *out);
/* "[##########..........]  50%  " */
void rollout_put_bar(struct buf *out, int percent);
/* … and the same line. */
void rollout_bar(struct str status, const struct progress *progress, struct buf *out);

/* "web:3", of the ARN of a task definition or of another thing with a name after its last slash. */
struct str rollout_name(struct str arn);

#endif
