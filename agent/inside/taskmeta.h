/* taskmeta.h: answers, over HTTP, to the containers of this machine about themselves: the ECS agent's metadata (v3, v4), the keys of their
 * task's role, protection of their task; and to an operator on the machine (introspection). Knows the ECS agent's paths and answers. A
 * container knows only its own addresses, because they hold words that can't be guessed. */
#ifndef BERTH_AGENT_INSIDE_TASKMETA_H
#define BERTH_AGENT_INSIDE_TASKMETA_H

#include "agent/task/task.h"

struct taskmeta_config {                     /* lent or borrowed until metadata_destroy */
    struct runtime *runtime;
    struct client *client; const struct endpoint *server;
    const char *cluster, *data_dir;
    const char *listen;                      /* "auto", "loopback", "off", or HOST:PORT */
    struct str zone;                         /* absent: unknown */
};

/* Owned. Opens its addresses; where none can be opened it says so in the log and goes on, unless the setting named one: then NULL and *err. */
struct taskmeta *taskmeta_create(const struct taskmeta_config *config, struct err *err);
void taskmeta_start(struct taskmeta *metadata);                      /* answers from now on; earlier requests have waited */
void taskmeta_stop(struct taskmeta *metadata);                       /* answers no more; the loop's thread, NULL: nothing */
void taskmeta_destroy(struct taskmeta *metadata);                    /* waits for its threads, so the client must be closed; NULL: nothing */

/* The loop's thread. A task that was added must be removed before it is destroyed. */
void taskmeta_add(struct taskmeta *metadata, struct task *task);
void taskmeta_remove(struct taskmeta *metadata, struct task *task);
void taskmeta_set_instance(struct taskmeta *metadata, struct str arn);

/* The base of the addresses for containers; its texts live as long as *metadata. */
struct metadata_base taskmeta_base(const struct taskmeta *metadata);

#endif
