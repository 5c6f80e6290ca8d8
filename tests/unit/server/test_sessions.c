/* Agents that poll: the messages they get, how often, who is woken and who is replaced. A poll that waits does so on its own
 * thread; the test goes on when the sessions say that it waits. */
#include "server/sessions/sessions.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#include "tests/unit/server/server_fixture.h"

enum { RUN_MAX = 256 };
static const struct caller agents_key = { .access_key = STR_INIT("AKIAEXAMPLE000000002"), .user = STR_INIT("agent"), .role = ACCESS_AGENT };

struct fixture {
    char dir[FIXTURE_PATH_MAX];
    struct store *store;
    struct api_config api;
    struct writer *writer;
    struct sessions *sessions;
    atomic_int announced;                    /* how often news were announced */
    struct arena arena;                      /* of everything the test reads */
    struct str instance;                     /* ARN */
    struct id id;
    int64_t lease_ms;                        /* of sessions that are opened from now on */
    struct opt_int lease_s;                  /* what polls say of it */
};

static void on_commit(void *context, int64_t revision)
{
    (void)context;
    (void)revision;
}

static void on_effects(void *context, const struct effect_list *effects)
{
    struct fixture *f = context;
    if (f->sessions != NULL) { sessions_apply(f->sessions, effects); }
}

static void on_announced(void *context) { atomic_fetch_add(&((struct fixture *)context)->announced, 1); }

static const struct caller admin = { .access_key = STR_INIT(ADMIN_ID), .user = STR_INIT("admin"), .role = ACCESS_ADMIN };

/* Runs an operation and returns its answer as a tree. */
static const struct json *run(struct fixture *f, const char *operation, const char *body)
{
    struct err err = { 0 };
    struct api_call call;
    if (!api_prepare(&f->api, &admin, str_from(operation), str_from(body), &f->arena, &call, &err)) {
        fprintf(stderr, "%s: %s\n", operation, err.message);
        abort();
    }
    struct job job = { .call = &call, .arena = &f->arena, .caller = admin };
    if (!writer_run(f->writer, &job, &err)) {
        fprintf(stderr, "%s: %s\n", operation, err.message);
        abort();
    }
    struct buf out = buf_in(&f->arena);
    api_print(&call, &out);
    return json_parse(buf_str(&out), &f->arena, &err);
}

static void open_sessions(struct fixture *f, size_t waiting_max)
{
    struct err err = { 0 };
    const struct sessions_config config = {
        .store = f->store, .writer = f->writer, .api = &f->api, .waiting_max = waiting_max, .announced = on_announced, .context = f, .lease_ms = f->lease_ms,
    };
    f->sessions = sessions_create(&config, &err);
    ASSERT(f->sessions != NULL);
}

static const char machine[] =
    "{\"totalResources\":[{\"name\":\"CPU\",\"type\":\"INTEGER\",\"integerValue\":4096},"
    "{\"name\":\"MEMORY\",\"type\":\"INTEGER\",\"integerValue\":4096},"
    "{\"name\":\"PORTS\",\"type\":\"STRINGSET\",\"stringSetValue\":[]},{\"name\":\"PORTS_UDP\",\"type\":\"STRINGSET\",\"stringSetValue\":[]}],"
    "\"attributes\":[{\"name\":\"com.amazonaws.ecs.capability.docker-remote-api.1.18\"}],\"versionInfo\":{\"agentVersion\":\"1.0.0\"}}";

static void open_fixture(struct fixture *f)
{
    struct err err = { 0 };
    *f = (struct fixture){ 0 };
    fixture_make_dir(f->dir);
    f->store = fixture_open_store(f->dir, FIXTURE_MAP_BYTES);
    arena_init(&f->arena, FIXTURE_ARENA_BYTES);
    f->api = (struct api_config){
        .names = { STR("us-east-1"), STR("123456789012") }, .endpoint = STR("http://127.0.0.1:9280"), .stopped_task_keep_ms = 3600000,
    };
    struct writer_config config = {
        .store = f->store, .api = &f->api, .queue_max = 64, .committed = on_commit, .effects = on_effects, .context = f,
    };
    f->writer = writer_start(&config, &err);
    ASSERT(f->writer != NULL);
    open_sessions(f, 8);
    run(f, "CreateCluster", "{}");
    run(f, "RegisterTaskDefinition", "{\"family\":\"job\",\"containerDefinitions\":[{\"name\":\"main\",\"image\":\"busybox\",\"memory\":64}]}");
    const struct json *reply = run(f, "RegisterContainerInstance", machine);
    f->instance = json_get_str(json_get(reply, STR("containerInstance")), STR("containerInstanceArn"));
    ASSERT(id_parse(str_slice(f->instance, f->instance.len - ID_HEX_LEN, f->instance.len), &f->id));
}

