/* replay_main.c: a fuzz target as an ordinary test. Replays each file of a corpus folder and seeded mutations of it. Same
 * corpus, same inputs; an input that ends the process is first left in fuzz_failure.bin, to be added to the corpus. */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/assert.h"
#include "base/rng.h"
#include "tests/fuzz/fuzz.h"

enum { FILES_MAX = 4096, INPUT_MAX = 64 * 1024, MUTATIONS = 2000, CHANGES_MAX = 6 };

static const uint8_t *current;
static size_t current_size;
static unsigned long passed;
static char names[FILES_MAX][256];

/* Only what a signal handler may call. */
static void on_death(int number)
{
    static const char text[] = "a property does not hold; the input is in fuzz_failure.bin\n0 passed, 1 failed\n";
    int file = open("fuzz_failure.bin", O_WRONLY | O_CREAT | O_TRUNC, 0644);
    bool written = file >= 0 && write(file, current, current_size) == (ssize_t)current_size;
    if (written) { (void)!write(STDERR_FILENO, text, sizeof text - 1); }
    signal(number, SIG_DFL);
    raise(number);
}

/* In memory of exactly its size, so that the address sanitizer sees the first byte too many. */
static void run(const uint8_t *bytes, size_t size)
{
    uint8_t *exact = malloc(size > 0 ? size : 1);
    ASSERT(exact != NULL);
    if (size > 0) { memcpy(exact, bytes, size); }
    current = exact;
    current_size = size;
    ASSERT(LLVMFuzzerTestOneInput(exact, size) == 0);
    passed++;
    free(exact);
}

static size_t delete_range(uint8_t *bytes, size_t size, size_t at, size_t count)
{
    size_t gone = count < size - at ? count : size - at;
    memmove(bytes + at, bytes + at + gone, size - at - gone);
    return size - gone;
}

/* Copies a stretch of the input to another place, so that structures repeat and nest. */
static size_t repeat_range(struct rng *rng, uint8_t *bytes, size_t size, size_t at, size_t count)
{
    size_t from = (size_t)rng_below(rng, size), len = count < size - from ? count : size - from;
    if (size + len > INPUT_MAX) { return size; }
    uint8_t piece[64];
    memcpy(piece, bytes + from, len);
    memmove(bytes + at + len, bytes + at, size - at);
    memcpy(bytes + at, piece, len);
    return size + len;
}

static size_t mutate_once(struct rng *rng, uint8_t *bytes, size_t size)
{
    static const char telling[] = "{}[]\"\\:,/%+=&;. \n0-9eE.u\x7f\x80\xC3\xED\xF4\xFF";   /* the NUL at the end counts too */
    size_t at = (size_t)rng_below(rng, size + 1), count = 1 + (size_t)rng_below(rng, 63);
    uint8_t chosen = (uint8_t)telling[rng_below(rng, sizeof telling)];
    switch (size == 0 ? 0 : rng_below(rng, 5)) {
    case 0:
        if (size == INPUT_MAX) { return size; }
        memmove(bytes + at + 1, bytes + at, size - at);
        bytes[at] = chosen;
        return size + 1;
    case 1:
        bytes[at % size] = chosen;
        return size;
    case 2:
        bytes[at % size] ^= (uint8_t)(1u << rng_below(rng, 8));
        return size;
    case 3:
        return delete_range(bytes, size, at, 1 + count / 8);
    default:
        return repeat_range(rng, bytes, size, at, count);
    }
}

static void replay(const uint8_t *bytes, size_t size, unsigned long mutations)
{
    static uint8_t mutant[INPUT_MAX];
    struct rng rng;
    rng_seed(&rng, size);
    run(bytes, size);
    for (unsigned long m = 0; m < mutations; m++) {
        size_t changed = size;
        memcpy(mutant, bytes, size);
        for (uint64_t c = 1 + rng_below(&rng, CHANGES_MAX); c > 0; c--) { changed = mutate_once(&rng, mutant, changed); }
        run(mutant, changed);
    }
}

static void replay_file(const char *folder, const char *name, unsigned long mutations)
{
    static uint8_t bytes[INPUT_MAX];
    char path[4096];
    int len = snprintf(path, sizeof path, "%s/%s", folder, name);
    ASSERT(len > 0 && (size_t)len < sizeof path);
    FILE *file = fopen(path, "rb");
    ASSERT(file != NULL);
    size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    replay(bytes, size, mutations);
}

static int by_name(const void *a, const void *b) { return strcmp(a, b); }

/* Sorted, because the order of a folder is not the same everywhere. */
static size_t list_folder(const char *folder)
{
    DIR *dir = opendir(folder);
    if (dir == NULL) { return 0; }
    size_t count = 0;
    for (struct dirent *entry = readdir(dir); entry != NULL; entry = readdir(dir)) {
        if (entry->d_name[0] == '.') { continue; }
        ASSERT(count < FILES_MAX);
        memcpy(names[count++], entry->d_name, strlen(entry->d_name) + 1);
    }
    closedir(dir);
    qsort(names, count, sizeof names[0], by_name);
    return count;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "usage: %s <corpus folder> [mutations per file]\n", argv[0]);
        return 2;
    }
    unsigned long mutations = argc > 2 ? strtoul(argv[2], NULL, 10) : MUTATIONS;
    signal(SIGABRT, on_death);
    signal(SIGSEGV, on_death);
    size_t count = list_folder(argv[1]);
    for (size_t f = 0; f < count; f++) { replay_file(argv[1], names[f], mutations); }
    printf("%lu passed, %d failed\n", passed, 0);
    return count > 0 ? 0 : 1;                                      /* an empty corpus tests nothing */
}
