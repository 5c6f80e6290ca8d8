#include "server/archive/archive.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/clock.h"
#include "base/lock.h"
#include "base/log.h"
#include "base/table.h"
#include "server/archive/block.h"

/* ---- the files ---- */

/* gpus: a head, then who each GPU is. now: a head, then samples not in the others yet. day, month: a region a GPU. day-owners, month-owners: owners.h. */
enum file { FILE_GPUS, FILE_NOW, FILE_DAY, FILE_MONTH, FILE_DAY_OWNERS, FILE_MONTH_OWNERS, FILE_COUNT };
static const char *const file_names[FILE_COUNT] = { "gpus", "now", "day", "month", "day-owners", "month-owners" };

enum {
    UUID_MAX = 128,
    DAY_BLOCKS = ARCHIVE_DAY_SAMPLES / BLOCK_SAMPLES + 1, MONTH_BLOCKS = ARCHIVE_MONTH_SAMPLES / BLOCK_SAMPLES + 1,     /* the oldest one is being replaced */
    OWNER_BYTES = 4096,                      /* of each file of owners, a GPU */
    QUARTER = ARCHIVE_MONTH_MS / ARCHIVE_DAY_MS,
    PENDING_MAX = 200000,
    SLOTS_LATE = 240,                        /* an hour: samples are minutes late at most */
    QUARTERS_A_TURN = 500,                   /* each second: a hundred thousand GPUs take three minutes of the fifteen */
    NOW_EVERY_MS = ARCHIVE_DAY_MS, TURN_MS = 1000, FLUSH_MS = 3000,
};
static const char magic[16] = "berth metrics 1";

struct gpus_head { char magic[16]; uint32_t figures, unused; };
struct gpu_row { uint32_t check, bytes; struct id instance; char uuid[UUID_MAX]; };
struct now_head { char magic[16]; uint32_t day_next, month_next; };
struct now_row { uint32_t check, seed, slot, quarter, day_owner, month_owner; unsigned char block[BLOCK_BYTES]; };

static const int64_t gpu_bytes = (int64_t)sizeof(struct gpu_row) + (int64_t)sizeof(struct now_row) + (DAY_BLOCKS + MONTH_BLOCKS) * BLOCK_BYTES
    + 2 * OWNER_BYTES;

/* ---- memory ---- */

struct kept {
    struct now_row now;                      /* as it goes to the file */
    struct id instance;
    char *uuid;                              /* owned */
    uint64_t holders, month_holders;         /* hashes of their texts; 0: not known, since a restart */
};
enum work { WORK_GPU, WORK_BLOCK, WORK_OWNERS };
struct pending { struct pending *next; enum work work; uint32_t gpu, from; size_t size; unsigned char bytes[]; };

struct archive {
    int files[FILE_COUNT];
    size_t gpus_max;
    pthread_t thread;
    bool started;
    struct lock lock;                        /* guards all below */
    struct lock_signal more, done;
    struct kept *gpus; size_t count, capacity;
    struct hash_table by_uuid;
    struct pending *first, **last; uint64_t pushed, written;
    bool stopping, told_full;
    uint32_t full_slot;                      /* when a place was last looked for in vain */
    int64_t lost;
    struct owners day_owners, month_owners;  /* the thread's own */
    size_t cursor;                           /* the thread's own, too: the GPU whose quarter is looked at next */
};

static uint32_t now_slot(int64_t ms) { return (uint32_t)(ms / ARCHIVE_DAY_MS); }
/* GPUs end their blocks at different times, so that the disk's work is even. */
static uint32_t phase_of(uint32_t gpu) { return gpu % BLOCK_SAMPLES; }
static uint32_t seed_of(uint32_t gpu, struct str uuid) { return block_check(gpu, uuid.ptr, uuid.len); }
static uint64_t hash_of(struct str uuid) { return hash_bytes(uuid.ptr, uuid.len); }

static uint32_t find_gpu(struct archive *archive, struct str uuid) REQUIRES(archive->lock)
{
    uint64_t hash = hash_of(uuid);
    size_t at;
    for (uint32_t n = table_first(&archive->by_uuid, hash, &at); n != TABLE_NONE; n = table_next(&archive->by_uuid, hash, &at)) {
        if (str_eq(str_from(archive->gpus[n].uuid), uuid)) { return n; }
    }
    return TABLE_NONE;
}

