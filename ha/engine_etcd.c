/* engine_etcd.c: the log in etcd, by its JSON gateway. Keys, all below /berth/NAME/:
 *
 *   id                          the cluster's id, made once
 *   shard/0/leader              leased; its revision of creation is the term; value: the leader's line
 *   shard/0/head                the last n, in digits: written with each entry
 *   shard/0/first               the oldest n that is kept, in digits
 *   shard/0/log/N               N: n as 16 hex digits; nonce, number of parts as 4 bytes, and the entry's bytes when it has no parts
 *   shard/0/parts/N/NONCE/P     P: the part as 8 hex digits; written before the entry that names them
 *   shard/0/members/NAME        leased; the member's line
 *   probe                       written by who measures how long a write takes
 *
 * Nothing is built on etcd's locks or on its watches: an append is one transaction with its conditions, the log is read by its numbers, and a watch only
 * shortens a wait. Every answer of etcd is checked as any input from outside. */
#include "ha/gateway.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/lock.h"
#include "base/text/base64.h"

enum { PART_BYTES = 512 * 1024, ENTRY_HEAD = HA_NONCE_SIZE + 4, KEY_SIZE = 256, LINE_SIZE = 640, CEILING = 512 << 20, HISTORY_KEPT = 1000 };

struct etcd {
    struct ha_engine engine;
    struct gateway *gateway;
    struct lock lock;                            /* guards the block below */
    int64_t revision;                            /* of etcd, as the last answer said: from where a watch begins */
    int64_t lease;                               /* of this process's leadership; 0: none */
    int64_t lease_term;
};

static struct etcd *etcd_of(struct ha_engine *engine) { return (struct etcd *)(void *)engine; }

/* ---- keys and values ---- */

static const char *key_text(const struct etcd *etcd, char key[KEY_SIZE], const char *rest)
{
    (void)snprintf(key, KEY_SIZE, "/berth/" STR_FMT "/%s", STR_ARG(gateway_name(etcd->gateway)), rest);
    return key;
}

static struct str key_of(const struct etcd *etcd, const char *rest, struct arena *arena)
{
    char key[KEY_SIZE];
    return base64_encode(str_from(key_text(etcd, key, rest)), arena);
}

static struct str log_key(const struct etcd *etcd, int64_t n, struct arena *arena)
{
    char rest[64];
    (void)snprintf(rest, sizeof rest, "shard/0/log/%016" PRIx64, (uint64_t)n);
    return key_of(etcd, rest, arena);
}

static struct str part_key(const struct etcd *etcd, const struct ha_entry *entry, size_t part, struct arena *arena)
{
    char rest[160], nonce[2 * HA_NONCE_SIZE + 1];
    str_put_hex(nonce, entry->nonce.ptr, HA_NONCE_SIZE);
    nonce[2 * HA_NONCE_SIZE] = '\0';
    (void)snprintf(rest, sizeof rest, "shard/0/parts/%016" PRIx64 "/%s/%08zx", (uint64_t)entry->n, nonce, part);
    return key_of(etcd, rest, arena);
}

static struct str digits(int64_t number, struct arena *arena)
{
    return base64_encode(arena_printf(arena, "%" PRId64, number), arena);
}

/* ---- requests ---- */

struct range { struct str key, end; int64_t limit; bool local; };        /* end: absent for one key; local: as this node has it */

static void put_text(struct json_out *json, const char *name, struct str value)
{
    json_name(json, str_from(name));
    json_str(json, value);
}

static void put_range(struct json_out *json, const struct range *range)
{
    json_open(json, '{');
    put_text(json, "key", range->key);
    if (str_is_set(range->end)) { put_text(json, "range_end", range->end); }
    if (range->limit > 0) { json_name(json, STR("limit")); json_i64(json, range->limit); }
    if (range->local) { json_name(json, STR("serializable")); json_bool(json, true); }
    json_close(json, '}');
}

enum compare_kind { COMPARE_MOD, COMPARE_VERSION, COMPARE_VALUE };
struct compare { enum compare_kind kind; struct str key; int64_t number; struct str value; };
struct txn_op { enum { OP_GET, OP_PUT, OP_DELETE } kind; struct str key, end, value; int64_t lease; };
struct txn {
    struct compare compares[4]; size_t compare_count;
    struct txn_op success[4]; size_t success_count;
    struct txn_op failure[4]; size_t failure_count;
};