static void close_fixture(struct fixture *f)
{
    sessions_stop(f->sessions);
    writer_stop(f->writer);
    sessions_destroy(f->sessions);
    fixture_check_store(f->store);
    store_close(f->store);
    fixture_remove_dir(f->dir);
    arena_finish(&f->arena);
}

static struct str run_task(struct fixture *f)
{
    const struct json *tasks = json_get(run(f, "RunTask", "{\"taskDefinition\":\"job\"}"), STR("tasks"));
    ASSERT(tasks != NULL && tasks->count == 1);
    return json_get_str(&tasks->as.items[0], STR("taskArn"));
}

static void stop_task(struct fixture *f, struct str task)
{
    char body[RUN_MAX];
    snprintf(body, sizeof body, "{\"task\":\"" STR_FMT "\"}", STR_ARG(task));
    run(f, "StopTask", body);
}

static void report(struct fixture *f, struct str task, const char *status)
{
    char body[RUN_MAX];
    snprintf(body, sizeof body, "{\"task\":\"" STR_FMT "\",\"status\":\"%s\"}", STR_ARG(task), status);
    run(f, "SubmitTaskStateChange", body);
}

static bool is_connected(struct fixture *f)
{
    struct store_txn *txn = store_read_begin(f->store);
    bool connected = store_instance(txn, f->id, &f->arena)->agent_connected == OPT_TRUE;
    CHECK("read", store_read_end(txn));
    return connected;
}

/* ---- polls ---- */

struct answer { struct err err; struct str session; const struct json *messages; int64_t lease_s; };

/* `acks` and `candidates` may be NULL. */
static struct answer poll_once(struct fixture *f, struct arena *arena, struct str session, const struct str_list *acks,
                               const struct str_list *candidates, int64_t wait_seconds)
{
    struct answer answer = { .err = { 0 } };
    const struct poll_request request = {
        .cluster = STR("default"), .container_instance = f->instance, .session = session,
        .acks = acks != NULL ? *acks : (struct str_list){ 0 }, .stop_candidates = candidates != NULL ? *candidates : (struct str_list){ 0 },
        .wait_seconds = opt_int_of(wait_seconds), .lease_seconds = f->lease_s,
    };
    struct buf out = buf_in(arena);
    if (!sessions_poll(f->sessions, &request, &agents_key, arena, &out, &answer.err)) { return answer; }
    struct err err = { 0 };
    const struct json *tree = json_parse(buf_str(&out), arena, &err);
    ASSERT(tree != NULL);                                 /* no check: it may run on a thread of its own */
    answer.session = json_get_str(tree, STR("session"));
    answer.messages = json_get(tree, STR("messages"));
    answer.lease_s = json_get_i64(tree, STR("leaseSeconds"), 0);
    return answer;
}

static struct str message_type(const struct answer *answer, size_t at)
{
    if (answer->messages == NULL || at >= answer->messages->count) { return (struct str){ NULL, 0 }; }
    return json_get_str(&answer->messages->as.items[at], STR("type"));
}

static const struct json *message(const struct answer *answer, size_t at)
{
    return json_get(&answer->messages->as.items[at], STR("message"));
}

static size_t message_count(const struct answer *answer) { return answer->messages == NULL ? 0 : answer->messages->count; }

static struct str_list all_acks(struct fixture *f, const struct answer *answer)
{
    struct str_list acks = { ARENA_NEW(&f->arena, struct str, message_count(answer)), 0 };
    for (size_t m = 0; m < message_count(answer); m++) {
        acks.items[acks.count++] = json_get_str(message(answer, m), STR("messageId"));
    }
    return acks;
}

static struct str payload_task(const struct answer *answer, size_t at)
{
    return json_get_str(&json_get(message(answer, at), STR("tasks"))->as.items[0], STR("arn"));
}