static void push(struct archive *archive, enum work work, uint32_t gpu, uint32_t from, const void *bytes, size_t size) REQUIRES(archive->lock)
{
    if (archive->pushed - archive->written >= PENDING_MAX) { archive->lost++; return; }            /* the disk is too slow */
    struct pending *pending = malloc(sizeof *pending + size);
    ASSERT(pending != NULL);
    *pending = (struct pending){ NULL, work, gpu, from, size };
    memcpy(pending->bytes, bytes, size);
    *archive->last = pending;
    archive->last = &pending->next;
    archive->pushed++;
    lock_wake_one(&archive->more);
}

static void push_gpu(struct archive *archive, uint32_t gpu) REQUIRES(archive->lock)
{
    const struct kept *kept = &archive->gpus[gpu];
    struct gpu_row row = { .bytes = (uint32_t)strlen(kept->uuid), .instance = kept->instance };
    memcpy(row.uuid, kept->uuid, row.bytes);
    row.check = block_check(gpu, &row.bytes, sizeof row - sizeof row.check);
    push(archive, WORK_GPU, gpu, 0, &row, sizeof row);
}

static void begin_gpu(struct kept *kept, uint32_t gpu, struct str uuid, struct id instance)
{
    *kept = (struct kept){ .now = { .seed = seed_of(gpu, uuid), .day_owner = OWNERS_NONE, .month_owner = OWNERS_NONE }, .instance = instance };
    kept->uuid = array_zeroed(uuid.len + 1, 1);
    str_copy(kept->uuid, uuid);
}

/* The place of a GPU that has not told for a day. TABLE_NONE: there is none. */
static uint32_t free_place(struct archive *archive, uint32_t slot) REQUIRES(archive->lock)
{
    for (uint32_t n = 0; n < archive->count; n++) {
        struct kept *kept = &archive->gpus[n];
        if (kept->now.slot + ARCHIVE_DAY_SAMPLES > slot) { continue; }
        table_remove(&archive->by_uuid, hash_of(str_from(kept->uuid)), n);
        free(kept->uuid);
        return n;
    }
    return TABLE_NONE;
}

static uint32_t add_gpu(struct archive *archive, struct str uuid, struct id instance, uint32_t slot) REQUIRES(archive->lock)
{
    uint32_t gpu = (uint32_t)archive->count;
    if (archive->count == archive->gpus_max) {
        gpu = archive->full_slot == slot ? TABLE_NONE : free_place(archive, slot);
        archive->full_slot = gpu == TABLE_NONE ? slot : 0;
        if (gpu == TABLE_NONE && !archive->told_full) {
            log_line(LOG_WARN, "metrics", "the files have room for the metrics of %zu GPUs, and those of others are not kept: see metrics-space",
                     archive->gpus_max);
            archive->told_full = true;
        }
        if (gpu == TABLE_NONE) { return gpu; }
    } else {
        archive->gpus = array_grow(archive->gpus, &archive->capacity, archive->count + 1, sizeof *archive->gpus);
        archive->count++;
    }
    begin_gpu(&archive->gpus[gpu], gpu, uuid, instance);
    archive->gpus[gpu].now.quarter = slot / QUARTER - 1;
    table_add(&archive->by_uuid, hash_of(uuid), gpu);
    push_gpu(archive, gpu);
    return gpu;
}

/* ---- a sample comes ---- */

static void put_holders(struct archive *archive, uint32_t gpu, const struct gpu_sample *sample, struct id instance, struct str cluster, uint32_t slot)
    REQUIRES(archive->lock)
{
    struct kept *kept = &archive->gpus[gpu];
    unsigned char bytes[OWNERS_BYTES_MAX];
    size_t size = owners_print(&(struct owner_change){ slot, instance, cluster, sample->holders }, bytes);
    uint64_t hash = hash_bytes(bytes, size) | 1;
    if (hash == kept->holders) { return; }
    kept->holders = hash;
    push(archive, WORK_OWNERS, gpu, slot, bytes, size);
}

