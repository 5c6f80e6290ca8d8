#include "server/samples.h"

#include <stdlib.h>

#include "base/lock.h"

enum { BUCKETS = 8192, SWEEP_EVERY_MS = 30 * 1000 };     /* a power of two */

struct machine { struct machine *next; struct machine_sample sample; };      /* owns the arrays, and the texts in them */
struct samples {
    struct lock lock;                        /* guards all below */
    struct machine *buckets[BUCKETS];
    size_t count, most;
    int64_t swept_ms;
};

struct samples *samples_create(size_t samples_max)
{
    struct samples *samples = calloc(1, sizeof *samples);
    ASSERT(samples != NULL);
    samples->most = samples_max;
    lock_init(&samples->lock);
    return samples;
}

/* ---- texts and arrays ---- */

static struct str copy(struct str text)
{
    char *bytes = malloc(text.len + 1);
    ASSERT(bytes != NULL);
    memcpy(bytes, text.ptr, text.len);
    bytes[text.len] = '\0';
    return (struct str){ bytes, text.len };
}

static void free_text(struct str text)
{
    union { const char *borrowed; char *owned; } bytes = { text.ptr };
    free(bytes.owned);
}

static void free_lists(struct machine_sample *sample)
{
    for (size_t g = 0; g < sample->gpus.count; g++) { free_text(sample->gpus.items[g].told.uuid); }
    for (size_t c = 0; c < sample->containers.count; c++) { free_text(sample->containers.items[c].container); }
    free(sample->gpus.items);
    free(sample->containers.items);
}

static bool is_fresh(int64_t at_ms, int64_t now_ms) { return now_ms - at_ms < SAMPLES_KEPT_MS; }
static size_t size_of(const struct machine_sample *sample) { return sample->gpus.count + sample->containers.count; }

static bool has_gpu(const struct gpu_sample_list *gpus, const struct gpu_sample *wanted)
{
    for (size_t g = 0; g < gpus->count; g++) {
        if (str_eq(gpus->items[g].told.uuid, wanted->told.uuid)) { return true; }
    }
    return false;
}

static bool has_container(const struct container_sample_list *containers, const struct container_sample *wanted)
{
    for (size_t c = 0; c < containers->count; c++) {
        const struct container_sample *container = &containers->items[c];
        if (id_eq(container->task, wanted->task) && str_eq(container->container, wanted->container)) { return true; }
    }
    return false;
}

/* Adds what is fresh and not there yet. Texts stay borrowed. */
static void gather(const struct machine_sample *from, int64_t now_ms, struct machine_sample *into)
{
    for (size_t g = 0; g < from->gpus.count; g++) {
        const struct gpu_sample *gpu = &from->gpus.items[g];
        if (is_fresh(gpu->at_ms, now_ms) && !has_gpu(&into->gpus, gpu)) { into->gpus.items[into->gpus.count++] = *gpu; }
    }
    for (size_t c = 0; c < from->containers.count; c++) {
        const struct container_sample *container = &from->containers.items[c];
        if (!is_fresh(container->at_ms, now_ms) || has_container(&into->containers, container)) { continue; }
        into->containers.items[into->containers.count++] = *container;
    }
}

static struct machine_sample merge(const struct machine_sample *told, const struct machine_sample *before, int64_t now_ms)
{
    struct machine_sample merged = { .instance = told->instance, .at_ms = told->at_ms, .simulated = told->simulated };
    merged.gpus.items = calloc(told->gpus.count + before->gpus.count + 1, sizeof *merged.gpus.items);
    merged.containers.items = calloc(told->containers.count + before->containers.count + 1, sizeof *merged.containers.items);
    ASSERT(merged.gpus.items != NULL && merged.containers.items != NULL);
    gather(told, now_ms, &merged);
    gather(before, now_ms, &merged);
    for (size_t g = 0; g < merged.gpus.count; g++) { merged.gpus.items[g].told.uuid = copy(merged.gpus.items[g].told.uuid); }
    for (size_t c = 0; c < merged.containers.count; c++) { merged.containers.items[c].container = copy(merged.containers.items[c].container); }
    return merged;
}

