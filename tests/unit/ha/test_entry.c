/* Entries of the log: packed ones are unpacked, and bytes that are no entry are refused with a word. */
#include "ha/entry.h"
#include "tests/unit/check.h"

#include <string.h>

enum { CEILING = 512 << 20 };

static bool same_write(const struct store_write *a, const struct store_write *b)
{
    return strcmp(a->table, b->table) == 0 && a->deletes == b->deletes && str_eq(a->key, b->key) && str_eq(a->value, b->value)
        && str_is_set(a->value) == str_is_set(b->value);
}

static const struct store_write some[] = {
    { "tasks", false, STR_INIT("0123456789abcdef"), STR_INIT("\1record") }, { "task_index", false, STR_INIT("\1\0\2"), STR_INIT("0123456789abcdef") },
    { "tasks", true, STR_INIT("fedcba9876543210"), { NULL, 0 } }, { "taskdef_index", false, STR_INIT("web"), STR_INIT("") },
    { "task_index", true, STR_INIT("\1\0\2"), STR_INIT("fedcba9876543210") }, { "changes", false, STR_INIT("12345678"), STR_INIT("\4row") },
};

static struct entry make(const struct store_write *writes, size_t count)
{
    struct entry entry = { .revision = 42, .time_ms = 1700000000000, .member = STR("m1"), .writes = writes, .count = count };
    memset(entry.before, 0xab, sizeof entry.before);
    return entry;
}

static void test_round_trip(struct arena *arena)
{
    struct entry entry = make(some, COUNT_OF(some)), read;
    struct str bytes;
    struct err err = { 0 };
    uint8_t mark[STORE_MARK_SIZE], other[STORE_MARK_SIZE];
    CHECK("packed", entry_pack(&entry, &bytes, arena));
    CHECK("unpacked", entry_unpack(bytes, &read, arena, &err));
    CHECK("its head", read.revision == 42 && read.time_ms == 1700000000000 && str_eq(read.member, STR("m1")) && memcmp(read.before, entry.before, sizeof read.before) == 0);
    CHECK_EQ("as many writes", read.count, COUNT_OF(some));
    for (size_t w = 0; w < COUNT_OF(some); w++) { CHECK("the same write", same_write(&read.writes[w], &some[w])); }
    entry_mark(bytes, mark);
    entry.before[31] ^= 1;
    CHECK("packed again", entry_pack(&entry, &bytes, arena));
    entry_mark(bytes, other);
    CHECK("another past, another mark", memcmp(mark, other, sizeof mark) != 0);
}

static void test_sealed(struct arena *arena)
{
    struct entry entry = make(some, COUNT_OF(some)), read;
    struct seal_key key = { { 1, 2, 3 } }, other = { { 1, 2, 4 } };
    struct str bytes, plain;
    struct err err = { 0 };
    CHECK("packed", entry_pack(&entry, &bytes, arena));
    CHECK("an open entry stays as it is", entry_open(&key, 42, bytes, &plain, arena, &err) && str_eq(plain, bytes));
    struct str sealed = entry_seal(&key, 42, bytes, arena);
    CHECK("none of it can be read", !str_eq(str_slice(sealed, sealed.len - bytes.len, sealed.len), bytes) && memmem(sealed.ptr, sealed.len, "BERTHLOG", 8) == NULL);
    CHECK("nor taken for an entry", !entry_unpack(sealed, &read, arena, &err));
    err = (struct err){ 0 };
    CHECK("opened", entry_open(&key, 42, sealed, &plain, arena, &err) && str_eq(plain, bytes) && entry_unpack(plain, &read, arena, &err));
    CHECK("not by another key", !entry_open(&other, 42, sealed, &plain, arena, &err) && strstr(err.message, "Entry 42 of the log is sealed") != NULL);
    err = (struct err){ 0 };
    CHECK("not in another place", !entry_open(&key, 43, sealed, &plain, arena, &err));
    char *copy = ARENA_NEW(arena, char, sealed.len);
    memcpy(copy, sealed.ptr, sealed.len);
    for (size_t at = 8; at < sealed.len; at++) {
        copy[at] ^= 1;
        err = (struct err){ 0 };
        CHECK("changed", !entry_open(&key, 42, (struct str){ copy, sealed.len }, &plain, arena, &err));
        err = (struct err){ 0 };
        CHECK("cut off", !entry_open(&key, 42, str_slice(sealed, 0, at), &plain, arena, &err));
        copy[at] ^= 1;
    }
}

static void test_limits(struct arena *arena)
{
    static char large[ENTRY_RAW_MAX];
    const size_t head = 8 + 1;               /* of a write, with a key of one byte */
    struct store_write one = { "meta", false, STR_INIT("a"), { large, sizeof large - head } };
    struct entry entry = make(&one, 1), read;
    struct str bytes;
    struct err err = { 0 };
    CHECK("the largest commit", entry_pack(&entry, &bytes, arena) && entry_unpack(bytes, &read, arena, &err) && read.writes[0].value.len == one.value.len);
    one.value.len++;
    CHECK("a byte more", !entry_pack(&entry, &bytes, arena));
}

static void test_wrong_bytes(struct arena *arena)
{
    struct entry entry = make(some, COUNT_OF(some)), read;
    struct str bytes;
    size_t taken = 0;
    CHECK("packed", entry_pack(&entry, &bytes, arena));
    char *copy = ARENA_NEW(arena, char, bytes.len + 1);
    memcpy(copy, bytes.ptr, bytes.len);
    copy[bytes.len] = 0;
    for (size_t len = 0; len < bytes.len; len++) {
        struct err err = { 0 };
        CHECK("cut off", !entry_unpack((struct str){ copy, len }, &read, arena, &err) && err.message[0] != '\0');
    }
    struct err err = { 0 };
    CHECK("with more behind it", !entry_unpack((struct str){ copy, bytes.len + 1 }, &read, arena, &err));
    for (size_t at = 0; at < bytes.len; at++) {          /* the head's numbers can be any; a taken one is whole */
        err = (struct err){ 0 };
        copy[at] ^= 0x55;
        bool good = entry_unpack((struct str){ copy, bytes.len }, &read, arena, &err);
        taken += good;
        CHECK("taken or told", good ? read.count > 0 : err.message[0] != '\0');
        copy[at] ^= 0x55;
    }
    CHECK("most are refused", taken < bytes.len);
    copy[8] = ENTRY_FORMAT + 1;
    err = (struct err){ 0 };
    CHECK("a later format", !entry_unpack((struct str){ copy, bytes.len }, &read, arena, &err) && strstr(err.message, "update it") != NULL);
}

int main(void)
{
    struct arena arena;
    arena_init(&arena, CEILING);
    test_round_trip(&arena);
    test_sealed(&arena);
    test_limits(&arena);
    test_wrong_bytes(&arena);
    arena_finish(&arena);
    return check_report();
}
