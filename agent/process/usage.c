/* usage.c: usage of the process runtime's commands, from one walk through /proc for all of them. All descendants of its shim belong to a
 * container; the shim is also the parent of processes that the command leaves behind (shim.c). Times of processes that have ended are in their
 * parents' by then, so that the sum only grows. */
#include "agent/process/process.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"

enum { NOBODY = -1, LINE_MAX_BYTES = 1024, DEPTH_MAX = 64, WORDS = 22 };

struct seen {                                    /* one process of the machine */
    pid_t pid, parent;
    int owner;                                   /* the container whose shim it is; NOBODY */
    int64_t own_ticks, ended_ticks, pages;       /* ended: of children that it has waited for */
};
struct walk { struct seen *items; size_t count; struct arena arena; };

/* ---- /proc ---- */

static FILE *open_of(pid_t pid, const char *file)
{
    char path[64];
    (void)snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, file);
    return fopen(path, "re");
}

/* The words behind the name in brackets, which may hold anything: the state is the first. */
static bool read_stat(pid_t pid, struct seen *seen)
{
    enum { PARENT = 1, USER = 11, SYSTEM = 12, ENDED_USER = 13, ENDED_SYSTEM = 14, RESIDENT = 21 };
    char line[LINE_MAX_BYTES];
    int64_t words[WORDS] = { 0 };
    FILE *file = open_of(pid, "stat");
    bool good = file != NULL && fgets(line, sizeof line, file) != NULL;
    if (file != NULL) { (void)fclose(file); }
    const char *behind = good ? strrchr(line, ')') : NULL;
    if (behind == NULL || behind[1] != ' ') { return false; }
    struct str word, rest = str_from(behind + 2);
    for (size_t w = 0; w < WORDS; w++) {
        str_cut(rest, ' ', &word, &rest);
        (void)str_to_i64(word, &words[w]);               /* the state is no number, and is not used */
    }
    *seen = (struct seen){
        .pid = pid, .parent = (pid_t)words[PARENT], .owner = NOBODY, .own_ticks = words[USER] + words[SYSTEM],
        .ended_ticks = words[ENDED_USER] + words[ENDED_SYSTEM], .pages = words[RESIDENT],
    };
    return true;
}

/* Bytes of the process and of the children that it has waited for. False: the kernel does not allow it. A process that has just gone has none. */
static bool add_blocks(pid_t pid, struct container_usage *use)
{
    char line[LINE_MAX_BYTES];
    long long bytes = 0;
    FILE *file = open_of(pid, "io");
    if (file == NULL) { return errno == ENOENT || errno == ESRCH; }
    while (fgets(line, sizeof line, file) != NULL) {
        if (sscanf(line, "read_bytes: %lld", &bytes) == 1) { use->block_read_bytes.value += (double)bytes; }
        if (sscanf(line, "write_bytes: %lld", &bytes) == 1) { use->block_written_bytes.value += (double)bytes; }
    }
    bool good = ferror(file) == 0;
    (void)fclose(file);
    return good;
}

static int by_pid(const void *a, const void *b)
{
    pid_t x = ((const struct seen *)a)->pid, y = ((const struct seen *)b)->pid;
    return (x > y) - (x < y);
}

static void walk_processes(struct walk *walk)
{
    DIR *listing = opendir("/proc");
    size_t capacity = 0;
    for (const struct dirent *entry = listing == NULL ? NULL : readdir(listing); entry != NULL; entry = readdir(listing)) {
        int64_t pid;
        struct seen seen;
        if (!str_to_i64(str_from(entry->d_name), &pid) || !read_stat((pid_t)pid, &seen)) { continue; }
        if (walk->count == capacity) {
            size_t old = capacity * sizeof *walk->items;
            capacity = capacity == 0 ? 256 : capacity * 2;
            walk->items = arena_grow(&walk->arena, walk->items, old, capacity * sizeof *walk->items);
        }
        walk->items[walk->count++] = seen;
    }
    if (listing != NULL) { closedir(listing); }
    if (walk->count > 1) { qsort(walk->items, walk->count, sizeof *walk->items, by_pid); }
}

static struct seen *find(const struct walk *walk, pid_t pid)
{
    const struct seen wanted = { .pid = pid };
    return walk->count == 0 ? NULL : bsearch(&wanted, walk->items, walk->count, sizeof *walk->items, by_pid);
}

/* ---- owners ---- */

static void mark_shim(const struct walk *walk, const char *dir, int owner, struct container_usage *use)
{
    struct process_pids pids;
    *use = (struct container_usage){ 0 };
    struct seen *shim = process_read_pids(dir, &pids) && process_is_alive(&pids.shim) ? find(walk, pids.shim.pid) : NULL;
    if (shim == NULL) { return; }
    shim->owner = owner;
    use->read_ms = clock_monotonic_ms();
    use->cpu_seconds.set = use->memory_bytes.set = use->block_read_bytes.set = use->block_written_bytes.set = true;
}

static int owner_of(const struct walk *walk, const struct seen *process)
{
    for (size_t depth = 0; process != NULL && depth < DEPTH_MAX; depth++) {
        if (process->owner != NOBODY) { return process->owner; }
        process = find(walk, process->parent);
    }
    return NOBODY;
}

/* A shim counts only the children that it has reaped. */
static void add_process(const struct seen *process, struct container_usage *use)
{
    double ticks_per_s = (double)sysconf(_SC_CLK_TCK), page = (double)sysconf(_SC_PAGESIZE);
    bool is_shim = process->owner != NOBODY;
    use->cpu_seconds.value += (double)(process->ended_ticks + (is_shim ? 0 : process->own_ticks)) / ticks_per_s;
    if (!is_shim) { use->memory_bytes.value += (double)process->pages * page; }
    if (!add_blocks(process->pid, use)) { use->block_read_bytes.set = use->block_written_bytes.set = false; }
}

void process_read_uses(const char (*dirs)[PROCESS_PATH_MAX], struct container_usage *uses, size_t count)
{
    struct walk walk = { .arena = { .ceiling = PROCESS_ARENA_MAX } };
    walk_processes(&walk);
    for (size_t c = 0; c < count; c++) { mark_shim(&walk, dirs[c], (int)c, &uses[c]); }
    for (size_t p = 0; p < walk.count; p++) {
        int owner = owner_of(&walk, &walk.items[p]);
        if (owner != NOBODY) { add_process(&walk.items[p], &uses[owner]); }
    }
    arena_finish(&walk.arena);
}
