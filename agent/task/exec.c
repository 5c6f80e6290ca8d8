/* exec.c: two threads a command. One reads what the command prints and ships it, looks after the container, and reports how the command ended;
 * the other asks for input and feeds it. Both go on over calls that fail: bytes carry their offsets. */
#include "agent/task/exec.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/num.h"

enum {
    PIECE = 64 * 1024, ARENA_MAX = 16 * 1024 * 1024, CALL_MS = 15 * 1000, WAIT_S = 20, LOOK_MS = 500, PAUSE_MS = 200,
    FULL_PAUSE_MS = 50,                          /* the server holds as much as it may */
    SETTLE_TURNS = 3, LAST_TRIES = 20, END_OF_TEXT = 4,            /* ^D */
    CANNOT_RUN = 126,
};

struct exec {
    struct task_host *host;                      /* lent */
    struct arena arena;                          /* of the texts below */
    struct str runtime_id, session;
    struct exec_command command;
    struct exec_channel channel;
    pthread_t feeder;
    atomic_bool over;                            /* it has ended, or nobody needs it any more */
    int64_t shipped;                             /* bytes of output that the server has */
};

/* ---- calls ---- */

enum heard { HEARD_ANSWER, HEARD_NOTHING, HEARD_REFUSAL };      /* a refusal: the server does not know the session any more */

static enum heard ask(struct exec *exec, const struct exec_ask *words, struct str bytes, enum call_kind kind, struct exec_answer *answer,
                      struct str *input, struct arena *arena)
{
    struct err err = { 0 };
    struct buf body = buf_in(arena);
    struct json_out out = json_out_to(&body);
    struct str reply, head;
    bool transient;
    schema_print(&exec_ask_schema, words, &out);
    buf_put_char(&body, '\n');
    buf_put(&body, bytes);
    if (!client_call_kind(exec->host->client, kind, exec->host->server, "/berth/v1/agent/exec", buf_str(&body), CALL_MS + WAIT_S * 1000, &reply,
                          &transient, arena, &err)) {
        return transient ? HEARD_NOTHING : HEARD_REFUSAL;
    }
    (void)str_cut(reply, '\n', &head, input);
    const struct json *json = json_parse(head, arena, &err);
    bool good = json != NULL && schema_decode(&exec_answer_schema, json, answer, arena, ERR_INVALID_PARAMETER, &err);
    return good ? HEARD_ANSWER : HEARD_REFUSAL;
}

static bool goes_on(const struct exec *exec) { return !atomic_load(&exec->over) && !task_host_stopping(exec->host); }

/* ---- input ---- */

