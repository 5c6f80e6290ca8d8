/* The engine over etcd, with a real etcd of one node and of three. Skipped, loudly, where there is none. */
#include "ha/engine.h"
#include "tests/unit/check.h"
#include "tests/unit/ha/etcd_fixture.h"

#include <pthread.h>

enum { CALL_MS = 3000, LEASE_MS = 2000, CEILING = 512 << 20 };

struct fixture { struct etcd_fixture etcd; struct ha_engine *engine; struct arena arena; };
static const struct ha_member m1 = { .name = "m1", .address = "http://m1:9280", .release = "1.0", .word = "0123456789abcdef0123456789abcdef", .durable = 7, .format = 1 };
static const struct ha_member m2 = { .name = "m2", .address = "http://m2:9280", .release = "1.0", .priority = -1 };

static int64_t soon(void) { return clock_monotonic_ms() + CALL_MS; }

static struct ha_engine *open_engine(const char *url)
{
    struct err err = { 0 };
    struct ha_engine *engine = NULL;
    CHECK("the URL is one", ha_etcd_open(&(struct ha_etcd_config){ .url = url }, &engine, &err));
    return engine;
}

static void begin(struct fixture *f, int nodes)
{
    struct ha_head head;
    *f = (struct fixture){ .engine = NULL };
    etcd_begin(&f->etcd, nodes);
    f->engine = open_engine(f->etcd.url);
    arena_init(&f->arena, CEILING);
    int64_t until_ms = clock_monotonic_ms() + 30 * 1000;
    while (f->engine->ops->head(f->engine, &head, soon()) != HA_DONE && clock_monotonic_ms() < until_ms) { clock_sleep_ms(50); }
    CHECK("etcd answers", clock_monotonic_ms() < until_ms);
}

static void finish(struct fixture *f)
{
    f->engine->ops->close(f->engine);
    arena_finish(&f->arena);
    etcd_end(&f->etcd);
}

static struct ha_head head_of(struct fixture *f)
{
    struct ha_head head = { .last = -1 };
    CHECK_EQ("the head", f->engine->ops->head(f->engine, &head, soon()), HA_DONE);
    return head;
}

static int64_t lead(struct fixture *f, const struct ha_member *member, int64_t instead_of, enum ha_end wanted)
{
    int64_t term = 0;
    CHECK_EQ("the campaign", f->engine->ops->campaign(f->engine, member, LEASE_MS, instead_of, &term, soon()), wanted);
    return term;
}

static enum ha_end append(struct fixture *f, int64_t term, int64_t n, char nonce, struct str bytes)
{
    char letters[HA_NONCE_SIZE];
    memset(letters, nonce, sizeof letters);
    return f->engine->ops->append(f->engine, term, &(struct ha_entry){ n, { letters, sizeof letters }, bytes }, soon());
}

static size_t read_from(struct fixture *f, int64_t from, size_t limit, size_t bytes_max, struct ha_entry **entries)
{
    size_t count = 99;
    CHECK_EQ("read", f->engine->ops->read(f->engine, from, limit, bytes_max, entries, &count, &f->arena, soon()), HA_DONE);
    return count;
}

static void test_urls(void)
{
    static const struct { const char *url; bool good; } rows[] = {
        { "etcd://h:2379/prod", true }, { "etcds://h1:2379,h2:2379,h3:2379/a.b-c_1", true }, { "etcd://h/x", true },
        { "http://h:2379/prod", false }, { "etcd://h:2379", false }, { "etcd://h:2379/", false }, { "etcd:///prod", false }, { "etcd://h,,g/prod", false },
        { "etcd://h:2379/a/b", false }, { "etcd://h:2379/a b", false }, { "", false }, { "etcd://1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16/x", true },
        { "etcd://1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17/x", false },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct ha_engine *engine = NULL;
        struct err err = { 0 };
        CHECK(rows[r].url, ha_etcd_open(&(struct ha_etcd_config){ .url = rows[r].url }, &engine, &err) == rows[r].good);
        CHECK(rows[r].url, rows[r].good || strstr(err.message, "Write etcd://") != NULL);
        if (engine != NULL) { engine->ops->close(engine); }
    }
}

static void test_id(struct fixture *f)
{
    struct str id;
    CHECK_EQ("claimed", f->engine->ops->claim_id(f->engine, STR("first"), &id, &f->arena, soon()), HA_DONE);
    CHECK_STR("by the first", id, STR("first"));
    CHECK_EQ("asked for again", f->engine->ops->claim_id(f->engine, STR("second"), &id, &f->arena, soon()), HA_DONE);
    CHECK_STR("it stays", id, STR("first"));
}

