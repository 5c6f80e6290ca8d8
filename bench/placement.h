/* placement.h: the parts of the placement benchmark. A trace is read from files and knows nothing of policies; a run offers its
 * tasks one by one and keeps the books. */
#ifndef BERTH_BENCH_PLACEMENT_H
#define BERTH_BENCH_PLACEMENT_H

#include "base/arena.h"
#include "scheduler/place/outlook.h"

struct trace_node { int32_t cpu, memory, devices; uint32_t model; };
struct trace_task { int32_t cpu, memory, devices, share; uint32_t spec; };    /* share DEVICE_WHOLE: whole; spec 0: any model */
struct trace {
    struct trace_node *nodes; size_t node_count;
    struct str *models; size_t model_count;
    struct str *specs; size_t spec_count;                        /* "A|B", from 1 on; specs[0] is empty */
    struct trace_task *tasks; size_t task_count;                 /* distinct ones */
    uint32_t *task_times;                                        /* how often each is in the list */
    uint32_t *rows; size_t row_count;                            /* the list: a task each */
    int64_t capacity;                                            /* thousandths of all devices */
    int64_t *created_s, *ran_s;                                  /* of each row: when it came, and for how long it ran; NULL: not read */
};

/* All of them print the file, the line and what is wrong with it, and end the program, when a file is bad. */
void      trace_read_nodes(struct trace *trace, const char *path, struct arena *arena);
void      trace_read_tasks(struct trace *trace, const char *path, struct arena *arena);
void      trace_read_times(struct trace *trace, const char *path, struct arena *arena);      /* after trace_read_tasks, the same file */
uint32_t *trace_read_numbers(const char *path, size_t below, size_t *count, struct arena *arena);      /* one a line */
void      trace_copy_nodes(struct trace *trace, size_t times, struct arena *arena);
bool      trace_fits(const struct trace *trace, uint32_t spec, uint32_t model);

struct outlook *trace_outlook(const struct trace *trace, struct arena *arena);

#endif
