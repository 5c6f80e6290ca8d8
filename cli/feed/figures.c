#include "cli/feed/figures.h"

#include <stdlib.h>

#include "base/array.h"
#include "cli/feed/plan.h"
#include "cli/feed/runtime.h"
#include "server/net/http.h"

enum { THREADS = 4, COLUMNS_MAX = 48 };
enum { STAT_PROXY = 0, STAT_SERVER = 1, STAT_QUEUE = 2, STAT_SESSIONS = 4, STAT_CONNECT_ERRORS = 13, STAT_ANSWER_ERRORS = 14, STAT_1XX = 39, STAT_5XX = 43,
       STAT_TOTAL = 7 };

struct figures { const char *socket; struct http *http; };

static const struct figure { const char *name, *help, *type, *label; size_t column; } figures_of_group[] = {
    { "berth_ingress_sessions", "Requests and connections that are open", "gauge", "", STAT_SESSIONS },
    { "berth_ingress_waiting", "Requests that wait for a target", "gauge", "", STAT_QUEUE },
    { "berth_ingress_requests_total", "Requests and connections for the target group", "counter", "", STAT_TOTAL },
    { "berth_ingress_errors_total", "Requests that got no answer of a target", "counter", ",kind=\"connect\"", STAT_CONNECT_ERRORS },
    { "berth_ingress_errors_total", NULL, NULL, ",kind=\"answer\"", STAT_ANSWER_ERRORS },
    { "berth_ingress_answers_total", "Answers by class of status", "counter", ",status=\"1xx\"", STAT_1XX },
    { "berth_ingress_answers_total", NULL, NULL, ",status=\"2xx\"", STAT_1XX + 1 },
    { "berth_ingress_answers_total", NULL, NULL, ",status=\"3xx\"", STAT_1XX + 2 },
    { "berth_ingress_answers_total", NULL, NULL, ",status=\"4xx\"", STAT_1XX + 3 },
    { "berth_ingress_answers_total", NULL, NULL, ",status=\"5xx\"", STAT_5XX },
};

/* A line for each backend of a target group. */
static void print_figure(const struct figure *figure, struct str stat, struct buf *out)
{
    if (figure->help != NULL) { buf_printf(out, "# HELP %s %s.\n# TYPE %s %s\n", figure->name, figure->help, figure->name, figure->type); }
    while (stat.len > 0) {
        struct str line, columns[COLUMNS_MAX];
        int64_t value;
        str_cut(stat, '\n', &line, &stat);
        for (size_t c = 0; c < COLUMNS_MAX; c++) { str_cut(line, ',', &columns[c], &line); }
        if (!str_eq(columns[STAT_SERVER], STR("BACKEND")) || !str_starts_with(columns[STAT_PROXY], STR(PLAN_BACKEND))) { continue; }
        struct str group = str_slice(columns[STAT_PROXY], sizeof PLAN_BACKEND - 1, columns[STAT_PROXY].len);
        if (!plan_is_name(group) || !str_to_i64(columns[figure->column], &value)) { continue; }
        buf_printf(out, "%s{target_group=\"" STR_FMT "\"%s} %lld\n", figure->name, STR_ARG(group), figure->label, (long long)value);
    }
}

void figures_print(struct str stat, struct buf *out)
{
    for (size_t f = 0; f < COUNT_OF(figures_of_group); f++) { print_figure(&figures_of_group[f], stat, out); }
}

/* The present worker's counters: they begin at 0 with each reload, as after a restart. */
static void handle(void *context, struct http_request *request, struct http_answer *answer)
{
    const struct figures *figures = context;
    struct str_list workers;
    struct str stat;
    struct err err = { 0 };
    if (!str_eq(request->path, STR("/metrics"))) {
        answer->status = 404;
        return;
    }
    if (!runtime_workers(figures->socket, &workers, request->arena, &err)
        || !runtime_ask(figures->socket, arena_printf(request->arena, STR_FMT "show stat", STR_ARG(workers.items[0])), &stat, request->arena, &err)) {
        answer->status = 503;
        return;
    }
    answer->status = 200;
    answer->type = STR("text/plain; version=0.0.4");
    figures_print(stat, &answer->body);
}

struct figures *figures_start(const char *socket, const char *host, int port, struct err *err)
{
    struct figures *figures = array_zeroed(1, sizeof *figures);
    figures->socket = socket;
    figures->http = http_start(&(struct http_config){ .host = host, .port = port, .threads = THREADS, .handler = handle, .context = figures }, err);
    if (figures->http != NULL) { return figures; }
    free(figures);
    return NULL;
}

void figures_stop(struct figures *figures)
{
    if (figures == NULL) { return; }
    http_stop(figures->http);
    free(figures);
}
