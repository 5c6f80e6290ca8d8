/* placement_trace.c: reads a trace: nodes, tasks, orders. Columns are found by their names in the first line. */
#include <stdio.h>
#include <stdlib.h>

#include "base/num.h"
#include "bench/placement.h"

enum { LINES_MAX = 4 * 1000 * 1000, DISTINCT_MAX = 4096, COLUMNS_MAX = 64 };

struct table { const char *path; struct str rest; size_t line; struct str cells[COLUMNS_MAX]; size_t cell_count; };

static _Noreturn void table_fail(const struct table *table, const char *what, struct str detail)
{
    fprintf(stderr, "%s:%zu: %s%s" STR_FMT "\n", table->path, table->line, what, detail.len > 0 ? ": " : "", STR_ARG(detail));
    exit(1);
}

static struct table table_open(const char *path, struct arena *arena)
{
    struct table table = { .path = path };
    FILE *file = fopen(path, "rb");
    if (file == NULL || fseek(file, 0, SEEK_END) != 0) {
        perror(path);
        exit(1);
    }
    long size = ftell(file);
    char *bytes = arena_alloc(arena, (size_t)size + 1, 1);
    rewind(file);
    if (fread(bytes, 1, (size_t)size, file) != (size_t)size) { table_fail(&table, "can't be read", STR("")); }
    fclose(file);
    table.rest = (struct str){ bytes, (size_t)size };
    return table;
}

/* The next line that is not empty, cut at its commas. */
static bool table_next(struct table *table)
{
    struct str line = { 0 };
    do {
        if (table->rest.len == 0) { return false; }
        str_cut(table->rest, '\n', &line, &table->rest);
        table->line++;
        line = str_trim(line);
    } while (line.len == 0);
    if (table->line > LINES_MAX) { table_fail(table, "too many lines", STR("")); }
    table->cell_count = 0;
    for (bool more = true; more;) {
        struct str cell, tail;
        more = str_cut(line, ',', &cell, &tail);
        if (table->cell_count == COLUMNS_MAX) { table_fail(table, "too many columns", STR("")); }
        table->cells[table->cell_count++] = str_trim(cell);
        line = tail;
    }
    return true;
}

static size_t table_column(struct table *table, const char *name)
{
    for (size_t c = 0; c < table->cell_count; c++) {
        if (str_eq(table->cells[c], str_from(name))) { return c; }
    }
    table_fail(table, "no column of this name", str_from(name));
}

static struct str table_text(const struct table *table, size_t column)
{
    if (column >= table->cell_count) { table_fail(table, "too few columns", STR("")); }
    return table->cells[column];
}

static int32_t table_number(const struct table *table, size_t column, int32_t most)
{
    struct str text = table_text(table, column);
    int64_t value = 0;
    if (!str_to_i64(text, &value) || value < 0 || value > most) { table_fail(table, "not a number in range", text); }
    return (int32_t)value;
}

static size_t text_find(const struct str *texts, size_t count, struct str text)
{
    size_t at = 0;
    while (at < count && !str_eq(texts[at], text)) { at++; }
    return at;
}

static size_t count_lines(struct str text)
{
    size_t lines = 1;
    for (size_t b = 0; b < text.len; b++) { lines += text.ptr[b] == '\n'; }
    return lines;
}

void trace_read_nodes(struct trace *trace, const char *path, struct arena *arena)
{
    struct table table = table_open(path, arena);
    trace->nodes = ARENA_NEW(arena, struct trace_node, count_lines(table.rest));
    trace->models = ARENA_NEW(arena, struct str, DISTINCT_MAX);
    if (!table_next(&table)) { table_fail(&table, "is empty", STR("")); }
    size_t cpu = table_column(&table, "cpu_milli"), memory = table_column(&table, "memory_mib"), gpu = table_column(&table, "gpu");
    size_t model = table_column(&table, "model");
    while (table_next(&table)) {
        struct str name = table_text(&table, model);
        size_t at = text_find(trace->models, trace->model_count, name);
        if (at == DISTINCT_MAX) { table_fail(&table, "too many models", name); }
        if (at == trace->model_count) { trace->models[trace->model_count++] = name; }
        struct trace_node node = { table_number(&table, cpu, INT32_MAX), table_number(&table, memory, INT32_MAX),
                                   table_number(&table, gpu, DEVICES_MAX), (uint32_t)at };
        trace->nodes[trace->node_count++] = node;
        trace->capacity += (int64_t)node.devices * DEVICE_WHOLE;
    }
    if (trace->capacity == 0) { table_fail(&table, "has no node with GPUs", STR("")); }
}

static bool same_task(const struct trace_task *a, const struct trace_task *b)
{
    return a->cpu == b->cpu && a->memory == b->memory && a->devices == b->devices && a->share == b->share && a->spec == b->spec;
}

static uint32_t task_number(struct trace *trace, const struct table *table, const struct trace_task *task)
{
    size_t at = 0;
    while (at < trace->task_count && !same_task(&trace->tasks[at], task)) { at++; }
    if (at == DISTINCT_MAX) { table_fail(table, "too many different tasks", STR("")); }
    if (at == trace->task_count) { trace->tasks[trace->task_count++] = *task; }
    trace->task_times[at]++;
    return (uint32_t)at;
}