static void put_gpu(struct archive *archive, const struct gpu_sample *sample, struct id instance, struct str cluster) REQUIRES(archive->lock)
{
    uint32_t slot = now_slot(sample->at_ms), gpu = find_gpu(archive, sample->uuid);
    if (gpu == TABLE_NONE) { gpu = add_gpu(archive, sample->uuid, instance, slot); }
    if (gpu == TABLE_NONE) { archive->lost++; return; }
    struct kept *kept = &archive->gpus[gpu];
    struct block_samples block;
    uint32_t at = slot + phase_of(gpu), number = at / BLOCK_SAMPLES;
    if (slot < kept->now.slot && kept->now.slot - slot < SLOTS_LATE) { return; }
    if (slot < kept->now.slot) { kept->now.quarter = slot / QUARTER - 1; }         /* the clock has been put back */
    bool good = block_read(kept->now.block, kept->now.seed, &block);
    if (!good || block.number != number) {
        if (good) { push(archive, WORK_BLOCK, gpu, block.number, kept->now.block, BLOCK_BYTES); }
        block = (struct block_samples){ .number = number };
    }
    block.present |= (uint16_t)(1u << at % BLOCK_SAMPLES);
    block.samples[at % BLOCK_SAMPLES] = sample->told;
    block_write(&block, kept->now.seed, kept->now.block);
    kept->now.slot = slot;
    if (!id_eq(kept->instance, instance)) {
        kept->instance = instance;
        push_gpu(archive, gpu);
    }
    put_holders(archive, gpu, sample, instance, cluster, slot);
}

void archive_put(struct archive *archive, const struct machine_sample *sample, struct str cluster)
{
    lock_take(&archive->lock);
    for (size_t g = 0; g < sample->gpus.count; g++) {
        const struct gpu_sample *gpu = &sample->gpus.items[g];
        if (gpu->uuid.len < UUID_MAX && gpu->told.known != 0 && str_find(gpu->uuid, '\0') == gpu->uuid.len) {
            put_gpu(archive, gpu, sample->instance, cluster);
        }
    }
    lock_drop(&archive->lock);
}

/* ---- writing ---- */

static off_t block_place(enum archive_kind kind, uint32_t gpu, uint32_t number)
{
    uint32_t blocks = kind == ARCHIVE_DAY ? DAY_BLOCKS : MONTH_BLOCKS;
    return ((off_t)gpu * blocks + number % blocks) * BLOCK_BYTES;
}

static bool write_at(int file, const void *bytes, size_t size, off_t place) { return pwrite(file, bytes, size, place) == (ssize_t)size; }

static bool write_owners(struct archive *archive, const struct pending *pending) REQUIRES(archive->lock)
{
    uint32_t before = archive->gpus[pending->gpu].now.day_owner, seed = archive->gpus[pending->gpu].now.seed;
    lock_drop(&archive->lock);
    uint32_t cell = owners_put(&archive->day_owners, seed, pending->from, before, pending->bytes, pending->size);
    lock_take(&archive->lock);
    struct kept *kept = &archive->gpus[pending->gpu];
    if (kept->now.seed == seed) { kept->now.day_owner = cell; }
    return cell != OWNERS_NONE;
}

static void write_pending(struct archive *archive, const struct pending *pending) REQUIRES(archive->lock)
{
    bool good = true;
    if (pending->work == WORK_OWNERS) {
        good = write_owners(archive, pending);
    } else {
        lock_drop(&archive->lock);
        bool gpu = pending->work == WORK_GPU;
        off_t place = gpu ? (off_t)sizeof(struct gpus_head) + (off_t)pending->gpu * (off_t)sizeof(struct gpu_row)
                          : block_place(ARCHIVE_DAY, pending->gpu, pending->from);
        good = write_at(archive->files[gpu ? FILE_GPUS : FILE_DAY], pending->bytes, pending->size, place);
        lock_take(&archive->lock);
    }
    if (!good && archive->lost++ == 0) { log_line(LOG_WARN, "metrics", "samples of GPUs can't be written: %s", strerror(errno)); }
}

