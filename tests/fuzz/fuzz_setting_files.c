/* fuzz_setting_files.c: the files of --webhooks and --provisioners: good settings keep their limits, and a refusal has words. */
#include "server/provision/settings.h"
#include "server/webhooks/settings.h"

#include "tests/fuzz/fuzz.h"

enum { CEILING = 64 * 1024 * 1024 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct arena arena;
    if (arena.ceiling == 0) { arena_init(&arena, CEILING); }
    struct webhook_settings hooks;
    struct provisioner_settings provisioners;
    struct err err = { 0 };
    if (webhooks_parse(fuzz_str(data, size), &hooks, &arena, &err)) {
        ASSERT(hooks.count > 0 && hooks.count <= WEBHOOKS_MAX);
        for (size_t h = 0; h < hooks.count; h++) {
            const struct webhook_setting *hook = &hooks.items[h];
            ASSERT(hook->name.len > 0 && hook->url.len > 7 && hook->secret.len >= 24 && hook->secret.len <= 64);
            ASSERT(hook->type_count <= WEBHOOK_TYPES_MAX && hook->timeout_ms >= 1000 && hook->timeout_ms <= 60000);
        }
    } else {
        ASSERT(err.message[0] != '\0');
    }
    err = (struct err){ 0 };
    if (settings_parse(fuzz_str(data, size), &provisioners, &arena, &err)) {
        ASSERT(provisioners.count > 0 && provisioners.count <= PROVISIONERS_MAX);
    } else {
        ASSERT(err.message[0] != '\0');
    }
    arena_reset(&arena);
    return 0;
}
