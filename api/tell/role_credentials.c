/* role_credentials.c: what a token is made of, in bytes: version, kind, task (16), end (8, seconds, big-endian), the role's ARN,
 * and the HMAC over all that (32). */
#include "api/tell/role_credentials.h"

#include <stdio.h>


#include "base/text/arn.h"
#include "base/text/base64.h"
#include "base/sigv4.h"
#include "base/time/moment.h"

enum {
    TOKEN_VERSION = 1, AT_KIND = 1, AT_TASK = 2, AT_END = 18, AT_ROLE = 26, MAC_LEN = 32,
    TOKEN_MAX = (AT_ROLE + ROLE_ARN_MAX + MAC_LEN + 2) / 3 * 4,
    SECRET_LEN = 40, ACCESS_LETTERS = 16,
};

const struct str role_key_name = STR_INIT("role-key");

static const struct str kind_words[ROLE_KIND_COUNT] = { [ROLE_TASK] = STR_INIT("TaskApplication"), [ROLE_EXECUTION] = STR_INIT("TaskExecution") };

struct str role_kind_word(enum role_kind kind)
{
    ASSERT(kind < ROLE_KIND_COUNT);                             /* read by role_read or named by us */
    return kind_words[kind];
}

/* ---- the server's key ---- */

static struct str id_key(struct str key) { return str_slice(key, 0, ROLE_KEY_LEN); }
static struct str secret_key(struct str key) { return str_slice(key, key.len - ROLE_KEY_LEN, key.len); }

/* Its last bytes: they are never sent. */
uint64_t role_key_print(struct str key)
{
    uint64_t print = 0;
    if (role_key_is_good(key)) { memcpy(&print, key.ptr + key.len - sizeof print, sizeof print); }
    return print;
}

/* ---- names ---- */

struct str role_account(struct str role_arn)
{
    struct arn arn;
    return arn_parse(role_arn, &arn) ? arn.account : STR("");
}

struct str role_name(struct str role_arn)
{
    size_t slash = role_arn.len;
    while (slash > 0 && role_arn.ptr[slash - 1] != '/') { slash--; }
    return str_slice(role_arn, slash, role_arn.len);
}

struct str role_arn_of(struct str role, struct str account, struct arena *arena)
{
    if (arn_looks_like(role)) { return role; }
    return arena_printf(arena, "arn:aws:iam::" STR_FMT ":role/" STR_FMT, STR_ARG(account), STR_ARG(role));
}

struct str role_assumed_arn(const struct role_session *session, struct arena *arena)
{
    char task[ID_HEX_LEN + 1];
    struct str account = role_account(session->role_arn), name = role_name(session->role_arn);
    id_hex(session->task, task);
    return arena_printf(arena, "arn:aws:sts::" STR_FMT ":assumed-role/" STR_FMT "/%s", STR_ARG(account), STR_ARG(name), task);
}

/* ---- time ---- */

/* A task's own time within a half life, so that not all tasks get new keys at once. */
int64_t role_expires_ms(struct id task, int64_t life_ms, int64_t now_ms, int64_t *renew_ms)
{
    ASSERT(life_ms >= 2);                                       /* the setting is 10 s at least */
    int64_t half_ms = life_ms / 2;
    uint32_t chance;
    memcpy(&chance, task.bytes + sizeof task.bytes - sizeof chance, sizeof chance);
    int64_t offset_ms = (int64_t)chance % half_ms, since_ms = now_ms - offset_ms;
    int64_t begun = since_ms / half_ms - (since_ms % half_ms < 0 ? 1 : 0);
    *renew_ms = (begun + 1) * half_ms + offset_ms;
    ASSERT(*renew_ms > now_ms);                                 /* the setting is 100 years at most */
    return *renew_ms + half_ms;
}

/* ---- keys ---- */

/* A value that is derived for one use says nothing about a value for another use. */
static void derive(struct str key, const char *use, struct str body, uint8_t out[MAC_LEN], struct arena *arena)
{
    struct buf text = buf_in(arena);
    buf_put(&text, str_from(use));
    buf_put_char(&text, '\0');
    buf_put(&text, body);
    hmac_sha256(key, buf_str(&text), out);
}

static struct role_pair derive_pair(struct str key, struct str body, struct arena *arena)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
    uint8_t access[MAC_LEN], secret[MAC_LEN];
    derive(key, "access key", body, access, arena);
    derive(key, "secret", body, secret, arena);
    struct buf id = buf_in(arena);
    buf_put(&id, STR("ASIA"));
    for (size_t l = 0; l < ACCESS_LETTERS; l++) { buf_put_char(&id, letters[access[l] % 32]); }
    struct str text = base64_encode((struct str){ (const char *)secret, sizeof secret }, arena);
    return (struct role_pair){ buf_str(&id), str_slice(text, 0, SECRET_LEN) };
}

