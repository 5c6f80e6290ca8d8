#include "agent/gpu/watch.h"

#include <pthread.h>
#include <stdlib.h>

#include "agent/gpu/look.h"
#include "agent/gpu/usage.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/num.h"

enum {
    TURN_MS = 1000, PROBE_EVERY_MS = 30000, PROBE_MOST_MS = 5 * 60 * 1000, STOP_WAIT_MS = 3000, STOP_NAP_MS = 20,
    WATCH_ARENA_MAX = 4 * 1024 * 1024,
};

struct gpu_watch {
    struct gpu_watch_config config;
    pthread_t thread;
    struct lock lock;
    struct lock_signal stop;
    bool stopping, ended;                        /* guarded by lock */
    struct arena arena;                          /* guarded by lock: memory of the next two */
    struct gpu_inventory inventory;              /* guarded by lock */
    struct gpu_trouble_list troubles;            /* guarded by lock */
    struct gpu_reading use[GPUS_MAX]; size_t use_count;  /* guarded by lock */
    int64_t use_read_ms;                         /* guarded by lock; monotonic */
    struct gpu_looks looks;                      /* the thread's own, and all below */
    struct nvml_library library;
    bool loaded;
    struct arena scratch;
    int64_t probe_due_ms, probe_pause_ms, look_due_ms, use_due_ms;
};

/* ---- inventories ---- */

static void copy_inventory(const struct gpu_inventory *from, struct gpu_inventory *to, struct arena *arena)
{
    *to = *from;
    to->gpus = arena_copy(arena, from->gpus, from->count * sizeof *from->gpus);
    for (size_t g = 0; g < to->count; g++) {
        struct gpu_info *gpu = &to->gpus[g];
        gpu->uuid = arena_str(arena, gpu->uuid);
        gpu->model = arena_str(arena, gpu->model);
        if (str_is_set(gpu->profile)) { gpu->profile = arena_str(arena, gpu->profile); }
        if (str_is_set(gpu->pci_bus_id)) { gpu->pci_bus_id = arena_str(arena, gpu->pci_bus_id); }
    }
    if (from->links != NULL) { to->links = arena_copy(arena, from->links, from->count * from->count * sizeof *from->links); }
    if (str_is_set(from->driver_version)) { to->driver_version = arena_str(arena, from->driver_version); }
    if (str_is_set(from->cuda_version)) { to->cuda_version = arena_str(arena, from->cuda_version); }
    if (str_is_set(from->problem)) { to->problem = arena_str(arena, from->problem); }
}

bool gpu_inventory_is_same(const struct gpu_inventory *a, const struct gpu_inventory *b)
{
    if (a->count != b->count) { return false; }
    for (size_t g = 0; g < a->count; g++) {
        if (!str_eq(a->gpus[g].uuid, b->gpus[g].uuid)) { return false; }
    }
    return true;
}

static bool has_place(const struct gpu_inventory *inventory, struct str bus_id)
{
    for (size_t g = 0; g < inventory->count; g++) {
        if (str_eq(inventory->gpus[g].pci_bus_id, bus_id)) { return true; }
    }
    return false;
}

void gpu_inventory_merge(const struct gpu_inventory *before, const struct gpu_inventory *now, struct gpu_inventory *merged, struct arena *arena)
{
    size_t lost = 0, used = 0;
    for (size_t g = 0; g < before->count; g++) { lost += !has_place(now, before->gpus[g].pci_bus_id); }
    *merged = *now;
    if (lost == 0) { return; }
    merged->count = now->count + lost < GPUS_MAX ? now->count + lost : GPUS_MAX;
    merged->gpus = ARENA_NEW(arena, struct gpu_info, merged->count + 1);
    merged->links = merged->count == before->count ? before->links : NULL;       /* the links of a set that is no longer whole are not known */
    size_t next = 0;
    for (size_t g = 0; g < before->count && used < merged->count; g++) {
        bool is_lost = !has_place(now, before->gpus[g].pci_bus_id);
        if (is_lost) { merged->gpus[used++] = before->gpus[g]; } else if (next < now->count) { merged->gpus[used++] = now->gpus[next++]; }
    }
    while (next < now->count && used < merged->count) { merged->gpus[used++] = now->gpus[next++]; }
    ASSERT(used <= merged->count && next <= now->count);
    merged->count = used;
}

/* ---- news ---- */

