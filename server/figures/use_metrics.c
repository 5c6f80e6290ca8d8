#include "server/figures/use_metrics.h"

#include "model/instance.h"

/* Prometheus wants all lines of a metric together, so everything is gathered first. */
struct gpu_line { struct str own, smi, dcgm; const struct gpu_figures *told; };          /* labels under the three kinds of names */
struct container_line { struct str labels; const struct wire_container_sample *told; };
struct gathered {
    struct arena *arena;
    struct gpu_line *gpus; size_t gpu_count;
    struct container_line *containers; size_t container_count;
    int64_t left_out;
    unsigned int names;
    struct buf text[4];                      /* while labels are printed */
};

/* ---- names ---- */

struct name { enum gpu_figure figure; const char *name; double unit; };      /* unit: what the figure is divided by */
static const double mib = 1 << 20, mhz = 1e6, percent = 0.01;

static const struct name own_names[] = {
    { GPU_UTILIZATION, "berth_gpu_utilization_ratio", 1 }, { GPU_MEMORY_UTILIZATION, "berth_gpu_memory_utilization_ratio", 1 },
    { GPU_MEMORY_TOTAL, "berth_gpu_memory_total_bytes", 1 }, { GPU_MEMORY_USED, "berth_gpu_memory_used_bytes", 1 },
    { GPU_MEMORY_FREE, "berth_gpu_memory_free_bytes", 1 }, { GPU_TEMPERATURE, "berth_gpu_temperature_celsius", 1 },
    { GPU_POWER, "berth_gpu_power_watts", 1 }, { GPU_FAN_SPEED, "berth_gpu_fan_speed_ratio", 1 },
    { GPU_PCIE_GENERATION, "berth_gpu_pcie_link_generation", 1 }, { GPU_PCIE_WIDTH, "berth_gpu_pcie_link_width", 1 },
    { GPU_ENCODER_SESSIONS, "berth_gpu_encoder_sessions", 1 }, { GPU_ENCODER_FPS, "berth_gpu_encoder_average_fps", 1 },
    { GPU_ENCODER_LATENCY, "berth_gpu_encoder_average_latency_seconds", 1 }, { GPU_CLOCK_GRAPHICS, "berth_gpu_graphics_clock_hertz", 1 },
    { GPU_CLOCK_SM, "berth_gpu_clock_hertz", 1 }, { GPU_CLOCK_MEMORY, "berth_gpu_memory_clock_hertz", 1 },
    { GPU_CLOCK_VIDEO, "berth_gpu_video_clock_hertz", 1 }, { GPU_PROCESSES, "berth_gpu_processes", 1 },
};
static const struct name smi_names[] = {
    { GPU_UTILIZATION, "nvidia_smi_utilization_gpu", percent }, { GPU_MEMORY_UTILIZATION, "nvidia_smi_utilization_memory", percent },
    { GPU_MEMORY_TOTAL, "nvidia_smi_memory_total", mib }, { GPU_MEMORY_USED, "nvidia_smi_memory_used", mib },
    { GPU_MEMORY_FREE, "nvidia_smi_memory_free", mib }, { GPU_TEMPERATURE, "nvidia_smi_temperature_gpu", 1 },
    { GPU_POWER, "nvidia_smi_power_draw", 1 }, { GPU_FAN_SPEED, "nvidia_smi_fan_speed", percent },
    { GPU_PCIE_GENERATION, "nvidia_smi_pcie_link_gen_current", 1 }, { GPU_PCIE_WIDTH, "nvidia_smi_pcie_link_width_current", 1 },
    { GPU_ENCODER_SESSIONS, "nvidia_smi_encoder_stats_session_count", 1 }, { GPU_ENCODER_FPS, "nvidia_smi_encoder_stats_average_fps", 1 },
    { GPU_ENCODER_LATENCY, "nvidia_smi_encoder_stats_average_latency", 1e-6 }, { GPU_CLOCK_GRAPHICS, "nvidia_smi_clocks_current_graphics", mhz },
    { GPU_CLOCK_SM, "nvidia_smi_clocks_current_sm", mhz }, { GPU_CLOCK_MEMORY, "nvidia_smi_clocks_current_memory", mhz },
    { GPU_CLOCK_VIDEO, "nvidia_smi_clocks_current_video", mhz },
};
/* DCGM has no name for the graphics clock, and none for the encoder's figures one by one. */
static const struct name dcgm_names[] = {
    { GPU_UTILIZATION, "DCGM_FI_DEV_GPU_UTIL", percent }, { GPU_MEMORY_UTILIZATION, "DCGM_FI_DEV_MEM_COPY_UTIL", percent },
    { GPU_MEMORY_TOTAL, "DCGM_FI_DEV_FB_TOTAL", mib }, { GPU_MEMORY_USED, "DCGM_FI_DEV_FB_USED", mib }, { GPU_MEMORY_FREE, "DCGM_FI_DEV_FB_FREE", mib },
    { GPU_TEMPERATURE, "DCGM_FI_DEV_GPU_TEMP", 1 }, { GPU_POWER, "DCGM_FI_DEV_POWER_USAGE", 1 }, { GPU_FAN_SPEED, "DCGM_FI_DEV_FAN_SPEED", percent },
    { GPU_PCIE_GENERATION, "DCGM_FI_DEV_PCIE_LINK_GEN", 1 }, { GPU_PCIE_WIDTH, "DCGM_FI_DEV_PCIE_LINK_WIDTH", 1 },
    { GPU_CLOCK_SM, "DCGM_FI_DEV_SM_CLOCK", mhz }, { GPU_CLOCK_MEMORY, "DCGM_FI_DEV_MEM_CLOCK", mhz }, { GPU_CLOCK_VIDEO, "DCGM_FI_DEV_VIDEO_CLOCK", mhz },
};

