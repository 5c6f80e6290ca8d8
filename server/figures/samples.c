#include "server/figures/samples.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/lock.h"
#include "base/id_map.h"

struct machine {                             /* owns the arrays, and the texts in them */
    struct machine *older, *newer;           /* by when they told */
    uint64_t told;                           /* grows with each report, of whomever */
    struct str news;                         /* owned: the text for viewers; absent until one asks */
    struct machine_sample sample;
};
struct samples {
    struct lock lock;                        /* guards all below */
    struct id_map by_instance;
    struct machine *oldest, *newest;
    size_t machines, count, most;
    uint64_t told;
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

static struct str put_text(char **end, struct str text)
{
    memcpy(*end, text.ptr, text.len);
    *end += text.len;
    return (struct str){ *end - text.len, text.len };
}

static void free_text(struct str text)
{
    union { const char *borrowed; char *owned; } bytes = { text.ptr };
    free(bytes.owned);
}

/* The UUID and the holders with their texts, in one block that begins with the UUID. */
static void own_gpu(struct gpu_sample *gpu)
{
    const struct gpu_holder_list told = gpu->holders;
    size_t list = told.count * sizeof *told.items, size = list + gpu->uuid.len + 1;
    for (size_t h = 0; h < told.count; h++) { size += told.items[h].family.len + told.items[h].service.len + told.items[h].started_by.len; }
    struct gpu_holder *block = malloc(size);
    ASSERT(block != NULL);
    char *end = (char *)block + list;
    gpu->holders = (struct gpu_holder_list){ block, told.count };
    for (size_t h = 0; h < told.count; h++) {
        block[h] = (struct gpu_holder){ told.items[h].task, put_text(&end, told.items[h].family), put_text(&end, told.items[h].service),
                                        put_text(&end, told.items[h].started_by) };
    }
    gpu->uuid = put_text(&end, gpu->uuid);
    ASSERT(end < (char *)block + size);
}

static void free_lists(struct machine_sample *sample)
{
    for (size_t g = 0; g < sample->gpus.count; g++) { free(sample->gpus.items[g].holders.items); }
    for (size_t c = 0; c < sample->containers.count; c++) { free_text(sample->containers.items[c].told.container); }
    free(sample->gpus.items);
    free(sample->containers.items);
}

static bool is_fresh(int64_t at_ms, int64_t now_ms) { return now_ms - at_ms < SAMPLES_KEPT_MS; }
static size_t size_of(const struct machine_sample *sample) { return sample->gpus.count + sample->containers.count; }

static bool has_gpu(const struct gpu_sample_list *gpus, const struct gpu_sample *wanted)
{
    for (size_t g = 0; g < gpus->count; g++) {
        if (str_eq(gpus->items[g].uuid, wanted->uuid)) { return true; }
    }
    return false;
}

static bool has_container(const struct container_sample_list *containers, const struct container_sample *wanted)
{
    for (size_t c = 0; c < containers->count; c++) {
        const struct container_sample *container = &containers->items[c];
        if (id_eq(container->task, wanted->task) && str_eq(container->told.container, wanted->told.container)) { return true; }
    }
    return false;
}

/* Adds fresh samples that are not there yet. Texts stay borrowed. */
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
    size_t gpus = told->gpus.count + before->gpus.count, containers = told->containers.count + before->containers.count;
    if (gpus > 0) { merged.gpus.items = array_zeroed(gpus, sizeof *merged.gpus.items); }
    if (containers > 0) { merged.containers.items = array_zeroed(containers, sizeof *merged.containers.items); }
    gather(told, now_ms, &merged);
    gather(before, now_ms, &merged);
    for (size_t g = 0; g < merged.gpus.count; g++) { own_gpu(&merged.gpus.items[g]); }
    for (size_t c = 0; c < merged.containers.count; c++) {
        struct wire_container_sample *container = &merged.containers.items[c].told;
        container->container = copy(container->container);
    }
    return merged;
}

/* ---- machines ---- */

static struct machine *find(struct samples *samples, struct id instance) REQUIRES(samples->lock) { return id_map_find(&samples->by_instance, instance); }

