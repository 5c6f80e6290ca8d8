/* engine_etcd.c: the log in etcd, by gRPC. Keys, all below /berth/NAME/:
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
#include "ha/grpc.h"

#include <ha/etcd.pb-c.h>                     /* made of ha/etcd.proto */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/lock.h"

enum { OPS_MAX = 4, PART_BYTES = 512 * 1024, READ_MAX = 16, ENTRY_HEAD = HA_NONCE_SIZE + 4, HISTORY_KEPT = 1000 };

struct etcd {
    struct ha_engine engine;
    struct grpc *grpc;
    struct lock lock;                            /* guards the block below */
    int64_t revision;                            /* of etcd, as the last answer said: from where a watch begins */
    int64_t lease;                               /* of this process's leadership; 0: none */
    int64_t lease_term;
};

static struct etcd *etcd_of(struct ha_engine *engine) { return (struct etcd *)(void *)engine; }

/* ---- keys and values ---- */

static struct str key_of(const struct etcd *etcd, const char *rest, struct arena *arena)
{
    return arena_printf(arena, "/berth/" STR_FMT "/%s", STR_ARG(grpc_name(etcd->grpc)), rest);
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
    return arena_printf(arena, "%" PRId64, number);
}

/* ---- requests ---- */

enum compare_kind { COMPARE_MOD, COMPARE_VERSION, COMPARE_VALUE };
struct compare { enum compare_kind kind; struct str key; int64_t number; struct str value; };
struct txn_op { enum { OP_GET, OP_PUT, OP_DELETE } kind; struct str key, end, value; int64_t lease; };        /* end: of a range; absent for one key */
struct txn {
    struct compare compares[OPS_MAX]; size_t compare_count;
    struct txn_op success[OPS_MAX]; size_t success_count;
    struct txn_op failure[OPS_MAX]; size_t failure_count;
};

/* The library takes bytes that it only reads as ones that could be written. */
static ProtobufCBinaryData bytes_of(struct str text) { return (ProtobufCBinaryData){ text.len, (uint8_t *)(uintptr_t)text.ptr }; }

static struct str str_of(ProtobufCBinaryData bytes) { return (struct str){ bytes.len > 0 ? (const char *)bytes.data : "", bytes.len }; }

static Etcd__RangeRequest *range_of(struct str key, struct str end, struct arena *arena)
{
    Etcd__RangeRequest *range = ARENA_NEW(arena, Etcd__RangeRequest, 1);
    etcd__range_request__init(range);
    range->key = bytes_of(key);
    range->range_end = bytes_of(end);
    return range;
}

static Etcd__Compare *compare_of(const struct compare *compare, struct arena *arena)
{
    Etcd__Compare *to = ARENA_NEW(arena, Etcd__Compare, 1);
    etcd__compare__init(to);
    to->key = bytes_of(compare->key);
    switch (compare->kind) {
    case COMPARE_MOD:
        to->target = ETCD__COMPARE__TARGET__MOD;
        to->wanted_case = ETCD__COMPARE__WANTED_MOD_REVISION;
        to->mod_revision = compare->number;
        break;
    case COMPARE_VERSION:
        to->target = ETCD__COMPARE__TARGET__VERSION;
        to->wanted_case = ETCD__COMPARE__WANTED_VERSION;
        to->version = compare->number;
        break;
    case COMPARE_VALUE:
        to->target = ETCD__COMPARE__TARGET__VALUE;
        to->wanted_case = ETCD__COMPARE__WANTED_VALUE;
        to->value = bytes_of(compare->value);
        break;
    }
    return to;
}

static Etcd__Operation *operation_of(const struct txn_op *op, struct arena *arena)
{
    Etcd__Operation *to = ARENA_NEW(arena, Etcd__Operation, 1);
    etcd__operation__init(to);
    switch (op->kind) {
    case OP_GET:
        to->what_case = ETCD__OPERATION__WHAT_RANGE;
        to->range = range_of(op->key, op->end, arena);
        break;
    case OP_PUT:
        to->what_case = ETCD__OPERATION__WHAT_PUT;
        to->put = ARENA_NEW(arena, Etcd__PutRequest, 1);
        etcd__put_request__init(to->put);
        to->put->key = bytes_of(op->key);
        to->put->value = bytes_of(op->value);
        to->put->lease = op->lease;
        break;
    case OP_DELETE:
        to->what_case = ETCD__OPERATION__WHAT_REMOVE;
        to->remove = ARENA_NEW(arena, Etcd__DeleteRequest, 1);
        etcd__delete_request__init(to->remove);
        to->remove->key = bytes_of(op->key);
        to->remove->range_end = bytes_of(op->end);
        break;
    }
    return to;
}

