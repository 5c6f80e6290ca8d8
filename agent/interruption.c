/* interruption.c: one thread looks each second, and hands each new notice to the loop, which does the rest. A notice whose time is over is
 * ignored: a file from before the machine was stopped and started again says nothing about now. */
#include "agent/interruption.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "agent/docker/docker.h"
#include "agent/metadata.h"
#include "agent/link/session.h"
#include "agent/core/state_file.h"
#include "base/clock.h"
#include "base/lock.h"
#include "base/log.h"
#include "base/num.h"

enum {
    LOOK_MS = 1000, TICK_MS = 1000, OVER_MS = 60 * 1000, ORDER_MS = 3000, END_MARGIN_MS = 5000, STOP_SLACK_S = 10,
    PAUSE_FIRST_MS = 250, PAUSE_MOST_MS = 5000, CALL_MS = 10000, CHECK_MS = 2000, ARENA_MAX = 1024 * 1024,
};

struct interruption {
    struct interruption_config config;
    struct metadata *metadata;                   /* the thread's; NULL: no service is asked */
    pthread_t thread;
    struct lock lock;
    struct lock_signal changed;
    bool stopping;                               /* guarded by lock */
    int64_t found_ms;                            /* guarded by lock: the end that was found; wall clock, 0: none */
    struct post post;
    bool posted;                                 /* guarded by lock */
    /* the loop's */
    int64_t end_ms, heard_ms;                    /* wall clock, 0: no notice; when it was read, monotonic */
    bool asked, drained, stopping_told;
    int64_t pause_ms;
    struct call drain, check;
    struct timer again, tick;
};

/* ---- the notice ---- */

bool notice_parse(struct str text, int64_t *end_ms, struct arena *arena, struct err *err)
{
    const struct json *json = json_parse(text, arena, err);
    if (json == NULL) { return false; }
    struct str action = json_get_str(json, STR("action"));
    bool known = str_eq(action, STR("terminate")) || str_eq(action, STR("stop")) || str_eq(action, STR("hibernate"));
    if (str_is_set(action) && !known) { return false; }
    int64_t end_ns;
    if (!known || !docker_parse_time(json_get_str(json, STR("time")), &end_ns) || end_ns <= 0) {
        return err_set(err, ERR_INVALID_PARAMETER, "a notice has the form {\"action\":\"terminate\",\"time\":\"2026-01-31T12:00:00Z\"}");
    }
    *end_ms = end_ns / 1000000;
    return true;
}

static const int64_t year_2262_ms = 9214646400000;     /* notice_parse reads no later times */

bool notice_write(const char *file, int64_t end_ms, struct err *err)
{
    char text[128], when[32];
    time_t seconds = (time_t)(end_ms / 1000);
    struct tm parts;
    if (end_ms <= 0 || end_ms >= year_2262_ms || gmtime_r(&seconds, &parts) == NULL || strftime(when, sizeof when, "%Y-%m-%dT%H:%M:%SZ", &parts) == 0) {
        return err_set(err, ERR_INVALID_PARAMETER, "A notice names a time before the year 2262.");
    }
    (void)snprintf(text, sizeof text, "{\"action\":\"terminate\",\"time\":\"%s\"}\n", when);
    return state_file_write(file, str_from(text), err);
}

bool notice_path(const char *data_dir, char *path, size_t size, struct err *err)
{
    if (snprintf(path, size, "%s/notice.json", data_dir) < (int)size) { return true; }
    return err_set(err, ERR_INVALID_PARAMETER, "The folder's name is too long: %s", data_dir);
}

/* ---- the thread ---- */

static int64_t look_at(struct str text, const char *where, bool *troubled, struct arena *arena)
{
    int64_t end_ms;
    struct err err = { 0 };
    bool good = notice_parse(text, &end_ms, arena, &err);
    if (!good && err.code != ERR_NONE && !*troubled) { log_line(LOG_WARN, "agent", "a notice cannot be read from=%s: %s", where, err.message); }
    *troubled = err.code != ERR_NONE;
    return good && end_ms > clock_now_ms() - OVER_MS ? end_ms : 0;
}