/* A poll on its own thread. */
struct waiter { struct fixture *f; struct arena arena; struct str session; struct str_list acks; struct answer answer; pthread_t thread; };

static void *wait_thread(void *context)
{
    struct waiter *waiter = context;
    waiter->answer = poll_once(waiter->f, &waiter->arena, waiter->session, &waiter->acks, NULL, 25);
    return NULL;
}

static void start_waiter(struct waiter *waiter, struct fixture *f, struct str session, struct str_list acks, size_t waiting)
{
    *waiter = (struct waiter){ .f = f, .arena = { .ceiling = FIXTURE_ARENA_BYTES }, .session = session, .acks = acks };
    ASSERT(pthread_create(&waiter->thread, NULL, wait_thread, waiter) == 0);
    while (sessions_count(f->sessions).waiting != waiting) { sched_yield(); }
}

static void join_waiter(struct waiter *waiter) { ASSERT(pthread_join(waiter->thread, NULL) == 0); }

/* Connects and acknowledges everything, so that nothing is left to say. */
static struct str connect_agent(struct fixture *f)
{
    struct answer first = poll_once(f, &f->arena, (struct str){ NULL, 0 }, NULL, NULL, 0);
    struct str_list acks = all_acks(f, &first);
    struct answer second = poll_once(f, &f->arena, first.session, &acks, NULL, 0);
    CHECK_STR("nothing more to say", message_type(&second, 0), STR("HeartbeatMessage"));
    return first.session;
}

/* ---- the tests ---- */

static void test_first_poll(void)
{
    struct fixture f;
    open_fixture(&f);
    CHECK("not connected before", !is_connected(&f));
    struct answer first = poll_once(&f, &f.arena, (struct str){ NULL, 0 }, NULL, NULL, 25);
    CHECK_EQ("one message", message_count(&first), 1);
    CHECK_STR("the manifest, at once", message_type(&first, 0), STR("TaskManifestMessage"));
    CHECK("a session has a name", first.session.len > 0);
    CHECK("its presence is written down", is_connected(&f));

    struct answer again = poll_once(&f, &f.arena, first.session, NULL, NULL, 25);
    CHECK_STR("without an acknowledgement it comes again", message_type(&again, 0), STR("TaskManifestMessage"));
    CHECK_STR("under the same id", json_get_str(message(&again, 0), STR("messageId")), json_get_str(message(&first, 0), STR("messageId")));
    CHECK("with a higher number", json_get_i64(message(&again, 0), STR("timeline"), 0) > json_get_i64(message(&first, 0), STR("timeline"), 0));
    struct str_list acks = all_acks(&f, &again);
    struct answer quiet = poll_once(&f, &f.arena, first.session, &acks, NULL, 0);
    CHECK_EQ("then nothing", message_count(&quiet), 1);
    CHECK_STR("but a heartbeat", message_type(&quiet, 0), STR("HeartbeatMessage"));
    CHECK_STR("the session stays", quiet.session, first.session);
    close_fixture(&f);
}

static void test_messages_until_acked(void)
{
    struct fixture f;
    open_fixture(&f);
    struct str session = connect_agent(&f);
    struct str task = run_task(&f);
    struct answer told = poll_once(&f, &f.arena, session, NULL, NULL, 25);
    CHECK_EQ("one message", message_count(&told), 1);
    CHECK_STR("a payload", message_type(&told, 0), STR("PayloadMessage"));
    CHECK_STR("of that task", payload_task(&told, 0), task);
    struct answer again = poll_once(&f, &f.arena, session, NULL, NULL, 25);
    CHECK_STR("again while it is not acknowledged", payload_task(&again, 0), task);
    struct str_list acks = all_acks(&f, &told);
    CHECK_STR("under the same id", json_get_str(message(&again, 0), STR("messageId")), acks.items[0]);
    struct answer quiet = poll_once(&f, &f.arena, session, &acks, NULL, 0);
    CHECK_STR("acknowledged: not again", message_type(&quiet, 0), STR("HeartbeatMessage"));

    stop_task(&f, task);
    struct answer stop = poll_once(&f, &f.arena, session, NULL, NULL, 25);
    CHECK_STR("the stop is another message", message_type(&stop, 0), STR("PayloadMessage"));
    const struct json *tasks = json_get(message(&stop, 0), STR("tasks"));
    CHECK_STR("to stop", json_get_str(&tasks->as.items[0], STR("desiredStatus")), STR("STOPPED"));
    CHECK("in order", json_get_i64(message(&stop, 0), STR("seqNum"), 0) > json_get_i64(message(&told, 0), STR("seqNum"), 0));

    /* A report makes the message moot, acknowledged or not. */
    report(&f, task, "STOPPED");
    struct answer done = poll_once(&f, &f.arena, session, NULL, NULL, 0);
    CHECK_STR("finished work is not sent any more", message_type(&done, 0), STR("HeartbeatMessage"));
    close_fixture(&f);
}