static void test_terms(struct fixture *f)
{
    CHECK_EQ("nobody leads", head_of(f).term, 0);
    int64_t one = lead(f, &m1, 0, HA_DONE);
    struct ha_head head = head_of(f);
    CHECK("the head names it", head.term == one && strcmp(head.leader, "m1") == 0 && strcmp(head.address, "http://m1:9280") == 0);
    (void)lead(f, &m2, 0, HA_REFUSED);
    CHECK_EQ("it is confirmed", f->engine->ops->confirm(f->engine, one, soon()), HA_DONE);
    CHECK_EQ("and renewed", f->engine->ops->renew(f->engine, one, soon()), HA_DONE);
    (void)lead(f, &m2, one - 1, HA_REFUSED);
    int64_t two = lead(f, &m2, one, HA_DONE);
    CHECK("a later term", two > one);
    CHECK_EQ("the old one is over", f->engine->ops->confirm(f->engine, one, soon()), HA_REFUSED);
    CHECK_EQ("its lease too", f->engine->ops->renew(f->engine, one, soon()), HA_REFUSED);
    CHECK_EQ("it can't take the lead away", f->engine->ops->resign(f->engine, one, soon()), HA_REFUSED);
    CHECK_EQ("the new one gives it up", f->engine->ops->resign(f->engine, two, soon()), HA_DONE);
    CHECK_EQ("nobody leads", head_of(f).term, 0);
    int64_t three = lead(f, &m1, 0, HA_DONE), until_ms = clock_monotonic_ms() + 15 * 1000;
    while (head_of(f).term != 0 && clock_monotonic_ms() < until_ms) { clock_sleep_ms(100); }
    CHECK("a lease that is not renewed ends", clock_monotonic_ms() < until_ms);
    CHECK_EQ("with its lead", f->engine->ops->renew(f->engine, three, soon()), HA_REFUSED);
}

static void test_append(struct fixture *f)
{
    static char large[3 << 20];
    struct ha_entry *entries;
    int64_t old = lead(f, &m2, 0, HA_DONE), term = lead(f, &m1, old, HA_DONE);
    struct ha_head head = head_of(f);
    CHECK("an empty log", head.last == 0 && head.first == 1);
    CHECK_EQ("an old term begins no log", append(f, old, 5, 'a', STR("x")), HA_REFUSED);
    CHECK_EQ("the first entry, of any number", append(f, term, 5, 'a', STR("five")), HA_DONE);
    CHECK_EQ("said again", append(f, term, 5, 'a', STR("five")), HA_DONE);
    CHECK_EQ("another of its number", append(f, term, 5, 'b', STR("else")), HA_REFUSED);
    CHECK_EQ("a gap", append(f, term, 7, 'c', STR("seven")), HA_REFUSED);
    CHECK_EQ("one before the first", append(f, term, 4, 'c', STR("four")), HA_REFUSED);
    CHECK_EQ("an old term", append(f, old, 6, 'd', STR("six")), HA_REFUSED);
    CHECK_EQ("the next", append(f, term, 6, 'e', STR("six")), HA_DONE);
    for (size_t b = 0; b < sizeof large; b++) { large[b] = (char)(b * 7 + b / 1000); }
    CHECK_EQ("one in parts", append(f, term, 7, 'f', (struct str){ large, sizeof large }), HA_DONE);
    CHECK_EQ("said again", append(f, term, 7, 'f', (struct str){ large, sizeof large }), HA_DONE);
    CHECK_EQ("an empty one", append(f, term, 8, 'g', STR("")), HA_DONE);
    head = head_of(f);
    CHECK("the head", head.last == 8 && head.first == 5);
    CHECK_EQ("all that is there", read_from(f, 5, 10, SIZE_MAX, &entries), 4);
    CHECK("in order", entries[0].n == 5 && entries[3].n == 8 && entries[1].nonce.len == HA_NONCE_SIZE && entries[1].nonce.ptr[0] == 'e');
    CHECK_STR("with its bytes", entries[0].bytes, STR("five"));
    CHECK("with all of its parts", str_eq(entries[2].bytes, (struct str){ large, sizeof large }));
    CHECK_EQ("as many as asked for", read_from(f, 5, 2, SIZE_MAX, &entries), 2);
    CHECK_EQ("at least one", read_from(f, 7, 5, 1, &entries), 1);
    CHECK_EQ("nothing before it", read_from(f, 4, 5, 1, &entries), 0);
    CHECK_EQ("nothing behind it", read_from(f, 9, 5, 1, &entries), 0);
    CHECK_EQ("an old term trims nothing", f->engine->ops->trim(f->engine, old, 8, soon()), HA_REFUSED);
    CHECK_EQ("trimmed", f->engine->ops->trim(f->engine, term, 8, soon()), HA_DONE);
    head = head_of(f);
    CHECK("the head says so", head.last == 8 && head.first == 8);
    CHECK_EQ("gone", read_from(f, 7, 5, 1, &entries), 0);
    CHECK_EQ("kept", read_from(f, 8, 5, 1, &entries), 1);
    CHECK_EQ("trimmed again", f->engine->ops->trim(f->engine, term, 9, soon()), HA_DONE);
    CHECK_EQ("goes on behind a log without entries", append(f, term, 9, 'h', STR("nine")), HA_DONE);
    CHECK_EQ("resigned", f->engine->ops->resign(f->engine, term, soon()), HA_DONE);
    CHECK_EQ("over", append(f, term, 10, 'i', STR("ten")), HA_REFUSED);
    CHECK_EQ("but what happened is still known", append(f, term, 9, 'h', STR("nine")), HA_DONE);
}