/* The earliest end of all notices; 0: none. */
static int64_t look(struct interruption *interruption, bool troubled[2])
{
    struct arena arena = { .ceiling = ARENA_MAX };
    struct str text;
    struct err err = { 0 };
    int64_t from_file = 0, from_cloud = 0;
    if (!state_file_read(interruption->config.file, &text, &arena, &err)) {
        if (!troubled[0]) { log_line(LOG_WARN, "agent", "%s", err.message); }
        troubled[0] = true;
    } else if (str_is_set(text)) {
        from_file = look_at(text, interruption->config.file, &troubled[0], &arena);
    }
    if (interruption->metadata != NULL && metadata_get(interruption->metadata, "/latest/meta-data/spot/instance-action", &text, &arena) == METADATA_FOUND) {
        from_cloud = look_at(text, "metadata", &troubled[1], &arena);
    }
    arena_finish(&arena);
    return from_file == 0 || (from_cloud != 0 && from_cloud < from_file) ? from_cloud : from_file;
}

static void *interruption_main(void *owner)
{
    struct interruption *interruption = owner;
    bool troubled[2] = { false, false };
    lock_take(&interruption->lock);
    while (!interruption->stopping) {
        lock_drop(&interruption->lock);
        int64_t end_ms = look(interruption, troubled);
        lock_take(&interruption->lock);
        if (end_ms != 0 && end_ms != interruption->found_ms && !interruption->posted) {
            interruption->found_ms = end_ms;
            interruption->posted = client_post(interruption->config.client, &interruption->post);
        }
        if (!interruption->stopping) { (void)lock_wait_until(&interruption->changed, &interruption->lock, clock_monotonic_ms() + LOOK_MS); }
    }
    lock_drop(&interruption->lock);
    return NULL;
}

/* ---- the loop's thread ---- */

static void later(struct interruption *interruption, struct timer *timer, int64_t ms)
{
    timers_set(client_timers(interruption->config.client), timer, client_now(interruption->config.client) + ms);
}

/* A request about this machine's instance; `status`: the one to set, absent: only a question. */
static void ask(struct interruption *interruption, struct call *call, struct str status)
{
    struct arena arena = { .ceiling = ARENA_MAX };
    struct buf body = buf_in(&arena);
    struct json_out out = json_out_to(&body);
    json_open(&out, '{');
    json_key(&out, STR("cluster"));
    json_str(&out, str_from(interruption->config.cluster));
    json_key(&out, STR("containerInstances"));
    json_open(&out, '[');
    json_str(&out, interruption->config.instance(interruption->config.owner));
    json_close(&out, ']');
    if (str_is_set(status)) {
        json_key(&out, STR("status"));
        json_str(&out, status);
    }
    json_close(&out, '}');
    client_start(interruption->config.client, call, buf_str(&body));
    arena_finish(&arena);
}

static void ask_to_drain(void *owner)
{
    struct interruption *interruption = owner;
    if (interruption->config.instance(interruption->config.owner).len == 0) {
        later(interruption, &interruption->again, TICK_MS);
        return;
    }
    ask(interruption, &interruption->drain, STR("DRAINING"));
}

/* The only instance in an answer about instances; NULL: the answer has none, or the call failed. */
static const struct json *instance_in(const struct reply *reply, struct arena *arena)
{
    struct err err = { 0 };
    const struct json *tree = reply->err.code == ERR_NONE ? json_parse(reply->body, arena, &err) : NULL;
    const struct json *instances = json_get(tree, STR("containerInstances"));
    return instances != NULL && instances->type == JSON_ARRAY && instances->count == 1 ? &instances->as.items[0] : NULL;
}

/* A failure of the instance itself is in the answer, as for any client that drains several. */
static void drain_answer(void *owner, const struct reply *reply)
{
    struct interruption *interruption = owner;
    if (reply->closing) { return; }
    struct arena arena = { .ceiling = ARENA_MAX };
    if (instance_in(reply, &arena) != NULL) {
        interruption->drained = true;
        log_line(LOG_INFO, "agent", "this machine is DRAINING");
    } else {
        const char *why = reply->err.code != ERR_NONE ? reply->err.message : "the server refuses it";
        log_line(LOG_WARN, "agent", "this machine cannot be set DRAINING, trying again: %s", why);
        interruption->pause_ms = backoff_next(interruption->pause_ms, PAUSE_FIRST_MS, PAUSE_MOST_MS, client_rng(interruption->config.client));
        later(interruption, &interruption->again, interruption->pause_ms);
    }
    arena_finish(&arena);
}