static void put_compare(struct json_out *json, const struct compare *compare)
{
    static const struct str targets[] = { [COMPARE_MOD] = STR_INIT("MOD"), [COMPARE_VERSION] = STR_INIT("VERSION"), [COMPARE_VALUE] = STR_INIT("VALUE") };
    static const char *const names[] = { [COMPARE_MOD] = "mod_revision", [COMPARE_VERSION] = "version", [COMPARE_VALUE] = "value" };
    json_open(json, '{');
    put_text(json, "key", compare->key);
    put_text(json, "target", targets[compare->kind]);
    put_text(json, "result", STR("EQUAL"));
    json_name(json, str_from(names[compare->kind]));
    if (compare->kind == COMPARE_VALUE) { json_str(json, compare->value); } else { json_i64(json, compare->number); }
    json_close(json, '}');
}

static void put_op(struct json_out *json, const struct txn_op *op)
{
    static const char *const names[] = { [OP_GET] = "request_range", [OP_PUT] = "request_put", [OP_DELETE] = "request_delete_range" };
    json_open(json, '{');
    json_name(json, str_from(names[op->kind]));
    json_open(json, '{');
    put_text(json, "key", op->key);
    if (str_is_set(op->end)) { put_text(json, "range_end", op->end); }
    if (op->kind == OP_PUT) { put_text(json, "value", op->value); }
    if (op->lease != 0) { json_name(json, STR("lease")); json_i64(json, op->lease); }
    json_close(json, '}');
    json_close(json, '}');
}

static void put_ops(struct json_out *json, const char *name, const struct txn_op *ops, size_t count)
{
    json_name(json, str_from(name));
    json_open(json, '[');
    for (size_t i = 0; i < count; i++) { put_op(json, &ops[i]); }
    json_close(json, ']');
}

static void note_revision(struct etcd *etcd, const struct json *answer)
{
    int64_t revision = 0;
    if (!str_to_i64(json_get_str(json_get(answer, STR("header")), STR("revision")), &revision)) { return; }
    lock_take(&etcd->lock);
    if (revision > etcd->revision) { etcd->revision = revision; }
    lock_drop(&etcd->lock);
}

static const struct json *call_or_full(struct etcd *etcd, const char *path, struct buf *body, int64_t until_ms, bool *full)
{
    const struct json *answer = gateway_call(etcd->gateway, path, buf_str(body), body->arena, until_ms, full);
    if (answer != NULL) { note_revision(etcd, answer); }
    return answer;
}

static const struct json *call(struct etcd *etcd, const char *path, struct buf *body, int64_t until_ms)
{
    return call_or_full(etcd, path, body, until_ms, NULL);
}

static const struct json *run_txn_or_full(struct etcd *etcd, const struct txn *txn, struct arena *arena, int64_t until_ms, bool *full)
{
    struct buf body = buf_in(arena);
    struct json_out json = json_out_to(&body);
    json_open(&json, '{');
    json_name(&json, STR("compare"));
    json_open(&json, '[');
    for (size_t c = 0; c < txn->compare_count; c++) { put_compare(&json, &txn->compares[c]); }
    json_close(&json, ']');
    put_ops(&json, "success", txn->success, txn->success_count);
    put_ops(&json, "failure", txn->failure, txn->failure_count);
    json_close(&json, '}');
    return call_or_full(etcd, "/v3/kv/txn", &body, until_ms, full);
}

static const struct json *run_txn(struct etcd *etcd, const struct txn *txn, struct arena *arena, int64_t until_ms)
{
    return run_txn_or_full(etcd, txn, arena, until_ms, NULL);
}

/* ---- answers: members with usual values are missing, large numbers are texts ---- */

static bool has_succeeded(const struct json *answer)
{
    const struct json *word = json_get(answer, STR("succeeded"));
    return word != NULL && word->type == JSON_TRUE;
}

static int64_t number_of(const struct json *object, const char *name)
{
    int64_t number = 0;
    struct str text = json_get_str(object, str_from(name));
    return str_is_set(text) && str_to_i64(text, &number) ? number : json_get_i64(object, str_from(name), 0);
}

/* The pairs that the transaction's `at`th operation, a range, has found. */
static const struct json *pairs_of(const struct json *answer, size_t at)
{
    const struct json *responses = json_get(answer, STR("responses"));
    if (responses == NULL || responses->type != JSON_ARRAY || at >= responses->count) { return NULL; }
    const struct json *pairs = json_get(json_get(&responses->as.items[at], STR("response_range")), STR("kvs"));
    return pairs != NULL && pairs->type == JSON_ARRAY ? pairs : NULL;
}

static const struct json *first_pair(const struct json *answer, size_t at)
{
    const struct json *pairs = pairs_of(answer, at);
    return pairs != NULL && pairs->count > 0 ? &pairs->as.items[0] : NULL;
}

