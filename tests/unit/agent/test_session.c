/* The conversation with the server, over real sockets: registration, polls, acknowledgements, trouble, refusals, reports. */
#include "agent/link/session.h"

#include "agent/link/report.h"
#include "base/lock.h"
#include "tests/unit/agent/stub_server.h"
#include "tests/unit/check.h"

#define ARN "arn:aws:ecs:r:1:container-instance/default/1"

/* ---- a server with a script: the n-th request of a kind gets the n-th line ---- */

struct line { const char *operation; int status; const char *body; const char *date; };   /* operation "poll", "logs" or an ECS one */
struct script { const struct line *lines; size_t count; bool used[32]; struct lock lock; struct stub_server *server; };

/* The reports "a" to "d" come before those that a test is about. */
static const char *kind_of(const struct stub_request *request)
{
    bool early = strlen(request->body) == strlen("{\"reports\":[a]}") && strchr("abcd", request->body[strlen("{\"reports\":[")]) != NULL;
    if (strcmp(request->path, "/berth/v1/agent/poll") == 0) { return "poll"; }
    if (stub_is_reports(request)) { return early ? "early" : "reports"; }
    return request->operation;
}

static void answer(void *owner, const struct stub_request *request, struct stub_answer *out)
{
    struct script *script = owner;
    const char *kind = kind_of(request);
    lock_take(&script->lock);
    const struct line *line = NULL;
    for (size_t l = 0; l < script->count && line == NULL; l++) {
        if (script->used[l] || strcmp(script->lines[l].operation, kind) != 0) { continue; }
        script->used[l] = true;
        line = &script->lines[l];
    }
    lock_drop(&script->lock);
    if (line != NULL) {
        out->status = line->status;
        out->date = line->date;
        snprintf(out->body, sizeof out->body, "%s", line->body);
        return;
    }
    /* The script is over: a poll waits until the server stops, as a real one would. */
    pthread_mutex_lock(&script->server->mutex);
    while (strcmp(kind, "poll") == 0 && !script->server->stopping) { pthread_cond_wait(&script->server->changed, &script->server->mutex); }
    pthread_mutex_unlock(&script->server->mutex);
    snprintf(out->body, sizeof out->body, "{}");
    if (stub_is_reports(request)) { stub_acknowledge(request, out); }
}

/* ---- a machine that notes what it is asked ---- */

struct machine { char notes[2048]; bool refuse_payload, over; int64_t checks_number; struct err refusal; };

static void note(struct machine *machine, const char *what, struct str detail)
{
    size_t len = strlen(machine->notes);
    snprintf(machine->notes + len, sizeof machine->notes - len, "%s " STR_FMT ";", what, STR_ARG(detail));
}

static struct str on_registration(void *owner, struct str arn, struct arena *arena)
{
    note(owner, "register", arn.len == 0 ? STR("new") : arn);
    return arena_printf(arena, "{\"containerInstanceArn\":\"" STR_FMT "\"}", STR_ARG(arn));
}
static void on_registered(void *owner, struct str arn) { note(owner, "registered", arn); }
static bool on_payload(void *owner, const struct wire_payload *payload, const struct json *message)
{
    struct machine *machine = owner;
    CHECK("its JSON comes along", json_get(message, STR("tasks")) != NULL);
    note(machine, "payload", payload->message_id);
    return !machine->refuse_payload;
}
static void on_verify(void *owner, const struct wire_manifest *manifest, struct str_list *candidates, struct arena *arena)
{
    note(owner, "manifest", manifest->message_id);
    candidates->items = ARENA_NEW(arena, struct str, 1);
    candidates->items[candidates->count++] = STR("task/stray");
}
static void on_stop(void *owner, struct str arn) { note(owner, "stop", arn); }
static bool on_keys(void *owner, const struct wire_role_message *message)
{
    note(owner, "keys", message->role_credentials->credentials_id);
    return str_eq(message->task_arn, STR("task/known"));
}
static void on_checks(void *owner, const struct wire_checks *message)
{
    struct machine *machine = owner;
    machine->checks_number = message->number.value;
    note(machine, "checks", message->checks.count == 0 ? STR("none") : message->checks.items[0].address);
}
static int64_t on_checks_number(void *owner) { return ((const struct machine *)owner)->checks_number; }
static void on_refused(void *owner, const struct err *err)
{
    struct machine *machine = owner;
    machine->refusal = *err;
    machine->over = true;
}
static const struct session_machine ops = {
    .registration = on_registration, .registered = on_registered, .payload = on_payload, .verify = on_verify, .stop_task = on_stop, .keys = on_keys,
    .checks = on_checks, .checks_number = on_checks_number, .refused = on_refused,
};

