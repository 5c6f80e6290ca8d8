/* The keys of roles: the same for the same session, read again as they were given, and by nobody else's key; and what a task may ask. */
#include "api/tell/role_credentials.h"

#include "base/text/base64.h"
#include "tests/unit/api/machines.h"

enum { ARENA_BYTES = 16 << 20 };
#define LIFE_MS ((int64_t)6 * 3600 * 1000)

static const struct str key = STR_INIT("0123456789abcdef0123456789abcdef"), other_key = STR_INIT("0123456789abcdef0123456789abcdeF");
static const struct str role = STR_INIT("arn:aws:iam::123456789012:role/team/app");

static struct role_session session_of(enum role_kind kind, uint8_t task, int64_t expires_ms)
{
    struct role_session session = { .kind = kind, .expires_ms = expires_ms, .role_arn = role };
    session.task.bytes[15] = task;
    return session;
}

static void test_round_trip(void)
{
    struct arena arena = { .ceiling = ARENA_BYTES };
    struct role_session session = session_of(ROLE_EXECUTION, 7, 1767344645000), read = { 0 };
    struct wire_role_credentials keys, again, later, foreign;
    struct role_pair pair = { 0 };
    role_issue(key, &session, &keys, &arena);
    role_issue(key, &session, &again, &arena);
    CHECK_STR("the same keys again", keys.secret_access_key, again.secret_access_key);
    CHECK_EQ("an id of 20 letters", (int64_t)keys.access_key_id.len, 20);
    CHECK("ASIA", str_starts_with(keys.access_key_id, STR("ASIA")));
    CHECK_EQ("a secret of 40", (int64_t)keys.secret_access_key.len, 40);
    CHECK_STR("a UUID that is always this one", keys.credentials_id, STR("24ddb442-955e-4dc8-bf12-3689f8347265"));
    CHECK_STR("when it ends", keys.expiration, STR("2026-01-02T09:04:05Z"));

    CHECK("it is read", role_read(key, keys.session_token, &read, &pair, &arena));
    CHECK_STR("access key", pair.access_key_id, keys.access_key_id);
    CHECK_STR("secret", pair.secret, keys.secret_access_key);
    CHECK_EQ("kind", read.kind, ROLE_EXECUTION);
    CHECK("task", id_eq(read.task, session.task));
    CHECK_EQ("end", read.expires_ms, session.expires_ms);
    CHECK_STR("role", read.role_arn, role);

    session.expires_ms += 1000;
    role_issue(key, &session, &later, &arena);
    CHECK_STR("later keys have the same id", later.credentials_id, keys.credentials_id);
    CHECK("and are others", !str_eq(later.access_key_id, keys.access_key_id) && !str_eq(later.secret_access_key, keys.secret_access_key));
    session.kind = ROLE_TASK;
    role_issue(key, &session, &foreign, &arena);
    CHECK("each kind has its own id", !str_eq(foreign.credentials_id, keys.credentials_id));
    role_issue(other_key, &session, &foreign, &arena);
    CHECK("another server's token", !role_read(key, foreign.session_token, &read, &pair, &arena));
    arena_finish(&arena);
}

/* Every bit of a token counts, and so does every letter of its text. */
static void test_forged(void)
{
    struct arena arena = { .ceiling = ARENA_BYTES };
    struct role_session session = session_of(ROLE_TASK, 7, 1767344645000), read;
    struct wire_role_credentials keys;
    struct role_pair pair;
    role_issue(key, &session, &keys, &arena);
    struct str bytes = base64_decode(keys.session_token, &arena);
    for (size_t bit = 0; bit < bytes.len * 8; bit++) {
        char *spoiled = arena_copy(&arena, bytes.ptr, bytes.len);
        spoiled[bit / 8] = (char)(spoiled[bit / 8] ^ (1 << bit % 8));
        CHECK("one bit", !role_read(key, base64_encode((struct str){ spoiled, bytes.len }, &arena), &read, &pair, &arena));
    }
    for (size_t len = 0; len < bytes.len; len++) {
        CHECK("a part of it", !role_read(key, base64_encode(str_slice(bytes, 0, len), &arena), &read, &pair, &arena));
    }
    static const char *const texts[] = { "", "!", "AAAA", "not a token", "=" };
    for (size_t t = 0; t < COUNT_OF(texts); t++) { CHECK(texts[t], !role_read(key, str_from(texts[t]), &read, &pair, &arena)); }
    struct str longer = arena_printf(&arena, STR_FMT "A", STR_ARG(keys.session_token));
    CHECK("with more behind it", !role_read(key, longer, &read, &pair, &arena));
    CHECK("without a key nothing is read", !role_read((struct str){ 0 }, keys.session_token, &read, &pair, &arena));
    arena_finish(&arena);
}

