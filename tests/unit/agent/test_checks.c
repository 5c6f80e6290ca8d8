/* test_checks.c: the states of targets as a machine reports them: of real checks of a server whose answers change, and of simulated ones with faults. */
#include "agent/fake/checks.h"
#include "agent/fake/faults.h"
#include "agent/machine_checks.h"
#include "tests/unit/agent/stub_server.h"
#include "tests/unit/check.h"

#define TARGET_WORDS "\"group\":\"tg\",\"name\":\"10.0.0.1\",\"port\":80,\"registration\":7,"
static const char instance[] = "arn:aws:ecs:us-east-1:123456789012:container-instance/default/a";

struct stage { struct stub_server server, target; _Atomic int status; struct client *client; struct endpoint endpoint; struct credentials credentials; };

static void take_report(void *owner, const struct stub_request *request, struct stub_answer *answer)
{
    (void)owner;
    (void)request;
    snprintf(answer->body, sizeof answer->body, "{}");
}

static void answer_check(void *owner, const struct stub_request *request, struct stub_answer *answer)
{
    (void)request;
    answer->status = ((struct stage *)owner)->status;
}

static void open_stage(struct stage *stage)
{
    struct err err = { 0 };
    stage->status = 200;
    stub_start(&stage->server, take_report, stage);
    stub_start(&stage->target, answer_check, stage);
    stage->credentials = (struct credentials){ STR("AKID"), STR("SECRET"), { NULL, 0 } };
    stage->client = client_create(&stage->credentials, "us-east-1", &err);
    CHECK("a client", stage->client != NULL && endpoint_parse(str_from(stage->server.url), &stage->endpoint, &err));
}

static void close_stage(struct stage *stage)
{
    client_destroy(stage->client);
    stub_stop(&stage->server);
    stub_stop(&stage->target);
}

/* Turns the loop until the n-th report with this text has come. NULL: it does not. */
static const struct stub_request *turn_until(struct stage *stage, const char *text, size_t nth)
{
    const struct stub_request *found = NULL;
    for (int64_t until_ms = clock_monotonic_ms() + LONG_MS; found == NULL && clock_monotonic_ms() < until_ms;) {
        client_turn(stage->client, 5);
        pthread_mutex_lock(&stage->server.mutex);
        size_t seen = 0;
        for (size_t r = 0; r < stage->server.count && found == NULL; r++) {
            const struct stub_request *request = &stage->server.requests[r];
            if (strcmp(request->path, CHECKS_PATH) == 0 && strstr(request->body, text) != NULL && seen++ == nth) { found = request; }
        }
        pthread_mutex_unlock(&stage->server.mutex);
    }
    return found;
}

static int port_of(const char *url)
{
    int64_t port = 0;
    CHECK("a port", str_to_i64(str_from(strrchr(url, ':') + 1), &port));
    return (int)port;
}

static struct target_check check_at(const char *url)
{
    return (struct target_check){
        .group = STR("tg"), .name = STR("10.0.0.1"), .port = opt_int_of(80), .registration = opt_int_of(7), .protocol = ELB_PROTOCOL_HTTP,
        .version = CHECK_HTTP1, .address = STR("127.0.0.1"), .check_port = opt_int_of(port_of(url)), .path = STR("/"), .matcher = STR("200"),
        .interval = opt_int_of(1), .timeout = opt_int_of(1), .healthy = opt_int_of(1), .unhealthy = opt_int_of(1),
    };
}

