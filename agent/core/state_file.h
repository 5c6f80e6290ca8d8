/* state_file.h: the agent's own files: small texts, replaced whole and durably, so that a crash leaves the old or the new one. */
#ifndef BERTH_AGENT_CORE_STATE_FILE_H
#define BERTH_AGENT_CORE_STATE_FILE_H

#include "base/arena.h"
#include "base/err.h"

enum {
    STATE_FILE_MAX = 8 * 1024 * 1024,
    TASK_ID_MAX = 64,                        /* of a task id that names a file, its NUL included */
};

bool state_file_make_dir(const char *path, struct err *err);             /* with its parents, for its owner only; there already: true */
bool state_file_write(const char *path, struct str text, struct err *err);
/* *text is absent when there is no such file. False: it is there and cannot be read. */
bool state_file_read(const char *path, struct str *text, struct arena *arena, struct err *err);
void state_file_remove(const char *path);                                /* gone already: nothing */

/* A machine's registration: DIR/agent.json. */
struct identity { struct str arn, cluster, client_token; };              /* absent: none yet */
bool identity_load(const char *dir, struct identity *identity, struct arena *arena, struct err *err);
bool identity_save(const char *dir, const struct identity *identity, struct err *err);

#endif
