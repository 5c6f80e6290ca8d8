/* watch.h: the thread that watches this machine's GPUs: whether devices have come or gone, and whether each is fit for tasks. NVML may take
 * its time with a broken device, so the loop never asks it itself. */
#ifndef BERTH_AGENT_GPU_WATCH_H
#define BERTH_AGENT_GPU_WATCH_H

#include "agent/gpu/gpu.h"
#include "agent/gpu/books.h"
#include "agent/gpu/health.h"
#include "wire/wire.h"

struct gpu_trouble { struct str bus_id, reason; enum gpu_fault_kind kind; int64_t since_ms; };
struct gpu_trouble_list { struct gpu_trouble *items; size_t count; };

struct gpu_watch;
struct gpu_watch_config {
    struct gpu_books *books;                     /* lent: which devices are in use */
    const struct gpu_inventory *inventory;       /* the first inventory; copied */
    int64_t use_every_ms;                        /* how often it reads what they use; 0: never */
    void (*news)(void *owner);                   /* the watch's thread: gpu_watch_take has something new */
    void *owner;
};
struct gpu_watch *gpu_watch_start(const struct gpu_watch_config *config, struct err *err);
/* The newest inventory, and the faults. Lives in `arena`. */
void gpu_watch_take(struct gpu_watch *watch, struct gpu_inventory *inventory, struct gpu_trouble_list *troubles, struct arena *arena);
/* The last usage of GPUs and MIG instances, and how long ago it was read, without those that did not answer. Lives in `arena`. */
struct wire_gpu_sample_list gpu_watch_usage(struct gpu_watch *watch, int64_t *age_ms, struct arena *arena);
/* False: NVML does not return, and the thread keeps the memory that it works on until the process ends. NULL: true. */
bool gpu_watch_stop(struct gpu_watch *watch);

bool gpu_inventory_is_same(const struct gpu_inventory *a, const struct gpu_inventory *b);
/* Into *merged: the devices of `now`, and those of `before` whose place on the bus no other has taken: they are gone, but not forgotten, and
 * keep their order. */
void gpu_inventory_merge(const struct gpu_inventory *before, const struct gpu_inventory *now, struct gpu_inventory *merged, struct arena *arena);

#endif