static const struct kind {
    struct str word; unsigned int bit; const struct name *names; size_t count, labels; const char *unit_help;
} kinds[] = {
    { STR_INIT("berth"), USE_BERTH, own_names, COUNT_OF(own_names), offsetof(struct gpu_line, own), "" },
    { STR_INIT("nvidia_smi"), USE_NVIDIA_SMI, smi_names, COUNT_OF(smi_names), offsetof(struct gpu_line, smi), " In nvidia-smi's units." },
    { STR_INIT("dcgm"), USE_DCGM, dcgm_names, COUNT_OF(dcgm_names), offsetof(struct gpu_line, dcgm), " In DCGM's units." },
};

static bool read_name(struct str word, unsigned int *names)
{
    for (size_t k = 0; k < COUNT_OF(kinds); k++) {
        if (!str_eq(word, kinds[k].word)) { continue; }
        *names |= kinds[k].bit;
        return true;
    }
    return false;
}

bool use_names_read(struct str text, unsigned int *names)
{
    struct str word, rest = text;
    *names = str_is_set(text) ? 0 : USE_ALL;
    while (rest.len > 0) {
        (void)str_cut(rest, ',', &word, &rest);
        if (!read_name(word, names)) { return false; }
    }
    return *names != 0;
}

/* ---- labels ---- */

static void put_hex(struct buf *out, struct id id)
{
    char hex[ID_HEX_LEN + 1];
    id_hex(id, hex);
    buf_put(out, (struct str){ hex, ID_HEX_LEN });
}

/* The texts of all holders, with commas between them; a text that all share is there once. */
static void put_texts(struct buf *labels, const char *name, const struct gpu_holder_list *holders, size_t offset, struct buf *texts)
{
    struct str last = { NULL, 0 };
    texts->len = 0;
    for (size_t h = 0; h < holders->count; h++) {
        struct str text;
        memcpy(&text, (const char *)&holders->items[h] + offset, sizeof text);
        if (h > 0 && str_eq(text, last)) { continue; }
        if (h > 0) { buf_put_char(texts, ','); }
        buf_put(texts, text);
        last = text;
    }
    exposition_label(labels, name, buf_str(texts));
}

