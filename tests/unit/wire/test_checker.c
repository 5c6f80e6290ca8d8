/* test_checker.c: the checker against real sockets: answers that change, a port that nobody listens on, a server that does not answer, and lists that
 * replace each other. */
#include "wire/checker.h"

#include "base/lock.h"
#include "tests/unit/agent/stub_server.h"
#include "tests/unit/check.h"

enum { WAIT_MS = 30 * 1000 };

static struct arena arena;

struct target { struct stub_server server; _Atomic int status; int port; };

static void on_request(void *owner, const struct stub_request *request, struct stub_answer *answer)
{
    struct target *target = owner;
    (void)request;
    answer->status = target->status;
}

struct news { struct lock lock; struct lock_signal changed; int count; };

static void on_news(void *owner)
{
    struct news *news = owner;
    lock_take(&news->lock);
    news->count++;
    lock_wake_all(&news->changed);
    lock_drop(&news->lock);
}

static struct check_told_list states;

static const struct check_told *told_of(const char *name)
{
    for (size_t t = 0; t < states.count; t++) {
        if (str_eq(states.items[t].name, str_from(name))) { return &states.items[t]; }
    }
    return NULL;
}

/* Waits for news until the target is so. */
static void wait_for(struct news *news, struct checker *checker, const char *row, const char *name, enum target_state state, enum check_cause cause)
{
    int64_t until_ms = clock_monotonic_ms() + WAIT_MS;
    bool late = false;
    lock_take(&news->lock);
    for (const struct check_told *told = NULL; told == NULL || told->state != state || told->cause != cause;) {
        if (late) { break; }
        int seen = news->count;
        lock_drop(&news->lock);
        states = checker_states(checker, &arena);
        told = told_of(name);
        lock_take(&news->lock);
        if (told != NULL && told->state == state && told->cause == cause) { break; }
        while (news->count == seen && !late) { late = !lock_wait_until(&news->changed, &news->lock, until_ms); }
    }
    lock_drop(&news->lock);
    CHECK(row, !late);
}

static struct target_check check_named(const char *name, int port, enum elb_protocol protocol)
{
    return (struct target_check){
        .group = STR("tg"), .name = str_from(name), .port = opt_int_of(port), .registration = opt_int_of(1), .protocol = protocol, .version = CHECK_HTTP1,
        .address = STR("127.0.0.1"), .check_port = opt_int_of(port), .path = STR("/up"), .matcher = STR("200"), .interval = opt_int_of(1),
        .timeout = opt_int_of(1), .healthy = opt_int_of(2), .unhealthy = opt_int_of(2),
    };
}

static int port_of(const struct stub_server *server)
{
    int64_t port = 0;
    CHECK("a port", str_to_i64(str_from(strrchr(server->url, ':') + 1), &port));
    return (int)port;
}

static int listen_only(int *port, bool close_it)
{
    struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t size = sizeof address;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    CHECK("a port", bind(fd, (struct sockaddr *)&address, sizeof address) == 0 && getsockname(fd, (struct sockaddr *)&address, &size) == 0);
    *port = ntohs(address.sin_port);
    if (close_it) { close(fd); return -1; }
    CHECK("listens", listen(fd, 4096) == 0);
    return fd;
}