static void publish(struct gpu_watch *watch, const struct gpu_inventory *inventory)
{
    struct arena arena;
    struct gpu_inventory kept;
    arena_init(&arena, WATCH_ARENA_MAX);
    struct gpu_trouble_list troubles = { ARENA_NEW(&arena, struct gpu_trouble, GPUS_MAX), 0 };
    for (size_t g = 0; g < watch->looks.count; g++) {
        const struct looked_at *gpu = &watch->looks.gpus[g];
        if (gpu->state.fault == GPU_WELL) { continue; }
        ASSERT(troubles.count < GPUS_MAX);
        troubles.items[troubles.count++] = (struct gpu_trouble){
            arena_str(&arena, str_from(gpu->bus_id)), arena_str(&arena, str_from(gpu->state.reason)), gpu->state.fault, gpu->state.since_ms,
        };
    }
    copy_inventory(inventory, &kept, &arena);
    lock_take(&watch->lock);
    struct arena old = watch->arena;
    watch->arena = arena;
    watch->inventory = kept;
    watch->troubles = troubles;
    lock_drop(&watch->lock);
    arena_finish(&old);
    watch->config.news(watch->config.owner);
}

void gpu_watch_take(struct gpu_watch *watch, struct gpu_inventory *inventory, struct gpu_trouble_list *troubles, struct arena *arena)
{
    lock_take(&watch->lock);
    copy_inventory(&watch->inventory, inventory, arena);
    *troubles = (struct gpu_trouble_list){ ARENA_NEW(arena, struct gpu_trouble, watch->troubles.count), watch->troubles.count };
    for (size_t t = 0; t < troubles->count; t++) {
        troubles->items[t] = watch->troubles.items[t];
        troubles->items[t].bus_id = arena_str(arena, troubles->items[t].bus_id);
        troubles->items[t].reason = arena_str(arena, troubles->items[t].reason);
    }
    lock_drop(&watch->lock);
}

/* ---- the thread ---- */

/* Only the thread changes the inventory, so it may read its own without the lock. */
static bool is_in_use(void *owner, const char *bus_id) NO_THREAD_SAFETY
{
    const struct gpu_watch *watch = owner;
    for (size_t g = 0; g < watch->inventory.count; g++) {
        const struct gpu_info *gpu = &watch->inventory.gpus[g];
        if (str_eq(gpu->pci_bus_id, str_from(bus_id)) && gpu_books_has(watch->config.books, gpu->uuid)) { return true; }
    }
    return false;
}

/* Soon again while all is well, because the MIG layout may change; more and more rarely while there is no driver. */
static bool probe(struct gpu_watch *watch, int64_t now_ms, struct gpu_inventory *merged) NO_THREAD_SAFETY
{
    struct gpu_inventory now;
    gpu_probe(&now, &watch->scratch);
    gpu_inventory_merge(&watch->inventory, &now, merged, &watch->scratch);
    bool changed = !gpu_inventory_is_same(merged, &watch->inventory) || !str_eq(merged->problem, watch->inventory.problem);
    bool hopeless = now.count == 0 && !changed;
    watch->probe_pause_ms = hopeless ? min_i64(watch->probe_pause_ms * 2, PROBE_MOST_MS) : PROBE_EVERY_MS;
    watch->probe_due_ms = now_ms + watch->probe_pause_ms;
    return changed;
}

static void close_library(struct gpu_watch *watch)
{
    gpu_looks_close(&watch->looks, &watch->library.nvml);
    if (watch->library.handle != NULL) { nvml_unload(&watch->library); }
    watch->loaded = false;
}

/* The library that is installed now: the driver may have been replaced since. */
static bool open_library(struct gpu_watch *watch)
{
    watch->loaded = nvml_load(&watch->library, &watch->scratch);
    if (watch->loaded && gpu_looks_open(&watch->looks, &watch->library.nvml)) { return true; }
    close_library(watch);
    return false;
}

static bool look(struct gpu_watch *watch, int64_t now_ms)
{
    bool broken = false;
    if (!watch->looks.is_open && !open_library(watch)) { return false; }
    bool changed = gpu_looks_look(&watch->looks, &watch->library.nvml, is_in_use, watch, clock_now_ms(), &broken);
    if (broken) { close_library(watch); }
    watch->look_due_ms = now_ms + GPU_LOOK_EVERY_MS;
    return changed;
}

/* A device may take its time to answer: no other thread waits for it. */
static void read_use(struct gpu_watch *watch, int64_t now_ms)
{
    struct gpu_reading *readings = ARENA_NEW(&watch->scratch, struct gpu_reading, GPUS_MAX);
    size_t count = 0;
    for (size_t g = 0; watch->looks.is_open && g < watch->looks.count; g++) {
        struct nvml_device *device = watch->looks.gpus[g].device;
        if (device != NULL) { count += gpu_usage_read_all(&watch->library.nvml, device, readings + count, GPUS_MAX - count); }
    }
    ASSERT(count <= GPUS_MAX);
    lock_take(&watch->lock);
    memcpy(watch->use, readings, count * sizeof *readings);
    watch->use_count = count;
    watch->use_read_ms = now_ms;
    lock_drop(&watch->lock);
    watch->use_due_ms = now_ms + watch->config.use_every_ms;
}

