/* task_logs.c: GET /berth/v1/logs?task=&container=&follow&explain, the output of a task's containers as text. `follow` sends the output so far and
 * then more as it comes; with `explain` the answer is an error that says why when there is no output and none will come. */
#include "server/paths/viewers.h"

#include "base/clock.h"
#include "server/front/answers.h"
#include "server/logs/silence.h"

enum {
    FOLLOW_PIECE = 64 * 1024,
    FOLLOW_SILENCE_MS = 5 * 60 * 1000,       /* a log without new output is followed for this long */
    FOLLOW_LOOK_MS = 1000,                   /* how often a follower asks whether the task still runs */
};

static bool find_log_task(struct http_request *request, struct id *task, struct err *err)
{
    struct str text = http_parameter(request, STR("task"));
    size_t slash = text.len;
    while (slash > 0 && text.ptr[slash - 1] != '/') { slash--; }
    if (id_parse(str_slice(text, slash, text.len), task)) { return true; }
    return err_set(err, ERR_INVALID_PARAMETER, "Say which task: ?task=<id or ARN>.");
}

static bool task_runs(const struct viewer_paths *paths, struct id id, struct arena *arena)
{
    struct store_txn *txn = store_read_begin(paths->front->store);
    const struct task *task = store_task(txn, id, arena);
    bool runs = task != NULL && task_is_live(task);
    return store_read_end(txn) && runs;
}

/* Sends the output until the task has stopped or the reader has gone. */
static void follow_log(const struct viewer_paths *paths, struct http_request *request, struct id task, struct str container)
{
    struct arena arena;
    arena_init(&arena, 16u << 20);
    int64_t position = 0, wrote_ms = clock_monotonic_ms();
    for (bool good = true; good;) {
        bool runs = task_runs(paths, task, &arena);      /* asked first, so that all it wrote before it stopped is sent below */
        uint64_t turn = logs_turn(paths->logs);
        struct buf out = buf_in(&arena);
        (void)logs_read(paths->logs, task, container, &position, FOLLOW_PIECE, &out);
        int64_t now_ms = clock_monotonic_ms();
        if (out.len > 0) {
            wrote_ms = now_ms;
            good = http_stream_write(request, buf_str(&out));
        } else if (!runs || now_ms - wrote_ms > FOLLOW_SILENCE_MS || atomic_load(paths->front->stopping) || http_peer_left(request)) {
            good = false;
        } else {
            (void)logs_wait(paths->logs, turn, now_ms + FOLLOW_LOOK_MS);
        }
        arena_reset(&arena);
    }
    arena_finish(&arena);
}

static void print_logs(const struct viewer_paths *paths, struct id task, const struct str *names, size_t count, struct buf *out)
{
    ASSERT(count <= LOGS_CONTAINERS_MAX);                 /* choose_containers made the list */
    for (size_t n = 0; n < count; n++) {
        int64_t position = 0;
        if (count > 1) { buf_printf(out, "%s==> " STR_FMT " <==\n", n > 0 ? "\n" : "", STR_ARG(names[n])); }
        (void)logs_read(paths->logs, task, names[n], &position, (size_t)LOGS_FILE_MAX * 2, out);
    }
}

static bool choose_containers(const struct viewer_paths *paths, struct http_request *request, struct id task, struct str *names, size_t *count,
                              struct err *err)
{
    struct str container = http_parameter(request, STR("container"));
    *count = 1;
    if (!str_is_set(container)) {
        *count = logs_containers(paths->logs, task, names, LOGS_CONTAINERS_MAX, request->arena);
    } else if (!names_is_valid(container) || container.len > LOGS_NAME_MAX) {
        return err_set(err, ERR_INVALID_PARAMETER, "The container's name is not valid.");
    } else {
        names[0] = container;
    }
    return true;
}

static bool is_silent(const struct viewer_paths *paths, struct id task, const struct str *names, size_t count, struct arena *arena)
{
    struct buf nothing = buf_in(arena);
    int64_t before;
    return count == 0 || (count == 1 && !logs_read_end(paths->logs, task, names[0], 0, &before, &nothing));
}

/* ?explain: where there is no output and none will come, the answer is an error that says why, also for a follower. */
static bool explain_silence(const struct viewer_paths *paths, struct http_request *request, struct id task, struct str *names, size_t *count, struct err *err)
{
    if (!str_is_set(http_parameter(request, STR("explain"))) || !is_silent(paths, task, names, *count, request->arena)) { return true; }
    struct str container = http_parameter(request, STR("container"));
    bool good = logs_explain(paths->front->store, task, &container, request->arena, err);
    if (str_is_set(container)) {
        names[0] = container;
        *count = 1;
    }
    return good;
}

void logs_handle(const void *context, struct http_request *request, struct http_answer *answer, const struct caller *caller)
{
    const struct viewer_paths *paths = context;
    (void)caller;
    struct err err = { 0 };
    struct id task;
    struct str *names = ARENA_NEW(request->arena, struct str, LOGS_CONTAINERS_MAX);
    size_t count = 0;
    bool follow = str_is_set(http_parameter(request, STR("follow")));
    bool good = find_log_task(request, &task, &err) && choose_containers(paths, request, task, names, &count, &err)
        && explain_silence(paths, request, task, names, &count, &err);
    if (good && follow && count != 1) {
        good = err_set(&err, ERR_INVALID_PARAMETER, "Say which container to follow: &container=<name>.");
    }
    good = good && (!follow || viewers_enter(paths->stream, &err));
    metrics_count(paths->front->metrics, NULL, err.code);
    if (!good) {
        answer_error(answer, &err);
        return;
    }
    answer->type = STR("text/plain; charset=utf-8");
    answer->headers = live_headers;
    if (!follow) {
        print_logs(paths, task, names, count, &answer->body);
        return;
    }
    if (http_stream_begin(request, answer)) { follow_log(paths, request, task, names[0]); }
    stream_leave(paths->stream);
}