static struct str text_of(const struct json *pair, const char *name, struct arena *arena)
{
    struct str text = json_get_str(pair, str_from(name));
    return pair == NULL ? text : str_is_set(text) ? base64_decode(text, arena) : STR("");
}

static struct str value_of(const struct json *pair, struct arena *arena) { return text_of(pair, "value", arena); }

static bool digits_of(const struct json *pair, int64_t *number, struct arena *arena)
{
    return pair != NULL && str_to_i64(value_of(pair, arena), number) && *number >= 0;
}

/* ---- a member's line: words with a tab between them ---- */

static struct str line_of(const struct ha_member *member, struct arena *arena)
{
    char line[LINE_SIZE];
    (void)snprintf(line, sizeof line, "%s\t%s\t%s\t%s\t%" PRId64 "\t%" PRId64 "\t%" PRId64, member->name, member->address, member->release, member->word,
                   member->durable, member->format, member->priority);
    return base64_encode(str_from(line), arena);
}

static void take_word(struct str *rest, char *to, size_t size)
{
    struct str word, more = { NULL, 0 };
    if (!str_cut(*rest, '\t', &word, &more)) { word = *rest; }
    word = str_slice(word, 0, size - 1);
    if (word.len > 0) { memcpy(to, word.ptr, word.len); }
    to[word.len] = '\0';
    *rest = more;
}

static int64_t take_count(struct str *rest)
{
    char word[24];
    int64_t number = 0;
    take_word(rest, word, sizeof word);
    return str_to_i64(str_from(word), &number) ? number : 0;
}

static struct ha_member member_of(struct str line)
{
    struct ha_member member = { .durable = 0 };
    take_word(&line, member.name, sizeof member.name);
    take_word(&line, member.address, sizeof member.address);
    take_word(&line, member.release, sizeof member.release);
    take_word(&line, member.word, sizeof member.word);
    member.durable = take_count(&line);
    member.format = take_count(&line);
    member.priority = take_count(&line);
    return member;
}

/* ---- leases ---- */

/* Seconds: etcd's leases are whole ones. 0: no answer. */
static int64_t grant(struct etcd *etcd, int64_t lease_ms, struct arena *arena, int64_t until_ms)
{
    struct buf body = buf_in(arena);
    buf_printf(&body, "{\"TTL\":%" PRId64 "}", (lease_ms + 999) / 1000);
    return number_of(call(etcd, "/v3/lease/grant", &body, until_ms), "ID");
}

static void revoke(struct etcd *etcd, int64_t lease, struct arena *arena, int64_t until_ms)
{
    struct buf body = buf_in(arena);
    buf_printf(&body, "{\"ID\":\"%" PRId64 "\"}", lease);
    (void)call(etcd, "/v3/lease/revoke", &body, until_ms);
}

/* ---- the operations ---- */

static enum ha_end claim_id(struct ha_engine *engine, struct str proposed, struct str *id, struct arena *arena, int64_t until_ms)
{
    struct etcd *etcd = etcd_of(engine);
    struct str key = key_of(etcd, "id", arena);
    const struct txn txn = {
        .compares = { { COMPARE_VERSION, key, 0, { NULL, 0 } } }, .compare_count = 1,
        .success = { { OP_PUT, key, { NULL, 0 }, base64_encode(proposed, arena), 0 } }, .success_count = 1,
        .failure = { { OP_GET, key, { NULL, 0 }, { NULL, 0 }, 0 } }, .failure_count = 1,
    };
    const struct json *answer = run_txn(etcd, &txn, arena, until_ms);
    if (answer == NULL) { return HA_UNKNOWN; }
    *id = has_succeeded(answer) ? arena_str(arena, proposed) : value_of(first_pair(answer, 0), arena);
    return id->len > 0 && id->len <= HA_NAME_MAX ? HA_DONE : HA_UNKNOWN;
}

