/* archive: what the metrics of GPUs over time cost: a day of samples of some GPUs, every one with all figures of a busy GPU, then questions for a day of one.
 *
 *   archive FOLDER GPUS          prints one line of JSON */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/table.h"
#include "server/archive/archive.h"

enum { GPUS_A_MACHINE = 8, HELD_SLOTS = 144, QUESTIONS = 200 };       /* a task of 36 minutes */

static double cpu_s(void)
{
    struct timespec spent;
    return clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &spent) == 0 ? (double)spent.tv_sec + (double)spent.tv_nsec / 1e9 : 0;
}

static long long resident_kib(void)
{
    long long pages = 0, resident = 0;
    FILE *file = fopen("/proc/self/statm", "re");
    if (file == NULL || fscanf(file, "%lld %lld", &pages, &resident) != 2) { return 0; }
    (void)fclose(file);
    return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

static struct gpu_figures busy_at(uint64_t n)
{
    struct gpu_figures figures = { .known = 0 };
    uint64_t chance = hash_mix(n);
    double clock = 1e6 * (double)(1400 + 15 * (chance % 32)), used = 1048576.0 * (double)(40000 + (chance >> 8) % 4096);
    const double values[GPU_FIGURES] = {
        [GPU_UTILIZATION] = (double)((chance >> 16) % 101) / 100, [GPU_MEMORY_UTILIZATION] = (double)((chance >> 24) % 101) / 100,
        [GPU_MEMORY_TOTAL] = 85520809984.0, [GPU_MEMORY_USED] = used, [GPU_MEMORY_FREE] = 85520809984.0 - used - 503316480,
        [GPU_TEMPERATURE] = (double)(60 + (chance >> 32) % 8), [GPU_POWER] = 480 + (double)((chance >> 36) % 2000) / 10, [GPU_PCIE_GENERATION] = 5,
        [GPU_PCIE_WIDTH] = 16, [GPU_CLOCK_GRAPHICS] = clock, [GPU_CLOCK_SM] = clock, [GPU_CLOCK_MEMORY] = 2619e6, [GPU_CLOCK_VIDEO] = clock - 150e6,
        [GPU_PROCESSES] = 1,
    };
    for (size_t f = 0; f < GPU_FIGURES; f++) { gpu_figure_set(&figures, (enum gpu_figure)f, values[f]); }
    return figures;
}

static void put_machine(struct archive *archive, int64_t machine, int64_t slot)
{
    static char uuids[GPUS_A_MACHINE][48];
    struct gpu_sample gpus[GPUS_A_MACHINE];
    struct gpu_holder holder = { .family = STR("train-the-large-model"), .service = STR(""), .started_by = STR("team-of-vision") };
    uint64_t task = hash_mix((uint64_t)machine * 1000 + (uint64_t)slot / HELD_SLOTS);
    memcpy(holder.task.bytes, &task, sizeof task);
    for (int g = 0; g < GPUS_A_MACHINE; g++) {
        (void)snprintf(uuids[g], sizeof uuids[g], "GPU-%08x-%04x-0000-0000-000000000000", (unsigned int)machine, (unsigned int)g);
        uint64_t chance = (uint64_t)(machine * GPUS_A_MACHINE + g) * 10000 + (uint64_t)slot;
        gpus[g] = (struct gpu_sample){ str_from(uuids[g]), busy_at(chance), slot * ARCHIVE_DAY_MS, 0, { &holder, 1 } };
    }
    uint64_t half = (uint64_t)machine + 1;
    struct machine_sample sample = { .at_ms = slot * ARCHIVE_DAY_MS, .gpus = { gpus, GPUS_A_MACHINE } };
    memcpy(sample.instance.bytes, &half, sizeof half);
    archive_put(archive, &sample, STR("default"));
}

static double ask(struct archive *archive, int64_t machines, size_t *points)
{
    char uuid[48];
    struct arena arena;
    arena_init(&arena, (size_t)1 << 26);
    double worst_ms = 0;
    for (int q = 0; q < QUESTIONS; q++) {
        struct archive_series series;
        unsigned int machine = (unsigned int)(hash_mix((uint64_t)q) % (uint64_t)machines);
        (void)snprintf(uuid, sizeof uuid, "GPU-%08x-%04x-0000-0000-000000000000", machine, (unsigned int)(q % GPUS_A_MACHINE));
        int64_t begun_us = clock_monotonic_us();
        bool known = archive_read(archive, str_from(uuid), ARCHIVE_DAY, 0, INT64_MAX / 2, &series, &arena);
        double ms = (double)(clock_monotonic_us() - begun_us) / 1000;
        if (known) { *points = series.count; }
        if (ms > worst_ms) { worst_ms = ms; }
        arena_reset(&arena);
    }
    arena_finish(&arena);
    return worst_ms;
}

int main(int argc, char **argv)
{
    struct err err = { 0 };
    int64_t machines = argc == 3 ? atoll(argv[2]) / GPUS_A_MACHINE : 0, now = clock_now_ms() / ARCHIVE_DAY_MS;
    struct archive *archive = machines < 1 ? NULL : archive_open(argv[1], INT64_C(200000) * machines * GPUS_A_MACHINE, &err);
    if (archive == NULL) {
        (void)fprintf(stderr, "archive FOLDER GPUS, %d at least: %s\n", (int)GPUS_A_MACHINE, err.message);
        return 1;
    }
    long long before_kib = resident_kib();
    double begun_s = cpu_s();
    for (int64_t slot = now - ARCHIVE_DAY_SAMPLES; slot < now; slot++) {
        for (int64_t machine = 0; machine < machines; machine++) { put_machine(archive, machine, slot); }
    }
    size_t points = 0;
    (void)ask(archive, machines, &points);               /* all is written then */
    double spent_s = cpu_s() - begun_s, gpus = (double)machines * GPUS_A_MACHINE;
    long long after_kib = resident_kib();
    double worst_ms = ask(archive, machines, &points);
    struct archive_counts counts = archive_count(archive);
    (void)printf("{\"gpus\":%.0f,\"points\":%zu,\"cpuNsPerSample\":%.0f,\"bytesPerGpu\":%.0f,\"residentBytesPerGpu\":%.0f,\"worstQueryMs\":%.2f,"
                 "\"lost\":%lld}\n", gpus, points, spent_s * 1e9 / gpus / ARCHIVE_DAY_SAMPLES, (double)counts.file_bytes / gpus,
                 (double)(after_kib - before_kib) * 1024 / gpus, worst_ms, (long long)counts.lost);
    archive_close(archive);
    return 0;
}