/* ---- the stage ---- */

struct stage {
    struct stub_server server; struct script script; struct client *client; struct endpoint endpoint;
    struct session_config config; struct session session; struct machine machine; struct credentials credentials;
};

static void open_stage(struct stage *stage, const struct line *lines, size_t count, const char *arn)
{
    struct err err = { 0 };
    memset(stage, 0, sizeof *stage);
    stage->script = (struct script){ .lines = lines, .count = count, .server = &stage->server };
    lock_init(&stage->script.lock);
    stub_start(&stage->server, answer, &stage->script);
    stage->credentials = (struct credentials){ STR("AKID"), STR("SECRET"), { NULL, 0 } };
    stage->client = client_create(&stage->credentials, "us-east-1", &err);
    CHECK("a client", stage->client != NULL && endpoint_parse(str_from(stage->server.url), &stage->endpoint, &err));
    stage->config = (struct session_config){
        .client = stage->client, .server = &stage->endpoint, .cluster = "default", .create_cluster = true, .poll_wait_s = 20,
    };
    session_init(&stage->session, &stage->config, &ops, &stage->machine, str_from(arn));
    session_start(&stage->session, 0);
}

/* Turns the loop until the n-th such request has come, or the session is over. */
static const struct stub_request *turn_until(struct stage *stage, const char *kind, const char *text, size_t nth)
{
    const struct stub_request *found = NULL;
    for (int64_t until_ms = clock_monotonic_ms() + LONG_MS; found == NULL && clock_monotonic_ms() < until_ms && !stage->machine.over;) {
        client_turn(stage->client, 5);
        pthread_mutex_lock(&stage->server.mutex);
        size_t seen = 0;
        for (size_t r = 0; r < stage->server.count && found == NULL; r++) {
            const struct stub_request *request = &stage->server.requests[r];
            if (strcmp(kind_of(request), kind) == 0 && (text == NULL || strstr(request->body, text) != NULL) && seen++ == nth) { found = request; }
        }
        pthread_mutex_unlock(&stage->server.mutex);
    }
    return found;
}

static void close_stage(struct stage *stage)
{
    client_close(stage->client);
    session_finish(&stage->session);
    client_destroy(stage->client);
    stub_stop(&stage->server);
    lock_finish(&stage->script.lock);
}

#define REGISTERED { "RegisterContainerInstance", 200, "{\"containerInstance\":{\"containerInstanceArn\":\"" ARN "\"}}", NULL }
#define DISCOVERED { "DiscoverPollEndpoint", 200, "{\"endpoint\":\"\"}", NULL }
#define POLL(body) { "poll", 200, body, NULL }
#define PAYLOAD(id) "{\"type\":\"PayloadMessage\",\"message\":{\"clusterArn\":\"c\",\"containerInstanceArn\":\"i\",\"messageId\":\"" id "\",\"seqNum\":5," \
                    "\"tasks\":[{\"arn\":\"task/1\",\"desiredStatus\":\"RUNNING\",\"containers\":[]}]}}"
#define MANIFEST(id, number) "{\"type\":\"TaskManifestMessage\",\"message\":{\"clusterArn\":\"c\",\"containerInstanceArn\":\"i\",\"messageId\":\"" id "\"," \
                             "\"timeline\":" number ",\"tasks\":[]}}"
#define HEARTBEAT(id) "{\"type\":\"HeartbeatMessage\",\"message\":{\"messageId\":\"" id "\",\"healthy\":true}}"

