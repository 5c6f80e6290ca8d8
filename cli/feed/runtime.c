#include "cli/feed/runtime.h"

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"

enum { PATIENCE_MS = 5000, ANSWER_MAX = 64 << 20, COLUMNS_MAX = 32 };

/* ---- the socket ---- */

static int connect_to(const char *socket_path, struct err *err)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    struct timeval patience = { .tv_sec = PATIENCE_MS / 1000 };
    if (!str_to_cstr(str_from(socket_path), address.sun_path, sizeof address.sun_path)) {
        (void)err_set(err, ERR_INVALID_PARAMETER, "the path of a socket can't be longer than %zu bytes: %s", sizeof address.sun_path - 1, socket_path);
        return -1;
    }
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience) != 0
        || connect(fd, (const struct sockaddr *)&address, sizeof address) != 0) {
        (void)err_set(err, ERR_UNAVAILABLE, "HAProxy does not answer at %s: %s.", socket_path, strerror(errno));
        if (fd >= 0) { close(fd); }
        return -1;
    }
    return fd;
}

static bool read_answer(int fd, struct buf *answer)
{
    int64_t end_ms = clock_monotonic_ms() + PATIENCE_MS;
    for (;;) {
        struct pollfd readable = { fd, POLLIN, 0 };
        int64_t left_ms = end_ms - clock_monotonic_ms();
        if (left_ms <= 0 || poll(&readable, 1, (int)left_ms) != 1 || answer->len > ANSWER_MAX) { return false; }
        ssize_t got = read(fd, buf_room(answer, 64 * 1024), 64 * 1024);
        if (got == 0) { return true; }
        if (got < 0) { return false; }
        answer->len += (size_t)got;
    }
}

bool runtime_ask(const char *socket_path, struct str command, struct str *answer, struct arena *arena, struct err *err)
{
    int fd = connect_to(socket_path, err);
    if (fd < 0) { return false; }
    struct buf bytes = buf_in(arena);
    bool good = file_write_all(fd, arena_printf(arena, STR_FMT "\n", STR_ARG(command))) && shutdown(fd, SHUT_WR) == 0 && read_answer(fd, &bytes);
    close(fd);
    *answer = str_trim(buf_str(&bytes));
    return good || err_set(err, ERR_UNAVAILABLE, "HAProxy has not answered at %s.", socket_path);
}

bool runtime_tell(const char *socket_path, struct str worker, struct str command, struct arena *arena, struct err *err)
{
    struct str answer;
    if (!runtime_ask(socket_path, arena_printf(arena, STR_FMT STR_FMT, STR_ARG(worker), STR_ARG(command)), &answer, arena, err)) { return false; }
    if (answer.len == 0 || str_eq(answer, STR("New server registered.")) || str_eq(answer, STR("Server deleted."))) { return true; }
    struct str start = str_shorten(answer, 200);
    return err_set(err, ERR_SERVER, "HAProxy refuses \"" STR_FMT "\": " STR_FMT, STR_ARG(command), STR_ARG(start));
}

/* ---- the texts ---- */

/* The next line that is not empty. */
static bool next_line(struct str *rest, struct str *line)
{
    while (rest->len > 0) {
        str_cut(*rest, '\n', line, rest);
        if (line->len > 0) { return true; }
    }
    return false;
}

/* The first columns of a line; those that it lacks are empty. */
static void split(struct str line, char separator, struct str columns[COLUMNS_MAX])
{
    for (size_t c = 0; c < COLUMNS_MAX; c++) { str_cut(line, separator, &columns[c], &line); }
}

static size_t lines_in(struct str text)
{
    size_t count = 1;
    for (size_t c = 0; c < text.len; c++) { count += text.ptr[c] == '\n'; }
    return count;
}

static int64_t number_in(struct str text)
{
    int64_t number;
    return str_to_i64(text, &number) ? number : 0;
}

/* Lines of `show proc`: PID, type, reloads, uptime, version. Workers of before a reload come behind the present one. */
void runtime_read_workers(struct str answer, struct str_list *workers, struct arena *arena)
{
    struct str line, columns[COLUMNS_MAX];
    *workers = (struct str_list){ ARENA_NEW(arena, struct str, lines_in(answer)), 0 };
    while (next_line(&answer, &line)) {
        split(line, ' ', columns);
        if (number_in(columns[0]) > 0 && str_contains(line, STR(" worker "))) {
            workers->items[workers->count++] = arena_printf(arena, "@!" STR_FMT " ", STR_ARG(columns[0]));
        }
    }
}