static void write_all_pending(struct archive *archive) REQUIRES(archive->lock)
{
    while (archive->first != NULL) {
        struct pending *pending = archive->first;
        archive->first = pending->next;
        if (archive->first == NULL) { archive->last = &archive->first; }
        write_pending(archive, pending);
        free(pending);
        archive->written++;
    }
    lock_wake_all(&archive->done);
}

/* Pieces, so that nobody who puts waits for long. Behind the owners, whose cells it names. */
static void write_now(struct archive *archive) REQUIRES(archive->lock)
{
    enum { PIECE = 256 };
    struct now_row *rows = array_zeroed(PIECE, sizeof *rows);
    struct now_head head = { .day_next = archive->day_owners.next, .month_next = archive->month_owners.next };
    memcpy(head.magic, magic, sizeof magic);
    bool good = write_at(archive->files[FILE_NOW], &head, sizeof head, 0);
    for (size_t from = 0; from < archive->count && good; from += PIECE) {
        size_t some = archive->count - from < PIECE ? archive->count - from : PIECE;
        for (size_t r = 0; r < some; r++) {
            rows[r] = archive->gpus[from + r].now;
            rows[r].check = block_check(0, &rows[r].seed, offsetof(struct now_row, block) - sizeof rows[r].check);
        }
        lock_drop(&archive->lock);
        good = write_at(archive->files[FILE_NOW], rows, some * sizeof *rows, (off_t)sizeof head + (off_t)(from * sizeof *rows));
        lock_take(&archive->lock);
    }
    free(rows);
    if (!good && archive->lost++ == 0) { log_line(LOG_WARN, "metrics", "samples of GPUs can't be written: %s", strerror(errno)); }
}

/* ---- reading ---- */

struct source { uint32_t gpu; struct now_row now; };             /* as it is at one moment */

static void add_block(struct archive_series *series, const struct block_samples *block, enum archive_kind kind, uint32_t gpu, int64_t from, int64_t until)
{
    int64_t first = (int64_t)block->number * BLOCK_SAMPLES - (kind == ARCHIVE_DAY ? phase_of(gpu) : 0);
    int64_t unit = kind == ARCHIVE_DAY ? ARCHIVE_DAY_MS : ARCHIVE_MONTH_MS;
    for (int64_t s = 0; s < BLOCK_SAMPLES; s++) {
        if ((block->present >> s & 1) == 0 || first + s < from || first + s >= until) { continue; }
        series->samples[series->count++] = (struct archive_sample){ (first + s) * unit, block->samples[s], OWNERS_NONE };
    }
}

/* Numbers of samples from `from` to before `until`, which are not more than a region has. A part of a region that was never written reads as nothing. */
static void read_blocks(struct archive *archive, const struct source *source, enum archive_kind kind, int64_t from, int64_t until,
                        struct archive_series *series, struct arena *arena)
{
    struct block_samples block, open;
    uint32_t blocks = kind == ARCHIVE_DAY ? DAY_BLOCKS : MONTH_BLOCKS, phase = kind == ARCHIVE_DAY ? phase_of(source->gpu) : 0;
    size_t size = (size_t)blocks * BLOCK_BYTES;
    int64_t first = (from + phase) / BLOCK_SAMPLES, last = (until - 1 + phase) / BLOCK_SAMPLES;
    bool few = last - first < 8, has_open = kind == ARCHIVE_DAY && block_read(source->now.block, source->now.seed, &open);
    unsigned char *bytes = arena_alloc(arena, few ? BLOCK_BYTES : size, 1);
    int file = archive->files[kind == ARCHIVE_DAY ? FILE_DAY : FILE_MONTH];
    ssize_t got = few ? 0 : pread(file, bytes, size, block_place(kind, source->gpu, 0));
    series->samples = ARENA_NEW(arena, struct archive_sample, (size_t)(until - from) + 1);
    for (int64_t number = first; number <= last; number++) {
        ssize_t at = few ? 0 : (ssize_t)(number % blocks) * BLOCK_BYTES;
        if (few) { got = pread(file, bytes, BLOCK_BYTES, block_place(kind, source->gpu, (uint32_t)number)); }
        if (has_open && open.number == number) {
            add_block(series, &open, kind, source->gpu, from, until);
        } else if (got >= at + BLOCK_BYTES && block_read(bytes + at, source->now.seed, &block) && block.number == number) {
            add_block(series, &block, kind, source->gpu, from, until);
        }
    }
}

