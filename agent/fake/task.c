/* task.c: a task that runs because a timer says so. It starts after a moment, its output names it as simulated and lists its GPUs, and it ends
 * with exit code 0 when its time is over or when it is stopped. */
#include "agent/fake/task.h"

#include <stdlib.h>

#include "agent/task/environment.h"
#include "agent/link/session.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/rng.h"
#include "model/gpu.h"

enum {
    START_MIN_MS = 20, START_SPAN_MS = 80, STOP_MIN_MS = 10, STOP_SPAN_MS = 40, LOG_TIMEOUT_MS = 20000, LOG_AGAIN_MS = 2000,
    BODY_ARENA_MAX = 4 * 1024 * 1024, RUNTIME_ID_HEAD = 32,
};

static char *copy(struct str text)
{
    char *bytes = strndup(text.ptr == NULL ? "" : text.ptr, text.len);
    ASSERT(bytes != NULL);
    return bytes;
}

static struct str task_id(const struct fake_task *task)
{
    const char *slash = strrchr(task->arn, '/');
    return str_from(slash == NULL ? task->arn : slash + 1);
}

static void set_timer(struct fake_task *task, int64_t ms)
{
    timers_set(client_timers(task->host->client), &task->timer, client_now(task->host->client) + ms);
}

static int64_t a_moment(struct fake_task *task, int64_t min_ms, int64_t span_ms)
{
    return min_ms + (int64_t)rng_below(client_rng(task->host->client), (uint64_t)span_ms);
}

/* ---- reports ---- */

static void put(struct json_out *out, struct str name, struct str value)
{
    json_key(out, name);
    json_str(out, value);
}

static void put_time(struct json_out *out, struct str name, int64_t ms)
{
    if (ms == 0) { return; }
    json_key(out, name);
    json_time(out, ms);
}

static void put_containers(struct json_out *out, const struct fake_task *task, struct str status, struct arena *arena)
{
    const char *name = task->names;
    json_open(out, '[');
    for (size_t c = 0; c < task->count; c++, name += strlen(name) + 1) {
        struct str head = str_slice(task_id(task), 0, RUNTIME_ID_HEAD);
        json_open(out, '{');
        put(out, STR("containerName"), str_from(name));
        put(out, STR("runtimeId"), arena_printf(arena, "simulated-" STR_FMT "-%zu", STR_ARG(head), c + 1));
        put(out, STR("status"), status);
        if (task->state == FAKE_STOPPED) {
            json_key(out, STR("exitCode"));
            json_i64(out, 0);
        }
        json_close(out, '}');
    }
    json_close(out, ']');
}

/* Nobody reaches a simulated task, so its address is one that no network has (240.0.0.0/4), and another one for each task: targets are told apart by it. */
static void put_attachments(struct json_out *out, const struct fake_task *task, struct arena *arena)
{
    uint32_t number = 2166136261u;                               /* FNV-1a */
    if (task->attachment == NULL) { return; }
    for (const char *at = task->arn; *at != '\0'; at++) { number = (number ^ (unsigned char)*at) * 16777619u; }
    unsigned bytes[] = { 240 | number >> 28, number >> 16 & 255, number >> 8 & 255, number & 255 };
    const struct { struct str name, value; } details[] = {
        { STR("privateIPv4Address"), arena_printf(arena, "%u.%u.%u.%u", bytes[0], bytes[1], bytes[2], bytes[3]) },
        { STR("macAddress"), arena_printf(arena, "02:00:%02x:%02x:%02x:%02x", bytes[0], bytes[1], bytes[2], bytes[3]) },
    };
    json_key(out, STR("attachments"));
    json_open(out, '[');
    json_open(out, '{');
    put(out, STR("attachmentArn"), str_from(task->attachment));
    put(out, STR("status"), STR("ATTACHED"));
    json_key(out, STR("details"));
    json_open(out, '[');
    for (size_t d = 0; d < COUNT_OF(details); d++) {
        json_open(out, '{');
        put(out, STR("name"), details[d].name);
        put(out, STR("value"), details[d].value);
        json_close(out, '}');
    }
    json_close(out, ']');
    json_close(out, '}');
    json_close(out, ']');
}

static void report(struct fake_task *task, struct str status)
{
    struct arena arena = { .ceiling = BODY_ARENA_MAX };
    struct buf body = buf_in(&arena);
    struct json_out out = json_out_to(&body);
    json_open(&out, '{');
    put(&out, STR("cluster"), str_from(task->host->cluster));
    put(&out, STR("task"), str_from(task->arn));
    put(&out, STR("status"), status);
    put(&out, STR("reason"), STR(""));
    put_time(&out, STR("pullStartedAt"), task->pull_ms);
    put_time(&out, STR("pullStoppedAt"), task->pull_ms);
    put_time(&out, STR("executionStoppedAt"), task->stopped_ms);
    json_key(&out, STR("containers"));
    put_containers(&out, task, status, &arena);
    put_attachments(&out, task, &arena);
    json_close(&out, '}');
    report_send(&task->line, buf_str(&body), task->state == FAKE_STOPPED);
    arena_finish(&arena);
}

/* ---- output ---- */

static const char *name_at(const struct fake_task *task, size_t index)
{
    const char *name = task->names;
    for (size_t c = 0; c < index; c++) { name += strlen(name) + 1; }
    return name;
}

