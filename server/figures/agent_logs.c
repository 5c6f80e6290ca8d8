/* agent_logs.c: a map by instance, and a list in the order in which they came, the oldest first. */
#include "server/figures/agent_logs.h"

#include <stdlib.h>

#include "base/id_map.h"
#include "base/lock.h"

struct agent_log { struct agent_log *older, *newer; struct id instance; size_t len; char text[]; };
struct agent_logs {
    struct lock lock;
    struct id_map by_instance;                   /* from here on: guarded by lock */
    struct agent_log *oldest, *newest;
    size_t count;
};

struct agent_logs *agent_logs_create(void)
{
    struct agent_logs *logs = calloc(1, sizeof *logs);
    ASSERT(logs != NULL);
    lock_init(&logs->lock);
    return logs;
}

static void drop(struct agent_logs *logs, struct agent_log *log)
{
    *(log->older != NULL ? &log->older->newer : &logs->oldest) = log->newer;
    *(log->newer != NULL ? &log->newer->older : &logs->newest) = log->older;
    id_map_remove(&logs->by_instance, log->instance);
    ASSERT(logs->count > 0);
    logs->count--;
    free(log);
}

void agent_logs_destroy(struct agent_logs *logs)
{
    if (logs == NULL) { return; }
    while (logs->oldest != NULL) { drop(logs, logs->oldest); }
    ASSERT(logs->count == 0);
    id_map_finish(&logs->by_instance);
    lock_finish(&logs->lock);
    free(logs);
}

/* Its end, from the beginning of a line where there is one. */
static struct str end_of(struct str text)
{
    if (text.len <= AGENT_LOG_TEXT_MAX) { return text; }
    size_t from = text.len - AGENT_LOG_TEXT_MAX;
    const char *line = memchr(text.ptr + from, '\n', AGENT_LOG_TEXT_MAX - 1);
    return str_slice(text, line != NULL ? (size_t)(line - text.ptr) + 1 : from, text.len);
}

void agent_logs_put(struct agent_logs *logs, struct id instance, struct str text)
{
    text = end_of(text);
    struct agent_log *log = malloc(sizeof *log + text.len);
    ASSERT(log != NULL);
    log->instance = instance;
    log->len = text.len;
    log->newer = NULL;
    if (text.len > 0) { memcpy(log->text, text.ptr, text.len); }
    lock_take(&logs->lock);
    struct agent_log *earlier = id_map_find(&logs->by_instance, instance);
    if (earlier != NULL) { drop(logs, earlier); }
    if (logs->count == AGENT_LOGS_MAX) { drop(logs, logs->oldest); }
    log->older = logs->newest;
    *(log->older != NULL ? &log->older->newer : &logs->oldest) = log;
    logs->newest = log;
    id_map_add(&logs->by_instance, instance, log);
    logs->count++;
    lock_drop(&logs->lock);
}

bool agent_logs_get(struct agent_logs *logs, struct id instance, struct buf *out)
{
    lock_take(&logs->lock);
    const struct agent_log *log = id_map_find(&logs->by_instance, instance);
    if (log != NULL) { buf_put(out, (struct str){ log->text, log->len }); }
    lock_drop(&logs->lock);
    return log != NULL;
}
