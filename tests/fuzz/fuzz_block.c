/* fuzz_block.c: blocks of the files of metrics, with anything behind a check that is right. A block that is read can be written; it is read again with the
 * same samples, and is of no other GPU. */
#include <string.h>

#include "server/archive/block.h"
#include "tests/fuzz/fuzz.h"

enum { CHECK_BYTES = 4, GPU = 7 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    unsigned char bytes[BLOCK_BYTES] = { 0 };
    struct block_samples samples, same;
    if (size > BLOCK_BYTES - CHECK_BYTES) { size = BLOCK_BYTES - CHECK_BYTES; }
    if (size > 0) { memcpy(bytes + CHECK_BYTES, data, size); }
    uint32_t check = block_check(GPU, bytes + CHECK_BYTES, BLOCK_BYTES - CHECK_BYTES);
    memcpy(bytes, &check, sizeof check);
    ASSERT(!block_read(bytes, GPU + 1, &samples));
    if (!block_read(bytes, GPU, &samples)) { return 0; }
    block_write(&samples, GPU, bytes);
    ASSERT(block_read(bytes, GPU, &same));
    ASSERT(same.number == samples.number && same.present == samples.present);
    return 0;
}
