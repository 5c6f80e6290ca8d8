#include "agent/images/rules.h"

#include "base/assert.h"
#include "base/num.h"

static const struct image_rule rules[] = {
    [IMAGE_PULL_DEFAULT]       = { .falls_back = true, .cleans = true },
    [IMAGE_PULL_ALWAYS]        = { .stops_task = true, .cleans = true },
    [IMAGE_PULL_ONCE]          = { .keeps_pulled = true, .stops_task = true, .cleans = true },
    [IMAGE_PULL_PREFER_CACHED] = { .keeps_local = true },
};

const struct image_rule *image_rule(enum image_pull behaviour)
{
    ASSERT(behaviour < COUNT_OF(rules));                        /* read from a table of words */
    return &rules[behaviour];
}

bool image_must_be_pulled(const struct image_rule *rule, bool is_here, bool was_pulled)
{
    return !is_here || (!rule->keeps_local && !(rule->keeps_pulled && was_pulled));
}

bool image_failure_is_final(const char *message)
{
    static const char *const words[] = {
        "not found", "manifest unknown", "name unknown", "denied", "unauthorized", "no basic auth credentials", "invalid reference",
        "no matching manifest", "does not exist", "incorrect username or password",
    };
    for (size_t w = 0; w < COUNT_OF(words); w++) {
        if (strstr(message, words[w]) != NULL) { return true; }
    }
    return false;
}

int64_t image_pause_ms(int attempt)
{
    enum { FIRST_MS = 1100, MOST_MS = 5000, DOUBLINGS_MAX = 3 };
    ASSERT(attempt >= 1);                                       /* counted by us */
    return min_i64((int64_t)FIRST_MS << min_i64(attempt - 1, DOUBLINGS_MAX), MOST_MS);
}

static bool goes_before(const struct image_candidate *a, const struct image_candidate *b)
{
    return a->used_ms != b->used_ms ? a->used_ms < b->used_ms : str_cmp(a->image, b->image) < 0;
}

size_t image_choose(const struct image_candidate *candidates, size_t count, int64_t now_ms, int64_t min_age_ms, size_t most, size_t *chosen)
{
    size_t found = 0;
    for (size_t c = 0; c < count; c++) {
        const struct image_candidate *candidate = &candidates[c];
        if (!candidate->own || candidate->in_use || now_ms - candidate->pulled_ms < min_age_ms) { continue; }
        size_t at = found++;
        for (; at > 0 && goes_before(candidate, &candidates[chosen[at - 1]]); at--) { chosen[at] = chosen[at - 1]; }
        chosen[at] = c;
        ASSERT(found <= count && at < found);                    /* counted by us */
    }
    return found < most ? found : most;
}