static void test_ordinary(void)
{
    static const struct line lines[] = {
        REGISTERED, DISCOVERED,
        POLL("{\"session\":\"s1\",\"protocol\":9,\"oldestProtocol\":1,\"later\":[{}],\"messages\":[" MANIFEST("m1", "4") "," PAYLOAD("m2") "," HEARTBEAT("m3") ","
             "{\"type\":\"Odd\",\"message\":{\"messageId\":\"m4\"}}]}"),
        POLL("{\"session\":\"s1\",\"messages\":[{\"type\":\"TaskStopVerificationAck\",\"message\":{\"messageId\":\"m1\",\"stopTasks\":"
             "[{\"taskArn\":\"task/stray\",\"desiredStatus\":\"STOPPED\"}]}}," MANIFEST("m5", "3") "]}"),
    };
    struct stage stage;
    open_stage(&stage, lines, COUNT_OF(lines), "");
    const struct stub_request *first = turn_until(&stage, "poll", NULL, 0);
    CHECK("the first poll", first != NULL);
    CHECK("has no session", first != NULL && strstr(first->body, "session") == NULL && strstr(first->body, "acks") == NULL);
    CHECK("says who it is", first != NULL && strstr(first->body, ARN) != NULL && strstr(first->body, "\"waitSeconds\":20") != NULL);
    CHECK("and what it speaks", first != NULL && strstr(first->body, "\"protocol\":1,\"oldestProtocol\":1") != NULL);
    const struct stub_request *second = turn_until(&stage, "poll", NULL, 1);
    CHECK("the second", second != NULL);
    CHECK("acknowledges all, unknown ones too", second != NULL && strstr(second->body, "\"acks\":[\"m1\",\"m2\",\"m3\",\"m4\"]") != NULL);
    CHECK("in its session", second != NULL && strstr(second->body, "\"session\":\"s1\"") != NULL);
    CHECK("with the stop candidates", second != NULL && strstr(second->body, "\"stopCandidates\":[\"task/stray\"]") != NULL);
    const struct stub_request *third = turn_until(&stage, "poll", NULL, 2);
    CHECK("the third acknowledges what came last", third != NULL && strstr(third->body, "\"acks\":[\"m1\",\"m5\"]") != NULL);
    CHECK("and nothing twice", third != NULL && strstr(third->body, "stopCandidates") == NULL);
    CHECK_STR("in order; the stale manifest was ignored", str_from(stage.machine.notes),
              STR("register new;registered " ARN ";manifest m1;payload m2;stop task/stray;"));
    close_stage(&stage);
}

/* Keys of a task that is not here, and what can't be read, are not acknowledged. */
static void test_keys(void)
{
#define KEYS(id, task) "{\"type\":\"IAMRoleCredentialsMessage\",\"message\":{\"messageId\":\"" id "\",\"taskArn\":\"" task "\",\"roleType\":\"TaskApplication\"," \
                       "\"roleCredentials\":{\"credentialsId\":\"c-" id "\"}}}"
    static const struct line lines[] = {
        REGISTERED, DISCOVERED,
        POLL("{\"session\":\"s1\",\"messages\":[" KEYS("m1", "task/known") "," KEYS("m2", "task/unknown") ","
             "{\"type\":\"IAMRoleCredentialsMessage\",\"message\":{\"messageId\":\"m3\",\"taskArn\":\"task/known\",\"roleType\":\"TaskApplication\"}}]}"),
    };
    struct stage stage;
    open_stage(&stage, lines, COUNT_OF(lines), "");
    const struct stub_request *second = turn_until(&stage, "poll", NULL, 1);
    CHECK("only a message that was taken is acknowledged", second != NULL && strstr(second->body, "\"acks\":[\"m1\"]") != NULL);
    CHECK_STR("both were asked about", str_from(stage.machine.notes), STR("register new;registered " ARN ";keys c-m1;keys c-m2;"));
    close_stage(&stage);
#undef KEYS
}

