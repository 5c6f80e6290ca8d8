/* pulls.c: one entry for each machine that pulls. Entries without a report for a while are removed with the next report of any machine. */
#include "server/figures/pulls.h"

#include <stdlib.h>

#include "base/lock.h"

enum { MACHINES_MAX = 4096, FORGOTTEN_MS = 15 * 1000, ENTRY_ARENA_MAX = 64 * 1024 };

struct machine_pulls { struct machine_pulls *next; struct id instance; int64_t told_ms; struct arena arena; struct image_pull_list list; };
struct pulls { struct lock lock; struct machine_pulls *first; size_t count; /* both guarded by lock */ };

struct pulls *pulls_create(void)
{
    struct pulls *pulls = calloc(1, sizeof *pulls);
    ASSERT(pulls != NULL);
    lock_init(&pulls->lock);
    return pulls;
}

static void drop(struct pulls *pulls, struct machine_pulls **at)
{
    struct machine_pulls *entry = *at;
    *at = entry->next;
    ASSERT(pulls->count > 0);
    pulls->count--;
    arena_finish(&entry->arena);
    free(entry);
}

void pulls_destroy(struct pulls *pulls)
{
    if (pulls == NULL) { return; }
    while (pulls->first != NULL) { drop(pulls, &pulls->first); }
    ASSERT(pulls->count == 0);
    lock_finish(&pulls->lock);
    free(pulls);
}

static void drop_old(struct pulls *pulls, struct id instance, int64_t now_ms)
{
    for (struct machine_pulls **at = &pulls->first; *at != NULL;) {
        bool goes = id_eq((*at)->instance, instance) || now_ms - (*at)->told_ms > FORGOTTEN_MS;
        if (goes) { drop(pulls, at); } else { at = &(*at)->next; }
    }
}

static void add(struct pulls *pulls, struct id instance, const struct pull_news_list *news, int64_t now_ms)
{
    struct machine_pulls *entry = calloc(1, sizeof *entry);
    ASSERT(entry != NULL);
    entry->instance = instance;
    entry->told_ms = now_ms;
    arena_init(&entry->arena, ENTRY_ARENA_MAX);
    entry->list = (struct image_pull_list){ ARENA_NEW(&entry->arena, struct image_pull, news->count), news->count };
    for (size_t p = 0; p < news->count; p++) {
        const struct pull_news *told = &news->items[p];
        entry->list.items[p] = (struct image_pull){
            .instance = instance, .image = arena_str(&entry->arena, told->image), .layers = told->layers.value, .layers_done = told->layers_done.value,
            .bytes = told->bytes.value, .bytes_known = told->bytes_known.value,
        };
    }
    entry->next = pulls->first;
    pulls->first = entry;
    pulls->count++;
}

bool pulls_put(struct pulls *pulls, struct id instance, const struct pull_news_list *news, int64_t now_ms, struct err *err)
{
    lock_take(&pulls->lock);
    drop_old(pulls, instance, now_ms);
    bool room = news->count == 0 || pulls->count < MACHINES_MAX;
    if (room && news->count > 0) { add(pulls, instance, news, now_ms); }
    lock_drop(&pulls->lock);
    return room || err_set(err, ERR_UNAVAILABLE, "More than %d machines pull images: this one's progress is not shown.", MACHINES_MAX);
}

struct image_pull_list pulls_list(struct pulls *pulls, int64_t now_ms, struct arena *arena)
{
    struct image_pull_list list = { NULL, 0 };
    lock_take(&pulls->lock);
    list.items = ARENA_NEW(arena, struct image_pull, pulls->count * PULLS_TOLD_MAX);
    for (const struct machine_pulls *entry = pulls->first; entry != NULL; entry = entry->next) {
        for (size_t p = 0; p < entry->list.count && now_ms - entry->told_ms <= FORGOTTEN_MS; p++) {
            struct image_pull *pull = &list.items[list.count++];
            *pull = entry->list.items[p];
            pull->image = arena_str(arena, pull->image);
        }
    }
    lock_drop(&pulls->lock);
    return list;
}