static void note_header(struct etcd *etcd, const Etcd__Header *header)
{
    if (header == NULL) { return; }
    lock_take(&etcd->lock);
    if (header->revision > etcd->revision) { etcd->revision = header->revision; }
    lock_drop(&etcd->lock);
}

static const Etcd__TxnAnswer *run_txn_or_full(struct etcd *etcd, const struct txn *txn, struct arena *arena, int64_t until_ms, bool *full)
{
    Etcd__TxnRequest request = ETCD__TXN_REQUEST__INIT;
    Etcd__Compare *compares[OPS_MAX];
    Etcd__Operation *success[OPS_MAX], *failure[OPS_MAX];
    for (size_t c = 0; c < txn->compare_count; c++) { compares[c] = compare_of(&txn->compares[c], arena); }
    for (size_t o = 0; o < txn->success_count; o++) { success[o] = operation_of(&txn->success[o], arena); }
    for (size_t o = 0; o < txn->failure_count; o++) { failure[o] = operation_of(&txn->failure[o], arena); }
    request.n_compare = txn->compare_count;
    request.compare = compares;
    request.n_success = txn->success_count;
    request.success = success;
    request.n_failure = txn->failure_count;
    request.failure = failure;
    const Etcd__TxnAnswer *answer = grpc_call(etcd->grpc, GRPC_TXN, &request, arena, until_ms, full);
    if (answer != NULL) { note_header(etcd, answer->header); }
    return answer;
}

static const Etcd__TxnAnswer *run_txn(struct etcd *etcd, const struct txn *txn, struct arena *arena, int64_t until_ms)
{
    return run_txn_or_full(etcd, txn, arena, until_ms, NULL);
}

static const Etcd__RangeAnswer *get_range(struct etcd *etcd, const Etcd__RangeRequest *range, struct arena *arena, int64_t until_ms)
{
    const Etcd__RangeAnswer *answer = grpc_call(etcd->grpc, GRPC_RANGE, range, arena, until_ms, NULL);
    if (answer != NULL) { note_header(etcd, answer->header); }
    return answer;
}

/* ---- answers ---- */

/* The first pair that the transaction's `at`th operation, a range, has found. */
static const Etcd__Pair *first_pair(const Etcd__TxnAnswer *answer, size_t at)
{
    const Etcd__RangeAnswer *range = answer != NULL && at < answer->n_responses ? answer->responses[at]->range : NULL;
    return range != NULL && range->n_kvs > 0 ? range->kvs[0] : NULL;
}

static struct str value_of(const Etcd__Pair *pair) { return pair == NULL ? (struct str){ NULL, 0 } : str_of(pair->value); }

static bool digits_of(const Etcd__Pair *pair, int64_t *number) { return pair != NULL && str_to_i64(value_of(pair), number) && *number >= 0; }

/* ---- a member's line: words with a tab between them ---- */

static struct str line_of(const struct ha_member *member, struct arena *arena)
{
    return arena_printf(arena, "%s\t%s\t%s\t%s\t%" PRId64 "\t%" PRId64 "\t%" PRId64, member->name, member->address, member->release, member->word,
                        member->durable, member->format, member->priority);
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
    Etcd__GrantRequest request = ETCD__GRANT_REQUEST__INIT;
    request.ttl = (lease_ms + 999) / 1000;
    const Etcd__LeaseAnswer *answer = grpc_call(etcd->grpc, GRPC_GRANT, &request, arena, until_ms, NULL);
    return answer == NULL ? 0 : answer->id;
}

static const Etcd__LeaseAnswer *ask_lease(struct etcd *etcd, enum grpc_method method, int64_t lease, struct arena *arena, int64_t until_ms)
{
    Etcd__LeaseRequest request = ETCD__LEASE_REQUEST__INIT;
    request.id = lease;
    return grpc_call(etcd->grpc, method, &request, arena, until_ms, NULL);
}

/* ---- the operations ---- */

