/* exec.c: `berth exec TASK -- COMMAND`: one thread reads the input, the other prints the output. With a terminal at both ends the
 * command gets a terminal too, of the same size, and all keys go to it unchanged. */
#include "cli/cli.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "wire/wire.h"
#include "base/clock.h"
#include "base/num.h"
#include "cli/words.h"

enum {
    PIECE = 32 * 1024, WAIT_S = 5, LOOK_MS = 250, PAUSE_MS = 300, FULL_PAUSE_MS = 50, TROUBLE_MAX_MS = 45 * 1000, ARENA_MAX = 16 * 1024 * 1024,
    NOT_KNOWN = 255,                         /* exit status when the command's own is not known */
};

struct talk {
    const struct remote *remote;             /* borrowed */
    struct str session;
    bool tty;
    atomic_bool over;
};

static volatile sig_atomic_t left;

static void on_leave(int number)
{
    (void)number;
    left = 1;
}

/* ---- one call ---- */

/* Repeats the call while the server does not answer, for a limited time. False: *err. */
static bool ask(struct talk *talk, const struct exec_ask *words, struct str bytes, struct exec_answer *answer, struct str *output,
                struct arena *arena, struct err *err)
{
    struct buf body = buf_in(arena);
    struct json_out out = json_out_to(&body);
    struct str reply, head;
    schema_print(&exec_ask_schema, words, &out);
    buf_put_char(&body, '\n');
    buf_put(&body, bytes);
    for (int64_t until_ms = clock_monotonic_ms() + TROUBLE_MAX_MS;; clock_sleep_ms(PAUSE_MS)) {
        *err = (struct err){ 0 };
        if (remote_post(talk->remote, "/berth/v1/exec/io", buf_str(&body), &reply, arena, err)) { break; }
        if (err->code != ERR_UNAVAILABLE || clock_monotonic_ms() >= until_ms || left != 0) { return false; }
    }
    (void)str_cut(reply, '\n', &head, output);
    const struct json *json = json_parse(head, arena, err);
    return json != NULL && schema_decode(&exec_answer_schema, json, answer, arena, ERR_INVALID_PARAMETER, err);
}

/* ---- input ---- */

static void take_size(struct exec_ask *words)
{
    struct winsize size;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_row == 0 || size.ws_col == 0) { return; }
    words->rows = opt_int_of(size.ws_row);
    words->cols = opt_int_of(size.ws_col);
}

/* False: nobody reads it any more. */
static bool send_bytes(struct talk *talk, struct exec_ask *words, struct str bytes, struct arena *arena)
{
    do {
        struct err err = { 0 };
        struct exec_answer answer;
        struct str ignored;
        arena_reset(arena);
        if (!ask(talk, words, bytes, &answer, &ignored, arena, &err)) { return false; }
        int64_t more = max_i64(answer.taken.value - words->offset.value, 0);
        bytes = str_slice(bytes, (size_t)more, bytes.len);
        words->offset.value += more;
        if (more == 0 && bytes.len > 0) { clock_sleep_ms(FULL_PAUSE_MS); }
    } while (bytes.len > 0 && !atomic_load(&talk->over) && left == 0);
    return true;
}

static void *typing_main(void *context)
{
    struct talk *talk = context;
    struct arena arena = { .ceiling = ARENA_MAX };
    struct exec_ask words = { .session = talk->session, .offset = opt_int_of(0) };
    char *bytes = malloc(PIECE);
    ASSERT(bytes != NULL);
    if (talk->tty) { take_size(&words); }
    bool open = true;
    while (open && !atomic_load(&talk->over) && left == 0) {
        struct pollfd ready = { STDIN_FILENO, POLLIN, 0 };
        struct exec_ask before = words;
        int count = poll(&ready, 1, LOOK_MS);
        if (talk->tty) { take_size(&words); }
        ssize_t got = count > 0 ? read(STDIN_FILENO, bytes, PIECE) : -1;
        if (count > 0 && got < 0 && errno == EINTR) { continue; }
        bool ended = count > 0 && got <= 0, resized = before.rows.value != words.rows.value || before.cols.value != words.cols.value;
        if (ended) { words.ended = OPT_TRUE; }
        if (got > 0 || ended || resized) { open = send_bytes(talk, &words, (struct str){ bytes, got > 0 ? (size_t)got : 0 }, &arena) && !ended; }
    }
    free(bytes);
    arena_finish(&arena);
    return NULL;
}

/* ---- what comes ---- */

static bool print_all(struct str bytes)
{
    while (bytes.len > 0) {
        ssize_t wrote = write(STDOUT_FILENO, bytes.ptr, bytes.len);
        if (wrote < 0 && errno == EINTR) { continue; }
        if (wrote < 0) { return false; }
        ASSERT((size_t)wrote <= bytes.len);
        bytes = str_slice(bytes, (size_t)wrote, bytes.len);
    }
    return true;
}

