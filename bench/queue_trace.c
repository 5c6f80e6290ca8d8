/* queue_trace.c: the tasks of the public trace as jobs: see queue.h. */
#include "bench/queue.h"

#include "bench/placement.h"

enum { FIRST_S = 10298377 };

int job_by_arrival(const void *a, const void *b)
{
    const struct job *x = a, *y = b;
    const int64_t differences[] = { x->came_s - y->came_s, x->runs_s - y->runs_s, x->amount.cpu - y->amount.cpu, x->amount.memory_mib - y->amount.memory_mib,
                                    x->amount.devices - y->amount.devices, x->amount.share - y->amount.share };
    for (size_t d = 0; d < COUNT_OF(differences); d++) {
        if (differences[d] != 0) { return differences[d] < 0 ? -1 : 1; }
    }
    return 0;
}

struct jobs jobs_read(const char *nodes, const char *pods, struct arena *arena)
{
    struct trace trace = { 0 };
    trace_read_nodes(&trace, nodes, arena);
    trace_read_tasks(&trace, pods, arena);
    trace_read_times(&trace, pods, arena);
    struct jobs jobs = { ARENA_NEW(arena, struct job, trace.row_count), 0 };
    ASSERT(trace.task_count <= SHAPES_MAX);
    for (size_t row = 0; row < trace.row_count; row++) {
        const struct trace_task *task = &trace.tasks[trace.rows[row]];
        bool fits = task->cpu <= 96000 && task->memory <= 393216 && task->devices <= 8;
        if (task->devices == 0 || !fits || trace.created_s[row] < FIRST_S || trace.ran_s[row] <= 0) { continue; }
        jobs.items[jobs.count++] = (struct job){ .came_s = trace.created_s[row] - FIRST_S, .runs_s = trace.ran_s[row], .shape = trace.rows[row],
                                                 .amount = { task->cpu, task->memory, task->devices, task->share } };
    }
    return jobs;
}