static void test_new_session(void)
{
    struct fixture f;
    open_fixture(&f);
    struct str session = connect_agent(&f);
    struct str task = run_task(&f);
    struct answer told = poll_once(&f, &f.arena, session, NULL, NULL, 25);
    struct str_list acks = all_acks(&f, &told);
    (void)poll_once(&f, &f.arena, session, &acks, NULL, 0);
    struct answer anew = poll_once(&f, &f.arena, (struct str){ NULL, 0 }, NULL, NULL, 25);
    CHECK("another session", !str_eq(anew.session, session));
    CHECK_EQ("an agent that starts again gets everything", message_count(&anew), 2);
    CHECK_STR("the manifest first", message_type(&anew, 0), STR("TaskManifestMessage"));
    CHECK_EQ("which lists the task", json_get(message(&anew, 0), STR("tasks"))->count, 1);
    CHECK_STR("and the task itself", payload_task(&anew, 1), task);
    CHECK("in order", json_get_i64(message(&anew, 1), STR("seqNum"), 0) > json_get_i64(message(&anew, 0), STR("timeline"), 0));
    struct answer unknown = poll_once(&f, &f.arena, STR("00000000000000000000000000000000"), NULL, NULL, 25);
    CHECK("a session that nobody knows is a new one", !str_eq(unknown.session, anew.session));
    close_fixture(&f);
}

/* A machine that registers again has lost what it knew, even in the same session. */
static void test_registered_again(void)
{
    struct fixture f;
    char body[sizeof machine + RUN_MAX];
    open_fixture(&f);
    struct str session = connect_agent(&f);
    snprintf(body, sizeof body, "{\"containerInstanceArn\":\"" STR_FMT "\",%s", STR_ARG(f.instance), machine + 1);
    run(&f, "RegisterContainerInstance", body);
    struct answer answer = poll_once(&f, &f.arena, session, NULL, NULL, 0);
    CHECK_STR("it gets everything", message_type(&answer, 0), STR("TaskManifestMessage"));
    close_fixture(&f);
}

static void test_wake(void)
{
    struct fixture f;
    struct waiter waiter;
    open_fixture(&f);
    struct str session = connect_agent(&f);
    start_waiter(&waiter, &f, session, (struct str_list){ 0 }, 1);
    struct str task = run_task(&f);
    join_waiter(&waiter);
    CHECK_STR("a poll that waits is woken by work", message_type(&waiter.answer, 0), STR("PayloadMessage"));
    CHECK_STR("and told it", payload_task(&waiter.answer, 0), task);
    arena_finish(&waiter.arena);
    close_fixture(&f);
}

static void test_replaced(void)
{
    struct fixture f;
    struct waiter first, second;
    open_fixture(&f);
    struct str session = connect_agent(&f);
    start_waiter(&first, &f, session, (struct str_list){ 0 }, 1);
    struct answer other = poll_once(&f, &f.arena, (struct str){ NULL, 0 }, NULL, NULL, 25);
    join_waiter(&first);
    CHECK_STR("a poll of another session replaces the one that waits", message_type(&first.answer, 0), STR("HeartbeatMessage"));
    CHECK_STR("which is answered in its own name", first.answer.session, session);
    CHECK("the new one has another", !str_eq(other.session, session));
    arena_finish(&first.arena);

    /* The same session: the client gave its first poll up. */
    struct str_list acks = all_acks(&f, &other);
    start_waiter(&first, &f, other.session, acks, 1);
    second = (struct waiter){ .f = &f, .arena = { .ceiling = FIXTURE_ARENA_BYTES }, .session = other.session };
    ASSERT(pthread_create(&second.thread, NULL, wait_thread, &second) == 0);
    join_waiter(&first);
    CHECK_STR("a second poll of the same session does so too", message_type(&first.answer, 0), STR("HeartbeatMessage"));
    struct str task = run_task(&f);
    join_waiter(&second);
    CHECK_STR("and gets the news", payload_task(&second.answer, 0), task);
    arena_finish(&first.arena);
    arena_finish(&second.arena);
    close_fixture(&f);
}

