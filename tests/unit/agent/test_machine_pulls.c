/* test_machine_pulls.c: early pulls of a machine, around a registry whose pulls end when the test says so: their reports, logins, and those that a message drops. */
#include "agent/machine_pulls.h"

#include <stdlib.h>
#include <unistd.h>

#include "tests/unit/agent/memory_registry.h"
#include "tests/unit/agent/stub_server.h"
#include "tests/unit/check.h"

static const char instance[] = "arn:aws:ecs:us-east-1:123456789012:container-instance/default/a";
static char dir[] = "/tmp/berth-pulls-XXXXXX";

struct stage {
    struct registry registry;
    struct stub_server server;
    struct client *client;
    struct endpoint endpoint;
    struct credentials credentials;
    struct agent_config config;
    struct task_host host;
    struct machine_pulls pulls;
};

static void answer(void *owner, const struct stub_request *request, struct stub_answer *reply)
{
    (void)owner;
    bool is_secret = strcmp(request->operation, "secretsmanager.GetSecretValue") == 0;
    snprintf(reply->body, sizeof reply->body, "%s", is_secret ? "{\"SecretString\":\"{\\\"username\\\":\\\"bob\\\",\\\"password\\\":\\\"p\\\"}\"}" : "{}");
}

static void open_stage(struct stage *stage)
{
    struct err err = { 0 };
    memset(stage, 0, sizeof *stage);
    stage->registry.base.ops = &registry_ops;
    stage->registry.open = true;
    lock_init(&stage->registry.lock);
    lock_signal_init(&stage->registry.changed);
    stub_start(&stage->server, answer, stage);
    stage->credentials = (struct credentials){ STR("AKID"), STR("SECRET"), { NULL, 0 } };
    stage->client = client_create(&stage->credentials, "us-east-1", &err);
    CHECK("a client", stage->client != NULL && endpoint_parse(str_from(stage->server.url), &stage->endpoint, &err));
    stage->config.data_dir = dir;
    stage->host = (struct task_host){ .runtime = &stage->registry.base, .client = stage->client, .server = &stage->endpoint, .cluster = "default" };
    stage->host.images = images_create(&stage->registry.base, &stage->config, &stage->host.threads, &err);
    CHECK("images", stage->host.images != NULL);
    machine_pulls_begin(&stage->pulls, &stage->host, "default", instance);
}

static void close_stage(struct stage *stage)
{
    atomic_store(&stage->host.stopping, true);
    images_leave(stage->host.images);
    client_close(stage->client);
    for (int64_t until_ms = clock_monotonic_ms() + LONG_MS; atomic_load(&stage->host.threads) > 0 && clock_monotonic_ms() < until_ms;) { clock_sleep_ms(5); }
    CHECK_EQ("no thread is left", atomic_load(&stage->host.threads), 0);
    machine_pulls_end(&stage->pulls);
    images_destroy(stage->host.images);
    client_destroy(stage->client);
    stub_stop(&stage->server);
    lock_signal_finish(&stage->registry.changed);
    lock_finish(&stage->registry.lock);
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
            if (strcmp(request->path, PULLED_PATH) == 0 && strstr(request->body, text) != NULL && seen++ == nth) { found = request; }
        }
        pthread_mutex_unlock(&stage->server.mutex);
    }
    return found;
}

static void set(struct stage *stage, struct wire_pull *pulls, size_t count)
{
    machine_pulls_set(&stage->pulls, &(struct wire_pulls){ .message_id = STR("m1"), .pulls = { pulls, count } });
}

static void await_working(struct stage *stage, size_t count)
{
    struct registry *registry = &stage->registry;
    lock_take(&registry->lock);
    for (int64_t until_ms = clock_monotonic_ms() + LONG_MS; registry->working != count && clock_monotonic_ms() < until_ms;) {
        lock_wait_until(&registry->changed, &registry->lock, until_ms);
    }
    CHECK_EQ("that many pulls at once", registry->working, count);
    lock_drop(&registry->lock);
}

static void set_open(struct stage *stage, bool open)
{
    lock_take(&stage->registry.lock);
    stage->registry.open = open;
    lock_wake_all(&stage->registry.changed);
    lock_drop(&stage->registry.lock);
}

#define IS_THERE  "\"pulls\":[{\"service\":7,\"revision\":1}]"
#define IS_FAILED "{\"service\":8,\"revision\":2,\"reason\":\"manifest unknown\"}"

static void test_reports(void)
{
    static struct stage stage;
    struct wire_asm_auth secret = { STR("registry"), STR("us-east-1") };
    struct wire_registry_auth auth = { STR("asm"), &secret };
    struct wire_pull_image images[] = { { STR("web:2"), NULL }, { STR("side:1"), &auth } }, none[] = { { STR("none:1"), NULL } };
    struct wire_pull pulls[] = {
        { opt_int_of(7), opt_int_of(1), { images, 2 } }, { opt_int_of(8), opt_int_of(2), { none, 1 } },
    };
    open_stage(&stage);
    set(&stage, pulls, 1);
    const struct stub_request *report = turn_until(&stage, IS_THERE, 0);
    CHECK("all images are there", report != NULL && strstr(report->body, instance) != NULL && strstr(report->body, "\"cluster\":\"default\"") != NULL);
    CHECK_EQ("two pulls", stage.registry.pulls, 2);
    CHECK("the second with its login", stage.registry.auth[0] != '\0');
    set(&stage, pulls, 1);
    CHECK("told once more after a message", turn_until(&stage, IS_THERE, 1) != NULL);
    CHECK_EQ("and not pulled again", stage.registry.pulls, 2);

    lock_take(&stage.registry.lock);
    stage.registry.failures = 2;
    stage.registry.failure = "manifest unknown";
    lock_drop(&stage.registry.lock);
    set(&stage, pulls, 2);
    report = turn_until(&stage, IS_FAILED, 0);
    CHECK("one cannot be pulled", report != NULL && strstr(report->body, "{\"service\":7,\"revision\":1}") != NULL);
    set(&stage, &pulls[1], 1);
    CHECK("the first is wanted no more", turn_until(&stage, "\"pulls\":[" IS_FAILED "]", 0) != NULL);
    close_stage(&stage);
}

static void test_unwanted(void)
{
    static struct stage stage;
    struct wire_pull_image image = { STR("web:2"), NULL };
    struct wire_pull pulls[] = { { opt_int_of(7), opt_int_of(1), { &image, 1 } }, { opt_int_of(7), opt_int_of(2), { &image, 1 } } };
    open_stage(&stage);
    set_open(&stage, false);
    set(&stage, &pulls[0], 1);
    await_working(&stage, 1);
    set(&stage, &pulls[0], 1);
    set(&stage, NULL, 0);
    await_working(&stage, 0);
    CHECK_EQ("a pull that goes on is not begun again; one that is not in the message is given up", stage.registry.pulls, 1);
    set(&stage, &pulls[1], 1);
    await_working(&stage, 1);
    set_open(&stage, true);
    CHECK("the report has the other one alone", turn_until(&stage, "\"pulls\":[{\"service\":7,\"revision\":2}]", 0) != NULL);
    set_open(&stage, false);
    set(&stage, &pulls[0], 1);
    await_working(&stage, 1);
    close_stage(&stage);                                          /* the agent ends while it pulls */
}

int main(void)
{
    char path[64];
    ASSERT(mkdtemp(dir) != NULL);
    test_reports();
    snprintf(path, sizeof path, "%s/images.json", dir);
    (void)unlink(path);
    test_unwanted();
    (void)unlink(path);
    (void)rmdir(dir);
    return check_report();
}
