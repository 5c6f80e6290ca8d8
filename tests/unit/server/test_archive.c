/* Figures over time: blocks of samples, exact where they fit; owners round and round; and both in files, across restarts and damage. */
#include "server/archive/archive.h"

#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "server/archive/block.h"
#include "tests/unit/check.h"

static struct arena arena;

/* ---- blocks ---- */

static bool same(const struct gpu_figures *a, const struct gpu_figures *b, double within)
{
    for (size_t f = 0; f < GPU_FIGURES; f++) {
        struct opt_double one = gpu_figure(a, (enum gpu_figure)f), other = gpu_figure(b, (enum gpu_figure)f);
        if (one.set != other.set || fabs(one.value - other.value) > within * (fabs(one.value) + 1)) { return false; }
    }
    return true;
}

/* As a busy GPU of a server tells them. */
static struct gpu_figures busy_at(unsigned int n)
{
    struct gpu_figures figures = { .known = 0 };
    double clock = 1e6 * (1400 + 15 * (n * 7 % 30));
    const struct { enum gpu_figure figure; double value; } all[] = {
        { GPU_UTILIZATION, (double)(n * 37 % 101) / 100 }, { GPU_MEMORY_UTILIZATION, (double)(n * 53 % 101) / 100 }, { GPU_MEMORY_TOTAL, 85520809984.0 },
        { GPU_MEMORY_USED, 1048576.0 * (40000 + n * 131 % 4096) }, { GPU_TEMPERATURE, 60 + n % 8 }, { GPU_POWER, 480 + (double)(n * 7919 % 2000) / 10 },
        { GPU_PCIE_GENERATION, 5 }, { GPU_PCIE_WIDTH, 16 }, { GPU_ENCODER_SESSIONS, 0 }, { GPU_ENCODER_FPS, 0 }, { GPU_ENCODER_LATENCY, 0 },
        { GPU_CLOCK_GRAPHICS, clock }, { GPU_CLOCK_SM, clock }, { GPU_CLOCK_MEMORY, 2619e6 }, { GPU_CLOCK_VIDEO, clock - 150e6 }, { GPU_PROCESSES, 1 },
    };
    for (size_t a = 0; a < COUNT_OF(all); a++) { gpu_figure_set(&figures, all[a].figure, all[a].value); }
    gpu_figure_set(&figures, GPU_MEMORY_FREE, 85520809984.0 - all[3].value - 503316480);
    return figures;
}

static void check_block(const char *name, const struct block_samples *samples, double within)
{
    unsigned char bytes[BLOCK_BYTES];
    struct block_samples found;
    block_write(samples, 7, bytes);
    bool good = block_read(bytes, 7, &found) && found.number == samples->number && found.present == samples->present;
    CHECK(name, good);
    for (size_t s = 0; s < BLOCK_SAMPLES && good; s++) {
        if ((samples->present >> s & 1) != 0) { CHECK(name, same(&samples->samples[s], &found.samples[s], within)); }
    }
    CHECK("not of another GPU", !block_read(bytes, 8, &found));
    bytes[100] ^= 1;
    CHECK("not damaged", !block_read(bytes, 7, &found));
}

static void test_blocks(void)
{
    struct block_samples samples = { .number = 12345 };
    unsigned char zeros[BLOCK_BYTES] = { 0 };
    CHECK("a block that was never written", !block_read(zeros, 7, &samples));
    samples = (struct block_samples){ .number = 12345 };
    check_block("an empty one", &samples, 0);
    for (unsigned int s = 0; s < BLOCK_SAMPLES; s++) {
        samples.samples[s] = busy_at(s);
        samples.present |= (uint16_t)(1u << s);
        check_block("a busy GPU, exactly", &samples, 1e-12);
    }
    samples.samples[3].known = 0;
    samples.samples[5].known &= ~(1u << GPU_POWER);
    samples.samples[6].known &= ~(1u << GPU_CLOCK_SM | 1u << GPU_MEMORY_FREE);
    check_block("some unknown figures", &samples, 1e-12);
    samples.present = 0x8101;
    check_block("few samples", &samples, 1e-12);
    samples.present = 0xffff;
    for (unsigned int s = 0; s < BLOCK_SAMPLES; s++) {
        samples.samples[s].known = (1u << GPU_FIGURES) - 1;
        for (size_t f = 0; f < GPU_FIGURES; f++) { samples.samples[s].of[f] = (int32_t)(1000000 + (s * 7919 + f * 104729) % 65521); }
    }
    check_block("noise in all figures, nearly", &samples, 0.05);
    for (unsigned int s = 0; s < BLOCK_SAMPLES; s++) {
        for (size_t f = 0; f < GPU_FIGURES; f++) { gpu_figure_set(&samples.samples[s], (enum gpu_figure)f, (s + f) % 2 == 0 ? 1e300 : -1e300); }
    }
    unsigned char bytes[BLOCK_BYTES];
    block_write(&samples, 7, bytes);
    CHECK("values that no GPU has", block_read(bytes, 7, &samples));
}