static void read_owners(struct archive *archive, const struct source *source, enum archive_kind kind, int64_t from, struct archive_series *series,
                        struct arena *arena)
{
    int64_t unit = kind == ARCHIVE_DAY ? ARCHIVE_DAY_MS : ARCHIVE_MONTH_MS;
    const struct owners *owners = kind == ARCHIVE_DAY ? &archive->day_owners : &archive->month_owners;
    uint32_t last = kind == ARCHIVE_DAY ? source->now.day_owner : source->now.month_owner;
    size_t most = kind == ARCHIVE_DAY ? ARCHIVE_DAY_SAMPLES * 2 : ARCHIVE_MONTH_SAMPLES * 2;
    if (series->count == 0) { return; }
    series->owner_count = owners_list(owners, source->now.seed, last, (uint32_t)from, most, &series->owners, arena);
    uint32_t owner = 0;
    for (size_t s = series->count; s > 0; s--) {
        struct archive_sample *sample = &series->samples[s - 1];
        while (owner < series->owner_count && series->owners[owner].from > sample->at_ms / unit) { owner++; }
        sample->owner = owner < series->owner_count ? owner : OWNERS_NONE;
    }
}

bool archive_read(struct archive *archive, struct str uuid, enum archive_kind kind, int64_t from_ms, int64_t until_ms, struct archive_series *series,
                  struct arena *arena)
{
    int64_t unit = kind == ARCHIVE_DAY ? ARCHIVE_DAY_MS : ARCHIVE_MONTH_MS, most = kind == ARCHIVE_DAY ? ARCHIVE_DAY_SAMPLES : ARCHIVE_MONTH_SAMPLES;
    int64_t until = (until_ms + unit - 1) / unit, from = from_ms < 0 ? 0 : (from_ms + unit - 1) / unit, patience_ms = clock_monotonic_ms() + FLUSH_MS;
    struct source source;
    bool in_time = true;
    *series = (struct archive_series){ .uuid = uuid };
    lock_take(&archive->lock);
    for (uint64_t pushed = archive->pushed; archive->written < pushed && in_time;) { in_time = lock_wait_until(&archive->done, &archive->lock, patience_ms); }
    source.gpu = find_gpu(archive, uuid);
    if (source.gpu != TABLE_NONE) { source.now = archive->gpus[source.gpu].now; }
    lock_drop(&archive->lock);
    if (source.gpu == TABLE_NONE) { return false; }
    int64_t newest = kind == ARCHIVE_DAY ? (int64_t)source.now.slot : (int64_t)source.now.quarter;
    if (until > newest + 1) { until = newest + 1; }
    if (from < newest + 1 - most) { from = newest + 1 - most; }
    if (from < 0) { from = 0; }
    if (until <= from) { return true; }
    read_blocks(archive, &source, kind, from, until, series, arena);
    read_owners(archive, &source, kind, from, series, arena);
    return true;
}

size_t archive_list(struct archive *archive, struct id instance, struct str *uuids, size_t most, struct arena *arena)
{
    size_t count = 0;
    lock_take(&archive->lock);
    for (size_t n = 0; n < archive->count && count < most; n++) {
        const struct kept *kept = &archive->gpus[n];
        if (id_is_zero(instance) || id_eq(kept->instance, instance)) { uuids[count++] = arena_str(arena, str_from(kept->uuid)); }
    }
    lock_drop(&archive->lock);
    return count;
}

struct archive_counts archive_count(struct archive *archive)
{
    lock_take(&archive->lock);
    struct archive_counts counts = { .gpus = (int64_t)archive->count, .gpus_max = (int64_t)archive->gpus_max, .lost = archive->lost };
    lock_drop(&archive->lock);
    for (size_t f = 0; f < FILE_COUNT; f++) {
        struct stat facts;
        if (fstat(archive->files[f], &facts) == 0) { counts.file_bytes += (int64_t)facts.st_blocks * 512; }
    }
    return counts;
}