static enum ha_end campaign_in(struct etcd *etcd, const struct ha_member *mine, int64_t lease_ms, int64_t instead_of, int64_t *term, struct arena *arena,
                               int64_t until_ms)
{
    struct str key = key_of(etcd, "shard/0/leader", arena);
    int64_t lease = grant(etcd, lease_ms, arena, until_ms);
    if (lease == 0) { return HA_UNKNOWN; }
    struct compare absent = { COMPARE_VERSION, key, 0, { NULL, 0 } }, same = { COMPARE_MOD, key, instead_of, { NULL, 0 } };
    const struct txn txn = {
        .compares = { instead_of == 0 ? absent : same }, .compare_count = 1,
        .success = { { OP_PUT, key, { NULL, 0 }, line_of(mine, arena), lease } }, .success_count = 1,
    };
    const struct json *answer = run_txn(etcd, &txn, arena, until_ms);
    if (answer == NULL) { return HA_UNKNOWN; }       /* a key that was written ends with its lease, which nobody renews */
    *term = number_of(json_get(answer, STR("header")), "revision");
    if (!has_succeeded(answer) || *term <= 0) {
        revoke(etcd, lease, arena, until_ms);
        return HA_REFUSED;
    }
    lock_take(&etcd->lock);
    etcd->lease = lease;
    etcd->lease_term = *term;
    lock_drop(&etcd->lock);
    return HA_DONE;
}

static enum ha_end confirm_in(struct etcd *etcd, int64_t term, struct arena *arena, int64_t until_ms)
{
    const struct txn txn = {
        .compares = { { COMPARE_MOD, key_of(etcd, "shard/0/leader", arena), term, { NULL, 0 } } }, .compare_count = 1,
    };
    const struct json *answer = run_txn(etcd, &txn, arena, until_ms);
    return answer == NULL ? HA_UNKNOWN : has_succeeded(answer) ? HA_DONE : HA_REFUSED;
}

/* A lease that lives is not enough: another may have taken the key. */
static enum ha_end renew_in(struct etcd *etcd, int64_t term, struct arena *arena, int64_t until_ms)
{
    struct buf body = buf_in(arena);
    lock_take(&etcd->lock);
    int64_t lease = etcd->lease_term == term ? etcd->lease : 0;
    lock_drop(&etcd->lock);
    if (lease == 0) { return HA_REFUSED; }
    buf_printf(&body, "{\"ID\":\"%" PRId64 "\"}", lease);
    const struct json *answer = call(etcd, "/v3/lease/keepalive", &body, until_ms);
    if (answer == NULL) { return HA_UNKNOWN; }
    if (number_of(json_get(answer, STR("result")), "TTL") <= 0) { return HA_REFUSED; }
    return confirm_in(etcd, term, arena, until_ms);
}

static enum ha_end resign_in(struct etcd *etcd, int64_t term, struct arena *arena, int64_t until_ms)
{
    struct str key = key_of(etcd, "shard/0/leader", arena);
    const struct txn txn = {
        .compares = { { COMPARE_MOD, key, term, { NULL, 0 } } }, .compare_count = 1, .success = { { OP_DELETE, key, { NULL, 0 }, { NULL, 0 }, 0 } },
        .success_count = 1,
    };
    const struct json *answer = run_txn(etcd, &txn, arena, until_ms);
    lock_take(&etcd->lock);
    int64_t lease = etcd->lease_term == term ? etcd->lease : 0;
    if (lease != 0) { etcd->lease = etcd->lease_term = 0; }
    lock_drop(&etcd->lock);
    if (lease != 0 && answer != NULL) { revoke(etcd, lease, arena, until_ms); }
    return answer == NULL ? HA_UNKNOWN : has_succeeded(answer) ? HA_DONE : HA_REFUSED;
}

/* ---- append ---- */

static struct str entry_value(const struct ha_entry *entry, size_t parts, struct arena *arena)
{
    struct buf value = buf_in(arena);
    buf_put(&value, entry->nonce);
    for (int shift = 0; shift < 32; shift += 8) { buf_put_char(&value, (char)(parts >> shift)); }
    if (parts == 0) { buf_put(&value, entry->bytes); }
    return base64_encode(buf_str(&value), arena);
}

static enum ha_end put_parts(struct etcd *etcd, int64_t term, const struct ha_entry *entry, size_t parts, struct arena *arena, int64_t until_ms)
{
    for (size_t p = 0; p < parts; p++) {
        struct str bytes = str_slice(entry->bytes, p * PART_BYTES, (p + 1) * PART_BYTES);
        const struct txn txn = {
            .compares = { { COMPARE_MOD, key_of(etcd, "shard/0/leader", arena), term, { NULL, 0 } } }, .compare_count = 1,
            .success = { { OP_PUT, part_key(etcd, entry, p, arena), { NULL, 0 }, base64_encode(bytes, arena), 0 } }, .success_count = 1,
        };
        const struct json *answer = run_txn(etcd, &txn, arena, until_ms);
        if (answer == NULL) { return HA_UNKNOWN; }
        if (!has_succeeded(answer)) { return HA_REFUSED; }
    }
    return HA_DONE;
}

