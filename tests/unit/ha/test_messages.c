/* Messages of etcd as bytes: whole ones are read, cut or bent ones are not, and none takes more memory than it may. */
#include "ha/messages.h"
#include "tests/unit/check.h"

#include <ha/etcd.pb-c.h>
#include <string.h>

enum { CEILING = 64 << 20, PAIRS = 3 };

static struct str range_answer(struct arena *arena)
{
    static const char *const keys[PAIRS] = { "/berth/x/shard/0/first", "/berth/x/shard/0/head", "/berth/x/shard/0/leader" };
    Etcd__RangeAnswer answer = ETCD__RANGE_ANSWER__INIT;
    Etcd__Header header = ETCD__HEADER__INIT;
    Etcd__Pair pairs[PAIRS], *list[PAIRS];
    for (size_t p = 0; p < PAIRS; p++) {
        etcd__pair__init(&pairs[p]);
        pairs[p].key = (ProtobufCBinaryData){ strlen(keys[p]), (uint8_t *)(uintptr_t)keys[p] };
        pairs[p].mod_revision = (int64_t)p + 7;
        list[p] = &pairs[p];
    }
    header.revision = 99;
    answer.header = &header;
    answer.n_kvs = PAIRS;
    answer.kvs = list;
    return message_pack(&answer, arena);
}

static void test_round_trip(struct arena *arena)
{
    struct str bytes = range_answer(arena);
    size_t taken = 0;
    const Etcd__RangeAnswer *read = message_unpack(GRPC_RANGE, bytes, arena, &taken);
    CHECK("it is read", read != NULL && taken == bytes.len);
    if (read == NULL) { return; }
    CHECK("the same", read->header->revision == 99 && read->n_kvs == PAIRS && read->kvs[2]->mod_revision == 9 && read->kvs[0]->key.len == 22);
    char *both = arena_bytes(arena, 2 * bytes.len);
    memcpy(both, bytes.ptr, bytes.len);
    memcpy(both + bytes.len, bytes.ptr, bytes.len);
    CHECK("the first of two", message_unpack(GRPC_RANGE, (struct str){ both, 2 * bytes.len }, arena, &taken) != NULL && taken == bytes.len);
}

static void test_no_message(struct arena *arena)
{
    struct str bytes = range_answer(arena);
    size_t taken = 0;
    for (size_t len = 0; len < bytes.len; len++) { CHECK("cut", message_unpack(GRPC_RANGE, str_slice(bytes, 0, len), arena, &taken) == NULL); }
    char *bent = arena_copy(arena, bytes.ptr, bytes.len);
    bent[0] = 1;
    CHECK("compressed", message_unpack(GRPC_RANGE, (struct str){ bent, bytes.len }, arena, &taken) == NULL);
    bent[0] = 0;
    bent[1] = 127;
    CHECK("longer than what came", message_unpack(GRPC_RANGE, (struct str){ bent, bytes.len }, arena, &taken) == NULL);
}

/* `size` bytes of what protobuf reads as pairs without a key and a value: two bytes each. */
static struct str empty_pairs(size_t size, struct arena *arena)
{
    char *bytes = arena_bytes(arena, size + 5);
    for (size_t b = 0; b < 4; b++) { bytes[1 + b] = (char)(size >> (24 - 8 * b)); }
    bytes[0] = 0;
    for (size_t b = 0; b < size; b++) { bytes[5 + b] = b % 2 == 0 ? 0x12 : 0; }
    return (struct str){ bytes, size + 5 };
}

static void test_memory(struct arena *arena)
{
    size_t taken = 0;
    struct str some = empty_pairs(200, arena), many = empty_pairs(1 << 20, arena);
    CHECK("some small ones are read", message_unpack(GRPC_RANGE, some, arena, &taken) != NULL);
    size_t before = arena->used;
    CHECK("many are made to take memory", message_unpack(GRPC_RANGE, many, arena, &taken) == NULL);
    CHECK("nine times the bytes at most", arena->used - before <= 9 * many.len);
    struct str long_one = empty_pairs(MESSAGE_MAX + 2, arena);
    CHECK("too long", message_unpack(GRPC_RANGE, long_one, arena, &taken) == NULL);
}

int main(void)
{
    struct arena arena;
    arena_init(&arena, CEILING);
    test_round_trip(&arena);
    test_no_message(&arena);
    test_memory(&arena);
    for (int m = 0; m < GRPC_METHODS; m++) { CHECK("a path", message_path((enum grpc_method)m)[0] == '/'); }
    arena_finish(&arena);
    return check_report();
}