/* Which checks it follows, its polls say; those that can't be read are not acknowledged. */
static void test_checks(void)
{
#define CHECKS(id, number, list) "{\"type\":\"BerthChecksMessage\",\"message\":{\"messageId\":\"" id "\",\"number\":" number ",\"checks\":[" list "]}}"
    static const struct line lines[] = {
        REGISTERED, DISCOVERED,
        POLL("{\"session\":\"s1\",\"messages\":[" CHECKS("m1", "7", "{\"group\":\"g\",\"name\":\"n\",\"port\":1,\"registration\":1,\"protocol\":\"TCP\","
             "\"version\":\"HTTP1\",\"address\":\"10.0.0.1\",\"checkPort\":1,\"interval\":5,\"timeout\":2,\"healthy\":2,\"unhealthy\":2}")
             "," CHECKS("m2", "8", "{\"group\":\"g\"}") "]}"),
        POLL("{\"session\":\"s1\",\"messages\":[" "{\"type\":\"BerthChecksMessage\",\"message\":{\"messageId\":\"m3\",\"number\":9}}" "]}"),
    };
    struct stage stage;
    open_stage(&stage, lines, COUNT_OF(lines), "");
    const struct stub_request *first = turn_until(&stage, "poll", NULL, 0), *second = turn_until(&stage, "poll", NULL, 1), *third = turn_until(&stage, "poll", NULL, 2);
    CHECK("none at first", first != NULL && strstr(first->body, "\"checks\":0") != NULL);
    CHECK("what it follows", second != NULL && strstr(second->body, "\"checks\":7") != NULL && strstr(second->body, "\"acks\":[\"m1\"]") != NULL);
    CHECK("the newer list", third != NULL && strstr(third->body, "\"checks\":9") != NULL);
    CHECK_STR("in order", str_from(stage.machine.notes), STR("register new;registered " ARN ";checks 10.0.0.1;checks none;"));
    close_stage(&stage);
#undef CHECKS
}

static void test_unacknowledged(void)
{
    static const struct line lines[] = { REGISTERED, DISCOVERED, POLL("{\"session\":\"s\",\"messages\":[" PAYLOAD("m1") "," HEARTBEAT("m2") "]}") };
    struct stage stage;
    open_stage(&stage, lines, COUNT_OF(lines), ARN);
    stage.machine.refuse_payload = true;
    const struct stub_request *second = turn_until(&stage, "poll", NULL, 1);
    CHECK("a message that was not taken on is not acknowledged", second != NULL && strstr(second->body, "\"acks\":[\"m2\"]") != NULL);
    CHECK("the machine got its old name", strstr(stage.machine.notes, "register " ARN) != NULL);
    close_stage(&stage);
}

/* Answers that fail for a while: an acknowledgement is sent again until it has arrived. */
static void test_trouble(void)
{
    static const struct line lines[] = {
        { "RegisterContainerInstance", 503, "{\"__type\":\"ServerException\",\"message\":\"starting\"}", NULL },
        { "RegisterContainerInstance", 400, "{\"__type\":\"ThrottlingException\",\"message\":\"slow\"}", NULL },
        REGISTERED,
        { "DiscoverPollEndpoint", 500, "", NULL }, DISCOVERED,
        POLL("{\"session\":\"s1\",\"messages\":[" PAYLOAD("m1") "]}"),
        { "poll", 503, "", NULL },
        { "poll", 200, "not JSON", NULL },
        { "poll", 400, "{\"__type\":\"ClientException\",\"message\":\"no such session\"}", NULL },
        REGISTERED, DISCOVERED,
    };
    struct stage stage;
    open_stage(&stage, lines, COUNT_OF(lines), "");
    CHECK("again after a 503", turn_until(&stage, "poll", "\"acks\":[\"m1\"]", 1) != NULL);
    CHECK("again after an answer that cannot be read", turn_until(&stage, "poll", "\"acks\":[\"m1\"]", 2) != NULL);
    CHECK("registers again when the server knows nothing", turn_until(&stage, "RegisterContainerInstance", ARN, 0) != NULL);
    const struct stub_request *poll = turn_until(&stage, "poll", NULL, 4);
    CHECK("connects again", poll != NULL && strstr(poll->body, "session") == NULL);
    close_stage(&stage);
}