static enum ha_end claim_id(struct ha_engine *engine, struct str proposed, struct str *id, struct arena *arena, int64_t until_ms)
{
    struct etcd *etcd = etcd_of(engine);
    struct str key = key_of(etcd, "id", arena);
    const struct txn txn = {
        .compares = { { COMPARE_VERSION, key, 0, { NULL, 0 } } }, .compare_count = 1,
        .success = { { OP_PUT, key, { NULL, 0 }, proposed, 0 } }, .success_count = 1,
        .failure = { { OP_GET, key, { NULL, 0 }, { NULL, 0 }, 0 } }, .failure_count = 1,
    };
    const Etcd__TxnAnswer *answer = run_txn(etcd, &txn, arena, until_ms);
    if (answer == NULL) { return HA_UNKNOWN; }
    *id = answer->succeeded ? arena_str(arena, proposed) : value_of(first_pair(answer, 0));
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
    const Etcd__TxnAnswer *answer = run_txn(etcd, &txn, arena, until_ms);
    if (answer == NULL) { return HA_UNKNOWN; }       /* a key that was written ends with its lease, which nobody renews */
    *term = answer->header == NULL ? 0 : answer->header->revision;
    if (!answer->succeeded || *term <= 0) {
        (void)ask_lease(etcd, GRPC_REVOKE, lease, arena, until_ms);
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
    const Etcd__TxnAnswer *answer = run_txn(etcd, &txn, arena, until_ms);
    return answer == NULL ? HA_UNKNOWN : answer->succeeded ? HA_DONE : HA_REFUSED;
}

/* A lease that lives is not enough: another may have taken the key. */
static enum ha_end renew_in(struct etcd *etcd, int64_t term, struct arena *arena, int64_t until_ms)
{
    lock_take(&etcd->lock);
    int64_t lease = etcd->lease_term == term ? etcd->lease : 0;
    lock_drop(&etcd->lock);
    if (lease == 0) { return HA_REFUSED; }
    const Etcd__LeaseAnswer *answer = ask_lease(etcd, GRPC_KEEP_ALIVE, lease, arena, until_ms);
    if (answer == NULL) { return HA_UNKNOWN; }
    if (answer->ttl <= 0) { return HA_REFUSED; }
    return confirm_in(etcd, term, arena, until_ms);
}

static enum ha_end resign_in(struct etcd *etcd, int64_t term, struct arena *arena, int64_t until_ms)
{
    struct str key = key_of(etcd, "shard/0/leader", arena);
    const struct txn txn = {
        .compares = { { COMPARE_MOD, key, term, { NULL, 0 } } }, .compare_count = 1, .success = { { OP_DELETE, key, { NULL, 0 }, { NULL, 0 }, 0 } },
        .success_count = 1,
    };
    const Etcd__TxnAnswer *answer = run_txn(etcd, &txn, arena, until_ms);
    lock_take(&etcd->lock);
    int64_t lease = etcd->lease_term == term ? etcd->lease : 0;
    if (lease != 0) { etcd->lease = etcd->lease_term = 0; }
    lock_drop(&etcd->lock);
    if (lease != 0 && answer != NULL) { (void)ask_lease(etcd, GRPC_REVOKE, lease, arena, until_ms); }
    return answer == NULL ? HA_UNKNOWN : answer->succeeded ? HA_DONE : HA_REFUSED;
}

/* ---- append ---- */

static struct str entry_value(const struct ha_entry *entry, size_t parts, struct arena *arena)
{
    struct buf value = buf_in(arena);
    buf_put(&value, entry->nonce);
    for (int shift = 0; shift < 32; shift += 8) { buf_put_char(&value, (char)(parts >> shift)); }
    if (parts == 0) { buf_put(&value, entry->bytes); }
    return buf_str(&value);
}

static enum ha_end put_parts(struct etcd *etcd, int64_t term, const struct ha_entry *entry, size_t parts, struct arena *arena, int64_t until_ms)
{
    for (size_t p = 0; p < parts; p++) {
        struct str bytes = str_slice(entry->bytes, p * PART_BYTES, (p + 1) * PART_BYTES);
        const struct txn txn = {
            .compares = { { COMPARE_MOD, key_of(etcd, "shard/0/leader", arena), term, { NULL, 0 } } }, .compare_count = 1,
            .success = { { OP_PUT, part_key(etcd, entry, p, arena), { NULL, 0 }, bytes, 0 } }, .success_count = 1,
        };
        const Etcd__TxnAnswer *answer = run_txn(etcd, &txn, arena, until_ms);
        if (answer == NULL) { return HA_UNKNOWN; }
        if (!answer->succeeded) { return HA_REFUSED; }
    }
    return HA_DONE;
}

/* The end of an append whose conditions did not hold. *empty: the log has no entry yet, and the conditions should say so. */
static enum ha_end judge_append(const Etcd__TxnAnswer *answer, int64_t term, const struct ha_entry *entry, bool *empty)
{
    const Etcd__Pair *there = first_pair(answer, 0), *leader = first_pair(answer, 1), *head = first_pair(answer, 2);
    struct str value = value_of(there);
    *empty = false;
    if (there != NULL) { return value.len >= ENTRY_HEAD && memcmp(value.ptr, entry->nonce.ptr, HA_NONCE_SIZE) == 0 ? HA_DONE : HA_REFUSED; }
    *empty = leader != NULL && leader->mod_revision == term && head == NULL;
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
        const Etcd__TxnAnswer *answer = run_txn_or_full(etcd, &txn, arena, until_ms, &full);
        if (answer == NULL) { return full ? HA_FULL : HA_UNKNOWN; }
        if (answer->succeeded) { return HA_DONE; }
        end = judge_append(answer, term, entry, &empty);
        if (!empty) { return end; }
    }
    return end;
}

