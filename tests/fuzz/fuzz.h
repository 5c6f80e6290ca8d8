/* fuzz.h: what the fuzz targets share. */
#ifndef BERTH_TESTS_FUZZ_H
#define BERTH_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

/* Called by libFuzzer, or by replay_main.c. Ends the process when a property does not hold; returns 0. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static inline struct str fuzz_str(const uint8_t *data, size_t size)
{
    return (struct str){ data == NULL ? "" : (const char *)data, size };
}

#endif