/* The end of an append whose conditions did not hold. *empty: the log has no entry yet, and the conditions should say so. */
static enum ha_end judge_append(const struct json *answer, int64_t term, const struct ha_entry *entry, bool *empty, struct arena *arena)
{
    const struct json *there = first_pair(answer, 0), *leader = first_pair(answer, 1), *head = first_pair(answer, 2);
    struct str value = value_of(there, arena);
    *empty = false;
    if (there != NULL) { return value.len >= ENTRY_HEAD && memcmp(value.ptr, entry->nonce.ptr, HA_NONCE_SIZE) == 0 ? HA_DONE : HA_REFUSED; }
    *empty = leader != NULL && number_of(leader, "mod_revision") == term && head == NULL;
    return HA_REFUSED;
}

static enum ha_end append_in(struct etcd *etcd, int64_t term, const struct ha_entry *entry, struct arena *arena, int64_t until_ms)
{
    struct str leader = key_of(etcd, "shard/0/leader", arena), head = key_of(etcd, "shard/0/head", arena);
    struct str first = key_of(etcd, "shard/0/first", arena), log = log_key(etcd, entry->n, arena), none = { NULL, 0 };
    size_t parts = entry->bytes.len <= PART_BYTES ? 0 : (entry->bytes.len + PART_BYTES - 1) / PART_BYTES;
    enum ha_end end = put_parts(etcd, term, entry, parts, arena, until_ms);
    if (end == HA_UNKNOWN) { return end; }               /* refused ones: the closing entry says what happened */
    bool empty = false;
    for (int tries = 0; tries < 2; tries++) {
        struct compare before = { COMPARE_VALUE, head, 0, digits(entry->n - 1, arena) }, nothing = { COMPARE_VERSION, head, 0, none };
        const struct txn txn = {
            .compares = { { COMPARE_MOD, leader, term, none }, { COMPARE_VERSION, log, 0, none }, empty ? nothing : before }, .compare_count = 3,
            .success = { { OP_PUT, log, none, entry_value(entry, parts, arena), 0 }, { OP_PUT, head, none, digits(entry->n, arena), 0 },
                         { OP_PUT, first, none, digits(entry->n, arena), 0 } }, .success_count = empty ? 3 : 2,
            .failure = { { OP_GET, log, none, none, 0 }, { OP_GET, leader, none, none, 0 }, { OP_GET, head, none, none, 0 } }, .failure_count = 3,
        };
        bool full;
        const struct json *answer = run_txn_or_full(etcd, &txn, arena, until_ms, &full);
        if (answer == NULL) { return full ? HA_FULL : HA_UNKNOWN; }
        if (has_succeeded(answer)) { return HA_DONE; }
        end = judge_append(answer, term, entry, &empty, arena);
        if (!empty) { return end; }
    }
    return end;
}

/* ---- reading ---- */

static enum ha_end head_in(struct etcd *etcd, struct ha_head *head, struct arena *arena, int64_t until_ms)
{
    static const char *const keys[] = { "shard/0/leader", "shard/0/head", "shard/0/first" };
    struct txn txn = { .success_count = COUNT_OF(keys) };
    for (size_t k = 0; k < COUNT_OF(keys); k++) { txn.success[k] = (struct txn_op){ OP_GET, key_of(etcd, keys[k], arena), { NULL, 0 }, { NULL, 0 }, 0 }; }
    const struct json *answer = run_txn(etcd, &txn, arena, until_ms);
    if (answer == NULL) { return HA_UNKNOWN; }
    const struct json *leader = first_pair(answer, 0);
    *head = (struct ha_head){ .first = 0 };
    if (first_pair(answer, 1) != NULL && !digits_of(first_pair(answer, 1), &head->last, arena)) { return HA_UNKNOWN; }
    if (!digits_of(first_pair(answer, 2), &head->first, arena)) { head->first = head->last + 1; }
    head->term = leader == NULL ? 0 : number_of(leader, "mod_revision");
    struct ha_member who = member_of(value_of(leader, arena));
    memcpy(head->leader, who.name, sizeof head->leader);
    memcpy(head->address, who.address, sizeof head->address);
    return HA_DONE;
}

