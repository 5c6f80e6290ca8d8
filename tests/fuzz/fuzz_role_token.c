/* fuzz_role_token.c: of all texts that are called session tokens, only one that was given out is read, and it gives the same token again. */
#include "api/tell/role_credentials.h"

#include "base/text/base64.h"
#include "tests/fuzz/fuzz.h"

enum { CEILING = 4 * 1024 * 1024 };
static const struct str key = STR_INIT("0123456789abcdef0123456789abcdef");

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct arena arena;
    if (arena.ceiling == 0) { arena_init(&arena, CEILING); }
    struct role_session session;
    struct role_pair pair;
    struct wire_role_credentials keys;
    if (role_read(key, fuzz_str(data, size), &session, &pair, &arena)) {
        role_issue(key, &session, &keys, &arena);
        ASSERT(str_eq(keys.session_token, fuzz_str(data, size)) && str_eq(keys.access_key_id, pair.access_key_id));
    }

    /* The same bytes as the test's own session: it comes back as it was. */
    struct str bytes = fuzz_str(data, size);
    if (size >= sizeof session.task && size <= ROLE_ARN_MAX) {
        struct role_session own = { (enum role_kind)(size % ROLE_KIND_COUNT), { { 0 } }, (int64_t)size * 1000, bytes };
        memcpy(own.task.bytes, data, sizeof own.task.bytes);
        role_issue(key, &own, &keys, &arena);
        ASSERT(role_read(key, keys.session_token, &session, &pair, &arena));
        ASSERT(session.kind == own.kind && id_eq(session.task, own.task) && session.expires_ms == own.expires_ms && str_eq(session.role_arn, bytes));
    }
    struct str text = base64_encode(bytes, &arena);
    ASSERT(str_eq(base64_decode(text, &arena), bytes));
    arena_reset(&arena);
    return 0;
}
