/* last_run.c: the body of one request. A RunTask whose tasks all start takes no lock; nearly all are such. */
#include "server/front/last_run.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "base/assert.h"
#include "base/lock.h"

enum { BODY_MAX = 64 * 1024 };

struct last_run {
    struct lock lock;
    atomic_bool is_there;
    char body[BODY_MAX];                     /* guarded by lock, and its size */
    size_t size;
};

struct last_run *last_run_create(void)
{
    struct last_run *last = calloc(1, sizeof *last);
    ASSERT(last != NULL);
    lock_init(&last->lock);
    return last;
}

void last_run_destroy(struct last_run *last)
{
    if (last == NULL) { return; }
    lock_finish(&last->lock);
    free(last);
}

void last_run_left_out(struct last_run *last, struct str body)
{
    if (body.len > BODY_MAX) {
        last_run_all_started(last);
        return;
    }
    lock_take(&last->lock);
    str_copy(last->body, body);
    last->size = body.len;
    atomic_store(&last->is_there, true);
    lock_drop(&last->lock);
}

void last_run_all_started(struct last_run *last)
{
    if (atomic_load(&last->is_there)) { atomic_store(&last->is_there, false); }
}

struct str last_run_body(struct last_run *last, struct arena *arena)
{
    struct str body = { 0 };
    lock_take(&last->lock);
    if (atomic_load(&last->is_there)) { body = arena_str(arena, (struct str){ last->body, last->size }); }
    lock_drop(&last->lock);
    return body;
}
