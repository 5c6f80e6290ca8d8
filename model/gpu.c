#include "model/gpu.h"

#include "base/assert.h"
#include "base/buf.h"

bool gpu_is_partition(const struct gpu *gpu) { return gpu->profile.len > 0; }

static bool is_same_kind(const struct gpu *a, const struct gpu *b)
{
    return a->memory_mib == b->memory_mib && str_eq(a->model, b->model) && str_eq(a->profile, b->profile);
}

bool gpu_list_is_plain(const struct gpu_list *gpus)
{
    for (size_t g = 0; g < gpus->count; g++) {
        if (gpu_is_partition(&gpus->items[g]) || !is_same_kind(&gpus->items[g], &gpus->items[0])) { return false; }
    }
    return true;
}

struct str gpu_text_part(struct str name, size_t part, struct arena *arena)
{
    return part == 0 ? name : arena_printf(arena, STR_FMT ".%zu", STR_ARG(name), part + 1);
}

/* ---- runs ---- */

static void put_run_start(struct buf *out, size_t length)
{
    if (out->len > 0) { buf_put_char(out, ','); }
    if (length > 1) { buf_printf(out, "%zu*", length); }
}

/* Takes the next run from *rest: the number of times, and the word. False at the end. */
static bool next_run(struct str *rest, int64_t *length, struct str *item)
{
    struct str run, times, what;
    str_cut(*rest, ',', &run, rest);
    *length = 1;
    *item = run;
    if (!str_cut(run, '*', &times, &what)) { return run.len > 0; }
    *item = what;
    return str_to_i64(times, length) && *length >= 1 && what.len > 0;
}

/* ---- kinds ---- */

/* Separators of the text cannot be part of a word. */
static void put_word(struct buf *out, struct str word)
{
    for (size_t i = 0; i < word.len; i++) {
        char c = word.ptr[i];
        bool is_mark = c == ',' || c == '*' || c == '/';
        buf_put_char(out, is_mark ? '-' : c);
    }
}

struct str gpu_kinds_text(const struct gpu_list *gpus, struct arena *arena)
{
    struct buf out = buf_in(arena);
    for (size_t g = 0, next; g < gpus->count; g = next) {
        const struct gpu *gpu = &gpus->items[g];
        for (next = g + 1; next < gpus->count && is_same_kind(&gpus->items[next], gpu);) { next++; }
        put_run_start(&out, next - g);
        put_word(&out, gpu->model);
        buf_printf(&out, "/%lld", (long long)gpu->memory_mib);
        if (gpu_is_partition(gpu)) {
            buf_put_char(&out, '/');
            put_word(&out, gpu->profile);
        }
    }
    return buf_str(&out);
}

static bool read_kind(struct str text, struct gpu *kind)
{
    struct str model, rest, memory, profile = { NULL, 0 };
    if (!str_cut(text, '/', &model, &rest)) { return false; }
    bool has_profile = str_cut(rest, '/', &memory, &profile);
    if (has_profile && profile.len == 0) { return false; }
    *kind = (struct gpu){ .model = model, .profile = has_profile ? profile : (struct str){ NULL, 0 } };
    return model.len > 0 && str_to_i64(memory, &kind->memory_mib) && kind->memory_mib >= 0 && kind->memory_mib <= INT32_MAX;
}

bool gpu_kinds_read(struct str text, struct gpu_list *gpus)
{
    struct gpu kinds[GPUS_MAX];
    struct str item;
    int64_t length;
    size_t count = 0;
    ASSERT(gpus->count <= GPUS_MAX);                            /* registration allows no more */
    while (text.len > 0) {
        struct gpu kind;
        bool good = next_run(&text, &length, &item) && read_kind(item, &kind) && (uint64_t)length <= gpus->count - count;
        if (!good) { return false; }
        for (int64_t n = 0; n < length; n++) { kinds[count++] = kind; }
    }
    if (count != gpus->count) { return false; }
    for (size_t g = 0; g < count; g++) {
        kinds[g].uuid = gpus->items[g].uuid;
        gpus->items[g] = kinds[g];
    }
    return true;
}

/* ---- links ---- */

struct str gpu_links_text(const int64_t *scores, size_t count, struct arena *arena)
{
    struct buf out = buf_in(arena);
    int64_t score = 0;
    size_t length = 0;
    for (size_t a = 0; a < count; a++) {
        for (size_t b = a + 1; b < count; b++) {
            int64_t next = scores[a * count + b];
            ASSERT(next >= 0);                                  /* scores of ours */
            ASSERT(next <= GPU_LINK_MAX);                       /* scores of ours, too */
            if (length > 0 && next != score) {
                put_run_start(&out, length);
                buf_printf(&out, "%lld", (long long)score);
                length = 0;
            }
            score = next;
            length++;
        }
    }
    if (length > 0) {
        put_run_start(&out, length);
        buf_printf(&out, "%lld", (long long)score);
    }
    return buf_str(&out);
}

enum { LEVELS_MAX = 8, NO_ISLAND = -1 };

/* The lowest score above `floor`; NO_ISLAND: there is none. */
static int64_t next_level(const int64_t *scores, size_t count, int64_t floor)
{
    int64_t level = NO_ISLAND;
    for (size_t a = 0; a < count; a++) {
        for (size_t b = a + 1; b < count; b++) {
            int64_t score = scores[a * count + b];
            if (score > floor && (level == NO_ISLAND || score < level)) { level = score; }
        }
    }
    return level;
}

/* Each device goes to the group of the first one before it that is connected so well. 0: the groups are not whole. */
static size_t divide(const int64_t *scores, size_t count, int64_t level, size_t *islands)
{
    size_t found = 0;
    for (size_t a = 0; a < count; a++) {
        size_t b = 0;
        while (b < a && scores[a * count + b] < level) { b++; }
        islands[a] = b < a ? islands[b] : found++;
    }
    for (size_t a = 0; a < count; a++) {
        size_t others = 0;
        for (size_t b = 0; b < count; b++) {
            if (a == b) { continue; }
            bool same = islands[a] == islands[b];
            if (same != (scores[a * count + b] >= level)) { return 0; }
            others += same;
        }
        if (others == 0) { return 0; }
    }
    return found;
}

size_t gpu_islands(const int64_t *scores, size_t count, size_t *islands)
{
    int64_t level = next_level(scores, count, NO_ISLAND);
    if (level >= GPU_LINK_NVLINK) { level = (level / GPU_LINK_NVLINK + 1) * GPU_LINK_NVLINK; }
    for (int tried = 0; level != NO_ISLAND && tried < LEVELS_MAX; tried++) {
        size_t found = divide(scores, count, level, islands);
        if (found > 1) { return found; }
        level = next_level(scores, count, level);
    }
    return 0;
}

bool gpu_links_read(struct str text, size_t count, int64_t *scores)
{
    struct str item = { NULL, 0 };
    int64_t left = 0, score = 0;
    for (size_t a = 0; a < count; a++) {
        scores[a * count + a] = 0;
        for (size_t b = a + 1; b < count; b++) {
            bool good = left > 0 || (next_run(&text, &left, &item) && str_to_i64(item, &score) && score >= 0 && score <= GPU_LINK_MAX);
            if (!good) { return false; }
            left--;
            scores[a * count + b] = scores[b * count + a] = score;
        }
    }
    return left == 0 && text.len == 0;
}
