/* fuzz_matcher.c: a matcher that is not valid fits nothing, and one that is valid fits the first code that it names. */
#include "wire/checks.h"

#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str matcher = fuzz_str(data, size), first, rest;
    int64_t code;
    if (!matcher_is_valid(matcher)) {
        for (code = 0; code <= MATCHER_CODE_MAX; code++) { ASSERT(!matcher_fits(matcher, code)); }
        return 0;
    }
    (void)str_cut(matcher, ',', &first, &rest);
    (void)str_cut(first, '-', &first, &rest);
    ASSERT(str_to_i64(first, &code) && matcher_fits(matcher, code));
    ASSERT(!matcher_fits(matcher, -1) && !matcher_fits(matcher, MATCHER_CODE_MAX + 1));
    return 0;
}