static void test_taking_turns(void)
{
    struct fixture f;
    open_fixture(&f);
    enum err_code code = ERR_NONE;
    int polls = 0;
    while (code == ERR_NONE && polls < 10) {
        code = poll_once(&f, &f.arena, (struct str){ NULL, 0 }, NULL, NULL, 0).err.code;
        polls++;
    }
    CHECK_EQ("five new sessions in a row, not six", polls, 6);
    CHECK_EQ("then slowly", code, ERR_THROTTLING);
    close_fixture(&f);
}

/* A task on another machine of the cluster. */
static struct str start_elsewhere(struct fixture *f)
{
    char body[2 * RUN_MAX];
    struct err err = { 0 };
    const struct json *reply = run(f, "RegisterContainerInstance", machine);
    struct str arn = json_get_str(json_get(reply, STR("containerInstance")), STR("containerInstanceArn"));
    const struct poll_request request = { .cluster = STR("default"), .container_instance = arn, .wait_seconds = opt_int_of(0) };
    struct buf out = buf_in(&f->arena);
    ASSERT(sessions_poll(f->sessions, &request, &agents_key, &f->arena, &out, &err));
    snprintf(body, sizeof body, "{\"taskDefinition\":\"job\",\"containerInstances\":[\"" STR_FMT "\"]}", STR_ARG(arn));
    const struct json *tasks = json_get(run(f, "StartTask", body), STR("tasks"));
    ASSERT(tasks != NULL && tasks->count == 1);
    return json_get_str(&tasks->as.items[0], STR("taskArn"));
}

static void test_stop_candidates(void)
{
    struct fixture f;
    open_fixture(&f);
    struct str session = connect_agent(&f);
    struct str lives = run_task(&f), stopped = run_task(&f);
    stop_task(&f, stopped);
    report(&f, stopped, "STOPPED");
    struct str gone = STR("arn:aws:ecs:us-east-1:123456789012:task/default/0123456789abcdef0123456789abcdef");
    struct str candidates[] = { lives, stopped, gone, STR("no id at all"), start_elsewhere(&f) };
    struct str_list list = { candidates, COUNT_OF(candidates) };
    struct answer answer = poll_once(&f, &f.arena, session, NULL, &list, 25);
    CHECK_STR("answered at once", message_type(&answer, 0), STR("TaskStopVerificationAck"));
    const struct json *stop = json_get(message(&answer, 0), STR("stopTasks"));
    CHECK_EQ("three of them are to stop", stop->count, 3);
    CHECK_STR("one that has stopped", json_get_str(&stop->as.items[0], STR("taskArn")), stopped);
    CHECK_STR("one that nobody knows", json_get_str(&stop->as.items[1], STR("taskArn")), gone);
    CHECK_STR("and one that lives elsewhere", json_get_str(&stop->as.items[2], STR("taskArn")), candidates[4]);
    close_fixture(&f);
}

static void test_inactive(void)
{
    struct fixture f;
    struct waiter waiter;
    char body[RUN_MAX];
    open_fixture(&f);
    struct str session = connect_agent(&f);
    start_waiter(&waiter, &f, session, (struct str_list){ 0 }, 1);
    snprintf(body, sizeof body, "{\"containerInstance\":\"" STR_FMT "\",\"force\":true}", STR_ARG(f.instance));
    run(&f, "DeregisterContainerInstance", body);
    join_waiter(&waiter);
    CHECK_EQ("a poll that waits hears that its instance is gone", waiter.answer.err.code, ERR_INVALID_PARAMETER);
    CHECK("in the agent's word", strstr(waiter.answer.err.message, "InactiveInstanceException") != NULL);
    arena_finish(&waiter.arena);
    CHECK_EQ("its session is gone", sessions_count(f.sessions).sessions, 0);
    struct answer later = poll_once(&f, &f.arena, session, NULL, NULL, 25);
    CHECK("so does one that comes later", strstr(later.err.message, "InactiveInstanceException") != NULL);
    f.instance = STR("arn:aws:ecs:us-east-1:123456789012:container-instance/default/0123456789abcdef0123456789abcdef");
    CHECK("and one that was never registered", strstr(poll_once(&f, &f.arena, session, NULL, NULL, 0).err.message,
                                                      "InactiveInstanceException") != NULL);
    CHECK_EQ("neither takes memory", sessions_count(f.sessions).sessions, 0);
    close_fixture(&f);
}

