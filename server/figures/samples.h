/* samples.h: the use of machines now: the newest sample of each GPU and of each container, by machine, and which tasks held the GPU when the sample was
 * read (holders.h finds them). In memory only: a server that starts knows nothing until agents report again. Refuses to know the store. Any thread.
 *
 * Viewers of the page get machines in the order of their reports, each as one JSON text that is printed once for all viewers:
 *     {"id":…,"at":ms,"simulated":false,"gpus":[[uuid,age,utilization,usedMib,totalMib,celsius,watts]],
 *      "containers":[[task,container,age,cores,memoryBytes,receivedBytes,sentBytes,readBytes,writtenBytes]]}
 * where `age` is in ms before "at", and a value that is not known is null. A GPU that is held idle has one value more: for how long, in ms. */
#ifndef BERTH_SERVER_FIGURES_SAMPLES_H
#define BERTH_SERVER_FIGURES_SAMPLES_H

#include "base/json.h"
#include "wire/wire.h"

enum {
    SAMPLES_KEPT_MS = 5 * 60 * 1000,         /* a sample is forgotten after this time */
    SAMPLES_MAX = 200000,                    /* GPUs and containers of all machines */
};

struct gpu_holder { struct id task; struct str family, service, started_by; };       /* service: its name; empty: the task has none */
struct gpu_holder_list { struct gpu_holder *items; size_t count; };
/* idle_since_ms: held.h; 0: it is not held idle */
struct gpu_sample { struct str uuid; struct gpu_figures told; int64_t at_ms, idle_since_ms; struct gpu_holder_list holders; };
struct gpu_sample_list { struct gpu_sample *items; size_t count; };
struct container_sample { struct id task; struct wire_container_sample told; int64_t at_ms; };    /* told.task is absent */
struct container_sample_list { struct container_sample *items; size_t count; };
struct machine_sample {
    struct id instance;
    int64_t at_ms;                           /* when it last told anything */
    bool simulated;                          /* its values of GPUs are invented, and it says so */
    struct gpu_sample_list gpus;
    struct container_sample_list containers;
};

struct samples;
struct samples *samples_create(size_t samples_max);                   /* owned */
void            samples_destroy(struct samples *samples);             /* accepts NULL */

/* Copies a machine's report. `whole`: it names everything on the machine; otherwise samples of others stay while they are fresh.
 * False: there is no room for them, and nothing has changed. */
MUST_USE bool samples_put(struct samples *samples, const struct machine_sample *told, bool whole, int64_t now_ms);
/* A copy in `arena` of the samples that are still fresh. False: there are none. */
MUST_USE bool samples_of(struct samples *samples, struct id instance, int64_t now_ms, struct machine_sample *sample, struct arena *arena);
/* The fresh use of a task's containers, and of the GPUs of these names on its machine, all together. cores and memory_bytes are unset while no container of
 * the task has told; the mean of `gpus` and the sums of their memory, while a GPU has not. */
struct task_use { struct opt_double cores, memory_bytes, gpu, gpu_memory_used, gpu_memory_total; };
struct task_use samples_of_task(struct samples *samples, struct id instance, struct id task, const struct str_list *gpus, int64_t now_ms);
size_t        samples_count(struct samples *samples, int64_t now_ms);                  /* GPUs and containers */
/* The machines that report, by id, and how many samples each has. Lives in `arena`. */
struct sample_size { struct id instance; size_t gpus, containers; };
size_t        samples_list(struct samples *samples, int64_t now_ms, struct sample_size **sizes, struct arena *arena);
/* The first seven values of a GPU, as above. */
void          samples_put_figures(const struct gpu_sample *gpu, int64_t at_ms, struct json_out *out);
/* Appends what machines told behind `since`, with commas between them, until that is `most` bytes or more; how far it has come,
 * to ask on from. 0: from the beginning. */
uint64_t      samples_print_since(struct samples *samples, uint64_t since, int64_t now_ms, size_t most, struct buf *out);

#endif