/* All of it, or as much as the command reads before it ends. */
static void feed(struct exec *exec, struct str bytes)
{
    while (bytes.len > 0 && goes_on(exec)) {
        struct pollfd ready = { exec->channel.fd, POLLOUT, 0 };
        if (poll(&ready, 1, LOOK_MS) <= 0) { continue; }
        ssize_t wrote = send(exec->channel.fd, bytes.ptr, bytes.len, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (wrote < 0 && errno == ENOTSOCK) { wrote = write(exec->channel.fd, bytes.ptr, bytes.len); }      /* a terminal */
        if (wrote < 0 && (errno == EAGAIN || errno == EINTR)) { continue; }
        if (wrote < 0) { return; }
        bytes = str_slice(bytes, (size_t)wrote, bytes.len);
    }
}

static void end_input(struct exec *exec)
{
    static const char end[] = { END_OF_TEXT };
    if (exec->command.tty) { feed(exec, (struct str){ end, sizeof end }); } else { (void)shutdown(exec->channel.fd, SHUT_WR); }
}

static void *feeder_main(void *arg)
{
    struct exec *exec = arg;
    struct arena arena = { .ceiling = ARENA_MAX };
    struct exec_ask words = { .session = exec->session, .from = opt_int_of(0), .wait = opt_int_of(WAIT_S) };
    words.rows = exec->command.rows;
    words.cols = exec->command.cols;
    bool ended = false;
    int settling = exec->command.tty && words.rows.value > 0 ? SETTLE_TURNS : 0;     /* an engine may lose a size while the command begins */
    while (goes_on(exec)) {
        struct exec_answer answer;
        struct str input;
        words.wait.value = settling > 0 ? 1 : WAIT_S;
        arena_reset(&arena);
        enum heard heard = ask(exec, &words, STR(""), CALL_LONG, &answer, &input, &arena);
        if (heard == HEARD_NOTHING) {
            clock_sleep_ms(PAUSE_MS);
            continue;
        }
        bool over = heard == HEARD_REFUSAL || str_is_set(answer.reason);
        if (over) {
            atomic_store(&exec->over, true);
            break;
        }
        if (answer.rows.value != words.rows.value || answer.cols.value != words.cols.value || settling > 0) {
            settling--;
            exec->host->runtime->ops->exec_resize(exec->host->runtime, &exec->channel, answer.rows.value, answer.cols.value);
            words.rows = answer.rows;
            words.cols = answer.cols;
        }
        feed(exec, input);
        words.from.value += (int64_t)input.len;
        if (answer.ended == OPT_TRUE && !ended) {
            ended = true;
            end_input(exec);
        }
        if (ended) { clock_sleep_ms(LOOK_MS); }                            /* there is nothing to wait for: only the end */
    }
    arena_finish(&arena);
    return task_end_thread(exec->host);
}

/* ---- output ---- */

static void ship(struct exec *exec, struct str bytes)
{
    struct arena arena = { .ceiling = ARENA_MAX };
    while (bytes.len > 0 && goes_on(exec)) {
        struct exec_answer answer;
        struct str ignored;
        const struct exec_ask words = { .session = exec->session, .offset = opt_int_of(exec->shipped) };
        arena_reset(&arena);
        switch (ask(exec, &words, bytes, CALL_SHORT, &answer, &ignored, &arena)) {
        case HEARD_NOTHING: clock_sleep_ms(PAUSE_MS); break;
        case HEARD_REFUSAL: atomic_store(&exec->over, true); break;
        case HEARD_ANSWER: {
            int64_t more = max_i64(answer.taken.value - exec->shipped, 0);
            bytes = str_slice(bytes, (size_t)more, bytes.len);
            exec->shipped += more;
            if (more == 0) { clock_sleep_ms(FULL_PAUSE_MS); }
            break;
        }
        }
    }
    arena_finish(&arena);
}

/* The end is sent until the server has it, but only LAST_TRIES times. */
static void tell_end(struct exec *exec, struct opt_int exit_code, const char *reason)
{
    struct arena arena = { .ceiling = ARENA_MAX };
    enum heard heard = HEARD_NOTHING;
    for (int tries = 0; tries < LAST_TRIES && heard == HEARD_NOTHING; tries++) {
        struct exec_answer answer;
        struct str ignored;
        struct exec_ask words = { .session = exec->session, .ended = OPT_TRUE, .exit_code = exit_code };
        if (reason[0] != '\0') { words.reason = str_from(reason); }
        arena_reset(&arena);
        heard = ask(exec, &words, STR(""), CALL_SHORT, &answer, &ignored, &arena);
        if (heard == HEARD_NOTHING) { clock_sleep_ms(PAUSE_MS); }
    }
    arena_finish(&arena);
}

static bool container_runs(struct exec *exec)
{
    struct arena arena = { .ceiling = ARENA_MAX };
    struct container_state state = { 0 };
    struct err err = { 0 };
    struct runtime *runtime = exec->host->runtime;
    bool known = runtime->ops->wait(runtime, exec->runtime_id, 0, NULL, &state, &arena, &err);
    arena_finish(&arena);
    return !known || state.running;                                        /* an engine that does not answer says nothing */
}

/* Until the command's end of the channel is closed, or nobody needs the command any more. */
static void carry(struct exec *exec)
{
    char *bytes = malloc(PIECE);
    ASSERT(bytes != NULL);
    int64_t look_ms = clock_monotonic_ms() + LOOK_MS;
    while (goes_on(exec)) {
        struct pollfd ready = { exec->channel.fd, POLLIN, 0 };
        int count = poll(&ready, 1, LOOK_MS);
        if (count > 0) {
            ssize_t got = read(exec->channel.fd, bytes, PIECE);
            if (got < 0 && (errno == EINTR || errno == EAGAIN)) { continue; }
            if (got <= 0) { break; }                                       /* of a terminal the end is EIO */
            ship(exec, exec_channel_text(&exec->channel, bytes, (size_t)got));
        }
        if (clock_monotonic_ms() < look_ms) { continue; }
        look_ms = clock_monotonic_ms() + LOOK_MS;
        if (!container_runs(exec)) { break; }
    }
    free(bytes);
}

static void run(struct exec *exec)
{
    struct runtime *runtime = exec->host->runtime;
    struct err err = { 0 };
    struct opt_int exit_code = { 0 };
    bool good = exec->runtime_id.len > 0 || err_set(&err, ERR_INVALID_PARAMETER, "The container does not run on this machine.");
    good = good && runtime->ops->exec(runtime, exec->runtime_id, &exec->command, &exec->channel, &err);
    if (!good) {
        tell_end(exec, opt_int_of(CANNOT_RUN), err.message);
        return;
    }
    bool fed = task_start_thread(exec->host, &exec->feeder, feeder_main, exec);
    if (fed) { carry(exec); } else { err_set(&err, ERR_SERVER, "The agent has no thread for it."); }
    bool wanted = goes_on(exec) && container_runs(exec);
    runtime->ops->exec_end(runtime, &exec->channel, !wanted, &exit_code);
    if (!wanted && goes_on(exec) && !exit_code.set) { err_set(&err, ERR_SERVER, "The container has ended."); }
    if (!atomic_load(&exec->over)) { tell_end(exec, exit_code, err.message); }
    atomic_store(&exec->over, true);
    if (fed) { pthread_join(exec->feeder, NULL); }
    exec_channel_close(&exec->channel);
}

static void free_exec(struct exec *exec)
{
    arena_finish(&exec->arena);
    free(exec);
}

static void *exec_main(void *arg)
{
    struct exec *exec = arg;
    struct task_host *host = exec->host;
    run(exec);
    log_line(LOG_INFO, "agent", "a command in a container has ended session=" STR_FMT, STR_ARG(exec->session));
    free_exec(exec);
    return task_end_thread(host);
}

void exec_begin(struct task_host *host, const struct wire_exec *message, struct str runtime_id)
{
    struct exec *exec = calloc(1, sizeof *exec);
    ASSERT(exec != NULL);
    exec->host = host;
    arena_init(&exec->arena, ARENA_MAX);
    exec->session = arena_str(&exec->arena, message->session);
    exec->runtime_id = arena_str(&exec->arena, runtime_id);
    exec->command = (struct exec_command){
        .words = { ARENA_NEW(&exec->arena, struct str, message->command.count), message->command.count },
        .tty = message->tty == OPT_TRUE, .rows = message->rows, .cols = message->cols,
    };
    for (size_t w = 0; w < message->command.count; w++) { exec->command.words.items[w] = arena_str(&exec->arena, message->command.items[w]); }
    log_line(LOG_INFO, "agent", "a command runs in a container task=" STR_FMT " container=" STR_FMT " session=" STR_FMT, STR_ARG(message->task_arn),
             STR_ARG(message->container), STR_ARG(message->session));
    pthread_t thread;
    if (!task_start_thread(host, &thread, exec_main, exec)) {
        log_line(LOG_WARN, "agent", "there is no thread for a command in a container");
        free_exec(exec);
        return;
    }
    pthread_detach(thread);
}