static void leave(struct talk *talk, struct arena *arena)
{
    const struct exec_ask words = { .session = talk->session, .leaves = OPT_TRUE };
    struct exec_answer answer;
    struct str ignored;
    struct err err = { 0 };                  /* a server that does not get it notices our silence */
    (void)ask(talk, &words, STR(""), &answer, &ignored, arena, &err);
}

/* The exit status; *err says why when it is not the command's own. */
static int listen_to(struct talk *talk, struct err *err)
{
    struct arena arena = { .ceiling = ARENA_MAX };
    struct exec_ask words = { .session = talk->session, .from = opt_int_of(0), .wait = opt_int_of(WAIT_S) };
    struct exec_answer answer = { 0 };
    bool good = true, reader_gone = false;
    while (good && answer.ended != OPT_TRUE && left == 0) {
        struct str output;
        arena_reset(&arena);
        good = ask(talk, &words, STR(""), &answer, &output, &arena, err);
        if (good && !print_all(output)) {
            reader_gone = errno == EPIPE;
            left = 1;
        }
        if (good) { words.from.value += (int64_t)output.len; }
    }
    if (good && answer.ended != OPT_TRUE) {
        leave(talk, &arena);
        good = reader_gone || err_set(err, ERR_CLIENT, "interrupted; the command was ended.");
    }
    if (good && str_is_set(answer.reason)) { err_set(err, ERR_CLIENT, STR_FMT, STR_ARG(answer.reason)); }
    int status = good && answer.exit_code.set ? (int)answer.exit_code.value : NOT_KNOWN;
    arena_finish(&arena);
    return status;
}

/* ---- begin and end ---- */

static bool begin(const struct config *config, struct talk *talk, struct arena *arena, struct err *err)
{
    ASSERT(config->argument_count == 1 && config->rest_count > 0);
    struct str *command = ARENA_NEW(arena, struct str, config->rest_count);
    for (size_t w = 0; w < config->rest_count; w++) { command[w] = str_from(config->rest[w]); }
    struct exec_ask size = { 0 };
    if (talk->tty) { take_size(&size); }
    const struct exec_begin words = {
        .cluster = str_from(config_text(config, SETTING_CLUSTER)), .task = str_from(config->arguments[0]),
        .container = str_from(config_text(config, SETTING_CONTAINER)), .command = { command, config->rest_count },
        .tty = opt_bool_of(talk->tty), .rows = size.rows, .cols = size.cols,
    };
    struct buf body = buf_in(arena);
    struct json_out out = json_out_to(&body);
    struct str reply;
    schema_print(&exec_begin_schema, &words, &out);
    if (!remote_post(talk->remote, "/berth/v1/exec", buf_str(&body), &reply, arena, err)) { return false; }
    const struct json *json = json_parse(reply, arena, err);
    talk->session = json_get_str(json, STR("session"));
    return json != NULL && (str_is_set(talk->session) || err_set(err, ERR_SERVER, "the server's answer has no session."));
}

static int run(struct talk *talk, struct err *err)
{
    ASSERT(str_is_set(talk->session) && !atomic_load(&talk->over));
    struct termios usual, raw;
    struct sigaction leaves = { .sa_handler = on_leave };
    pthread_t typing;
    bool is_raw = talk->tty && tcgetattr(STDIN_FILENO, &usual) == 0;
    (void)sigaction(SIGINT, &leaves, NULL);
    (void)sigaction(SIGTERM, &leaves, NULL);
    (void)signal(SIGPIPE, SIG_IGN);
    if (is_raw) {
        raw = usual;
        cfmakeraw(&raw);
        (void)tcsetattr(STDIN_FILENO, TCSADRAIN, &raw);
    }
    int status = NOT_KNOWN;
    if (pthread_create(&typing, NULL, typing_main, talk) == 0) {
        status = listen_to(talk, err);
        atomic_store(&talk->over, true);
        ASSERT(pthread_join(typing, NULL) == 0);
    } else {
        err_set(err, ERR_SERVER, "a thread for the input can't be started.");
    }
    if (is_raw) { (void)tcsetattr(STDIN_FILENO, TCSADRAIN, &usual); }
    return status;
}

int cli_exec(const struct config *config, struct arena *arena, struct err *err)
{
    struct remote remote;
    struct talk talk = { .remote = &remote, .tty = isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1 };
    if (config->argument_count != 1 || config->rest_count == 0) {
        err_set(err, ERR_INVALID_PARAMETER, "a task and a command are needed: `berth exec TASK -- COMMAND`.");
        return 2;
    }
    if (!cli_remote(config, &remote, arena, err) || !begin(config, &talk, arena, err)) { return NOT_KNOWN; }
    return run(&talk, err);
}