static void test_real(void)
{
    static struct stage stage;
    struct machine_checks checks;
    open_stage(&stage);
    machine_checks_begin(&checks, stage.client, &stage.endpoint, "default", instance);
    struct target_check check = check_at(stage.target.url);
    const struct wire_checks message = { .number = opt_int_of(100), .checks = { &check, 1 } }, none = { .number = opt_int_of(200) };
    machine_checks_set(&checks, &none);
    CHECK("no thread for no check", checks.checker == NULL && checks.number == 200);
    machine_checks_set(&checks, &message);
    const struct stub_request *report = turn_until(&stage, TARGET_WORDS "\"number\":101,\"state\":\"healthy\",\"cause\":\"good\"", 0);
    CHECK("healthy", report != NULL && strstr(report->body, instance) != NULL && strstr(report->body, "\"cluster\":\"default\"") != NULL);
    stage.status = 503;
    CHECK("unhealthy", turn_until(&stage, "\"number\":102,\"state\":\"unhealthy\",\"from\":\"healthy\",\"cause\":\"code\",\"code\":503", 0) != NULL);
    stage.status = 200;
    CHECK("healthy again", turn_until(&stage, "\"number\":103,\"state\":\"healthy\",\"from\":\"unhealthy\"", 0) != NULL);
    machine_checks_set(&checks, &message);
    CHECK("told once more after a message, with its number", turn_until(&stage, "\"number\":103,\"state\":\"healthy\",\"from\":\"unhealthy\"", 1) != NULL);
    client_close(stage.client);
    machine_checks_end(&checks);
    close_stage(&stage);
}

static void test_fake(void)
{
    static struct stage stage;
    struct fake_checks checks;
    open_stage(&stage);
    fake_checks_init(&checks, stage.client, &stage.endpoint, "default", instance);
    struct target_check check = check_at(stage.target.url);
    fake_checks_set(&checks, &(struct wire_checks){ .number = opt_int_of(100), .checks = { &check, 1 } });
    CHECK("healthy", turn_until(&stage, TARGET_WORDS "\"number\":101,\"state\":\"healthy\",\"cause\":\"good\"", 0) != NULL);
    fake_checks_fail(&checks, (struct check_result){ CHECK_CODE, 502 });
    CHECK("a fault", turn_until(&stage, "\"number\":102,\"state\":\"unhealthy\",\"from\":\"healthy\",\"cause\":\"code\",\"code\":502", 0) != NULL);
    fake_checks_fail(&checks, (struct check_result){ CHECK_GOOD, 0 });
    CHECK("its end", turn_until(&stage, "\"number\":103,\"state\":\"healthy\",\"from\":\"unhealthy\",\"cause\":\"good\"}", 0) != NULL);
    client_close(stage.client);
    fake_checks_finish(&checks);
    close_stage(&stage);
}

static void test_fault_texts(void)
{
    static const struct { const char *text; bool good; enum check_cause cause; int64_t code, slot; } rows[] = {
        { "p3.16xlarge-1/targets=code503@10s+1m", true, CHECK_CODE, 503, -1 },  { "c5.large-1/targets=timeout@0s", true, CHECK_TIMEOUT, 0, -1 },
        { "c5.large-1/targets=refused@1m", true, CHECK_FAILED, 0, -1 },         { "a/targets=code100@1s", true, CHECK_CODE, 100, -1 },
        { "a/targets=code999@1s", true, CHECK_CODE, 999, -1 },                  { "a/targets=code99@1s", false, 0, 0, 0 },
        { "a/targets=code1000@1s", false, 0, 0, 0 },                            { "a/targets=xid79@1s", false, 0, 0, 0 },
        { "a/targets=code@1s", false, 0, 0, 0 },                                { "a/0=code503@1s", false, 0, 0, 0 },
        { "a/0=gone@1s", true, CHECK_CAUSE_UNSET, 0, 0 },                       { "a/-1=gone@1s", false, 0, 0, 0 },
        { "a/target=timeout@1s", false, 0, 0, 0 },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct fake_fault fault;
        struct err err = { 0 };
        struct str rest = str_from(rows[r].text);
        bool good = fake_fault_parse(&rest, &fault, &err);
        CHECK_EQ(rows[r].text, good, rows[r].good);
        if (!good || !rows[r].good) { continue; }
        CHECK(rows[r].text, fault.check.cause == rows[r].cause && fault.check.code == rows[r].code && fault.slot == rows[r].slot);
        CHECK_EQ(rows[r].text, fault.event == FAKE_EVENT_TARGETS, rows[r].slot < 0);
    }
}

int main(void)
{
    test_real();
    test_fake();
    test_fault_texts();
    return check_report();
}