/* ---- those who go away ---- */

static bool tell_lost(struct fixture *f)
{
    struct err err = { 0 };
    struct api_call call;
    api_prepare_absence(&(struct machine_batch){ &f->id, 1, 1 }, &f->arena, &call);
    struct job job = { .call = &call, .arena = &f->arena, .caller = admin };
    return writer_run(f->writer, &job, &err);
}

static void test_lost(void)
{
    struct fixture f;
    struct id ids[4];
    open_fixture(&f);
    int64_t before_ms = clock_monotonic_ms();
    struct str session = connect_agent(&f);
    int64_t now_ms = clock_monotonic_ms();
    CHECK_EQ("it polled just now", sessions_lost(f.sessions, now_ms, ids, 4), 0);
    CHECK_EQ("half a minute is no loss", sessions_lost(f.sessions, before_ms + 35000, ids, 4), 0);
    CHECK_EQ("a little more is", sessions_lost(f.sessions, now_ms + 36000, ids, 4), 1);
    CHECK("that one", id_eq(ids[0], f.id));
    CHECK_EQ("reported until it is written down", sessions_lost(f.sessions, now_ms + 36000, ids, 4), 1);
    CHECK("written down", tell_lost(&f));
    CHECK("it is", !is_connected(&f));
    sessions_forget(f.sessions, f.id);
    struct answer back = poll_once(&f, &f.arena, session, NULL, NULL, 0);
    CHECK_EQ("it comes back", back.err.code, ERR_NONE);
    CHECK("and is there again", is_connected(&f));
    close_fixture(&f);
}

/* A poll that waits is no loss, and one that comes while the loss is being written down wins. */
static void test_not_lost(void)
{
    struct fixture f;
    struct waiter waiter;
    struct id ids[4];
    open_fixture(&f);
    struct str session = connect_agent(&f);
    int64_t late_ms = clock_monotonic_ms() + 100000;
    CHECK_EQ("lost", sessions_lost(f.sessions, late_ms, ids, 4), 1);
    start_waiter(&waiter, &f, session, (struct str_list){ 0 }, 1);
    CHECK("its absence is written down too late", tell_lost(&f));
    sessions_forget(f.sessions, f.id);
    CHECK_EQ("who waits is there", sessions_lost(f.sessions, late_ms, ids, 4), 0);
    while (!is_connected(&f)) { sched_yield(); }
    (void)run_task(&f);
    join_waiter(&waiter);
    CHECK_STR("the poll goes on", message_type(&waiter.answer, 0), STR("PayloadMessage"));
    arena_finish(&waiter.arena);
    close_fixture(&f);
}

static void test_grace_after_start(void)
{
    struct fixture f;
    struct id ids[4];
    open_fixture(&f);
    (void)connect_agent(&f);
    sessions_destroy(f.sessions);
    int64_t before_ms = clock_monotonic_ms();
    open_sessions(&f, 8);
    int64_t now_ms = clock_monotonic_ms();
    CHECK_EQ("who was connected is expected back", sessions_count(f.sessions).sessions, 1);
    CHECK_EQ("within a minute", sessions_lost(f.sessions, before_ms + 59000, ids, 4), 0);
    CHECK_EQ("not longer", sessions_lost(f.sessions, now_ms + 61000, ids, 4), 1);
    close_fixture(&f);
}

static int64_t lease_in_store(struct fixture *f)
{
    struct store_txn *txn = store_read_begin(f->store);
    const struct instance *instance = store_instance(txn, f->id, &f->arena);
    int64_t lease_ms = instance == NULL ? -1 : instance->lease_ms;
    ASSERT(store_read_end(txn));
    return lease_ms;
}