static bool read_parts(struct etcd *etcd, struct ha_entry *entry, size_t parts, struct arena *arena, int64_t until_ms)
{
    struct buf bytes = buf_in(arena);
    for (size_t p = 0; p < parts; p++) {
        struct buf body = buf_in(arena);
        struct json_out json = json_out_to(&body);
        put_range(&json, &(struct range){ .key = part_key(etcd, entry, p, arena) });
        const struct json *answer = call(etcd, "/v3/kv/range", &body, until_ms), *pairs = json_get(answer, STR("kvs"));
        if (pairs == NULL || pairs->type != JSON_ARRAY || pairs->count != 1) { return false; }
        struct str part = value_of(&pairs->as.items[0], arena);
        if (part.len == 0 || bytes.len + part.len > HA_ENTRY_MAX) { return false; }
        buf_put(&bytes, part);
    }
    entry->bytes = buf_str(&bytes);
    return true;
}

/* False: it is not the entry `n`, or not whole. */
static bool take_entry(struct etcd *etcd, const struct json *pair, int64_t n, struct ha_entry *entry, struct arena *arena, int64_t until_ms)
{
    struct str key = text_of(pair, "key", arena), value = value_of(pair, arena);
    struct str wanted = base64_decode(log_key(etcd, n, arena), arena);
    if (!str_eq(key, wanted) || value.len < ENTRY_HEAD) { return false; }
    size_t parts = 0;
    for (size_t b = 0; b < 4; b++) { parts |= (size_t)(unsigned char)value.ptr[HA_NONCE_SIZE + b] << (8 * b); }
    *entry = (struct ha_entry){ n, str_slice(value, 0, HA_NONCE_SIZE), str_slice(value, ENTRY_HEAD, value.len) };
    return parts == 0 || (parts <= HA_ENTRY_MAX / PART_BYTES && read_parts(etcd, entry, parts, arena, until_ms));
}

static enum ha_end etcd_read(struct ha_engine *engine, int64_t from, size_t limit, size_t bytes_max, struct ha_entry **entries, size_t *count,
                             struct arena *arena, int64_t until_ms)
{
    struct etcd *etcd = etcd_of(engine);
    struct buf body = buf_in(arena);
    struct json_out json = json_out_to(&body);
    *count = 0;
    put_range(&json, &(struct range){ log_key(etcd, from, arena), log_key(etcd, from + (int64_t)limit, arena), (int64_t)limit, false });
    const struct json *answer = call(etcd, "/v3/kv/range", &body, until_ms);
    if (answer == NULL) { return HA_UNKNOWN; }
    const struct json *pairs = json_get(answer, STR("kvs"));
    size_t found = pairs != NULL && pairs->type == JSON_ARRAY ? pairs->count : 0, bytes = 0;
    *entries = ARENA_NEW(arena, struct ha_entry, found + 1);
    while (*count < found && *count < limit && (*count == 0 || bytes < bytes_max)) {
        struct ha_entry *entry = &(*entries)[*count];
        if (!take_entry(etcd, &pairs->as.items[*count], from + (int64_t)*count, entry, arena, until_ms)) { break; }
        bytes += entry->bytes.len;
        ++*count;
    }
    return HA_DONE;
}

/* ---- the log's life ---- */

static enum ha_end trim_in(struct etcd *etcd, int64_t term, int64_t below, struct arena *arena, int64_t until_ms)
{
    char rest[64];
    struct buf body = buf_in(arena);
    (void)snprintf(rest, sizeof rest, "shard/0/parts/%016" PRIx64, (uint64_t)below);
    const struct txn txn = {
        .compares = { { COMPARE_MOD, key_of(etcd, "shard/0/leader", arena), term, { NULL, 0 } } }, .compare_count = 1,
        .success = { { OP_DELETE, log_key(etcd, 0, arena), log_key(etcd, below, arena), { NULL, 0 }, 0 },
                     { OP_DELETE, key_of(etcd, "shard/0/parts/", arena), key_of(etcd, rest, arena), { NULL, 0 }, 0 },
                     { OP_PUT, key_of(etcd, "shard/0/first", arena), { NULL, 0 }, digits(below, arena), 0 } }, .success_count = 3,
    };
    const struct json *answer = run_txn(etcd, &txn, arena, until_ms);
    if (answer == NULL) { return HA_UNKNOWN; }
    if (!has_succeeded(answer)) { return HA_REFUSED; }
    int64_t revision = number_of(json_get(answer, STR("header")), "revision") - HISTORY_KEPT;
    if (revision > 0) {
        buf_printf(&body, "{\"revision\":\"%" PRId64 "\"}", revision);
        (void)call(etcd, "/v3/kv/compaction", &body, until_ms);      /* etcd refuses one that it has done already */
    }
    return HA_DONE;
}