/* ---- owners ---- */

static struct owner_change change_of(struct gpu_holder *holder, uint8_t task, const char *family)
{
    *holder = (struct gpu_holder){ { { task } }, str_from(family), STR("web"), STR("me") };
    return (struct owner_change){ 0, { { 9 } }, STR("lab"), { holder, task == 0 ? 0 : 1 } };
}

static void test_owners(void)
{
    char path[] = "/tmp/berth-owners-XXXXXX";
    struct owners owners = { mkstemp(path), 64, 0 };
    uint32_t last[2] = { OWNERS_NONE, OWNERS_NONE };
    unsigned char bytes[OWNERS_BYTES_MAX];
    struct owner_change *changes;
    struct gpu_holder holder;
    for (uint32_t n = 1; n <= 50; n++) {
        struct owner_change change = change_of(&holder, (uint8_t)n, "train");
        size_t size = owners_print(&change, bytes);
        last[n % 2] = owners_put(&owners, 70 + n % 2, n, last[n % 2], bytes, size);
        size_t count = owners_list(&owners, 70 + n % 2, last[n % 2], 0, 100, &changes, &arena);
        bool good = count >= 1 && count <= (n + 1) / 2;
        for (size_t c = 0; c < count; c++) {
            good = good && changes[c].from == n - 2 * c && changes[c].holders.count == 1 && changes[c].holders.items[0].task.bytes[0] == n - 2 * c
                && str_eq(changes[c].holders.items[0].family, STR("train")) && str_eq(changes[c].cluster, STR("lab"));
        }
        CHECK("only its own, the newest first", good);
    }
    CHECK("the ring has some, and not all", owners_list(&owners, 70, last[0], 0, 100, &changes, &arena) < 25);
    CHECK_EQ("back to a time", (int64_t)owners_list(&owners, 70, last[0], 47, 100, &changes, &arena), 3);
    CHECK_EQ("no more than that", (int64_t)owners_list(&owners, 70, last[0], 0, 2, &changes, &arena), 2);
    CHECK_EQ("a cell beyond the end", (int64_t)owners_list(&owners, 70, 64, 0, 9, &changes, &arena), 0);
    struct gpu_holder *many = ARENA_NEW(&arena, struct gpu_holder, 500);
    for (size_t h = 0; h < 500; h++) { many[h] = (struct gpu_holder){ { { 1 } }, STR("a family with a rather long name"), STR("s"), STR("") }; }
    CHECK("too many holders are cut", owners_print(&(struct owner_change){ 0, { { 0 } }, STR("c"), { many, 500 } }, bytes) < OWNERS_BYTES_MAX);
    (void)close(owners.file);
    (void)unlink(path);
}

/* ---- files ---- */

enum { MANY = 40000000 };
static const int64_t quarter_ms = ARCHIVE_MONTH_MS;
static char folder[64];
static struct archive *archive;
static struct err err;

static void open_it(void)
{
    archive = archive_open(folder, MANY, &err);
    CHECK("it opens", archive != NULL);
}

static void put(const char *uuid, uint8_t machine, int64_t at_ms, unsigned int n, uint8_t task)
{
    struct gpu_holder holder = { { { task } }, STR("train"), STR(""), STR("me") };
    struct gpu_sample gpu = { str_from(uuid), busy_at(n), at_ms, 0, { &holder, task == 0 ? 0 : 1 } };
    archive_put(archive, &(struct machine_sample){ .instance = { { machine } }, .at_ms = at_ms, .gpus = { &gpu, 1 } }, STR("lab"));
}