static void test_members(struct fixture *f)
{
    struct ha_member members[HA_MEMBERS_MAX];
    size_t count = 0;
    CHECK_EQ("written down", f->engine->ops->announce(f->engine, &m2, LEASE_MS, soon()), HA_DONE);
    CHECK_EQ("and the other", f->engine->ops->announce(f->engine, &m1, 60000, soon()), HA_DONE);
    CHECK_EQ("listed", f->engine->ops->members(f->engine, members, &count, soon()), HA_DONE);
    CHECK_EQ("both", count, 2);
    CHECK("as they are", memcmp(&members[0], &m1, sizeof m1) == 0 && strcmp(members[1].name, "m2") == 0 && members[1].priority == -1);
    CHECK_EQ("taken out", f->engine->ops->forget(f->engine, "m1", soon()), HA_DONE);
    CHECK_EQ("it was there once", f->engine->ops->forget(f->engine, "m1", soon()), HA_REFUSED);
    CHECK_EQ("written down again", f->engine->ops->announce(f->engine, &m1, 60000, soon()), HA_DONE);
    int64_t until_ms = clock_monotonic_ms() + 15 * 1000;
    while (count != 1 && clock_monotonic_ms() < until_ms) {
        clock_sleep_ms(200);
        CHECK_EQ("listed", f->engine->ops->members(f->engine, members, &count, soon()), HA_DONE);
    }
    CHECK("one that says nothing more is gone", count == 1 && strcmp(members[0].name, "m1") == 0);
}

struct waiter { struct ha_engine *engine; int64_t n, took_ms; };

static void *wait_thread(void *context)
{
    struct waiter *waiter = context;
    int64_t begun_ms = clock_monotonic_ms();
    waiter->engine->ops->wait(waiter->engine, waiter->n, begun_ms + 10 * 1000);
    waiter->took_ms = clock_monotonic_ms() - begun_ms;
    return NULL;
}

static void test_wait(struct fixture *f)
{
    pthread_t thread;
    int64_t last = head_of(f).last, term = lead(f, &m1, 0, HA_DONE), begun_ms = clock_monotonic_ms();
    f->engine->ops->wait(f->engine, last, begun_ms + 300);
    CHECK("waits until the time has come", clock_monotonic_ms() - begun_ms >= 290);
    begun_ms = clock_monotonic_ms();
    f->engine->ops->wait(f->engine, last - 1, begun_ms + 5000);
    CHECK("not when the log is past it", clock_monotonic_ms() - begun_ms < 4000);
    struct waiter waiter = { f->engine, last, 0 };
    CHECK("a thread", pthread_create(&thread, NULL, wait_thread, &waiter) == 0);
    clock_sleep_ms(300);
    CHECK_EQ("an entry", append(f, term, last + 1, 'w', STR("w")), HA_DONE);
    CHECK("joined", pthread_join(thread, NULL) == 0);
    CHECK("wakes who waits for it", waiter.took_ms >= 290 && waiter.took_ms < 8000);
    CHECK_EQ("resigned", f->engine->ops->resign(f->engine, term, soon()), HA_DONE);
}

/* The signal is sent at once, and the last of its threads stops a little later. */
static bool stop_process(pid_t child)
{
    int status;
    return kill(child, SIGSTOP) == 0 && waitpid(child, &status, WUNTRACED) == child && WIFSTOPPED(status);
}

static void test_health(struct fixture *f)
{
    struct ha_health health;
    f->engine->ops->health(f->engine, &health, soon());
    const struct ha_endpoint *node = &health.endpoints[0];
    CHECK("one endpoint, well", health.count == 1 && node->answers && node->trouble[0] == '\0' && health.alarm[0] == '\0');
    CHECK("its version and size", strncmp(node->version, "3.", 2) == 0 && node->size > 0);
    CHECK("its clock is this machine's", llabs(node->date_ms - clock_now_ms()) < 5000);
    CHECK_EQ("a write beside the log", f->engine->ops->probe(f->engine, soon()), HA_DONE);
    CHECK("stopped", stop_process(f->etcd.pids[0]));
    CHECK_EQ("a write that has no answer", f->engine->ops->probe(f->engine, clock_monotonic_ms() + 300), HA_UNKNOWN);
    f->engine->ops->health(f->engine, &health, clock_monotonic_ms() + 300);
    CHECK("it says why", health.count == 1 && !node->answers && strstr(node->trouble, "timed out") != NULL);
    CHECK("goes on", kill(f->etcd.pids[0], SIGCONT) == 0);
}

