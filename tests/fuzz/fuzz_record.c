/* fuzz_record.c: bytes that unpack pack again to something that unpacks to the same: one step, and then nothing moves. The
 * first byte chooses the record. */
#include "model/records/access_key.h"
#include "model/alarm.h"
#include "model/cluster.h"
#include "model/instance.h"
#include "model/task.h"
#include "model/taskdef.h"
#include "tests/fuzz/fuzz.h"

enum { CEILING = 4 * 1024 * 1024 };

static const struct schema *const records[] = {
    &access_key_record, &cluster_record, &instance_record, &task_record, &task_key_record, &taskdef_record, &daemon_taskdef_record,
    &kept_alarm_record,
};

static struct str pack(const struct schema *schema, const void *value, struct arena *arena)
{
    struct buf buf = buf_in(arena);
    schema_pack(schema, value, &buf);
    return buf_str(&buf);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct arena arena;
    if (arena.ceiling == 0) { arena_init(&arena, CEILING); }
    if (size == 0 || size > 64 * 1024) { return 0; }
    const struct schema *schema = records[data[0] % COUNT_OF(records)];
    void *first = arena_alloc(&arena, 1, schema->size), *second = arena_alloc(&arena, 1, schema->size);
    struct str bytes = fuzz_str(data + 1, size - 1);
    if (schema_unpack(schema, bytes, first, &arena)) {
        struct str packed = pack(schema, first, &arena);
        ASSERT(packed.len <= bytes.len);
        ASSERT(schema_unpack(schema, packed, second, &arena));
        ASSERT(str_eq(pack(schema, second, &arena), packed));
    }
    arena_reset(&arena);
    return 0;
}