static struct archive_series read_it(const char *uuid, enum archive_kind kind, int64_t from_ms, int64_t until_ms)
{
    struct archive_series series = { .count = 0 };
    (void)archive_read(archive, str_from(uuid), kind, from_ms, until_ms, &series, &arena);
    return series;
}

static uint8_t task_of(const struct archive_series *series, size_t s)
{
    const struct gpu_holder_list *holders = series->samples[s].owner == OWNERS_NONE ? NULL : &series->owners[series->samples[s].owner].holders;
    return holders == NULL ? 255 : holders->count == 0 ? 0 : holders->items[0].task.bytes[0];
}

/* Two days of samples, the task of each hour in turn; every tenth hour nobody has the GPU. */
static uint8_t task_at(int64_t slot) { return (uint8_t)(slot / 240 % 10); }

static void check_day(const char *name, int64_t begin, int64_t end)
{
    struct archive_series series = read_it("GPU-a", ARCHIVE_DAY, 0, INT64_MAX - quarter_ms);
    CHECK_EQ(name, (int64_t)series.count, ARCHIVE_DAY_SAMPLES);
    for (size_t s = 0; s < series.count; s++) {
        int64_t slot = end - ARCHIVE_DAY_SAMPLES + (int64_t)s;
        struct gpu_figures wanted = busy_at((unsigned int)(slot - begin));
        CHECK(name, series.samples[s].at_ms == slot * ARCHIVE_DAY_MS && same(&series.samples[s].figures, &wanted, 1e-12) && task_of(&series, s) == task_at(slot));
    }
}

static void test_files(void)
{
    int64_t now = clock_now_ms() / ARCHIVE_DAY_MS, begin = now - 2 * ARCHIVE_DAY_SAMPLES;
    open_it();
    CHECK("nothing is known", !archive_read(archive, STR("GPU-a"), ARCHIVE_DAY, 0, 1, &(struct archive_series){ 0 }, &arena));
    for (int64_t slot = begin; slot < now; slot++) {
        put("GPU-a", 1, slot * ARCHIVE_DAY_MS + 700, (unsigned int)(slot - begin), task_at(slot));
        if (slot % 3 == 0) { put("GPU-b", 2, slot * ARCHIVE_DAY_MS, 5, 0); }
        if (slot % 1000 == 0) {              /* the thread makes quarters while time passes */
            archive_close(archive);
            open_it();
        }
    }
    check_day("a day", begin, now);
    archive_close(archive);
    open_it();
    check_day("a day, after a restart", begin, now);
    struct archive_series part = read_it("GPU-a", ARCHIVE_DAY, (now - 100) * ARCHIVE_DAY_MS, (now - 90) * ARCHIVE_DAY_MS);
    CHECK_EQ("a part", (int64_t)part.count, 10);
    CHECK_EQ("which begins there", part.samples[0].at_ms, (now - 100) * ARCHIVE_DAY_MS);
    CHECK("rarer samples", read_it("GPU-b", ARCHIVE_DAY, 0, INT64_MAX - quarter_ms).count >= ARCHIVE_DAY_SAMPLES / 3);
    put("GPU-a", 1, (now - 5) * ARCHIVE_DAY_MS, 3, 77);
    check_day("a late sample changes nothing", begin, now);
    struct str uuids[4];
    CHECK_EQ("of a machine", (int64_t)archive_list(archive, (struct id){ { 2 } }, uuids, 4, &arena), 1);
    CHECK_STR("of a machine", uuids[0], STR("GPU-b"));
    CHECK_EQ("of all", (int64_t)archive_list(archive, (struct id){ { 0 } }, uuids, 4, &arena), 2);
}