/* The store never knows of a shorter lease than an agent may use. */
static void test_lease_told(void)
{
    const struct { const char *row; struct opt_int says; int64_t setting_ms, told_s, kept_ms; } rows[] = {
        { "an agent without leases",    { 0 },           60000, 60, 0 },
        { "the first word of one",      opt_int_of(0),   60000, 60, 60000 },
        { "it uses it",                 opt_int_of(60),  60000, 60, 60000 },
        { "a longer one from before",   opt_int_of(600), 60000, 60, 600000 },
        { "a shorter one from before",  opt_int_of(10),  60000, 60, 60000 },
        { "none any more",              opt_int_of(60),  0,     0,  60000 },
        { "and it knows",               opt_int_of(0),   0,     0,  0 },
    };
    struct fixture f;
    open_fixture(&f);
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        sessions_destroy(f.sessions);
        f.lease_ms = rows[r].setting_ms;
        f.lease_s = rows[r].says;
        open_sessions(&f, 8);
        struct answer answer = poll_once(&f, &f.arena, STR(""), NULL, NULL, 0);
        CHECK_EQ(rows[r].row, answer.lease_s, rows[r].told_s);
        CHECK_EQ(rows[r].row, lease_in_store(&f), rows[r].kept_ms);
    }
    struct answer first = poll_once(&f, &f.arena, STR(""), NULL, NULL, 0);
    f.lease_s = opt_int_of(30);
    (void)poll_once(&f, &f.arena, first.session, NULL, NULL, 0);
    CHECK_EQ("a change within a session", lease_in_store(&f), 30000);
    close_fixture(&f);
}

static void test_lease_over(void)
{
    enum { LEASE_MS = 60000, ALL_MS = LEASE_MS + FENCE_MARGIN_S * 1000 };
    struct fixture f;
    struct id ids[4];
    open_fixture(&f);
    sessions_destroy(f.sessions);
    f.lease_ms = LEASE_MS;
    f.lease_s = opt_int_of(0);
    open_sessions(&f, 8);
    struct str session = connect_agent(&f);
    int64_t now_ms = clock_monotonic_ms();
    CHECK_EQ("not before its absence is written down", sessions_expired(f.sessions, now_ms + 2 * ALL_MS, ids, 4), 0);
    CHECK("written down", tell_lost(&f));
    sessions_destroy(f.sessions);
    int64_t before_ms = clock_monotonic_ms();
    open_sessions(&f, 8);                    /* it is absent: its lease counts from now */
    now_ms = clock_monotonic_ms();
    CHECK_EQ("no loss any more", sessions_lost(f.sessions, now_ms + 2 * ALL_MS, ids, 4), 0);
    CHECK_EQ("lease and margin", sessions_expired(f.sessions, before_ms + ALL_MS - 1, ids, 4), 0);
    CHECK_EQ("are over", sessions_expired(f.sessions, now_ms + ALL_MS, ids, 4), 1);
    CHECK_EQ("until it is written down", sessions_expired(f.sessions, now_ms + ALL_MS, ids, 4), 1);
    (void)poll_once(&f, &f.arena, session, NULL, NULL, 0);
    CHECK_EQ("it is back", sessions_expired(f.sessions, now_ms + 2 * ALL_MS, ids, 4), 0);
    sessions_fenced(f.sessions, f.id);
    CHECK_EQ("and stays", sessions_count(f.sessions).sessions, 1);
    close_fixture(&f);
}

static void test_crowd_and_stop(void)
{
    struct fixture f;
    struct waiter waiter;
    open_fixture(&f);
    sessions_destroy(f.sessions);
    open_sessions(&f, 0);
    struct answer first = poll_once(&f, &f.arena, (struct str){ NULL, 0 }, NULL, NULL, 25);
    CHECK_EQ("news are sent however many wait", first.err.code, ERR_NONE);
    struct str_list acks = all_acks(&f, &first);
    struct answer crowded = poll_once(&f, &f.arena, first.session, &acks, NULL, 25);
    CHECK_EQ("one waiting poll too many", crowded.err.code, ERR_UNAVAILABLE);
    sessions_destroy(f.sessions);
    open_sessions(&f, 1);
    start_waiter(&waiter, &f, connect_agent(&f), (struct str_list){ 0 }, 1);
    sessions_stop(f.sessions);
    join_waiter(&waiter);
    CHECK_EQ("a stop ends every wait", waiter.answer.err.code, ERR_UNAVAILABLE);
    arena_finish(&waiter.arena);
    close_fixture(&f);
}