/* ---- quarters ---- */

/* The owner of most samples. */
static uint32_t main_owner(const struct archive_series *series)
{
    uint32_t best = OWNERS_NONE;
    size_t most = 0;
    for (size_t s = 0, run = 0; s < series->count; s++) {
        run = s > 0 && series->samples[s].owner == series->samples[s - 1].owner ? run + 1 : 1;     /* an owner's samples follow each other */
        if (run <= most) { continue; }
        most = run;
        best = series->samples[s].owner;
    }
    return best;
}

/* The mean of the samples that belong to that owner: a mean of several owners' samples would belong to none. */
static struct gpu_figures mean_of(const struct archive_series *series, uint32_t owner)
{
    struct gpu_figures mean = { .known = 0 };
    for (size_t f = 0; f < GPU_FIGURES; f++) {
        double sum = 0;
        int64_t count = 0;
        for (size_t s = 0; s < series->count; s++) {
            struct opt_double value = gpu_figure(&series->samples[s].figures, (enum gpu_figure)f);
            if (series->samples[s].owner != owner || !value.set) { continue; }
            sum += value.value;
            count++;
        }
        if (count > 0) { gpu_figure_set(&mean, (enum gpu_figure)f, sum / (double)count); }
    }
    return mean;
}

static void put_month(struct archive *archive, const struct source *source, uint32_t quarter, const struct gpu_figures *mean)
{
    struct block_samples block;
    unsigned char bytes[BLOCK_BYTES];
    uint32_t number = quarter / BLOCK_SAMPLES, at = quarter % BLOCK_SAMPLES;
    off_t place = block_place(ARCHIVE_MONTH, source->gpu, number);
    bool known = pread(archive->files[FILE_MONTH], bytes, BLOCK_BYTES, place) == BLOCK_BYTES && block_read(bytes, source->now.seed, &block)
        && block.number == number;
    if (!known) { block = (struct block_samples){ .number = number }; }
    block.present |= (uint16_t)(1u << at);
    block.samples[at] = *mean;
    block_write(&block, source->now.seed, bytes);
    (void)write_at(archive->files[FILE_MONTH], bytes, BLOCK_BYTES, place);
}

/* The thread's own: nobody else changes month_owner, month_holders and quarter of a GPU that is known. */
static void end_quarter(struct archive *archive, struct source *source, uint32_t quarter, uint64_t *holders)
{
    struct arena arena;
    struct archive_series series = { .count = 0 };
    int64_t from = (int64_t)quarter * QUARTER;
    arena_init(&arena, 1 << 20);
    read_blocks(archive, source, ARCHIVE_DAY, from, from + QUARTER, &series, &arena);
    read_owners(archive, source, ARCHIVE_DAY, from, &series, &arena);
    if (series.count > 0) {
        uint32_t owner = main_owner(&series);
        struct gpu_figures mean = mean_of(&series, owner);
        static const struct owner_change unknown;
        unsigned char bytes[OWNERS_BYTES_MAX];
        size_t size = owners_print(owner == OWNERS_NONE ? &unknown : &series.owners[owner], bytes);
        uint64_t hash = hash_bytes(bytes, size) | 1;
        put_month(archive, source, quarter, &mean);
        if (hash != *holders) {
            source->now.month_owner = owners_put(&archive->month_owners, source->now.seed, quarter, source->now.month_owner, bytes, size);
            *holders = hash;
        }
    }
    source->now.quarter = quarter;
    arena_finish(&arena);
}