static void test_refusals(void)
{
    static const struct { const char *row; struct line lines[3]; const char *message; } rows[] = {
        { "parameters", { { "RegisterContainerInstance", 400, "{\"__type\":\"InvalidParameterException\",\"message\":\"bad memory\"}", NULL } }, "bad memory" },
        { "client", { { "RegisterContainerInstance", 400, "{\"__type\":\"ClientException\",\"message\":\"no\"}", NULL } }, "no" },
        { "keys", { { "RegisterContainerInstance", 400, "{\"__type\":\"UnrecognizedClientException\",\"message\":\"who?\"}", NULL } }, "who?" },
        { "deregistered", { REGISTERED, DISCOVERED,
                            { "poll", 400, "{\"__type\":\"InvalidParameterException\",\"message\":\"InactiveInstanceException: gone\"}", NULL } },
          "InactiveInstanceException: gone" },
        { "a server that is too old", { REGISTERED, DISCOVERED, POLL("{\"session\":\"s\",\"protocol\":0,\"oldestProtocol\":0,\"version\":\"0.0.1\","
                                                                     "\"messages\":[" PAYLOAD("m1") "]}") }, NULL },
        { "a server that is too new", { REGISTERED, DISCOVERED, POLL("{\"session\":\"s\",\"protocol\":9,\"oldestProtocol\":2,\"messages\":[" PAYLOAD("m1") "]}") },
          NULL },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct stage stage;
        open_stage(&stage, rows[r].lines, rows[r].lines[1].operation == NULL ? 1 : 3, "");
        turn_until(&stage, "never", NULL, 0);
        CHECK(rows[r].row, stage.machine.over && stage.session.state == SESSION_REFUSED);
        if (rows[r].message != NULL) { CHECK_STR(rows[r].row, str_from(stage.machine.refusal.message), str_from(rows[r].message)); }
        if (rows[r].message == NULL) { CHECK(rows[r].row, strstr(stage.machine.refusal.message, "Update ") != NULL); }
        CHECK("nothing was taken on", strstr(stage.machine.notes, "payload") == NULL);
        close_stage(&stage);
    }
}

static void test_cluster(void)
{
    static const struct line lines[] = {
        { "RegisterContainerInstance", 400, "{\"__type\":\"ClusterNotFoundException\",\"message\":\"Cluster not found.\"}", NULL }, REGISTERED, DISCOVERED,
    };
    struct stage stage;
    open_stage(&stage, lines, COUNT_OF(lines), "");
    const struct stub_request *made = turn_until(&stage, "CreateCluster", "\"clusterName\":\"default\"", 0);
    CHECK("the default cluster is made", made != NULL);
    CHECK("and joined", turn_until(&stage, "poll", NULL, 0) != NULL);
    close_stage(&stage);
    open_stage(&stage, lines, COUNT_OF(lines), "");
    stage.config.create_cluster = false;
    turn_until(&stage, "poll", NULL, 0);
    CHECK("a named one is not", stage.machine.over && stage.machine.refusal.code == ERR_CLUSTER_NOT_FOUND);
    close_stage(&stage);
}

static void test_clock(void)
{
    static const struct line lines[] = {
        { "RegisterContainerInstance", 400, "{\"__type\":\"InvalidSignatureException\",\"message\":\"Signature not yet current\"}",
          "Mon, 01 Jan 2035 00:00:00 GMT" },
        REGISTERED, DISCOVERED,
    };
    struct stage stage;
    open_stage(&stage, lines, COUNT_OF(lines), "");
    const struct stub_request *again = turn_until(&stage, "RegisterContainerInstance", NULL, 1);
    CHECK("signed again by the server's clock", again != NULL && strncmp(again->date, "20350101T", 9) == 0);
    const struct stub_request *poll = turn_until(&stage, "poll", NULL, 0);
    CHECK("and from then on", poll != NULL && strncmp(poll->date, "20350101T", 9) == 0);
    close_stage(&stage);
}

/* ---- reports ---- */

static void on_settled(void *owner) { ++*(size_t *)owner; }