static void unlink_age(struct samples *samples, struct machine *machine) REQUIRES(samples->lock)
{
    *(machine->older == NULL ? &samples->oldest : &machine->older->newer) = machine->newer;
    *(machine->newer == NULL ? &samples->newest : &machine->newer->older) = machine->older;
}

static void link_newest(struct samples *samples, struct machine *machine) REQUIRES(samples->lock)
{
    machine->told = ++samples->told;
    machine->older = samples->newest;
    machine->newer = NULL;
    *(samples->newest == NULL ? &samples->oldest : &samples->newest->newer) = machine;
    samples->newest = machine;
    ASSERT(machine->older == NULL || machine->older->told < machine->told);
}

static void empty(struct machine *machine)
{
    free_lists(&machine->sample);
    free_text(machine->news);
    machine->news = (struct str){ NULL, 0 };
}

static void drop(struct samples *samples, struct machine *machine) REQUIRES(samples->lock)
{
    ASSERT(samples->machines > 0 && samples->count >= size_of(&machine->sample));
    id_map_remove(&samples->by_instance, machine->sample.instance);
    unlink_age(samples, machine);
    samples->count -= size_of(&machine->sample);
    samples->machines--;
    empty(machine);
    free(machine);
}

/* No report says that a machine is gone: it is found by its silence. */
static void sweep(struct samples *samples, int64_t now_ms) REQUIRES(samples->lock)
{
    while (samples->oldest != NULL && !is_fresh(samples->oldest->sample.at_ms, now_ms)) { drop(samples, samples->oldest); }
}

static struct machine *add_machine(struct samples *samples, struct id instance) REQUIRES(samples->lock)
{
    ASSERT(id_map_find(&samples->by_instance, instance) == NULL);
    struct machine *machine = calloc(1, sizeof *machine);
    ASSERT(machine != NULL);
    id_map_add(&samples->by_instance, instance, machine);
    samples->machines++;
    return machine;
}

bool samples_put(struct samples *samples, const struct machine_sample *told, bool whole, int64_t now_ms)
{
    static const struct machine_sample nothing;
    lock_take(&samples->lock);
    sweep(samples, now_ms);
    struct machine *machine = find(samples, told->instance);
    const struct machine_sample *before = machine == NULL ? &nothing : &machine->sample;
    struct machine_sample merged = merge(told, whole ? &nothing : before, now_ms);
    ASSERT(samples->count >= size_of(before));
    size_t count = samples->count - size_of(before) + size_of(&merged);
    bool fits = count <= samples->most;
    if (fits) {
        if (machine != NULL) { unlink_age(samples, machine); } else { machine = add_machine(samples, told->instance); }
        empty(machine);
        machine->sample = merged;
        samples->count = count;
        link_newest(samples, machine);
    } else {
        free_lists(&merged);
    }
    lock_drop(&samples->lock);
    return fits;
}

static void lend_gpu(struct gpu_sample *gpu, struct arena *arena)
{
    struct gpu_holder *items = ARENA_NEW(arena, struct gpu_holder, gpu->holders.count + 1);
    for (size_t h = 0; h < gpu->holders.count; h++) {
        const struct gpu_holder *holder = &gpu->holders.items[h];
        items[h] = (struct gpu_holder){ holder->task, arena_str(arena, holder->family), arena_str(arena, holder->service),
                                        arena_str(arena, holder->started_by) };
    }
    gpu->uuid = arena_str(arena, gpu->uuid);
    gpu->holders.items = items;
}

bool samples_of(struct samples *samples, struct id instance, int64_t now_ms, struct machine_sample *sample, struct arena *arena)
{
    lock_take(&samples->lock);
    sweep(samples, now_ms);
    const struct machine *machine = find(samples, instance);
    bool fresh = machine != NULL && is_fresh(machine->sample.at_ms, now_ms);
    if (fresh) {
        *sample = machine->sample;
        sample->gpus = (struct gpu_sample_list){ ARENA_NEW(arena, struct gpu_sample, machine->sample.gpus.count + 1), 0 };
        sample->containers = (struct container_sample_list){ ARENA_NEW(arena, struct container_sample, machine->sample.containers.count + 1), 0 };
        gather(&machine->sample, now_ms, sample);
        for (size_t g = 0; g < sample->gpus.count; g++) { lend_gpu(&sample->gpus.items[g], arena); }
        for (size_t c = 0; c < sample->containers.count; c++) {
            sample->containers.items[c].told.container = arena_str(arena, sample->containers.items[c].told.container);
        }
    }
    lock_drop(&samples->lock);
    return fresh;
}