/* A server asks the endpoint on its own machine first, and then has no reason to ask another. */
static void test_near(const struct fixture *f)
{
    static const struct { const char *near; bool first; } rows[] = {
        { "https://127.0.0.1:9280", true }, { "http://127.0.0.1", true }, { "https://[::1]:9280", false }, { "https://[::1]", false },
        { "https://elsewhere:9280", false }, { NULL, false },
    };
    char url[128];
    (void)snprintf(url, sizeof url, "etcd://[::1]:1,127.0.0.1:%d/near", f->etcd.clients[0]);
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct ha_engine *engine;
        struct ha_head head;
        struct err err = { 0 };
        char why[HA_PROBLEM_SIZE] = "";
        CHECK("open", ha_etcd_open(&(struct ha_etcd_config){ .url = url, .near = rows[r].near }, &engine, &err));
        CHECK_EQ("an answer", engine->ops->head(engine, &head, soon()), HA_DONE);
        engine->ops->problem(engine, why);
        CHECK(rows[r].near == NULL ? "no near" : rows[r].near, (why[0] == '\0') == rows[r].first);
        engine->ops->close(engine);
    }
}

static void test_one_node(void)
{
    struct fixture f;
    begin(&f, 1);
    test_id(&f);
    test_terms(&f);
    test_append(&f);
    test_members(&f);
    test_wait(&f);
    test_health(&f);
    test_near(&f);
    CHECK("stopped", stop_process(f.etcd.pids[0]));
    int64_t begun_ms = clock_monotonic_ms();
    struct ha_head head;
    CHECK_EQ("no answer", f.engine->ops->head(f.engine, &head, begun_ms + 500), HA_UNKNOWN);
    CHECK("soon", clock_monotonic_ms() - begun_ms < 3000);
    CHECK("goes on", kill(f.etcd.pids[0], SIGCONT) == 0);
    CHECK_EQ("an answer", head_of(&f).last, 10);
    finish(&f);
}

/* One node dies, then its quorum: appends go on, then say that they do not know. */
static void test_three_nodes(void)
{
    struct fixture f;
    begin(&f, 3);
    int64_t term = 0, until_ms = clock_monotonic_ms() + 20 * 1000, n = 0;
    while (f.engine->ops->campaign(f.engine, &m1, 20 * 1000, 0, &term, soon()) != HA_DONE && clock_monotonic_ms() < until_ms) { clock_sleep_ms(100); }
    CHECK_EQ("an entry", append(&f, term, ++n, 'a', STR("x")), HA_DONE);
    for (int node = 0; node < 3; node++) {
        (void)stop_process(f.etcd.pids[node]);
        enum ha_end end = HA_UNKNOWN;
        n++;
        for (int tries = 0; tries < 20 && end == HA_UNKNOWN; tries++) { end = append(&f, term, n, (char)('b' + node), STR("y")); }
        CHECK_EQ("with one node away", end, HA_DONE);
        (void)kill(f.etcd.pids[node], SIGCONT);
    }
    (void)kill(f.etcd.pids[1], SIGKILL);
    (void)kill(f.etcd.pids[2], SIGKILL);
    CHECK_EQ("with two nodes dead nobody knows", append(&f, term, n + 1, 'z', STR("z")), HA_UNKNOWN);
    (void)waitpid(f.etcd.pids[1], NULL, 0);
    etcd_start_node(&f.etcd, 1);
    enum ha_end end = HA_UNKNOWN;
    for (int tries = 0; tries < 20 && end == HA_UNKNOWN; tries++) { end = append(&f, term, n + 1, 'z', STR("z")); }
    CHECK_EQ("said again with two nodes, it happened once", end, HA_DONE);
    struct ha_entry *entries;
    CHECK_EQ("and no entry is twice or missing", read_from(&f, 1, 100, SIZE_MAX, &entries), (size_t)n + 1);
    (void)waitpid(f.etcd.pids[2], NULL, 0);
    f.etcd.pids[2] = 0;
    finish(&f);
}

int main(void)
{
    test_urls();
    if (!etcd_is_here()) {
        printf("SKIPPED: there is no etcd here (Debian: etcd-server), so the log over etcd was not tested\n");
        return check_report();
    }
    test_one_node();
    test_three_nodes();
    return check_report();
}