/* From any moment on, keys last half a life at least and a whole one at most, and are renewed before that. */
static void test_times(void)
{
    static const int64_t lives[] = { LIFE_MS, 10000, 2, 3 };
    struct rng rng;
    rng_seed(&rng, 5);
    for (size_t l = 0; l < COUNT_OF(lives); l++) {
        for (int round = 0; round < 200; round++) {
            struct id task = { 0 };
            int64_t renew_ms, next_renew_ms, now_ms = (int64_t)rng_below(&rng, (uint64_t)1 << 42), half_ms = lives[l] / 2;
            task.bytes[12] = (uint8_t)rng_next(&rng);
            task.bytes[15] = (uint8_t)rng_next(&rng);
            int64_t end_ms = role_expires_ms(task, lives[l], now_ms, &renew_ms);
            CHECK("half a life at least", end_ms - now_ms > half_ms && end_ms - now_ms <= 2 * half_ms);
            CHECK_EQ("good for as long again after the renewal", end_ms - renew_ms, half_ms);
            CHECK_EQ("the same until then", role_expires_ms(task, lives[l], renew_ms - 1, &next_renew_ms), end_ms);
            CHECK_EQ("others from then on", role_expires_ms(task, lives[l], renew_ms, &next_renew_ms), end_ms + half_ms);
        }
    }
}

static void test_names(void)
{
    struct arena arena = { .ceiling = ARENA_BYTES };
    struct role_session session = session_of(ROLE_TASK, 0xab, 0);
    CHECK_STR("a bare name", role_arn_of(STR("app"), STR("123456789012"), &arena), STR("arn:aws:iam::123456789012:role/app"));
    CHECK_STR("an ARN stays", role_arn_of(role, STR("1"), &arena), role);
    CHECK_STR("the role assumed", role_assumed_arn(&session, &arena),
              STR("arn:aws:sts::123456789012:assumed-role/app/000000000000000000000000000000ab"));
    arena_finish(&arena);
}

/* ---- what a task may ask ---- */

static void test_rights(void)
{
    struct api_fixture f;
    cluster_open(&f);
    (void)machine_add(&f, "a", 0);
    define(&f, "f", "", "");
    struct str made = fixture_call(&f, "RunTask", "{\"taskDefinition\":\"f\",\"count\":2}");
    const char *own = at(&f, made, "tasks[0].taskArn"), *others = at(&f, made, "tasks[1].taskArn");
    struct role_session session = { ROLE_TASK, id_at(&f, made, "tasks[0].taskArn"), 0, role };
    const struct caller admin = f.caller;
    f.caller = (struct caller){ .access_key = STR("ASIA"), .user = STR("app"), .role = ACCESS_TASK, .session = &session };
    const struct { const char *name, *operation, *body; enum role_kind kind; enum err_code want; } rows[] = {
        { "it may read",            "ListTasks", "{}", ROLE_TASK, ERR_NONE },
        { "its protection",         "UpdateTaskProtection", text(&f, "{\"cluster\":\"default\",\"protectionEnabled\":true,\"tasks\":[\"%s\"]}", own), ROLE_TASK, ERR_NONE },
        { "another's protection",   "UpdateTaskProtection", text(&f, "{\"cluster\":\"default\",\"protectionEnabled\":true,\"tasks\":[\"%s\"]}", others), ROLE_TASK, ERR_ACCESS_DENIED },
        { "it may read that",       "GetTaskProtection", text(&f, "{\"cluster\":\"default\",\"tasks\":[\"%s\"]}", others), ROLE_TASK, ERR_NONE },
        { "it may start nothing",   "RunTask", "{\"taskDefinition\":\"f\"}", ROLE_TASK, ERR_ACCESS_DENIED },
        { "it is no agent",         "SubmitTaskStateChange", text(&f, "{\"task\":\"%s\",\"status\":\"STOPPED\"}", own), ROLE_TASK, ERR_ACCESS_DENIED },
        { "the execution role",     "ListTasks", "{}", ROLE_EXECUTION, ERR_ACCESS_DENIED },
        { "… protects nothing",     "UpdateTaskProtection", text(&f, "{\"cluster\":\"default\",\"protectionEnabled\":true,\"tasks\":[\"%s\"]}", own), ROLE_EXECUTION, ERR_ACCESS_DENIED },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        session.kind = rows[r].kind;
        struct str reply = fixture_call(&f, rows[r].operation, rows[r].body);
        CHECK_EQ(rows[r].name, f.code, rows[r].want);
        if (strcmp(rows[r].operation, "RunTask") != 0) { continue; }
        char hex[ID_HEX_LEN + 1];
        id_hex(session.task, hex);
        CHECK_STR(rows[r].name, reply, str_from(text(&f, "AccessDeniedException: User: arn:aws:sts::123456789012:assumed-role/app/%s is not authorized to "
            "perform: ecs:RunTask on resource: * because no identity-based policy allows the ecs:RunTask action", hex)));
    }
    f.caller = admin;
    fixture_close(&f);
}

int main(void)
{
    test_round_trip();
    test_forged();
    test_times();
    test_names();
    test_rights();
    return check_report();
}