static const struct gpu_sample *fresh_gpu(const struct gpu_sample_list *gpus, struct str uuid, int64_t now_ms)
{
    for (size_t g = 0; g < gpus->count; g++) {
        if (is_fresh(gpus->items[g].at_ms, now_ms) && str_eq(gpus->items[g].uuid, uuid)) { return &gpus->items[g]; }
    }
    return NULL;
}

static void add_to(struct opt_double *sum, struct opt_double value)
{
    if (value.set) { *sum = (struct opt_double){ sum->value + value.value, true }; }
}

static struct task_use use_of(const struct machine_sample *sample, struct id task, const struct str_list *gpus, int64_t now_ms)
{
    struct task_use use = { 0 };
    size_t told = 0;
    for (size_t c = 0; c < sample->containers.count; c++) {
        const struct container_sample *container = &sample->containers.items[c];
        if (!id_eq(container->task, task) || !is_fresh(container->at_ms, now_ms)) { continue; }
        add_to(&use.cores, container->told.cpu_cores);
        add_to(&use.memory_bytes, container->told.memory_bytes);
    }
    for (size_t g = 0; g < gpus->count; g++) {
        const struct gpu_sample *gpu = fresh_gpu(&sample->gpus, gpus->items[g], now_ms);
        if (gpu == NULL) { continue; }
        told++;
        add_to(&use.gpu, gpu_figure(&gpu->told, GPU_UTILIZATION));
        add_to(&use.gpu_memory_used, gpu_figure(&gpu->told, GPU_MEMORY_USED));
        add_to(&use.gpu_memory_total, gpu_figure(&gpu->told, GPU_MEMORY_TOTAL));
    }
    if (told < gpus->count) { use.gpu.set = use.gpu_memory_used.set = use.gpu_memory_total.set = false; }
    if (told > 0) { use.gpu.value /= (double)told; }
    return use;
}

struct task_use samples_of_task(struct samples *samples, struct id instance, struct id task, const struct str_list *gpus, int64_t now_ms)
{
    struct task_use use = { 0 };
    lock_take(&samples->lock);
    const struct machine *machine = find(samples, instance);
    if (machine != NULL) { use = use_of(&machine->sample, task, gpus, now_ms); }
    lock_drop(&samples->lock);
    return use;
}

size_t samples_count(struct samples *samples, int64_t now_ms)
{
    lock_take(&samples->lock);
    sweep(samples, now_ms);
    size_t count = samples->count;
    lock_drop(&samples->lock);
    return count;
}

static int by_instance(const void *a, const void *b)
{
    return memcmp(((const struct sample_size *)a)->instance.bytes, ((const struct sample_size *)b)->instance.bytes, sizeof(struct id));
}

size_t samples_list(struct samples *samples, int64_t now_ms, struct sample_size **sizes, struct arena *arena)
{
    lock_take(&samples->lock);
    sweep(samples, now_ms);
    size_t count = 0;
    *sizes = ARENA_NEW(arena, struct sample_size, samples->machines + 1);
    for (const struct machine *machine = samples->oldest; machine != NULL; machine = machine->newer) {
        (*sizes)[count++] = (struct sample_size){ machine->sample.instance, machine->sample.gpus.count, machine->sample.containers.count };
    }
    ASSERT(count == samples->machines);
    lock_drop(&samples->lock);
    qsort(*sizes, count, sizeof **sizes, by_instance);
    return count;
}

/* ---- for viewers ---- */

static void put_or_null(struct json_out *out, struct opt_double value, double unit)
{
    if (value.set) { json_double(out, value.value / unit); } else { json_raw(out, STR("null")); }
}

/* Without the decimals; a value that no machine has may not fit into an integer. */
static void put_whole_or_null(struct json_out *out, struct opt_double value, double unit)
{
    static const double exact = 1e15;
    if (value.set && value.value / unit < exact) { json_i64(out, (int64_t)(value.value / unit)); } else { put_or_null(out, value, unit); }
}

