/* guesses.c: a table of sets of cells. When a set is full, the cell with the fewest wrong secrets is used again: a peer with many addresses can't so erase
 * the count of one of them. */
#include "server/front/guesses.h"

#include <arpa/inet.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/lock.h"
#include "base/rng.h"
#include "base/sigv4.h"

enum { SETS = 256, CELLS = 8, PLACE_TEXT_MAX = 64, KEY_TEXT_MAX = 128, SALT_LEN = 32 };

struct cell { uint64_t print; int64_t until_ms; unsigned count; };
struct guesses {
    char salt[SALT_LEN];                     /* secret, so that no peer can choose its cells */
    atomic_int_fast64_t until_ms;            /* the end of the last window: after it nothing is looked up */
    struct lock lock;
    struct cell cells[SETS][CELLS];          /* guarded by lock */
};

/* A peer with one IPv6 address has 2^64 of them. */
static size_t put_place(struct str address, uint8_t out[PLACE_TEXT_MAX])
{
    static const uint8_t mapped[] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF };
    char text[PLACE_TEXT_MAX];
    uint8_t six[16];
    if (str_to_cstr(address, text, sizeof text) && inet_pton(AF_INET6, text, six) == 1) {
        bool is_four = memcmp(six, mapped, sizeof mapped) == 0;
        memcpy(out, is_four ? six + 12 : six, is_four ? 4 : 8);
        return is_four ? 4 : 8;
    }
    if (str_to_cstr(address, text, sizeof text) && inet_pton(AF_INET, text, out) == 1) { return 4; }
    address = str_slice(address, 0, PLACE_TEXT_MAX);
    if (address.len > 0) { memcpy(out, address.ptr, address.len); }
    return address.len;
}

/* Never 0, which is an empty cell. */
static uint64_t print_of(const struct guesses *guesses, struct str address, struct str key)
{
    uint8_t text[1 + PLACE_TEXT_MAX + KEY_TEXT_MAX], hash[32];
    size_t len = put_place(address, text + 1);
    text[0] = (uint8_t)len;
    key = str_slice(key, 0, KEY_TEXT_MAX);
    if (key.len > 0) { memcpy(text + 1 + len, key.ptr, key.len); }
    hmac_sha256((struct str){ guesses->salt, SALT_LEN }, (struct str){ (const char *)text, 1 + len + key.len }, hash);
    uint64_t print;
    memcpy(&print, hash, sizeof print);
    return print | 1;
}

static struct cell *set_of(struct guesses *guesses, uint64_t print) { return guesses->cells[(print >> 1) % SETS]; }

/* NULL: none, or its window is over. */
static struct cell *find_cell(struct cell *set, uint64_t print, int64_t now_ms)
{
    for (size_t c = 0; c < CELLS; c++) {
        if (set[c].print == print && set[c].until_ms > now_ms) { return &set[c]; }
    }
    return NULL;
}

static struct cell *free_cell(struct cell *set, int64_t now_ms)
{
    struct cell *least = &set[0];
    for (size_t c = 0; c < CELLS; c++) {
        if (set[c].until_ms <= now_ms) { return &set[c]; }
        if (set[c].count < least->count) { least = &set[c]; }
    }
    return least;
}

bool guesses_count(struct guesses *guesses, struct str address, struct str key, int64_t monotonic_ms)
{
    uint64_t print = print_of(guesses, address, key);
    lock_take(&guesses->lock);
    struct cell *set = set_of(guesses, print), *cell = find_cell(set, print, monotonic_ms);
    if (cell == NULL) {
        cell = free_cell(set, monotonic_ms);
        *cell = (struct cell){ .print = print, .until_ms = monotonic_ms + GUESSES_WINDOW_MS };
        atomic_store(&guesses->until_ms, cell->until_ms);
    }
    if (cell->count <= GUESSES_MAX) { cell->count++; }
    bool last = cell->count == GUESSES_MAX;
    lock_drop(&guesses->lock);
    return last;
}

int64_t guesses_wait_ms(struct guesses *guesses, struct str address, struct str key, int64_t monotonic_ms)
{
    if (monotonic_ms >= atomic_load_explicit(&guesses->until_ms, memory_order_relaxed)) { return 0; }
    uint64_t print = print_of(guesses, address, key);
    lock_take(&guesses->lock);
    const struct cell *cell = find_cell(set_of(guesses, print), print, monotonic_ms);
    int64_t wait_ms = cell != NULL && cell->count >= GUESSES_MAX ? cell->until_ms - monotonic_ms : 0;
    lock_drop(&guesses->lock);
    return wait_ms;
}

struct guesses *guesses_create(void)
{
    struct guesses *guesses = calloc(1, sizeof *guesses);
    ASSERT(guesses != NULL);
    rng_secret(guesses->salt, sizeof guesses->salt);
    lock_init(&guesses->lock);
    return guesses;
}

void guesses_destroy(struct guesses *guesses)
{
    if (guesses == NULL) { return; }
    lock_finish(&guesses->lock);
    free(guesses);
}
