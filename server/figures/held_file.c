#include "server/figures/held_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/log.h"

static const size_t FILE_MAX = (size_t)64 << 20, LIVES_ARENA = (size_t)16 << 20;

void held_file_read(const char *path, struct held *held)
{
    struct arena arena;
    FILE *file = fopen(path, "re");
    if (file == NULL) { return; }
    arena_init(&arena, 2 * FILE_MAX);
    struct buf text = buf_in(&arena);
    char piece[65536];
    for (size_t got; text.len < FILE_MAX && (got = fread(piece, 1, sizeof piece, file)) > 0;) { buf_put(&text, (struct str){ piece, got }); }
    (void)fclose(file);
    held_read(held, buf_str(&text));
    arena_finish(&arena);
}

struct asked { struct store *store; struct arena arena; };

/* The store that can't be read takes nothing away. */
static bool has_tasks(void *context, struct id instance)
{
    struct asked *asked = context;
    struct id *ids;
    struct store_txn *txn = store_read_begin(asked->store);
    bool has = store_tasks_on_instance(txn, instance, &ids, &asked->arena) > 0;
    bool sound = store_read_end(txn);
    arena_reset(&asked->arena);
    return has || !sound;
}

void held_file_write(const char *path, struct held *held, struct store *store, int64_t now_ms)
{
    static const int64_t silent_ms = (int64_t)60 * 60 * 1000;
    struct asked asked = { .store = store };
    struct arena arena;
    arena_init(&asked.arena, LIVES_ARENA);
    held_sweep(held, now_ms - silent_ms, has_tasks, &asked);
    arena_finish(&asked.arena);
    arena_init(&arena, 2 * FILE_MAX);
    struct buf text = buf_in(&arena);
    held_print(held, &text);
    if (!file_replace(path, buf_str(&text))) { log_line(LOG_WARN, "idle", "the use of GPUs can't be written to %s: %s", path, strerror(errno)); }
    arena_finish(&arena);
}