/* Where samples may still come for half a minute, the quarter has not ended. After a rest all that the day's file has is made up for. */
static void look_at_quarters(struct archive *archive, int64_t now_ms) REQUIRES(archive->lock)
{
    enum { LATE = 2 };
    uint32_t ended = (now_slot(now_ms) - LATE) / QUARTER - 1, oldest = ended - ARCHIVE_DAY_SAMPLES / QUARTER + 1;
    for (size_t n = 0, done = 0; n < archive->count && done < QUARTERS_A_TURN; n++) {
        if (archive->cursor >= archive->count) { archive->cursor = 0; }
        uint32_t gpu = (uint32_t)archive->cursor++;
        const struct kept *kept = &archive->gpus[gpu];
        struct source source = { gpu, kept->now };
        uint64_t holders = kept->month_holders;
        uint32_t last = kept->now.slot / QUARTER < ended ? kept->now.slot / QUARTER : ended;
        if (kept->now.slot == 0 || kept->now.quarter >= last) { continue; }
        lock_drop(&archive->lock);
        uint32_t quarter = source.now.quarter < oldest ? oldest : source.now.quarter + 1;
        for (; quarter <= last; quarter++) { end_quarter(archive, &source, quarter, &holders); done++; }
        lock_take(&archive->lock);
        struct kept *after = &archive->gpus[gpu];
        if (after->now.seed != source.now.seed) { continue; }
        after->now.quarter = last;
        after->now.month_owner = source.now.month_owner;
        after->month_holders = holders;
    }
}

/* ---- the thread ---- */

static void *archive_thread(void *context)
{
    struct archive *archive = context;
    int64_t now_due_ms = clock_monotonic_ms() + NOW_EVERY_MS, quarters_due_ms = 0;
    lock_take(&archive->lock);
    while (!archive->stopping) {
        (void)lock_wait_until(&archive->more, &archive->lock, clock_monotonic_ms() + TURN_MS);
        write_all_pending(archive);
        if (clock_monotonic_ms() >= quarters_due_ms) {
            look_at_quarters(archive, clock_now_ms());
            quarters_due_ms = clock_monotonic_ms() + TURN_MS;
        }
        if (clock_monotonic_ms() < now_due_ms) { continue; }
        write_now(archive);
        now_due_ms = clock_monotonic_ms() + NOW_EVERY_MS;
    }
    write_all_pending(archive);
    write_now(archive);
    lock_drop(&archive->lock);
    return NULL;
}

/* ---- opening ---- */

static bool open_files(struct archive *archive, const char *folder, struct err *err)
{
    enum { PATH_MAX_LEN = 4096 };
    char path[PATH_MAX_LEN];
    if (mkdir(folder, 0700) != 0 && errno != EEXIST) { return err_set(err, ERR_SERVER, "%s: %s", folder, strerror(errno)); }
    for (size_t f = 0; f < FILE_COUNT; f++) {
        bool fits = snprintf(path, sizeof path, "%s/%s", folder, file_names[f]) < (int)sizeof path;
        if (!fits) { return err_set(err, ERR_SERVER, "The path %s is too long.", folder); }
        archive->files[f] = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
        if (archive->files[f] < 0) { return err_set(err, ERR_SERVER, "%s: %s", path, strerror(errno)); }
    }
    return true;
}

static bool begin_files(struct archive *archive, struct err *err)
{
    struct gpus_head head = { .figures = GPU_FIGURES }, found;
    struct stat facts;
    memcpy(head.magic, magic, sizeof magic);
    bool same = pread(archive->files[FILE_GPUS], &found, sizeof found, 0) == (ssize_t)sizeof found && memcmp(&found, &head, sizeof head) == 0;
    if (same) { return true; }
    if (fstat(archive->files[FILE_GPUS], &facts) == 0 && facts.st_size > 0) {
        log_line(LOG_WARN, "metrics", "the files of metrics have another form, and start empty");
    }
    for (size_t f = 0; f < FILE_COUNT; f++) {
        if (ftruncate(archive->files[f], 0) != 0) { return err_set(err, ERR_SERVER, "The file metrics/%s: %s", file_names[f], strerror(errno)); }
    }
    return write_at(archive->files[FILE_GPUS], &head, sizeof head, 0)
        || err_set(err, ERR_SERVER, "The file metrics/gpus can't be written: %s", strerror(errno));
}

