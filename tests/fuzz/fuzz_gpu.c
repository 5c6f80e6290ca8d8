/* fuzz_gpu.c: the facts in an agent's words about its GPUs are printed so that they read the same. The first byte says how many
 * devices there are. */
#include "model/gpu.h"

#include "base/assert.h"
#include "tests/fuzz/fuzz.h"

enum { CEILING = 4 * 1024 * 1024 };

static bool has_mark(struct str word) { return str_find(word, '*') < word.len || str_find(word, '/') < word.len; }

static void check_kinds(struct str text, size_t count, struct arena *arena)
{
    struct gpu items[GPUS_MAX] = { { .model = { NULL, 0 } } }, again[GPUS_MAX] = { { .model = { NULL, 0 } } };
    struct gpu_list list = { items, count }, second = { again, count };
    if (!gpu_kinds_read(text, &list)) { return; }
    ASSERT(gpu_kinds_read(gpu_kinds_text(&list, arena), &second) || count == 0);
    for (size_t g = 0; g < count; g++) {
        ASSERT(items[g].model.len > 0 && items[g].memory_mib >= 0);
        ASSERT(items[g].memory_mib == again[g].memory_mib);
        ASSERT(gpu_is_partition(&items[g]) == gpu_is_partition(&again[g]));
        ASSERT(has_mark(items[g].model) || str_eq(items[g].model, again[g].model));            /* marks are made harmless */
        ASSERT(has_mark(items[g].profile) || str_eq(items[g].profile, again[g].profile));
    }
}

static void check_links(struct str text, size_t count, struct arena *arena)
{
    int64_t *scores = ARENA_NEW(arena, int64_t, count * count), *again = ARENA_NEW(arena, int64_t, count * count);
    if (!gpu_links_read(text, count, scores)) { return; }
    ASSERT(gpu_links_read(gpu_links_text(scores, count, arena), count, again));
    for (size_t s = 0; s < count * count; s++) {
        ASSERT(scores[s] >= 0 && scores[s] <= GPU_LINK_MAX);
        ASSERT(scores[s] == again[s]);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct arena arena;
    if (arena.ceiling == 0) { arena_init(&arena, CEILING); }
    if (size == 0) { return 0; }
    size_t count = data[0] % (GPUS_MAX + 1);
    check_kinds(fuzz_str(data + 1, size - 1), count, &arena);
    check_links(fuzz_str(data + 1, size - 1), count, &arena);
    arena_reset(&arena);
    return 0;
}