static enum ha_end announce_in(struct etcd *etcd, const struct ha_member *mine, int64_t lease_ms, struct arena *arena, int64_t until_ms)
{
    int64_t lease = grant(etcd, lease_ms, arena, until_ms);
    if (lease == 0) { return HA_UNKNOWN; }
    struct str key = key_of(etcd, arena_printf(arena, "shard/0/members/%s", mine->name).ptr, arena);
    const struct txn txn = { .success = { { OP_PUT, key, { NULL, 0 }, line_of(mine, arena), lease } }, .success_count = 1 };
    return run_txn(etcd, &txn, arena, until_ms) == NULL ? HA_UNKNOWN : HA_DONE;
}

static enum ha_end members_in(struct etcd *etcd, struct ha_member *members, size_t *count, struct arena *arena, int64_t until_ms)
{
    struct buf body = buf_in(arena);
    struct json_out json = json_out_to(&body);
    put_range(&json, &(struct range){ key_of(etcd, "shard/0/members/", arena), key_of(etcd, "shard/0/members0", arena), HA_MEMBERS_MAX, false });
    const struct json *answer = call(etcd, "/v3/kv/range", &body, until_ms);
    if (answer == NULL) { return HA_UNKNOWN; }
    const struct json *pairs = json_get(answer, STR("kvs"));
    *count = 0;
    for (size_t p = 0; pairs != NULL && pairs->type == JSON_ARRAY && p < pairs->count && *count < HA_MEMBERS_MAX; p++) {
        struct ha_member member = member_of(value_of(&pairs->as.items[p], arena));
        if (member.name[0] != '\0') { members[(*count)++] = member; }
    }
    return HA_DONE;
}

/* The head as this node has it, and then a stream of its changes: no more than a shorter wait. */
static void etcd_wait(struct ha_engine *engine, int64_t n, int64_t until_ms)
{
    struct etcd *etcd = etcd_of(engine);
    struct arena arena;
    int64_t last = 0;
    arena_init(&arena, CEILING);
    lock_take(&etcd->lock);
    int64_t revision = etcd->revision;
    lock_drop(&etcd->lock);
    struct buf look = buf_in(&arena), watch = buf_in(&arena);
    struct json_out json = json_out_to(&look);
    put_range(&json, &(struct range){ .key = key_of(etcd, "shard/0/head", &arena), .local = true });
    const struct json *pairs = json_get(call(etcd, "/v3/kv/range", &look, until_ms), STR("kvs"));
    bool known = pairs != NULL && pairs->type == JSON_ARRAY && pairs->count > 0 && digits_of(&pairs->as.items[0], &last, &arena);
    if (!known || last <= n) {
        buf_printf(&watch, "{\"create_request\":{\"key\":\"" STR_FMT "\",\"range_end\":\"" STR_FMT "\",\"start_revision\":\"%" PRId64 "\"}}",
                   STR_ARG(key_of(etcd, "shard/0/head", &arena)), STR_ARG(key_of(etcd, "shard/0/leader0", &arena)), revision + 1);      /* both keys */
        gateway_listen(etcd->gateway, "/v3/watch", buf_str(&watch), "\"events\"", until_ms);
    }
    arena_finish(&arena);
}

static void health_in(struct etcd *etcd, struct ha_health *health, struct arena *arena, int64_t until_ms)
{
    struct buf body = buf_in(arena);
    gateway_health(etcd->gateway, health, until_ms);
    buf_printf(&body, "{\"action\":\"GET\"}");
    const struct json *alarms = json_get(call(etcd, "/v3/maintenance/alarm", &body, until_ms), STR("alarms"));
    if (alarms == NULL || alarms->type != JSON_ARRAY || alarms->count == 0) { return; }
    struct str word = str_slice(json_get_str(&alarms->as.items[0], STR("alarm")), 0, HA_NAME_MAX);
    (void)snprintf(health->alarm, sizeof health->alarm, STR_FMT, STR_ARG(word));
}

static enum ha_end forget_in(struct etcd *etcd, const char *name, struct arena *arena, int64_t until_ms)
{
    struct str key = key_of(etcd, arena_printf(arena, "shard/0/members/%s", name).ptr, arena);
    const struct txn txn = {
        .compares = { { COMPARE_VERSION, key, 0, { NULL, 0 } } }, .compare_count = 1,
        .failure = { { OP_DELETE, key, { NULL, 0 }, { NULL, 0 }, 0 } }, .failure_count = 1,
    };
    const struct json *answer = run_txn(etcd, &txn, arena, until_ms);
    return answer == NULL ? HA_UNKNOWN : has_succeeded(answer) ? HA_REFUSED : HA_DONE;      /* succeeded: there was no such key */
}