/* Tasks are stopped after the machine drains, unless that takes too long. */
static void go_on(struct interruption *interruption)
{
    int64_t left_ms = interruption->end_ms - clock_now_ms(), now_ms = clock_monotonic_ms();
    int64_t lead_s = max_i64(INTERRUPTION_LEAD_S, interruption->config.longest_stop_s(interruption->config.owner) + STOP_SLACK_S);
    bool in_order = interruption->drained || now_ms - interruption->heard_ms >= ORDER_MS;
    if (left_ms <= lead_s * 1000 && in_order) {
        if (!interruption->stopping_told) { log_line(LOG_INFO, "agent", "stopping all tasks, %lld s before the end", (long long)(max_i64(0, left_ms) / 1000)); }
        interruption->stopping_told = true;
        interruption->config.stop_all(interruption->config.owner, now_ms + max_i64(1, left_ms - END_MARGIN_MS));
    }
    if (left_ms > -OVER_MS) { later(interruption, &interruption->tick, in_order ? TICK_MS : TICK_MS / 10); }
}

/* Somebody has set the machine ACTIVE: it stays, and tasks that are placed on it now run on. The same notice is not used again. */
static void check_answer(void *owner, const struct reply *reply)
{
    struct interruption *interruption = owner;
    if (reply->closing) { return; }
    struct arena arena = { .ceiling = ARENA_MAX };
    if (str_eq(json_get_str(instance_in(reply, &arena), STR("status")), STR("ACTIVE"))) {
        log_line(LOG_WARN, "agent", "this machine was set ACTIVE again: the notice is over");
        interruption->asked = interruption->drained = interruption->stopping_told = false;
    } else {
        go_on(interruption);                         /* a server that does not answer has changed nothing */
    }
    arena_finish(&arena);
}

static void on_tick(void *owner)
{
    struct interruption *interruption = owner;
    ASSERT(interruption->end_ms != 0);                            /* on_found sets it before the timer */
    if (!interruption->drained) {
        go_on(interruption);
    } else {
        ask(interruption, &interruption->check, (struct str){ NULL, 0 });
    }
}

static void on_found(void *owner)
{
    struct interruption *interruption = owner;
    lock_take(&interruption->lock);
    interruption->posted = false;
    interruption->end_ms = interruption->found_ms;
    lock_drop(&interruption->lock);
    log_line(LOG_WARN, "agent", "this machine will be taken away in %lld s", (long long)((interruption->end_ms - clock_now_ms()) / 1000));
    if (!interruption->asked) {
        interruption->asked = true;
        interruption->heard_ms = clock_monotonic_ms();
        ask_to_drain(interruption);
    }
    if (!interruption->check.active && !interruption->check.queued) { later(interruption, &interruption->tick, 0); }
}

/* ---- beginning and end ---- */

struct interruption *interruption_start(const struct interruption_config *config, struct err *err)
{
    struct interruption *interruption = calloc(1, sizeof *interruption);
    ASSERT(interruption != NULL);
    interruption->config = *config;
    lock_init(&interruption->lock);
    lock_signal_init(&interruption->changed);
    interruption->post = (struct post){ .run = on_found, .owner = interruption };
    interruption->again = (struct timer){ .fire = ask_to_drain, .owner = interruption };
    interruption->tick = (struct timer){ .fire = on_tick, .owner = interruption };
    interruption->drain = (struct call){
        .endpoint = config->server, .path = "/", .operation = "UpdateContainerInstancesState", .kind = CALL_SHORT, .timeout_ms = CALL_MS,
        .done = drain_answer, .owner = interruption,
    };
    interruption->check = (struct call){
        .endpoint = config->server, .path = "/", .operation = "DescribeContainerInstances", .kind = CALL_SHORT, .timeout_ms = CHECK_MS,
        .done = check_answer, .owner = interruption,
    };
    if (config->ask_metadata) { interruption->metadata = metadata_create(NULL); }
    if (pthread_create(&interruption->thread, NULL, interruption_main, interruption) == 0) { return interruption; }
    err_set(err, ERR_SERVER, "There is no thread for notices.");
    metadata_destroy(interruption->metadata);
    lock_signal_finish(&interruption->changed);
    lock_finish(&interruption->lock);
    free(interruption);
    return NULL;
}

void interruption_stop(struct interruption *interruption)
{
    if (interruption == NULL) { return; }
    lock_take(&interruption->lock);
    interruption->stopping = true;
    lock_wake_all(&interruption->changed);
    lock_drop(&interruption->lock);
    ASSERT(pthread_join(interruption->thread, NULL) == 0);
    timers_cancel(client_timers(interruption->config.client), &interruption->again);
    timers_cancel(client_timers(interruption->config.client), &interruption->tick);
    client_cancel(interruption->config.client, &interruption->drain);
    client_cancel(interruption->config.client, &interruption->check);
    metadata_destroy(interruption->metadata);
    lock_signal_finish(&interruption->changed);
    lock_finish(&interruption->lock);
    free(interruption);
}
