/* test_seal.c: a sealed text opens with its key, for its context and unchanged, and not otherwise. */
#include "base/seal.h"

#include "tests/unit/check.h"

static struct arena arena = { .ceiling = 4 << 20 };
static const struct seal_key key = { { 1, 2, 3 } };

static void test_round_trip(void)
{
    static const size_t lengths[] = { 0, 1, 15, 16, 17, 4096, 65536 };
    for (size_t l = 0; l < COUNT_OF(lengths); l++) {
        char *bytes = arena_alloc(&arena, lengths[l] + 1, 1);
        memset(bytes, 'x', lengths[l]);
        struct str text = { bytes, lengths[l] }, sealed = seal_close(&key, STR("here"), text, &arena), opened = { NULL, 0 };
        CHECK_EQ("its length", sealed.len, lengths[l] + SEAL_OVERHEAD);
        CHECK("opens", seal_open(&key, STR("here"), sealed, &opened, &arena));
        CHECK_STR("the same", opened, text);
        CHECK("another seal each time", !str_eq(sealed, seal_close(&key, STR("here"), text, &arena)));
        CHECK("shows nothing", lengths[l] < 15 || memmem(sealed.ptr, sealed.len, "xxxxxxxx", 8) == NULL);
    }
}

static void test_refused(void)
{
    struct str sealed = seal_close(&key, STR("here"), STR("a secret"), &arena), opened;
    const struct seal_key other = { { 1, 2, 4 } };
    CHECK("another key", !seal_open(&other, STR("here"), sealed, &opened, &arena));
    CHECK("gives nothing", !str_is_set(opened));
    CHECK("another context", !seal_open(&key, STR("there"), sealed, &opened, &arena));
    CHECK("no context", !seal_open(&key, STR(""), sealed, &opened, &arena));
    for (size_t b = 0; b < sealed.len; b++) {
        char *changed = arena_copy(&arena, sealed.ptr, sealed.len);
        changed[b] ^= 1;
        CHECK("one bit is another", !seal_open(&key, STR("here"), (struct str){ changed, sealed.len }, &opened, &arena));
    }
    for (size_t len = 0; len < sealed.len; len++) { CHECK("cut short", !seal_open(&key, STR("here"), str_slice(sealed, 0, len), &opened, &arena)); }
}

int main(void)
{
    test_round_trip();
    test_refused();
    arena_finish(&arena);
    return check_report();
}