struct wire_gpu_sample_list gpu_watch_usage(struct gpu_watch *watch, int64_t *age_ms, struct arena *arena)
{
    lock_take(&watch->lock);
    *age_ms = clock_monotonic_ms() - watch->use_read_ms;
    struct wire_gpu_sample_list list = { ARENA_NEW(arena, struct wire_gpu_sample, watch->use_count + 1), watch->use_count };
    for (size_t g = 0; g < list.count; g++) {
        list.items[g] = watch->use[g].figures;
        list.items[g].uuid = arena_str(arena, str_from(watch->use[g].uuid));
    }
    lock_drop(&watch->lock);
    return list;
}

static void turn(struct gpu_watch *watch) NO_THREAD_SAFETY
{
    int64_t now_ms = clock_monotonic_ms();
    struct gpu_inventory merged = watch->inventory;
    bool changed = now_ms >= watch->probe_due_ms && probe(watch, now_ms, &merged);
    bool has_gpus = merged.count > 0;
    if (has_gpus && now_ms >= watch->look_due_ms) {
        changed = look(watch, now_ms) || changed;
        watch->look_due_ms = now_ms + GPU_LOOK_EVERY_MS;
    }
    if (watch->config.use_every_ms > 0 && now_ms >= watch->use_due_ms) { read_use(watch, now_ms); }
    if (watch->looks.is_open) { changed = gpu_looks_wait(&watch->looks, &watch->library.nvml, TURN_MS / 2, clock_now_ms()) || changed; }
    if (changed) { publish(watch, &merged); }
    arena_reset(&watch->scratch);
}

static bool wait_turn(struct gpu_watch *watch)
{
    int64_t until_ms = clock_monotonic_ms() + TURN_MS / 2;
    bool in_time = true;
    lock_take(&watch->lock);
    while (!watch->stopping && in_time) { in_time = lock_wait_until(&watch->stop, &watch->lock, until_ms); }
    bool go_on = !watch->stopping;
    lock_drop(&watch->lock);
    return go_on;
}

static void *watch_thread(void *context)
{
    struct gpu_watch *watch = context;
    while (wait_turn(watch)) { turn(watch); }
    close_library(watch);
    lock_take(&watch->lock);
    ASSERT(watch->stopping && !watch->ended);
    watch->ended = true;
    lock_drop(&watch->lock);
    return NULL;
}

static void watch_free(struct gpu_watch *watch)
{
    arena_finish(&watch->arena);
    arena_finish(&watch->scratch);
    lock_signal_finish(&watch->stop);
    lock_finish(&watch->lock);
    free(watch);
}

struct gpu_watch *gpu_watch_start(const struct gpu_watch_config *config, struct err *err) NO_THREAD_SAFETY
{
    struct gpu_watch *watch = calloc(1, sizeof *watch);
    ASSERT(watch != NULL);
    watch->config = *config;
    watch->config.inventory = NULL;
    lock_init(&watch->lock);
    lock_signal_init(&watch->stop);
    arena_init(&watch->arena, WATCH_ARENA_MAX);
    arena_init(&watch->scratch, WATCH_ARENA_MAX);
    copy_inventory(config->inventory, &watch->inventory, &watch->arena);
    watch->probe_pause_ms = PROBE_EVERY_MS;
    watch->probe_due_ms = clock_monotonic_ms() + PROBE_EVERY_MS;
    if (pthread_create(&watch->thread, NULL, watch_thread, watch) == 0) { return watch; }
    err_set(err, ERR_SERVER, "There is no thread that could watch the GPUs.");
    watch_free(watch);
    return NULL;
}

bool gpu_watch_stop(struct gpu_watch *watch)
{
    if (watch == NULL) { return true; }
    bool ended = false;
    lock_take(&watch->lock);
    watch->stopping = true;
    lock_wake_all(&watch->stop);
    lock_drop(&watch->lock);
    for (int64_t until_ms = clock_monotonic_ms() + STOP_WAIT_MS; !ended && clock_monotonic_ms() < until_ms;) {
        lock_take(&watch->lock);
        ended = watch->ended;
        lock_drop(&watch->lock);
        if (!ended) { clock_sleep_ms(STOP_NAP_MS); }
    }
    if (!ended) { return false; }
    ASSERT(pthread_join(watch->thread, NULL) == 0);
    watch_free(watch);
    return true;
}