static enum ha_end probe_in(struct etcd *etcd, struct arena *arena, int64_t until_ms)
{
    struct str value = base64_encode(STR("a write to measure how long one takes"), arena);
    const struct txn txn = { .success = { { OP_PUT, key_of(etcd, "probe", arena), { NULL, 0 }, value, 0 } }, .success_count = 1 };
    return run_txn(etcd, &txn, arena, until_ms) == NULL ? HA_UNKNOWN : HA_DONE;
}

/* ---- the table: each call has an arena of its own ---- */

#define IN_ARENA(expression)                             \
    do {                                                 \
        struct arena arena;                              \
        arena_init(&arena, CEILING);                     \
        enum ha_end end = (expression);                  \
        arena_finish(&arena);                            \
        return end;                                      \
    } while (0)

static enum ha_end etcd_campaign(struct ha_engine *engine, const struct ha_member *mine, int64_t lease_ms, int64_t instead_of, int64_t *term, int64_t until_ms)
{
    IN_ARENA(campaign_in(etcd_of(engine), mine, lease_ms, instead_of, term, &arena, until_ms));
}

static enum ha_end etcd_renew(struct ha_engine *engine, int64_t term, int64_t until_ms) { IN_ARENA(renew_in(etcd_of(engine), term, &arena, until_ms)); }

static enum ha_end etcd_resign(struct ha_engine *engine, int64_t term, int64_t until_ms) { IN_ARENA(resign_in(etcd_of(engine), term, &arena, until_ms)); }

static enum ha_end etcd_confirm(struct ha_engine *engine, int64_t term, int64_t until_ms) { IN_ARENA(confirm_in(etcd_of(engine), term, &arena, until_ms)); }

static enum ha_end etcd_append(struct ha_engine *engine, int64_t term, const struct ha_entry *entry, int64_t until_ms)
{
    IN_ARENA(append_in(etcd_of(engine), term, entry, &arena, until_ms));
}

static enum ha_end etcd_head(struct ha_engine *engine, struct ha_head *head, int64_t until_ms) { IN_ARENA(head_in(etcd_of(engine), head, &arena, until_ms)); }

static enum ha_end etcd_trim(struct ha_engine *engine, int64_t term, int64_t below, int64_t until_ms)
{
    IN_ARENA(trim_in(etcd_of(engine), term, below, &arena, until_ms));
}

static enum ha_end etcd_announce(struct ha_engine *engine, const struct ha_member *mine, int64_t lease_ms, int64_t until_ms)
{
    IN_ARENA(announce_in(etcd_of(engine), mine, lease_ms, &arena, until_ms));
}

static enum ha_end etcd_members(struct ha_engine *engine, struct ha_member *members, size_t *count, int64_t until_ms)
{
    IN_ARENA(members_in(etcd_of(engine), members, count, &arena, until_ms));
}

static enum ha_end etcd_forget(struct ha_engine *engine, const char *name, int64_t until_ms)
{
    IN_ARENA(forget_in(etcd_of(engine), name, &arena, until_ms));
}

static enum ha_end etcd_probe(struct ha_engine *engine, int64_t until_ms)
{
    IN_ARENA(probe_in(etcd_of(engine), &arena, until_ms));
}

static void etcd_health(struct ha_engine *engine, struct ha_health *health, int64_t until_ms)
{
    struct arena arena = { .ceiling = CEILING };
    health_in(etcd_of(engine), health, &arena, until_ms);
    arena_finish(&arena);
}

static void etcd_close(struct ha_engine *engine)
{
    struct etcd *etcd = etcd_of(engine);
    gateway_close(etcd->gateway);
    lock_finish(&etcd->lock);
    free(etcd);
}

static const struct ha_engine_ops ops = {
    .claim_id = claim_id, .campaign = etcd_campaign, .renew = etcd_renew, .resign = etcd_resign, .confirm = etcd_confirm, .append = etcd_append,
    .head = etcd_head, .read = etcd_read, .trim = etcd_trim, .announce = etcd_announce, .members = etcd_members, .wait = etcd_wait,
    .forget = etcd_forget, .health = etcd_health, .probe = etcd_probe, .close = etcd_close,
};

bool ha_etcd_open(const struct ha_etcd_config *config, struct ha_engine **engine, struct err *err)
{
    struct etcd *etcd = calloc(1, sizeof *etcd);
    ASSERT(etcd != NULL);
    lock_init(&etcd->lock);
    etcd->engine.ops = &ops;
    if (!gateway_open(config, &etcd->gateway, err)) {
        lock_finish(&etcd->lock);
        free(etcd);
        return false;
    }
    *engine = &etcd->engine;
    return true;
}