void runtime_read_servers(struct str answer, struct plan_seen *seen, struct arena *arena)
{
    struct str line, columns[COLUMNS_MAX];
    seen->servers = ARENA_NEW(arena, struct plan_server, lines_in(answer));
    seen->server_count = 0;
    while (next_line(&answer, &line)) {
        split(line, ' ', columns);
        if (line.ptr[0] == '#' || columns[7].len == 0) { continue; }       /* the version, the names of the columns */
        seen->servers[seen->server_count++] = (struct plan_server){
            .backend = columns[1], .name = columns[3], .admin = (unsigned)number_in(columns[6]), .weight = number_in(columns[7]),
        };
    }
}

void runtime_read_stat(struct str answer, struct plan_seen *seen, struct arena *arena)
{
    struct str line, columns[COLUMNS_MAX], rest = answer;
    size_t s = 0;
    seen->backends = ARENA_NEW(arena, struct plan_backend, lines_in(answer));
    seen->backend_count = 0;
    while (next_line(&rest, &line)) {
        split(line, ',', columns);
        if (str_eq(columns[1], STR("BACKEND"))) { seen->backends[seen->backend_count++] = (struct plan_backend){ columns[0], number_in(columns[7]) }; }
        if (s == seen->server_count) { s = 0; }
        for (size_t tried = 0; tried < seen->server_count; tried++, s = (s + 1) % seen->server_count) {      /* both lists have the same order */
            if (!str_eq(seen->servers[s].name, columns[1]) || !str_eq(seen->servers[s].backend, columns[0])) { continue; }
            seen->servers[s++].requests = number_in(columns[2]) + number_in(columns[4]);                     /* waiting, and sent */
            break;
        }
    }
}

void runtime_read_map(struct str answer, struct plan_seen *seen, struct arena *arena)
{
    struct str line, columns[COLUMNS_MAX];
    seen->weights = (struct pair_list){ ARENA_NEW(arena, struct pair, lines_in(answer)), 0 };
    while (next_line(&answer, &line)) {
        split(line, ' ', columns);
        if (columns[2].len > 0) { seen->weights.items[seen->weights.count++] = (struct pair){ columns[1], columns[2] }; }
    }
}

struct str runtime_find_map(struct str answer)
{
    struct str line, before, path, rest;
    while (next_line(&answer, &line)) {
        if (str_cut(line, '(', &before, &path) && str_cut(path, ')', &path, &rest) && str_ends_with(path, STR(RUNTIME_MAP))) { return path; }
    }
    return (struct str){ NULL, 0 };
}

/* ---- asking ---- */

bool runtime_workers(const char *socket_path, struct str_list *workers, struct arena *arena, struct err *err)
{
    static struct str only = STR_INIT("");
    struct str answer;
    if (!runtime_ask(socket_path, STR("show proc"), &answer, arena, err)) { return false; }
    if (!str_starts_with(answer, STR("#<PID>"))) {
        *workers = (struct str_list){ &only, 1 };
        return true;
    }
    runtime_read_workers(answer, workers, arena);
    return workers->count > 0 || err_set(err, ERR_UNAVAILABLE, "HAProxy has no worker.");
}

bool runtime_look(const char *socket_path, struct str worker, struct plan_seen *seen, struct arena *arena, struct err *err)
{
    static const char *const questions[] = { "show servers state", "show stat", "show map" };
    struct str answers[3], entries;
    *seen = (struct plan_seen){ .server_count = 0 };
    for (size_t q = 0; q < 3; q++) {
        if (!runtime_ask(socket_path, arena_printf(arena, STR_FMT "%s", STR_ARG(worker), questions[q]), &answers[q], arena, err)) { return false; }
    }
    if (!str_starts_with(answers[1], STR("# pxname"))) { return err_set(err, ERR_UNAVAILABLE, "HAProxy's worker has ended."); }
    runtime_read_servers(answers[0], seen, arena);
    runtime_read_stat(answers[1], seen, arena);
    plan_sort(seen);
    seen->map = runtime_find_map(answers[2]);
    if (!str_is_set(seen->map)) { return true; }
    struct str question = arena_printf(arena, STR_FMT "show map " STR_FMT, STR_ARG(worker), STR_ARG(seen->map));
    if (!runtime_ask(socket_path, question, &entries, arena, err)) { return false; }
    runtime_read_map(entries, seen, arena);
    return true;
}