/* It is part of the address that containers use, so nobody must be able to guess it: a UUID of 122 bits that only the server's key gives. */
static struct str derive_id(struct str key, const struct role_session *session, struct arena *arena)
{
    char body[1 + sizeof session->task.bytes];
    uint8_t mac[MAC_LEN];
    body[0] = (char)session->kind;
    memcpy(body + 1, session->task.bytes, sizeof session->task.bytes);
    derive(key, "credentials id", (struct str){ body, sizeof body }, mac, arena);
    struct id id;
    char uuid[ID_UUID_LEN + 1];
    memcpy(id.bytes, mac, sizeof id.bytes);
    id_mark_random(&id);
    id_uuid(id, uuid);
    return arena_str(arena, (struct str){ uuid, ID_UUID_LEN });
}

static struct str print_body(const struct role_session *session, struct arena *arena)
{
    ASSERT(session->role_arn.len <= ROLE_ARN_MAX);              /* definitions and overrides were checked */
    size_t len = AT_ROLE + session->role_arn.len;
    char *body = arena_alloc(arena, len, 1);
    uint64_t end_s = (uint64_t)(session->expires_ms / 1000);
    body[0] = TOKEN_VERSION;
    body[AT_KIND] = (char)session->kind;
    memcpy(body + AT_TASK, session->task.bytes, sizeof session->task.bytes);
    for (size_t b = 0; b < 8; b++) { body[AT_END + b] = (char)(end_s >> (56 - 8 * b) & 0xFF); }
    if (session->role_arn.len > 0) { memcpy(body + AT_ROLE, session->role_arn.ptr, session->role_arn.len); }
    return (struct str){ body, len };
}

static struct str iso_time(int64_t epoch_ms, struct arena *arena)
{
    char text[MOMENT_TEXT_SIZE];
    ASSERT(moment_print(epoch_ms, false, text));                /* our clock and 100 years at most */
    return arena_str(arena, str_from(text));
}

void role_issue(struct str key, const struct role_session *session, struct wire_role_credentials *out, struct arena *arena)
{
    ASSERT(role_key_is_good(key));                              /* the caller has looked */
    ASSERT(session->kind < ROLE_KIND_COUNT);                    /* named by us */
    struct str body = print_body(session, arena);
    struct role_pair pair = derive_pair(secret_key(key), body, arena);
    uint8_t mac[MAC_LEN];
    derive(secret_key(key), "token", body, mac, arena);
    struct buf token = buf_in(arena);
    buf_put(&token, body);
    buf_put(&token, (struct str){ (const char *)mac, sizeof mac });
    *out = (struct wire_role_credentials){
        .credentials_id = derive_id(id_key(key), session, arena), .role_arn = session->role_arn, .access_key_id = pair.access_key_id,
        .secret_access_key = pair.secret, .session_token = base64_encode(buf_str(&token), arena),
        .expiration = iso_time(session->expires_ms, arena),
    };
}

bool role_read(struct str key, struct str token, struct role_session *session, struct role_pair *pair, struct arena *arena)
{
    if (!role_key_is_good(key) || token.len == 0 || token.len > TOKEN_MAX) { return false; }
    struct str bytes = base64_decode(token, arena);
    if (!str_is_set(bytes) || bytes.len < AT_ROLE + MAC_LEN || !str_eq(base64_encode(bytes, arena), token)) { return false; }
    struct str body = str_slice(bytes, 0, bytes.len - MAC_LEN), given = str_slice(bytes, body.len, bytes.len);
    uint8_t mac[MAC_LEN];
    derive(secret_key(key), "token", body, mac, arena);
    if (!str_eq_constant_time((struct str){ (const char *)mac, sizeof mac }, given)) { return false; }
    /* From here on it is our own word. */
    if (body.ptr[0] != TOKEN_VERSION || (uint8_t)body.ptr[AT_KIND] >= ROLE_KIND_COUNT) { return false; }
    uint64_t end_s = 0;
    for (size_t b = 0; b < 8; b++) { end_s = end_s << 8 | (uint8_t)body.ptr[AT_END + b]; }
    *session = (struct role_session){
        .kind = (enum role_kind)body.ptr[AT_KIND], .expires_ms = (int64_t)end_s * 1000, .role_arn = str_slice(body, AT_ROLE, body.len),
    };
    memcpy(session->task.bytes, body.ptr + AT_TASK, sizeof session->task.bytes);
    *pair = derive_pair(secret_key(key), body, arena);
    return true;
}