static void log_next(void *owner)
{
    struct fake_task *task = owner;
    if (task->logged >= task->count) { return; }
    struct arena arena = { .ceiling = BODY_ARENA_MAX };
    const char *name = name_at(task, task->logged);
    struct log_chunk chunk = {
        .cluster = str_from(task->host->cluster), .task = str_from(task->arn), .container = str_from(name), .offset = opt_int_of(0),
        .text = arena_printf(&arena, "simulated: container %s of task " STR_FMT " on %s, GPUs: %s\n", name, STR_ARG(task_id(task)),
                             task->machine_name, task->gpus[0] == '\0' ? "none" : task->gpus),
    };
    struct buf body = buf_in(&arena);
    struct json_out out = json_out_to(&body);
    schema_print(&log_chunk_schema, &chunk, &out);
    client_start(task->host->client, &task->log_call, buf_str(&body));
    arena_finish(&arena);
}

static void finish_when_told(struct fake_task *task)
{
    if (task->state != FAKE_STOPPED || task->logged < task->count) { return; }
    ASSERT(task->logged == task->count && task->stopped_ms > 0);
    report(task, STR("STOPPED"));
}

static void on_logged(void *owner, const struct reply *reply)
{
    struct fake_task *task = owner;
    if (reply->err.code != ERR_NONE && reply_is_transient(reply)) {
        timers_set(client_timers(task->host->client), &task->log_timer, client_now(task->host->client) + LOG_AGAIN_MS);
        return;
    }
    ASSERT(task->logged < task->count);
    task->logged++;
    log_next(task);
    finish_when_told(task);                      /* output first, then the end */
}

/* ---- life ---- */

static void on_timer(void *owner)
{
    struct fake_task *task = owner;
    switch (task->state) {
    case FAKE_STARTING:
        ASSERT(task->pull_ms == 0 && task->stopped_ms == 0);
        task->state = FAKE_RUNNING;
        task->pull_ms = clock_now_ms();
        report(task, STR("RUNNING"));
        log_next(task);
        if (task->host->task_ms > 0) { set_timer(task, task->host->task_ms); }
        break;
    case FAKE_RUNNING:
    case FAKE_STOPPING:
        if (task->pull_ms == 0) { task->logged = task->count; }            /* stopped before it ran: it has printed nothing */
        task->state = FAKE_STOPPED;
        task->stopped_ms = clock_now_ms();
        finish_when_told(task);
        break;
    case FAKE_STOPPED:
        break;
    }
}

static void on_settled(void *owner)
{
    struct fake_task *task = owner;
    task->host->over(task->machine, task);
}

/* The containers' names, and the GPUs of all of them. */
static void read_wire(struct fake_task *task, const struct wire_task *wire)
{
    struct arena arena = { .ceiling = BODY_ARENA_MAX };
    struct buf names = buf_in(&arena), gpus = buf_in(&arena);
    for (size_t c = 0; c < wire->containers.count; c++) {
        const struct wire_container *container = &wire->containers.items[c];
        int64_t share;
        struct str_list ids = environment_gpus(wire, container, &share, &arena);
        buf_put(&names, container->name);
        buf_put_char(&names, '\0');
        for (size_t g = 0; g < ids.count; g++) {
            if (gpus.len > 0) { buf_put_char(&gpus, ','); }
            buf_put(&gpus, ids.items[g]);
            if (share < GPU_SHARE_WHOLE) { buf_printf(&gpus, " (%g of it)", (double)share / GPU_SHARE_WHOLE); }
        }
    }
    task->count = wire->containers.count;
    if (wire->interfaces.count > 0) { task->attachment = copy(wire->interfaces.items[0].attachment_arn); }
    task->gpus = copy(buf_str(&gpus));
    task->names = malloc(names.len + 1);
    ASSERT(task->names != NULL);
    if (names.len > 0) { memcpy(task->names, names.ptr, names.len); }
    arena_finish(&arena);
}

struct fake_task *fake_task_create(const struct fake_host *host, void *machine, const char *machine_name, struct str arn,
                                   const struct wire_task *wire)
{
    struct fake_task *task = calloc(1, sizeof *task);
    ASSERT(task != NULL);
    task->host = host;
    task->machine = machine;
    task->machine_name = machine_name;
    task->arn = copy(arn);
    if (wire != NULL) { read_wire(task, wire); }
    if (host->silent) { task->logged = task->count; }
    task->timer = (struct timer){ .fire = on_timer, .owner = task };
    task->log_timer = (struct timer){ .fire = log_next, .owner = task };
    task->log_call = (struct call){
        .endpoint = host->server, .path = "/berth/v1/agent/logs", .kind = CALL_SHORT, .timeout_ms = LOG_TIMEOUT_MS, .done = on_logged, .owner = task,
    };
    report_line_init(&task->line, host->reporter, on_settled, task);
    if (wire != NULL) {
        set_timer(task, a_moment(task, START_MIN_MS, START_SPAN_MS));
    } else {
        task->state = FAKE_RUNNING;
        if (host->task_ms > 0) { set_timer(task, host->task_ms); }
    }
    return task;
}

void fake_task_stop(struct fake_task *task)
{
    if (task->state == FAKE_STOPPING || task->state == FAKE_STOPPED) { return; }
    ASSERT(task->stopped_ms == 0);
    task->state = FAKE_STOPPING;
    set_timer(task, a_moment(task, STOP_MIN_MS, STOP_SPAN_MS));
}

void fake_task_destroy(struct fake_task *task)
{
    struct timers *timers = client_timers(task->host->client);
    timers_cancel(timers, &task->timer);
    timers_cancel(timers, &task->log_timer);
    client_cancel(task->host->client, &task->log_call);
    report_line_finish(&task->line);
    free(task->arn);
    free(task->names);
    free(task->gpus);
    free(task->attachment);
    free(task);
}