static void put_id(struct json_out *out, struct id id)
{
    char hex[ID_HEX_LEN + 1];
    id_hex(id, hex);
    json_str(out, (struct str){ hex, ID_HEX_LEN });
}

void samples_put_figures(const struct gpu_sample *gpu, int64_t at_ms, struct json_out *out)
{
    static const double mib = 1 << 20;
    json_str(out, gpu->uuid);
    json_i64(out, at_ms - gpu->at_ms);
    put_or_null(out, gpu_figure(&gpu->told, GPU_UTILIZATION), 1);
    put_whole_or_null(out, gpu_figure(&gpu->told, GPU_MEMORY_USED), mib);
    put_whole_or_null(out, gpu_figure(&gpu->told, GPU_MEMORY_TOTAL), mib);
    put_whole_or_null(out, gpu_figure(&gpu->told, GPU_TEMPERATURE), 1);
    put_whole_or_null(out, gpu_figure(&gpu->told, GPU_POWER), 1);
}

static void print_gpu(const struct gpu_sample *gpu, int64_t at_ms, struct json_out *out)
{
    json_open(out, '[');
    samples_put_figures(gpu, at_ms, out);
    if (gpu->idle_since_ms != 0) { json_i64(out, at_ms - gpu->idle_since_ms); }
    json_close(out, ']');
}

static void print_container(const struct container_sample *container, int64_t at_ms, struct json_out *out)
{
    const struct wire_container_sample *told = &container->told;
    json_open(out, '[');
    put_id(out, container->task);
    json_str(out, told->container);
    json_i64(out, at_ms - container->at_ms);
    put_or_null(out, told->cpu_cores, 1);
    put_whole_or_null(out, told->memory_bytes, 1);
    put_whole_or_null(out, told->network_received_bytes, 1);
    put_whole_or_null(out, told->network_sent_bytes, 1);
    put_whole_or_null(out, told->block_read_bytes, 1);
    put_whole_or_null(out, told->block_written_bytes, 1);
    json_close(out, ']');
}

static void print_machine(const struct machine_sample *sample, struct buf *text)
{
    struct json_out out = json_out_to(text);
    json_open(&out, '{');
    json_key(&out, STR("id"));
    put_id(&out, sample->instance);
    json_key(&out, STR("at"));
    json_i64(&out, sample->at_ms);
    json_key(&out, STR("simulated"));
    json_bool(&out, sample->simulated);
    json_key(&out, STR("gpus"));
    json_open(&out, '[');
    for (size_t g = 0; g < sample->gpus.count; g++) { print_gpu(&sample->gpus.items[g], sample->at_ms, &out); }
    json_close(&out, ']');
    json_key(&out, STR("containers"));
    json_open(&out, '[');
    for (size_t c = 0; c < sample->containers.count; c++) { print_container(&sample->containers.items[c], sample->at_ms, &out); }
    json_close(&out, ']');
    json_close(&out, '}');
}

uint64_t samples_print_since(struct samples *samples, uint64_t since, int64_t now_ms, size_t most, struct buf *out)
{
    size_t begin = out->len;
    lock_take(&samples->lock);
    sweep(samples, now_ms);
    struct machine *machine = samples->newest;
    while (machine != NULL && machine->older != NULL && machine->older->told > since) { machine = machine->older; }
    for (; machine != NULL && machine->told > since && out->len - begin < most; machine = machine->newer) {
        if (out->len > begin) { buf_put_char(out, ','); }
        size_t from = out->len;
        if (str_is_set(machine->news)) {
            buf_put(out, machine->news);
        } else {
            print_machine(&machine->sample, out);
            machine->news = copy(str_slice(buf_str(out), from, out->len));
        }
        since = machine->told;
    }
    lock_drop(&samples->lock);
    return since;
}

void samples_destroy(struct samples *samples) NO_THREAD_SAFETY
{
    if (samples == NULL) { return; }
    while (samples->oldest != NULL) { drop(samples, samples->oldest); }
    ASSERT(samples->machines == 0 && samples->count == 0);
    lock_finish(&samples->lock);
    id_map_finish(&samples->by_instance);
    free(samples);
}
