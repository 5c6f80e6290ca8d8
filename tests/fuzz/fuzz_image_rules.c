/* fuzz_image_rules.c: what goes when the disk is tidied is the agent's own, unused and old enough, those longest unused first, and nothing that
 * would go is left out while something younger goes. Four bytes are one image. */
#include "agent/images/rules.h"

#include <stdlib.h>

#include "base/assert.h"
#include "tests/fuzz/fuzz.h"

enum { IMAGES_MAX = 64, NOW_MS = 300 };

static bool may_go(const struct image_candidate *one, int64_t min_age_ms)
{
    return one->own && !one->in_use && NOW_MS - one->pulled_ms >= min_age_ms;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct image_candidate images[IMAGES_MAX] = { 0 };
    size_t chosen[IMAGES_MAX] = { 0 }, count = 0, could = 0;
    bool goes[IMAGES_MAX] = { false };
    if (size < 2) { return 0; }
    int64_t min_age_ms = data[0];
    size_t most = data[1] % 8;
    for (size_t at = 2; at + 4 <= size && count < IMAGES_MAX; at += 4, count++) {
        images[count] = (struct image_candidate){
            .image = fuzz_str(data + at, 1), .own = (data[at + 1] & 1) != 0, .in_use = (data[at + 1] & 2) != 0, .pulled_ms = data[at + 2], .used_ms = data[at + 3],
        };
        could += may_go(&images[count], min_age_ms);
    }
    size_t found = image_choose(images, count, NOW_MS, min_age_ms, most, chosen);
    ASSERT(found == (could < most ? could : most));
    for (size_t f = 0; f < found; f++) {
        ASSERT(chosen[f] < count && !goes[chosen[f]] && may_go(&images[chosen[f]], min_age_ms));
        ASSERT(f == 0 || images[chosen[f - 1]].used_ms <= images[chosen[f]].used_ms);
        goes[chosen[f]] = true;
    }
    for (size_t c = 0; found > 0 && c < count; c++) {
        ASSERT(goes[c] || !may_go(&images[c], min_age_ms) || images[c].used_ms >= images[chosen[found - 1]].used_ms);
    }
    char *text = strndup((const char *)data, size);
    ASSERT(text != NULL && (image_failure_is_final(text) || strstr(text, "denied") == NULL));
    free(text);
    return 0;
}