/* ---- reading ---- */

/* The three keys are neighbours: one range is cheaper for etcd than a transaction. */
static enum ha_end head_in(struct etcd *etcd, struct ha_head *head, struct arena *arena, int64_t until_ms)
{
    struct str keys[] = { key_of(etcd, "shard/0/first", arena), key_of(etcd, "shard/0/head", arena), key_of(etcd, "shard/0/leader", arena) };
    const Etcd__Pair *pairs[COUNT_OF(keys)] = { NULL };
    const Etcd__RangeAnswer *answer = get_range(etcd, range_of(keys[0], key_of(etcd, "shard/0/leader0", arena), arena), arena, until_ms);
    if (answer == NULL) { return HA_UNKNOWN; }
    for (size_t p = 0; p < answer->n_kvs; p++) {
        for (size_t k = 0; k < COUNT_OF(keys); k++) {
            if (str_eq(str_of(answer->kvs[p]->key), keys[k])) { pairs[k] = answer->kvs[p]; }
        }
    }
    *head = (struct ha_head){ .first = 0 };
    if (pairs[1] != NULL && !digits_of(pairs[1], &head->last)) { return HA_UNKNOWN; }
    if (!digits_of(pairs[0], &head->first)) { head->first = head->last + 1; }
    head->term = pairs[2] == NULL ? 0 : pairs[2]->mod_revision;
    struct ha_member who = member_of(value_of(pairs[2]));
    memcpy(head->leader, who.name, sizeof head->leader);
    memcpy(head->address, who.address, sizeof head->address);
    return HA_DONE;
}

static bool read_parts(struct etcd *etcd, struct ha_entry *entry, size_t parts, struct arena *arena, int64_t until_ms)
{
    struct buf bytes = buf_in(arena);
    for (size_t p = 0; p < parts; p++) {
        const Etcd__RangeAnswer *answer = get_range(etcd, range_of(part_key(etcd, entry, p, arena), (struct str){ NULL, 0 }, arena), arena, until_ms);
        if (answer == NULL || answer->n_kvs != 1) { return false; }
        struct str part = value_of(answer->kvs[0]);
        if (part.len == 0 || bytes.len + part.len > HA_ENTRY_MAX) { return false; }
        buf_put(&bytes, part);
    }
    entry->bytes = buf_str(&bytes);
    return true;
}

/* False: it is not the entry `n`, or not whole. */
static bool take_entry(struct etcd *etcd, const Etcd__Pair *pair, int64_t n, struct ha_entry *entry, struct arena *arena, int64_t until_ms)
{
    struct str value = value_of(pair);
    if (!str_eq(str_of(pair->key), log_key(etcd, n, arena)) || value.len < ENTRY_HEAD) { return false; }
    size_t parts = 0;
    for (size_t b = 0; b < 4; b++) { parts |= (size_t)(unsigned char)value.ptr[HA_NONCE_SIZE + b] << (8 * b); }
    *entry = (struct ha_entry){ n, str_slice(value, 0, HA_NONCE_SIZE), str_slice(value, ENTRY_HEAD, value.len) };
    return parts == 0 || (parts <= HA_ENTRY_MAX / PART_BYTES && read_parts(etcd, entry, parts, arena, until_ms));
}