static void put_holders(struct buf *labels, const struct gpu_holder_list *holders, struct buf *texts)
{
    texts->len = 0;
    for (size_t h = 0; h < holders->count; h++) {
        if (h > 0) { buf_put_char(texts, ','); }
        put_hex(texts, holders->items[h].task);
    }
    exposition_label(labels, "task", buf_str(texts));
    put_texts(labels, "family", holders, offsetof(struct gpu_holder, family), texts);
    put_texts(labels, "service", holders, offsetof(struct gpu_holder, service), texts);
    put_texts(labels, "started_by", holders, offsetof(struct gpu_holder, started_by), texts);
}

struct place { struct str cluster, machine; const struct instance *instance; bool simulated; };

static void put_machine(struct buf *labels, const struct place *place)
{
    char hex[ID_HEX_LEN + 1];
    id_hex(place->instance->id, hex);
    exposition_label(labels, "cluster", place->cluster);
    exposition_label(labels, "container_instance", (struct str){ hex, ID_HEX_LEN });
    exposition_label(labels, "machine", place->machine);
}

/* Where the GPU is in the machine's list. */
static size_t index_of(const struct instance *instance, struct str uuid)
{
    size_t g = 0;
    while (g < instance->gpus.count && !str_eq(instance->gpus.items[g].uuid, uuid)) { g++; }
    return g;
}

/* Several labels at once. */
struct label { const char *name; struct str value; };
static void put_labels(struct buf *out, const struct label *labels, size_t count)
{
    for (size_t l = 0; l < count; l++) { exposition_label(out, labels[l].name, labels[l].value); }
}

/* With the holders behind them, as they stay. */
static struct str finish(struct gathered *gathered, struct buf *labels)
{
    buf_put_char(labels, ',');
    buf_put(labels, buf_str(&gathered->text[1]));
    return arena_str(gathered->arena, buf_str(labels));
}

static void add_gpu(struct gathered *gathered, const struct place *place, const struct gpu_sample *sample)
{
    struct buf *out = &gathered->text[0], *holders = &gathered->text[1], *number = &gathered->text[3];
    size_t index = index_of(place->instance, sample->uuid);
    if (index == place->instance->gpus.count) { return; }         /* not the machine's: nobody could ask for it */
    if (gathered->gpu_count == USE_GPUS_MAX) { gathered->left_out++; return; }
    struct gpu_line *line = &gathered->gpus[gathered->gpu_count++];
    struct str model = place->instance->gpus.items[index].model;
    out->len = holders->len = number->len = 0;
    put_holders(holders, &sample->holders, &gathered->text[2]);
    buf_put_i64(number, (int64_t)index);
    const struct label own[] = { { "gpu", sample->uuid }, { "model", model }, { "simulated", place->simulated ? STR("true") : STR("false") } };
    const struct label smi[] = { { "index", buf_str(number) }, { "uuid", sample->uuid }, { "name", model }, { "host", place->machine },
                                 { "cluster", place->cluster } };
    const struct label dcgm[] = { { "gpu", buf_str(number) }, { "UUID", sample->uuid }, { "model", model }, { "Hostname", place->machine },
                                  { "cluster", place->cluster } };
    *line = (struct gpu_line){ .told = &sample->told };
    put_machine(out, place);
    put_labels(out, own, COUNT_OF(own));
    line->own = finish(gathered, out);
    out->len = 0;
    put_labels(out, smi, COUNT_OF(smi));
    line->smi = finish(gathered, out);
    out->len = 0;
    put_labels(out, dcgm, COUNT_OF(dcgm));
    line->dcgm = finish(gathered, out);
}