/* A row that is not whole leaves a place that a later GPU may get: its number must stay that of its region. */
static void load_gpu(struct archive *archive, uint32_t gpu, const struct gpu_row *row, const struct now_row *now)
{
    archive->gpus = array_grow(archive->gpus, &archive->capacity, archive->count + 1, sizeof *archive->gpus);
    struct kept *kept = &archive->gpus[archive->count++];
    bool good = row->check == block_check(gpu, &row->bytes, sizeof *row - sizeof row->check) && row->bytes > 0 && row->bytes < UUID_MAX;
    struct str uuid = good ? (struct str){ row->uuid, row->bytes } : STR("");
    begin_gpu(kept, gpu, uuid, row->instance);
    bool same = now->check == block_check(0, &now->seed, offsetof(struct now_row, block) - sizeof now->check) && now->seed == kept->now.seed;
    if (same && good) { kept->now = *now; }
    table_add(&archive->by_uuid, hash_of(uuid), gpu);
}

static void load_rows(struct archive *archive)
{
    struct now_head head;
    struct stat facts;
    size_t rows = 0;
    if (fstat(archive->files[FILE_GPUS], &facts) == 0 && facts.st_size > (off_t)sizeof(struct gpus_head)) {
        rows = ((size_t)facts.st_size - sizeof(struct gpus_head)) / sizeof(struct gpu_row);
    }
    bool known = pread(archive->files[FILE_NOW], &head, sizeof head, 0) == (ssize_t)sizeof head && memcmp(head.magic, magic, sizeof magic) == 0;
    archive->day_owners.next = known ? head.day_next % archive->day_owners.cells : 0;
    archive->month_owners.next = known ? head.month_next % archive->month_owners.cells : 0;
    for (size_t n = 0; n < rows && n < archive->gpus_max; n++) {
        struct gpu_row row = { 0 };
        struct now_row now = { 0 };
        if (pread(archive->files[FILE_GPUS], &row, sizeof row, (off_t)(sizeof(struct gpus_head) + n * sizeof row)) != (ssize_t)sizeof row) { break; }
        if (pread(archive->files[FILE_NOW], &now, sizeof now, (off_t)(sizeof head + n * sizeof now)) != (ssize_t)sizeof now) { now.seed = 0; }
        load_gpu(archive, (uint32_t)n, &row, &now);
    }
}

struct archive *archive_open(const char *folder, int64_t most, struct err *err)
{
    struct archive *archive = array_zeroed(1, sizeof *archive);
    for (size_t f = 0; f < FILE_COUNT; f++) { archive->files[f] = -1; }
    archive->last = &archive->first;
    archive->gpus_max = most < gpu_bytes ? 1 : (size_t)(most / gpu_bytes);
    lock_init(&archive->lock);
    lock_signal_init(&archive->more);
    lock_signal_init(&archive->done);
    bool good = open_files(archive, folder, err) && begin_files(archive, err);
    if (good) {
        uint32_t cells = (uint32_t)(archive->gpus_max * OWNER_BYTES / OWNERS_CELL);
        uint32_t least = OWNERS_BYTES_MAX * 16 / OWNERS_CELL;
        archive->day_owners = (struct owners){ archive->files[FILE_DAY_OWNERS], cells < least ? least : cells, 0 };
        archive->month_owners = (struct owners){ archive->files[FILE_MONTH_OWNERS], cells < least ? least : cells, 0 };
        load_rows(archive);
        archive->started = pthread_create(&archive->thread, NULL, archive_thread, archive) == 0;
        good = archive->started || err_set(err, ERR_SERVER, "There is no thread for the metrics.");
    }
    if (good) { return archive; }
    archive_close(archive);
    return NULL;
}

void archive_close(struct archive *archive)
{
    if (archive == NULL) { return; }
    lock_take(&archive->lock);
    archive->stopping = true;
    lock_wake_one(&archive->more);
    lock_drop(&archive->lock);
    if (archive->started) { ASSERT(pthread_join(archive->thread, NULL) == 0); }
    for (size_t f = 0; f < FILE_COUNT; f++) {
        if (archive->files[f] >= 0) { (void)close(archive->files[f]); }
    }
    for (size_t n = 0; n < archive->count; n++) { free(archive->gpus[n].uuid); }
    free(archive->gpus);
    table_finish(&archive->by_uuid);
    lock_signal_finish(&archive->more);
    lock_signal_finish(&archive->done);
    lock_finish(&archive->lock);
    free(archive);
}
