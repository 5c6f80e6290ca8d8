/* fuzz_etcd.c: answers of etcd. For any bytes behind any call, the engine returns, and what it hands out is whole: entries in order, names that end, sizes within
 * their bounds. This file replaces ha/grpc.c: the first byte chooses the operation, and each call is answered with the next message of the rest. */
#include <string.h>

#include "ha/grpc.h"
#include "tests/fuzz/fuzz.h"

enum { CALLS_MAX = 200 };
struct grpc { struct str answers; int calls; };      /* the rest of them; how often it was asked */
static struct grpc only;

bool grpc_open(const struct ha_etcd_config *config, struct grpc **grpc, struct err *err)
{
    (void)config;
    (void)err;
    *grpc = &only;
    return true;
}

void grpc_close(struct grpc *grpc) { (void)grpc; }

struct str grpc_name(const struct grpc *grpc) { (void)grpc; return STR("x"); }

const void *grpc_call(struct grpc *grpc, enum grpc_method method, const void *request, struct arena *arena, int64_t until_ms, bool *full)
{
    size_t taken = 0;
    (void)until_ms;
    ASSERT(message_pack(request, arena).len >= 5 && ++grpc->calls <= CALLS_MAX);        /* no answer makes it ask for ever; 128 parts have an entry at most */
    const void *answer = message_unpack(method, grpc->answers, arena, &taken);
    grpc->answers = str_slice(grpc->answers, answer == NULL ? 1 : taken, grpc->answers.len);
    if (full != NULL) { *full = answer == NULL && grpc->answers.len % 2 == 1; }
    return answer;
}

void grpc_listen(struct grpc *grpc, const void *request, int64_t until_ms) { (void)grpc; (void)request; (void)until_ms; }

void grpc_problem(struct grpc *grpc, char words[HA_PROBLEM_SIZE]) { (void)grpc; words[0] = '\0'; }

void grpc_health(struct grpc *grpc, struct ha_health *health, int64_t until_ms)
{
    (void)grpc;
    (void)until_ms;
    *health = (struct ha_health){ .count = 0 };
}

static bool ends(const char *text, size_t size) { return memchr(text, '\0', size) != NULL; }

static void check_member(const struct ha_member *member)
{
    ASSERT(ends(member->name, sizeof member->name) && ends(member->address, sizeof member->address) && ends(member->release, sizeof member->release));
    ASSERT(ends(member->word, sizeof member->word));
}

static void check_read(struct ha_engine *engine, struct arena *arena)
{
    struct ha_entry *entries = NULL;
    size_t count = 0;
    enum ha_end end = engine->ops->read(engine, 5, 4, 1 << 20, &entries, &count, arena, 0);
    ASSERT((end == HA_DONE || end == HA_UNKNOWN) && count <= 4 && (end == HA_DONE || count == 0));
    for (size_t e = 0; e < count; e++) {
        ASSERT(entries[e].n == 5 + (int64_t)e && entries[e].nonce.len == HA_NONCE_SIZE && entries[e].bytes.len <= HA_ENTRY_MAX);
    }
}

static void check_lists(struct ha_engine *engine)
{
    static struct ha_member members[HA_MEMBERS_MAX];
    size_t count = 0;
    struct ha_head head = { .first = 0 };
    struct ha_health health;
    if (engine->ops->head(engine, &head, 0) == HA_DONE) {
        ASSERT(head.last >= 0 && head.first >= 0 && ends(head.leader, sizeof head.leader) && ends(head.address, sizeof head.address));
    }
    if (engine->ops->members(engine, members, &count, 0) == HA_DONE) { ASSERT(count <= HA_MEMBERS_MAX); }
    for (size_t m = 0; m < count; m++) { check_member(&members[m]); }
    engine->ops->health(engine, &health, 0);
    ASSERT(ends(health.alarm, sizeof health.alarm));
    engine->ops->wait(engine, 5, 0);
}

static void check_changes(struct ha_engine *engine, uint8_t choice, struct arena *arena)
{
    static const struct ha_member mine = { .name = "m0", .address = "http://127.0.0.1:1", .release = "1", .word = "w" };
    static char bytes[600 * 1024];
    const struct ha_entry entry = { 5, STR("0123456789abcdef"), { bytes, choice % 2 == 0 ? 10 : sizeof bytes } };
    struct str id = { NULL, 0 };
    int64_t term = 0;
    if (engine->ops->claim_id(engine, STR("mine"), &id, arena, 0) == HA_DONE) { ASSERT(id.len > 0 && id.len <= HA_NAME_MAX); }
    if (engine->ops->campaign(engine, &mine, 2000, 0, &term, 0) == HA_DONE) { ASSERT(term > 0); }
    (void)engine->ops->renew(engine, term, 0);
    (void)engine->ops->confirm(engine, term, 0);
    (void)engine->ops->append(engine, term, &entry, 0);
    (void)engine->ops->announce(engine, &mine, 2000, 0);
    (void)engine->ops->trim(engine, term, 3, 0);
    (void)engine->ops->forget(engine, "m1", 0);
    (void)engine->ops->resign(engine, term, 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct ha_engine *engine;
    struct err err = { 0 };
    struct arena arena;
    if (size == 0) { return 0; }
    if (engine == NULL) { ASSERT(ha_etcd_open(&(struct ha_etcd_config){ .url = "" }, &engine, &err)); }
    only = (struct grpc){ fuzz_str(data + 1, size - 1), 0 };
    arena_init(&arena, HA_ARENA);
    if (data[0] % 3 == 0) { check_read(engine, &arena); } else if (data[0] % 3 == 1) { check_lists(engine); } else { check_changes(engine, data[0], &arena); }
    arena_finish(&arena);
    return 0;
}