static void add_container(struct gathered *gathered, const struct place *place, const struct container_sample *sample)
{
    struct buf *out = &gathered->text[0];
    char hex[ID_HEX_LEN + 1];
    if (gathered->container_count == USE_CONTAINERS_MAX) { gathered->left_out++; return; }
    out->len = 0;
    id_hex(sample->task, hex);
    put_machine(out, place);
    exposition_label(out, "task", (struct str){ hex, ID_HEX_LEN });
    exposition_label(out, "container", sample->told.container);
    gathered->containers[gathered->container_count++] = (struct container_line){ arena_str(gathered->arena, buf_str(out)), &sample->told };
}

/* ---- gathering ---- */

static bool lives(const struct live_task *tasks, size_t count, struct id id)
{
    for (size_t t = 0; t < count; t++) {
        if (id_eq(tasks[t].id, id)) { return true; }
    }
    return false;
}

static void add_machine(struct gathered *gathered, const struct place *place, const struct machine_sample *sample, struct store_txn *txn)
{
    struct live_task *tasks;
    for (size_t g = 0; g < sample->gpus.count; g++) { add_gpu(gathered, place, &sample->gpus.items[g]); }
    size_t count = sample->containers.count == 0 ? 0 : store_live_on_instance(txn, place->instance->id, &tasks, gathered->arena);
    for (size_t c = 0; c < sample->containers.count && count > 0; c++) {
        if (lives(tasks, count, sample->containers.items[c].task)) { add_container(gathered, place, &sample->containers.items[c]); }
    }
}

/* Those that come first by id, so that each answer lists the same; machines of which nothing can be listed are not read. */
static void gather(struct gathered *gathered, struct samples *samples, struct store_txn *txn, int64_t now_ms)
{
    struct sample_size *sizes;
    const struct cluster *cluster = NULL;
    size_t count = samples_list(samples, now_ms, &sizes, gathered->arena);
    for (size_t m = 0; m < count; m++) {
        const struct sample_size *size = &sizes[m];
        bool room = (size->gpus > 0 && gathered->gpu_count < USE_GPUS_MAX) || (size->containers > 0 && gathered->container_count < USE_CONTAINERS_MAX);
        struct machine_sample sample;
        char hex[ID_HEX_LEN + 1];
        if (!room) { gathered->left_out += (int64_t)(size->gpus + size->containers); continue; }
        const struct instance *instance = store_instance(txn, size->instance, gathered->arena);
        if (instance == NULL || instance->status == INSTANCE_INACTIVE) { continue; }
        if (cluster == NULL || cluster->number != instance->cluster_number) {
            cluster = store_cluster_by_number(txn, instance->cluster_number, gathered->arena);
        }
        if (cluster == NULL || !samples_of(samples, instance->id, now_ms, &sample, gathered->arena)) { continue; }
        struct str name = arena_str(gathered->arena, instance_name(instance, hex));
        add_machine(gathered, &(struct place){ cluster->name, name, instance, sample.simulated }, &sample, txn);
    }
}

/* ---- printing ---- */

static void put_line(struct buf *out, struct str name, struct str labels, double value)
{
    enum { MORE = 64 };
    char *end = buf_room(out, name.len + labels.len + MORE);
    memcpy(end, name.ptr, name.len);
    end += name.len;
    *end++ = '{';
    memcpy(end, labels.ptr, labels.len);
    end += labels.len;
    *end++ = '}';
    *end++ = ' ';
    out->len = (size_t)(end - out->ptr);
    exposition_number(out, value);
    buf_put_char(out, '\n');
}