static void test_life(void)
{
    static struct target target;
    struct news news = { .count = 0 };
    struct err err = { 0 };
    int closed, silent, fd = listen_only(&silent, false);
    (void)listen_only(&closed, true);
    lock_init(&news.lock);
    lock_signal_init(&news.changed);
    target.status = 200;
    stub_start(&target.server, on_request, &target);
    struct checker *checker = checker_start(on_news, &news, &err);
    CHECK("begins", checker != NULL);

    int port = port_of(&target.server);
    struct target_check checks[] = {
        check_named("web", port, ELB_PROTOCOL_HTTP), check_named("closed", closed, ELB_PROTOCOL_HTTP), check_named("silent", silent, ELB_PROTOCOL_HTTP),
        check_named("tcp", silent, ELB_PROTOCOL_TCP), check_named("shut", closed, ELB_PROTOCOL_TCP), check_named("tls", port, ELB_PROTOCOL_HTTPS),
    };
    checker_set(checker, &(struct target_check_list){ checks, COUNT_OF(checks) }, 100, true);
    wait_for(&news, checker, "one good answer", "web", TARGET_HEALTHY, CHECK_GOOD);
    int64_t first = told_of("web")->number.value;
    CHECK("numbers begin above the list's", first > 100);
    CHECK_EQ("its first state", told_of("web")->from, TARGET_STATE_UNSET);
    wait_for(&news, checker, "a connection is enough for TCP", "tcp", TARGET_HEALTHY, CHECK_GOOD);
    target.status = 503;
    wait_for(&news, checker, "another code", "web", TARGET_UNHEALTHY, CHECK_CODE);
    CHECK_EQ("which", told_of("web")->code.value, 503);
    CHECK_EQ("before it", told_of("web")->from, TARGET_HEALTHY);
    CHECK("a number above", told_of("web")->number.value > first);
    wait_for(&news, checker, "nobody listens", "closed", TARGET_UNHEALTHY, CHECK_FAILED);
    wait_for(&news, checker, "nobody listens, TCP", "shut", TARGET_UNHEALTHY, CHECK_FAILED);
    wait_for(&news, checker, "nobody answers", "silent", TARGET_UNHEALTHY, CHECK_TIMEOUT);
    wait_for(&news, checker, "no TLS there", "tls", TARGET_UNHEALTHY, CHECK_TIMEOUT);

    checks[0].matcher = STR("200,503");
    checks[0].registration = checks[1].registration = opt_int_of(1);
    checks[1] = check_named("web2", port, ELB_PROTOCOL_HTTP);
    checker_set(checker, &(struct target_check_list){ checks, 2 }, 50, true);
    wait_for(&news, checker, "the new rules", "web", TARGET_HEALTHY, CHECK_GOOD);
    wait_for(&news, checker, "a target that is new", "web2", TARGET_UNHEALTHY, CHECK_CODE);
    CHECK("the state was kept", told_of("web")->from == TARGET_UNHEALTHY);
    CHECK("the others are gone", told_of("closed") == NULL && states.count == 2);
    CHECK("numbers never go back", told_of("web")->number.value > first);

    checks[1].registration = opt_int_of(2);
    checks[1].matcher = STR("503");
    checker_set(checker, &(struct target_check_list){ checks, 2 }, 60, true);
    wait_for(&news, checker, "registered again", "web2", TARGET_HEALTHY, CHECK_GOOD);
    CHECK_EQ("it begins again", told_of("web2")->from, TARGET_STATE_UNSET);

    checker_set(checker, &(struct target_check_list){ NULL, 0 }, 70, true);
    checker_stop(checker);
    stub_stop(&target.server);
    close(fd);
    lock_signal_finish(&news.changed);
    lock_finish(&news.lock);
}

/* More targets than are checked at once, one of them listed twice, and an end while checks are on their way. */
static void test_many(void)
{
    enum { MANY = CHECKS_AT_ONCE * 3 };
    static struct target_check checks[CHECKS_MAX + 1];
    static char names[CHECKS_MAX + 1][16];
    struct news news = { .count = 0 };
    struct err err = { 0 };
    int silent, fd = listen_only(&silent, false);
    lock_init(&news.lock);
    lock_signal_init(&news.changed);
    for (size_t c = 0; c < COUNT_OF(checks); c++) {
        (void)snprintf(names[c], sizeof names[c], "t%zu", c);
        checks[c] = check_named(names[c], silent, c < MANY ? ELB_PROTOCOL_TCP : ELB_PROTOCOL_HTTP);
    }
    checks[1] = checks[0];
    struct checker *checker = checker_start(on_news, &news, &err);
    checker_set(checker, &(struct target_check_list){ checks, MANY }, 1, true);
    wait_for(&news, checker, "the first", "t0", TARGET_HEALTHY, CHECK_GOOD);
    wait_for(&news, checker, "the last", names[MANY - 1], TARGET_HEALTHY, CHECK_GOOD);
    checker_set(checker, &(struct target_check_list){ checks, CHECKS_MAX + 1 }, 1, true);
    checker_set(checker, &(struct target_check_list){ checks, 2 }, 1, true);
    checker_stop(checker);
    checker_stop(NULL);
    close(fd);
    lock_signal_finish(&news.changed);
    lock_finish(&news.lock);
}

int main(void)
{
    arena_init(&arena, 1 << 26);
    test_life();
    test_many();
    arena_finish(&arena);
    return check_report();
}
