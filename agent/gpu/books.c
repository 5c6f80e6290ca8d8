#include "agent/gpu/books.h"

#include <stdlib.h>

#include "base/assert.h"
#include "model/gpu.h"

struct gpu_entry {
    struct gpu_entry *next;
    const void *holder;
    int64_t share;
    size_t uuid_len;
    char uuid[];
};

void gpu_books_init(struct gpu_books *books)
{
    lock_init(&books->lock);
    books->first = NULL;
}

void gpu_books_finish(struct gpu_books *books)
{
    while (books->first != NULL) {
        struct gpu_entry *entry = books->first;
        books->first = entry->next;
        free(entry);
    }
    lock_finish(&books->lock);
}

static int64_t taken_of(const struct gpu_books *books, struct str uuid) REQUIRES(books->lock)
{
    int64_t taken = 0;
    for (const struct gpu_entry *entry = books->first; entry != NULL; entry = entry->next) {
        if (str_eq((struct str){ entry->uuid, entry->uuid_len }, uuid)) { taken += entry->share; }
    }
    return taken;
}

static void add(struct gpu_books *books, const void *holder, const struct str_list *gpus, int64_t share) REQUIRES(books->lock)
{
    for (size_t g = 0; g < gpus->count; g++) {
        struct str uuid = gpus->items[g];
        struct gpu_entry *entry = malloc(sizeof *entry + uuid.len);
        ASSERT(entry != NULL);
        *entry = (struct gpu_entry){ .next = books->first, .holder = holder, .share = share, .uuid_len = uuid.len };
        if (uuid.len > 0) { memcpy(entry->uuid, uuid.ptr, uuid.len); }
        books->first = entry;
    }
}

static size_t count_of(const struct gpu_books *books, const void *holder) REQUIRES(books->lock)
{
    size_t count = 0;
    for (const struct gpu_entry *entry = books->first; entry != NULL; entry = entry->next) { count += entry->holder == holder; }
    return count;
}

/* How often the first `count` of the list name this device. */
static int64_t times_in(const struct str_list *gpus, size_t count, struct str uuid)
{
    int64_t times = 0;
    for (size_t g = 0; g < count; g++) { times += str_eq(gpus->items[g], uuid); }
    return times;
}

bool gpu_books_take(struct gpu_books *books, const void *holder, const struct str_list *gpus, int64_t share)
{
    bool fits = share >= 0 && share <= GPU_SHARE_WHOLE;
    lock_take(&books->lock);
    ASSERT(count_of(books, holder) == 0);
    for (size_t g = 0; fits && g < gpus->count; g++) {
        fits = taken_of(books, gpus->items[g]) + share * times_in(gpus, g + 1, gpus->items[g]) <= GPU_SHARE_WHOLE;
    }
    if (fits) { add(books, holder, gpus, share); }
    for (size_t g = 0; fits && g < gpus->count; g++) { ASSERT(taken_of(books, gpus->items[g]) <= GPU_SHARE_WHOLE); }
    ASSERT(count_of(books, holder) == (fits ? gpus->count : 0));
    lock_drop(&books->lock);
    return fits;
}

void gpu_books_note(struct gpu_books *books, const void *holder, const struct str_list *gpus, int64_t share)
{
    lock_take(&books->lock);
    ASSERT(count_of(books, holder) == 0);
    add(books, holder, gpus, share);
    lock_drop(&books->lock);
}

bool gpu_books_has(struct gpu_books *books, struct str uuid)
{
    lock_take(&books->lock);
    bool has = taken_of(books, uuid) > 0;
    lock_drop(&books->lock);
    return has;
}

size_t gpu_books_shared(struct gpu_books *books, char (*uuids)[GPU_UUID_SIZE], size_t max)
{
    size_t count = 0;
    lock_take(&books->lock);
    for (const struct gpu_entry *entry = books->first; entry != NULL && count < max; entry = entry->next) {
        if (entry->share <= 0 || entry->share >= GPU_SHARE_WHOLE || entry->uuid_len >= GPU_UUID_SIZE) { continue; }
        memcpy(uuids[count], entry->uuid, entry->uuid_len);
        uuids[count][entry->uuid_len] = '\0';
        size_t same = 0;
        while (strcmp(uuids[same], uuids[count]) != 0) { same++; }
        count += same == count;
    }
    lock_drop(&books->lock);
    return count;
}

void gpu_books_give_back(struct gpu_books *books, const void *holder)
{
    lock_take(&books->lock);
    for (struct gpu_entry **at = &books->first; *at != NULL;) {
        struct gpu_entry *entry = *at;
        if (entry->holder == holder) {
            *at = entry->next;
            free(entry);
        } else {
            at = &entry->next;
        }
    }
    ASSERT(count_of(books, holder) == 0);
    lock_drop(&books->lock);
}