static void print_gpus(struct exposition *exposition, const struct gathered *gathered, const struct kind *kind, const struct name *name)
{
    struct str text = str_from(name->name);
    struct buf help = buf_in(gathered->arena);
    buf_printf(&help, "%s%s", gpu_figure_kinds[name->figure].help, kind->unit_help);
    buf_put_char(&help, '\0');
    /* A gauge's name should not end like this, and these names are given. */
    bool odd = str_ends_with(text, STR("_total")) || str_ends_with(text, STR("_count"));
    exposition_head(exposition, name->name, odd ? "untyped" : "gauge", help.ptr);
    for (size_t g = 0; g < gathered->gpu_count && !exposition->gone; g++) {
        const struct gpu_line *line = &gathered->gpus[g];
        struct opt_double value = gpu_figure(line->told, name->figure);
        struct str labels;
        memcpy(&labels, (const char *)line + kind->labels, sizeof labels);
        if (!value.set) { continue; }
        put_line(exposition->out, text, labels, value.value / name->unit);
        exposition_rest(exposition);
    }
}

static const struct container_metric { const char *name, *type, *help; size_t offset; } container_metrics[] = {
    { "berth_container_cpu_cores", "gauge", "Processor cores that the container keeps busy.", offsetof(struct wire_container_sample, cpu_cores) },
    { "berth_container_memory_bytes", "gauge", "Memory that the container uses.", offsetof(struct wire_container_sample, memory_bytes) },
    { "berth_container_network_receive_bytes_total", "counter", "Bytes that the container has received.",
      offsetof(struct wire_container_sample, network_received_bytes) },
    { "berth_container_network_transmit_bytes_total", "counter", "Bytes that the container has sent.",
      offsetof(struct wire_container_sample, network_sent_bytes) },
    { "berth_container_block_read_bytes_total", "counter", "Bytes that the container has read from disks.",
      offsetof(struct wire_container_sample, block_read_bytes) },
    { "berth_container_block_write_bytes_total", "counter", "Bytes that the container has written to disks.",
      offsetof(struct wire_container_sample, block_written_bytes) },
};

static void print_containers(struct exposition *exposition, const struct gathered *gathered, const struct container_metric *metric)
{
    exposition_head(exposition, metric->name, metric->type, metric->help);
    for (size_t c = 0; c < gathered->container_count && !exposition->gone; c++) {
        struct opt_double value;
        memcpy(&value, (const char *)gathered->containers[c].told + metric->offset, sizeof value);
        if (value.set) { put_line(exposition->out, str_from(metric->name), gathered->containers[c].labels, value.value); }
        exposition_rest(exposition);
    }
}

static void print(struct exposition *exposition, const struct gathered *gathered)
{
    for (size_t k = 0; k < COUNT_OF(kinds); k++) {
        size_t count = (gathered->names & kinds[k].bit) != 0 ? kinds[k].count : 0;
        for (size_t n = 0; n < count; n++) { print_gpus(exposition, gathered, &kinds[k], &kinds[k].names[n]); }
    }
    for (size_t m = 0; (gathered->names & USE_BERTH) != 0 && m < COUNT_OF(container_metrics); m++) {
        print_containers(exposition, gathered, &container_metrics[m]);
    }
    exposition_head(exposition, "berth_samples_left_out", "gauge", "GPUs and containers beyond 8192 and 4096, which are not listed here.");
    buf_printf(exposition->out, "berth_samples_left_out %lld\n", (long long)gathered->left_out);
}

void use_metrics_print(struct exposition *exposition, struct samples *samples, struct store *store, unsigned int names, int64_t now_ms,
                       struct arena *arena)
{
    if (samples_count(samples, now_ms) == 0) { return; }
    struct gathered gathered = {
        .arena = arena, .gpus = ARENA_NEW(arena, struct gpu_line, USE_GPUS_MAX), .containers = ARENA_NEW(arena, struct container_line, USE_CONTAINERS_MAX),
        .names = names, .text = { buf_in(arena), buf_in(arena), buf_in(arena), buf_in(arena) },
    };
    struct store_txn *txn = store_read_begin(store);
    gather(&gathered, samples, txn, now_ms);
    if (!store_read_end(txn)) { return; }                 /* a gap in the curve is the truth */
    ASSERT(gathered.gpu_count <= USE_GPUS_MAX && gathered.container_count <= USE_CONTAINERS_MAX && gathered.left_out >= 0);
    print(exposition, &gathered);
}