/* The reports of each call, except "a" to "d", joined by blanks. */
static struct str reported(struct stage *stage, struct buf *out)
{
    pthread_mutex_lock(&stage->server.mutex);
    for (size_t r = 0; r < stage->server.count; r++) {
        const struct stub_request *request = &stage->server.requests[r];
        if (strcmp(kind_of(request), "reports") != 0) { continue; }
        struct str body = str_from(request->body), head = STR("{\"reports\":["), tail = STR("]}");
        CHECK("a batch", str_starts_with(body, head) && str_ends_with(body, tail));
        buf_printf(out, "%s" STR_FMT, out->len == 0 ? "" : " ", STR_ARG(str_slice(body, head.len, body.len - tail.len)));
    }
    pthread_mutex_unlock(&stage->server.mutex);
    return buf_str(out);
}

static void turn_until_settled(struct stage *stage, const size_t *settled, size_t wanted)
{
    for (int64_t until_ms = clock_monotonic_ms() + LONG_MS; *settled < wanted && clock_monotonic_ms() < until_ms;) { client_turn(stage->client, 5); }
    CHECK_EQ("settled", *settled, wanted);
}

static void test_reports(void)
{
    static const struct line lines[] = {
        REGISTERED, DISCOVERED,
        { "reports", 500, "", NULL },
        { "reports", 200, "{\"answers\":[{\"__type\":\"ClientException\",\"message\":\"later\"}]}", NULL },
        { "reports", 403, "{\"__type\":\"AccessDeniedException\",\"message\":\"not yet\"}", NULL },
        { "reports", 200, "{\"answers\":[{\"acknowledgment\":\"ACK\"}]}", NULL },
        { "reports", 200, "{\"answers\":[{\"__type\":\"InvalidParameterException\",\"message\":\"never\"}]}", NULL },
        { "reports", 400, "{\"__type\":\"InvalidParameterException\",\"message\":\"the call can't be read\"}", NULL },
        { "reports", 200, "{\"answers\":[]}", NULL },
    };
    struct stage stage;
    size_t settled = 0;
    struct report_line line;
    struct arena arena = { .ceiling = 1 << 20 };
    struct buf seen = buf_in(&arena);
    open_stage(&stage, lines, COUNT_OF(lines), "");
    struct reporter *reporter = reporter_create(stage.client, &stage.endpoint);
    report_line_init(&line, reporter, on_settled, &settled);
    CHECK("taken", report_send(&line, STR("one"), false) && report_send(&line, STR("two"), false)
          && report_send(&line, STR("three"), false) && report_send(&line, STR("four"), true));
    turn_until_settled(&stage, &settled, 1);
    CHECK_STR("in strict order, until taken or refused permanently", reported(&stage, &seen), STR("one one one one two three four four"));
    report_line_finish(&line);
    reporter_destroy(reporter);
    close_stage(&stage);
    arena_finish(&arena);
}