/* The thread ends quarters each second. */
static void test_quarters(void)
{
    int64_t last = clock_now_ms() / quarter_ms - 2;
    struct archive_series series = { .count = 0 };
    size_t means = 0;
    for (int tries = 0; tries < 100 && series.count < 90; tries++) {
        clock_sleep_ms(100);
        series = read_it("GPU-a", ARCHIVE_MONTH, 0, INT64_MAX - quarter_ms);
    }
    CHECK("a day of quarters at least", series.count >= 90);
    for (size_t s = 0; s < series.count; s++) {
        int64_t quarter = series.samples[s].at_ms / quarter_ms;
        bool whole = s > 0 && task_at(quarter * 60) == task_at(quarter * 60 + 59) && quarter < last;       /* the samples begin within the first one */
        CHECK("the owner of the quarter", !whole || task_of(&series, s) == task_at(quarter * 60));
        means += fabs(gpu_figure(&series.samples[s].figures, GPU_UTILIZATION).value - 0.5) < 0.15;
    }
    CHECK("means", means + 10 > series.count);           /* some quarters had ended by the clock before all of their samples were put */
}

static void test_damage(void)
{
    char path[128];
    char junk[4096];
    archive_close(archive);
    memset(junk, 0x5a, sizeof junk);
    (void)snprintf(path, sizeof path, "%s/day", folder);
    int file = open(path, O_RDWR | O_CLOEXEC);
    CHECK("some of the day is overwritten", pwrite(file, junk, sizeof junk, 20000) == (ssize_t)sizeof junk);
    (void)close(file);
    (void)snprintf(path, sizeof path, "%s/now", folder);
    CHECK("and the end of the newest cut off", truncate(path, 100) == 0);
    open_it();
    struct archive_series series = read_it("GPU-a", ARCHIVE_DAY, 0, INT64_MAX - quarter_ms);
    CHECK("without that file nothing is dated", series.count == 0);
    int64_t now = clock_now_ms() / ARCHIVE_DAY_MS;
    put("GPU-a", 1, now * ARCHIVE_DAY_MS, 0, 3);
    series = read_it("GPU-a", ARCHIVE_DAY, 0, INT64_MAX - quarter_ms);
    CHECK("damaged blocks are missing, the rest is there", series.count > ARCHIVE_DAY_SAMPLES - 500 && series.count < ARCHIVE_DAY_SAMPLES);
    CHECK_EQ("the newest has its owner", task_of(&series, series.count - 1), 3);
    CHECK_EQ("of older ones it is not known any more", task_of(&series, 0), 255);
    archive_close(archive);
    (void)snprintf(path, sizeof path, "%s/gpus", folder);
    file = open(path, O_RDWR | O_CLOEXEC);
    CHECK("another form", pwrite(file, "berth metrics 9", 15, 0) == 15);
    (void)close(file);
    open_it();
    CHECK_EQ("it begins empty", archive_count(archive).gpus, 0);
}

static void test_limit(void)
{
    char uuid[32];
    int64_t now = clock_now_ms(), most = archive_count(archive).gpus_max;
    CHECK("there is a limit", most > 100 && most < 1000);
    for (int64_t g = 0; g < most + 5; g++) {
        (void)snprintf(uuid, sizeof uuid, "GPU-%d", (int)g);
        put(uuid, 1, g < 10 ? now - INT64_C(100) * 3600 * 1000 : now, 1, 0);
    }
    CHECK_EQ("no more than that", archive_count(archive).gpus, most);
    CHECK("the old ones made room", archive_count(archive).lost == 0 && read_it("GPU-3", ARCHIVE_DAY, 0, INT64_MAX - quarter_ms).count == 0);
    (void)snprintf(uuid, sizeof uuid, "GPU-%d", (int)most + 4);
    CHECK_EQ("for the new ones", (int64_t)read_it(uuid, ARCHIVE_DAY, 0, INT64_MAX - quarter_ms).count, 1);
    for (int64_t g = 0; g < 10; g++) {
        (void)snprintf(uuid, sizeof uuid, "GPU-new-%d", (int)g);
        put(uuid, 1, now, 1, 0);
    }
    CHECK_EQ("and then there is none", archive_count(archive).lost, 5);
}

int main(void)
{
    arena_init(&arena, (size_t)1 << 30);
    (void)snprintf(folder, sizeof folder, "/tmp/berth-archive-%d", (int)getpid());
    test_blocks();
    test_owners();
    test_files();
    test_quarters();
    test_damage();
    test_limit();
    archive_close(archive);
    char command[128];
    (void)snprintf(command, sizeof command, "rm -r %s", folder);
    CHECK_EQ("removed", system(command), 0);
    arena_finish(&arena);
    return check_report();
}