/* ---- visits that stay ---- */

static enum visit_state step(struct fixture *f, struct visit *visit, struct str_list *messages, int64_t *next_due_ms)
{
    static const struct str_list none;
    struct err err = { 0 };
    return visit_step(visit, &none, &f->arena, messages, next_due_ms, &err);
}

static void begin_visit(struct fixture *f, struct visit *visit)
{
    struct err err = { 0 };
    const struct visit_wish wish = { .caller = &agents_key, .cluster = STR("default"), .container_instance = f->instance, .stays = true, .announced = true };
    CHECK("a visit", visit_begin(f->sessions, visit, &wish, &f->arena, &err));
}

static void await_news(struct fixture *f, const struct visit *visit)
{
    while (sessions_next_ready(f->sessions) != visit) { sched_yield(); }
}

/* The id in a step's only message. */
static struct str told_id(struct fixture *f, const struct str_list *messages)
{
    struct err err = { 0 };
    CHECK_EQ("one message", messages->count, 1);
    if (messages->count == 0) { return STR(""); }
    return json_get_str(json_get(json_parse(messages->items[0], &f->arena, &err), STR("message")), STR("messageId"));
}

static void test_visit_that_stays(void)
{
    struct fixture f;
    struct visit visit;
    struct str_list messages;
    int64_t due_ms = INT64_MIN;
    open_fixture(&f);
    begin_visit(&f, &visit);
    enum visit_state state = step(&f, &visit, &messages, &due_ms);
    while (state == VISIT_WAITS) {                        /* its presence is written down first */
        await_news(&f, &visit);
        state = step(&f, &visit, &messages, &due_ms);
    }
    CHECK("that was announced", is_connected(&f) && atomic_load(&f.announced) > 0);
    CHECK_EQ("then comes the manifest", state, VISIT_NEWS);
    struct str manifest = told_id(&f, &messages);
    CHECK("that is not said again at once", due_ms > clock_monotonic_ms() && due_ms != INT64_MAX);
    CHECK_EQ("and so there is nothing", step(&f, &visit, &messages, &due_ms), VISIT_WAITS);

    (void)run_task(&f);
    await_news(&f, &visit);
    CHECK_EQ("a task is news", step(&f, &visit, &messages, &due_ms), VISIT_NEWS);
    struct str payload = told_id(&f, &messages);
    visit_ack(&visit, STR("m1"));
    visit_ack(&visit, manifest);
    due_ms = INT64_MIN;
    CHECK_EQ("there is no more", step(&f, &visit, &messages, &due_ms), VISIT_WAITS);
    CHECK("for now", due_ms != INT64_MAX);
    visit_ack(&visit, payload);
    due_ms = INT64_MIN;
    CHECK_EQ("there is no more", step(&f, &visit, &messages, &due_ms), VISIT_WAITS);
    CHECK("ever: all is acknowledged", due_ms == INT64_MAX);
    visit_end(&visit);
    close_fixture(&f);
}

static void test_visits_replaced(void)
{
    struct fixture f;
    struct visit first, second;
    struct str_list messages;
    int64_t due_ms = INT64_MIN;
    open_fixture(&f);
    begin_visit(&f, &first);
    begin_visit(&f, &second);
    CHECK("the older one gets it", sessions_next_ready(f.sessions) == &first);
    CHECK_EQ("that it is over", step(&f, &first, &messages, &due_ms), VISIT_REPLACED);
    visit_end(&first);
    CHECK_EQ("its end is not that of the newer one", sessions_lost(f.sessions, clock_monotonic_ms() + 60000, &(struct id){ 0 }, 1), 0);
    visit_end(&second);
    CHECK_EQ("this one's is", sessions_lost(f.sessions, clock_monotonic_ms() + 60000, &(struct id){ 0 }, 1), 1);
    close_fixture(&f);
}

int main(void)
{
    test_visit_that_stays();
    test_visits_replaced();
    test_first_poll();
    test_messages_until_acked();
    test_new_session();
    test_registered_again();
    test_wake();
    test_replaced();
    test_taking_turns();
    test_stop_candidates();
    test_inactive();
    test_lost();
    test_not_lost();
    test_grace_after_start();
    test_lease_told();
    test_lease_over();
    test_crowd_and_stop();
    return check_report();
}
