/* fuzz_registry_auth.c: logins that were read, printed for the engine, say the same again; and each is found for an image of its
 * registry. */
#include "agent/images/registry_auth.h"

#include "base/text/base64.h"
#include "base/json.h"
#include "tests/fuzz/fuzz.h"

enum { CEILING = 16 * 1024 * 1024 };

static void check_login(const struct registry_login_list *logins, const struct registry_login *login, struct arena *arena)
{
    struct err err = { 0 };
    const struct json *told = json_parse(base64_decode(registry_header(login, arena), arena), arena, &err);
    ASSERT(told != NULL && told->type == JSON_OBJECT);
    ASSERT(login->registry.len > 0 && (login->username.len > 0 || login->token.len > 0));
    struct str image = arena_printf(arena, STR_FMT "/app:1", STR_ARG(login->registry));
    const struct registry_login *found = registry_login_for(logins, image);
    bool is_host = str_eq(registry_host(image), str_slice(login->registry, 0, str_find(login->registry, '/')));
    ASSERT(!is_host || (found != NULL && found->registry.len >= login->registry.len));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct arena arena;
    if (arena.ceiling == 0) { arena_init(&arena, CEILING); }
    struct registry_login_list logins;
    struct err err = { 0 };
    bool helpers;
    if (registry_logins_read(fuzz_str(data, size), &logins, &helpers, &arena, &err)) {
        for (size_t l = 0; l < logins.count; l++) { check_login(&logins, &logins.items[l], &arena); }
    } else {
        ASSERT(err.code == ERR_INVALID_PARAMETER);
    }
    arena_reset(&arena);
    return 0;
}