static enum ha_end etcd_read(struct ha_engine *engine, int64_t from, size_t limit, size_t bytes_max, struct ha_entry **entries, size_t *count,
                             struct arena *arena, int64_t until_ms)
{
    struct etcd *etcd = etcd_of(engine);
    Etcd__RangeRequest *range = range_of(log_key(etcd, from, arena), log_key(etcd, from + (int64_t)limit, arena), arena);
    *count = 0;
    range->limit = (int64_t)(limit < READ_MAX ? limit : READ_MAX);       /* entries of PART_BYTES, with room in an answer */
    const Etcd__RangeAnswer *answer = get_range(etcd, range, arena, until_ms);
    if (answer == NULL) { return HA_UNKNOWN; }
    size_t found = answer->n_kvs, bytes = 0;
    *entries = ARENA_NEW(arena, struct ha_entry, found + 1);
    while (*count < found && *count < limit && (*count == 0 || bytes < bytes_max)) {
        struct ha_entry *entry = &(*entries)[*count];
        if (!take_entry(etcd, answer->kvs[*count], from + (int64_t)*count, entry, arena, until_ms)) { break; }
        bytes += entry->bytes.len;
        ++*count;
    }
    return HA_DONE;
}

/* ---- the log's life ---- */

static enum ha_end trim_in(struct etcd *etcd, int64_t term, int64_t below, struct arena *arena, int64_t until_ms)
{
    char rest[64];
    Etcd__CompactRequest compact = ETCD__COMPACT_REQUEST__INIT;
    (void)snprintf(rest, sizeof rest, "shard/0/parts/%016" PRIx64, (uint64_t)below);
    const struct txn txn = {
        .compares = { { COMPARE_MOD, key_of(etcd, "shard/0/leader", arena), term, { NULL, 0 } } }, .compare_count = 1,
        .success = { { OP_DELETE, log_key(etcd, 0, arena), log_key(etcd, below, arena), { NULL, 0 }, 0 },
                     { OP_DELETE, key_of(etcd, "shard/0/parts/", arena), key_of(etcd, rest, arena), { NULL, 0 }, 0 },
                     { OP_PUT, key_of(etcd, "shard/0/first", arena), { NULL, 0 }, digits(below, arena), 0 } }, .success_count = 3,
    };
    const Etcd__TxnAnswer *answer = run_txn(etcd, &txn, arena, until_ms);
    if (answer == NULL) { return HA_UNKNOWN; }
    if (!answer->succeeded) { return HA_REFUSED; }
    compact.revision = answer->header == NULL ? 0 : answer->header->revision - HISTORY_KEPT;
    if (compact.revision > 0) { (void)grpc_call(etcd->grpc, GRPC_COMPACT, &compact, arena, until_ms, NULL); }      /* refused if it was done already */
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
    Etcd__RangeRequest *range = range_of(key_of(etcd, "shard/0/members/", arena), key_of(etcd, "shard/0/members0", arena), arena);
    range->limit = HA_MEMBERS_MAX;
    const Etcd__RangeAnswer *answer = get_range(etcd, range, arena, until_ms);
    if (answer == NULL) { return HA_UNKNOWN; }
    *count = 0;
    for (size_t p = 0; p < answer->n_kvs && *count < HA_MEMBERS_MAX; p++) {
        struct ha_member member = member_of(value_of(answer->kvs[p]));
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
    arena_init(&arena, HA_ARENA);
    struct str head = key_of(etcd, "shard/0/head", &arena);
    Etcd__RangeRequest *look = range_of(head, (struct str){ NULL, 0 }, &arena);
    Etcd__WatchedRange watched = ETCD__WATCHED_RANGE__INIT;
    Etcd__WatchRequest watch = ETCD__WATCH_REQUEST__INIT;
    lock_take(&etcd->lock);
    watched.start_revision = etcd->revision + 1;
    lock_drop(&etcd->lock);
    watched.key = bytes_of(head);
    watched.range_end = bytes_of(key_of(etcd, "shard/0/leader0", &arena));       /* the leader too */
    watch.create = &watched;
    look->serializable = true;
    const Etcd__RangeAnswer *answer = get_range(etcd, look, &arena, until_ms);
    bool known = answer != NULL && answer->n_kvs > 0 && digits_of(answer->kvs[0], &last);
    if (!known || last <= n) { grpc_listen(etcd->grpc, &watch, until_ms); }
    arena_finish(&arena);
}

static void health_in(struct etcd *etcd, struct ha_health *health, struct arena *arena, int64_t until_ms)
{
    Etcd__AlarmRequest request = ETCD__ALARM_REQUEST__INIT;
    grpc_health(etcd->grpc, health, until_ms);
    const Etcd__AlarmAnswer *answer = grpc_call(etcd->grpc, GRPC_ALARM, &request, arena, until_ms, NULL);
    if (answer == NULL || answer->n_alarms == 0) { return; }
    const ProtobufCEnumValue *kind = protobuf_c_enum_descriptor_get_value(&etcd__alarm__kind__descriptor, (int)answer->alarms[0]->alarm);
    (void)snprintf(health->alarm, sizeof health->alarm, "%s", kind == NULL ? "an alarm" : kind->name);
}

static enum ha_end forget_in(struct etcd *etcd, const char *name, struct arena *arena, int64_t until_ms)
{
    struct str key = key_of(etcd, arena_printf(arena, "shard/0/members/%s", name).ptr, arena);
    const struct txn txn = {
        .compares = { { COMPARE_VERSION, key, 0, { NULL, 0 } } }, .compare_count = 1,
        .failure = { { OP_DELETE, key, { NULL, 0 }, { NULL, 0 }, 0 } }, .failure_count = 1,
    };
    const Etcd__TxnAnswer *answer = run_txn(etcd, &txn, arena, until_ms);
    return answer == NULL ? HA_UNKNOWN : answer->succeeded ? HA_REFUSED : HA_DONE;      /* succeeded: there was no such key */
}

static enum ha_end probe_in(struct etcd *etcd, struct arena *arena, int64_t until_ms)
{
    struct str value = STR("a write to measure how long one takes");
    const struct txn txn = { .success = { { OP_PUT, key_of(etcd, "probe", arena), { NULL, 0 }, value, 0 } }, .success_count = 1 };
    return run_txn(etcd, &txn, arena, until_ms) == NULL ? HA_UNKNOWN : HA_DONE;
}

/* ---- the table: each call has an arena of its own ---- */

#define IN_ARENA(expression)                             \
    do {                                                 \
        struct arena arena;                              \
        arena_init(&arena, HA_ARENA);                     \
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
    struct arena arena = { .ceiling = HA_ARENA };
    health_in(etcd_of(engine), health, &arena, until_ms);
    arena_finish(&arena);
}

static void etcd_problem(struct ha_engine *engine, char words[HA_PROBLEM_SIZE]) { grpc_problem(etcd_of(engine)->grpc, words); }

static void etcd_close(struct ha_engine *engine)
{
    struct etcd *etcd = etcd_of(engine);
    grpc_close(etcd->grpc);
    lock_finish(&etcd->lock);
    free(etcd);
}

static const struct ha_engine_ops ops = {
    .claim_id = claim_id, .campaign = etcd_campaign, .renew = etcd_renew, .resign = etcd_resign, .confirm = etcd_confirm, .append = etcd_append,
    .head = etcd_head, .read = etcd_read, .trim = etcd_trim, .announce = etcd_announce, .members = etcd_members, .wait = etcd_wait,
    .forget = etcd_forget, .health = etcd_health, .probe = etcd_probe, .problem = etcd_problem, .close = etcd_close,
};

bool ha_etcd_open(const struct ha_etcd_config *config, struct ha_engine **engine, struct err *err)
{
    struct etcd *etcd = calloc(1, sizeof *etcd);
    ASSERT(etcd != NULL);
    lock_init(&etcd->lock);
    etcd->engine.ops = &ops;
    if (!grpc_open(config, &etcd->grpc, err)) {
        lock_finish(&etcd->lock);
        free(etcd);
        return false;
    }
    *engine = &etcd->engine;
    return true;
}