/* ---- machines ---- */

static struct machine **place_of(struct samples *samples, struct id instance) REQUIRES(samples->lock)
{
    size_t bucket = ((size_t)instance.bytes[15] | (size_t)instance.bytes[14] << 8) % BUCKETS;        /* an id ends with chance */
    struct machine **at = &samples->buckets[bucket];
    while (*at != NULL && !id_eq((*at)->sample.instance, instance)) { at = &(*at)->next; }
    return at;
}

static void drop(struct samples *samples, struct machine **at) REQUIRES(samples->lock)
{
    struct machine *machine = *at;
    *at = machine->next;
    samples->count -= size_of(&machine->sample);
    free_lists(&machine->sample);
    free(machine);
}

/* Of machines that have gone nobody tells: they are found by their silence. */
static void sweep(struct samples *samples, int64_t now_ms) REQUIRES(samples->lock)
{
    if (now_ms - samples->swept_ms < SWEEP_EVERY_MS) { return; }
    samples->swept_ms = now_ms;
    for (size_t b = 0; b < BUCKETS; b++) {
        struct machine **at = &samples->buckets[b];
        while (*at != NULL) {
            if (is_fresh((*at)->sample.at_ms, now_ms)) { at = &(*at)->next; } else { drop(samples, at); }
        }
    }
}

static struct machine *add_machine(struct machine **at, struct id instance)
{
    struct machine *machine = calloc(1, sizeof *machine);
    ASSERT(machine != NULL);
    machine->sample.instance = instance;
    *at = machine;
    return machine;
}

bool samples_put(struct samples *samples, const struct machine_sample *told, bool whole, int64_t now_ms)
{
    static const struct machine_sample nothing;
    lock_take(&samples->lock);
    sweep(samples, now_ms);
    struct machine **at = place_of(samples, told->instance);
    const struct machine_sample *before = *at == NULL ? &nothing : &(*at)->sample;
    struct machine_sample merged = merge(told, whole ? &nothing : before, now_ms);
    size_t count = samples->count - size_of(before) + size_of(&merged);
    bool fits = count <= samples->most;
    if (fits) {
        struct machine *machine = *at != NULL ? *at : add_machine(at, told->instance);
        free_lists(&machine->sample);
        machine->sample = merged;
        samples->count = count;
    } else {
        free_lists(&merged);
    }
    lock_drop(&samples->lock);
    return fits;
}

bool samples_of(struct samples *samples, struct id instance, int64_t now_ms, struct machine_sample *sample, struct arena *arena)
{
    lock_take(&samples->lock);
    sweep(samples, now_ms);
    const struct machine *machine = *place_of(samples, instance);
    bool fresh = machine != NULL && is_fresh(machine->sample.at_ms, now_ms);
    if (fresh) {
        *sample = machine->sample;
        sample->gpus = (struct gpu_sample_list){ ARENA_NEW(arena, struct gpu_sample, machine->sample.gpus.count + 1), 0 };
        sample->containers = (struct container_sample_list){ ARENA_NEW(arena, struct container_sample, machine->sample.containers.count + 1), 0 };
        gather(&machine->sample, now_ms, sample);
        for (size_t g = 0; g < sample->gpus.count; g++) { sample->gpus.items[g].told.uuid = arena_str(arena, sample->gpus.items[g].told.uuid); }
        for (size_t c = 0; c < sample->containers.count; c++) {
            sample->containers.items[c].container = arena_str(arena, sample->containers.items[c].container);
        }
    }
    lock_drop(&samples->lock);
    return fresh;
}

size_t samples_count(struct samples *samples, int64_t now_ms)
{
    lock_take(&samples->lock);
    sweep(samples, now_ms);
    size_t count = samples->count;
    lock_drop(&samples->lock);
    return count;
}

void samples_destroy(struct samples *samples) NO_THREAD_SAFETY
{
    if (samples == NULL) { return; }
    for (size_t b = 0; b < BUCKETS; b++) {
        while (samples->buckets[b] != NULL) { drop(samples, &samples->buckets[b]); }
    }
    lock_finish(&samples->lock);
    free(samples);
}