/* The first four find a call each; the other two wait for one of them, and go together. */
static void test_reports_together(void)
{
    enum { LINES = 6 };
    static const struct line ours[] = { REGISTERED, DISCOVERED };
    static const struct { const char *row; struct line lines[3]; const char *end; } rows[] = {
        { "both taken", { { "reports", 200, "{\"answers\":[{\"acknowledgment\":\"ACK\"},{\"acknowledgment\":\"ACK\"}]}", NULL } }, "e,f" },
        { "one refused permanently",
          { { "reports", 200, "{\"answers\":[{\"__type\":\"InvalidParameterException\",\"message\":\"no\"},{\"acknowledgment\":\"ACK\"}]}", NULL } },
          "e,f" },
        { "one to be repeated",
          { { "reports", 200, "{\"answers\":[{\"acknowledgment\":\"ACK\"},{\"__type\":\"ServerException\",\"message\":\"later\"}]}", NULL } },
          "e,f f" },
        { "both lost on the way",
          { { "reports", 503, "", NULL }, { "reports", 200, "{\"answers\":[{\"acknowledgment\":\"ACK\"},{\"acknowledgment\":\"ACK\"}]}", NULL } },
          "e,f e,f" },
        { "refused as a whole", { { "reports", 405, "", NULL } }, "e,f e f" },
        { "too few answers", { { "reports", 200, "{\"answers\":[{\"acknowledgment\":\"ACK\"}]}", NULL } }, "e,f e f" },
        { "no answers", { { "reports", 200, "nonsense", NULL } }, "e,f e f" },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct stage stage;
        size_t settled = 0;
        struct report_line all[LINES];
        struct arena arena = { .ceiling = 1 << 20 };
        struct buf seen = buf_in(&arena);
        struct line script[COUNT_OF(ours) + 3] = { ours[0], ours[1] };
        size_t count = COUNT_OF(ours);
        for (size_t l = 0; l < COUNT_OF(rows[r].lines) && rows[r].lines[l].operation != NULL; l++) { script[count++] = rows[r].lines[l]; }
        open_stage(&stage, script, count, "");
        struct reporter *reporter = reporter_create(stage.client, &stage.endpoint);
        for (size_t l = 0; l < LINES; l++) {
            report_line_init(&all[l], reporter, on_settled, &settled);
            CHECK(rows[r].row, report_send(&all[l], str_slice(STR("abcdef"), l, l + 1), true));
        }
        turn_until_settled(&stage, &settled, LINES);
        struct str end = reported(&stage, &seen);                          /* those that go alone come in any order */
        if (str_ends_with(end, STR(" f e"))) { end = arena_printf(&arena, STR_FMT "e f", STR_ARG(str_slice(end, 0, end.len - strlen("f e")))); }
        CHECK_STR(rows[r].row, end, str_from(rows[r].end));
        for (size_t l = 0; l < LINES; l++) { report_line_finish(&all[l]); }
        reporter_destroy(reporter);
        close_stage(&stage);
        arena_finish(&arena);
    }
}

/* A task that goes while its report is on the way, or waits for one, is not asked about it any more. */
static void test_reports_left(void)
{
    enum { LINES = 6 };
    struct stage stage;
    size_t settled = 0;
    struct report_line all[LINES];
    open_stage(&stage, NULL, 0, "");
    struct reporter *reporter = reporter_create(stage.client, &stage.endpoint);
    for (size_t l = 0; l < LINES; l++) {
        report_line_init(&all[l], reporter, on_settled, &settled);
        CHECK("taken", report_send(&all[l], STR("x"), true));
    }
    client_turn(stage.client, 0);
    report_line_finish(&all[1]);
    report_line_finish(&all[5]);
    turn_until_settled(&stage, &settled, LINES - 2);
    for (size_t l = 0; l < LINES; l++) {
        if (l != 1 && l != 5) { report_line_finish(&all[l]); }
    }
    reporter_destroy(reporter);
    close_stage(&stage);
}

/* Nobody listens: calls fail, are tried again, and the end is not held up by any of it. */
static void test_nobody(void)
{
    struct stage stage;
    open_stage(&stage, NULL, 0, "");
    struct err err = { 0 };
    struct endpoint nowhere;
    struct session_reach reach = { 0 };
    CHECK("parsed", endpoint_parse(STR("http://127.0.0.1:1"), &nowhere, &err));
    stage.config.server = &nowhere;
    stage.config.reach = &reach;
    /* However slow this machine is: until the first call has failed. */
    for (int64_t until_ms = clock_monotonic_ms() + LONG_MS; stage.session.pause_ms == 0 && clock_monotonic_ms() < until_ms;) { client_turn(stage.client, 5); }
    CHECK("still trying", stage.session.state == SESSION_REGISTERING && !stage.machine.over && stage.session.pause_ms > 0);
    CHECK("nobody was ever answered, which was reported", reach.away);
    stage.config.server = &stage.endpoint;
    CHECK("somebody listens", turn_until(&stage, "RegisterContainerInstance", NULL, 0) != NULL);
    for (int64_t until_ms = clock_monotonic_ms() + LONG_MS; reach.away && clock_monotonic_ms() < until_ms;) { client_turn(stage.client, 5); }
    CHECK("and answers", !reach.away && reach.answered_ms > 0);
    close_stage(&stage);
}

int main(void)
{
    test_ordinary();
    test_keys();
    test_checks();
    test_unacknowledged();
    test_trouble();
    test_refusals();
    test_cluster();
    test_clock();
    test_reports();
    test_reports_together();
    test_reports_left();
    test_nobody();
    return check_report();
}