void trace_read_tasks(struct trace *trace, const char *path, struct arena *arena)
{
    struct table table = table_open(path, arena);
    trace->rows = ARENA_NEW(arena, uint32_t, count_lines(table.rest));
    trace->tasks = ARENA_NEW(arena, struct trace_task, DISTINCT_MAX);
    trace->task_times = ARENA_NEW(arena, uint32_t, DISTINCT_MAX);
    trace->specs = ARENA_NEW(arena, struct str, DISTINCT_MAX);
    trace->specs[trace->spec_count++] = STR("");
    if (!table_next(&table)) { table_fail(&table, "is empty", STR("")); }
    size_t cpu = table_column(&table, "cpu_milli"), memory = table_column(&table, "memory_mib"), gpus = table_column(&table, "num_gpu");
    size_t share = table_column(&table, "gpu_milli"), spec = table_column(&table, "gpu_spec");
    while (table_next(&table)) {
        struct str models = table_text(&table, spec);
        size_t at = text_find(trace->specs, trace->spec_count, models);
        if (at == DISTINCT_MAX) { table_fail(&table, "too many different gpu_specs", models); }
        if (at == trace->spec_count) { trace->specs[trace->spec_count++] = models; }
        struct trace_task task = { table_number(&table, cpu, INT32_MAX), table_number(&table, memory, INT32_MAX),
                                   table_number(&table, gpus, DEVICES_MAX), table_number(&table, share, DEVICE_WHOLE), (uint32_t)at };
        if (task.devices > 0 && task.share == 0) { table_fail(&table, "GPUs without a share", STR("")); }
        if (task.devices > 1 && task.share != DEVICE_WHOLE) { table_fail(&table, "shares of several GPUs", STR("")); }
        if (task.devices == 0) { task.share = 0; }
        trace->rows[trace->row_count++] = task_number(trace, &table, &task);
    }
    if (trace->row_count == 0) { table_fail(&table, "has no tasks", STR("")); }
}

/* A task that was never scheduled counts from its creation. */
void trace_read_times(struct trace *trace, const char *path, struct arena *arena)
{
    struct table table = table_open(path, arena);
    trace->created_s = ARENA_NEW(arena, int64_t, trace->row_count);
    trace->ran_s = ARENA_NEW(arena, int64_t, trace->row_count);
    if (!table_next(&table)) { table_fail(&table, "is empty", STR("")); }
    size_t created = table_column(&table, "creation_time"), deleted = table_column(&table, "deletion_time"), scheduled = table_column(&table, "scheduled_time");
    for (size_t row = 0; row < trace->row_count; row++) {
        if (!table_next(&table)) { table_fail(&table, "too few lines", STR("")); }
        bool started = table_text(&table, scheduled).len > 0;
        trace->created_s[row] = table_number(&table, created, INT32_MAX);
        trace->ran_s[row] = table_number(&table, deleted, INT32_MAX) - (started ? table_number(&table, scheduled, INT32_MAX) : trace->created_s[row]);
    }
}

uint32_t *trace_read_numbers(const char *path, size_t below, size_t *count, struct arena *arena)
{
    struct table table = table_open(path, arena);
    uint32_t *numbers = ARENA_NEW(arena, uint32_t, count_lines(table.rest));
    *count = 0;
    while (table_next(&table)) { numbers[(*count)++] = (uint32_t)table_number(&table, 0, (int32_t)min_i64((int64_t)below - 1, INT32_MAX)); }
    if (*count == 0) { table_fail(&table, "is empty", STR("")); }
    return numbers;
}

void trace_copy_nodes(struct trace *trace, size_t times, struct arena *arena)
{
    struct trace_node *nodes = ARENA_NEW(arena, struct trace_node, trace->node_count * times);
    for (size_t n = 0; n < trace->node_count * times; n++) { nodes[n] = trace->nodes[n % trace->node_count]; }
    trace->nodes = nodes;
    trace->node_count *= times;
    trace->capacity *= (int64_t)times;
}

bool trace_fits(const struct trace *trace, uint32_t spec, uint32_t model)
{
    if (spec == 0) { return true; }
    struct str rest = trace->specs[spec];
    for (bool more = true; more;) {
        struct str name, tail;
        more = str_cut(rest, '|', &name, &tail);
        if (str_eq(str_trim(name), trace->models[model])) { return true; }
        rest = tail;
    }
    return false;
}

struct outlook *trace_outlook(const struct trace *trace, struct arena *arena)
{
    struct outlook_shape *shapes = ARENA_NEW(arena, struct outlook_shape, trace->task_count);
    uint8_t *fits = ARENA_NEW(arena, uint8_t, trace->spec_count * trace->model_count);
    for (size_t t = 0; t < trace->task_count; t++) {
        const struct trace_task *task = &trace->tasks[t];
        shapes[t] = (struct outlook_shape){ task->cpu, task->memory, task->devices, task->share, task->spec, trace->task_times[t] };
    }
    for (uint32_t spec = 1; spec < trace->spec_count; spec++) {
        for (uint32_t model = 0; model < trace->model_count; model++) {
            fits[(spec - 1) * trace->model_count + model] = trace_fits(trace, spec, model);
        }
    }
    struct outlook_history history = { shapes, trace->task_count, fits, (uint32_t)trace->spec_count - 1, (uint32_t)trace->model_count };
    return outlook_build(arena, &history);
}
