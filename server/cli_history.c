/* cli_history.c: `berth history`: a table of the tasks that have stopped, or one of them with its timeline and the end of its
 * logs. Times are UTC. What comes from tasks and agents is printed without control characters, except logs, as `berth logs` does. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/assert.h"
#include "base/id.h"
#include "base/json.h"
#include "server/cli.h"
#include "server/remote.h"

enum { SECOND_MS = 1000, MINUTE_MS = 60 * SECOND_MS, HOUR_MS = 60 * MINUTE_MS, TIME_SIZE = 32, PAGE_MAX = 100 };
static const size_t PAGE_ARENA_MAX = (size_t)64 << 20;

/* ---- words ---- */

/* At most `width` bytes, and blanks up to there when `fill` is set. */
static void print_text(struct str text, size_t width, bool fill)
{
    size_t len = text.len < width ? text.len : width;
    for (size_t c = 0; c < len; c++) {
        unsigned char byte = (unsigned char)text.ptr[c];
        putchar(byte < 0x20 || byte == 0x7F ? ' ' : byte);
    }
    for (; fill && len < width; len++) {
        putchar(' ');
    }
}

static struct str or_dash(struct str text)
{
    return text.len > 0 ? text : STR("-");
}

static const char *time_text(int64_t ms, bool with_ms, char out[TIME_SIZE])
{
    time_t seconds = (time_t)(ms / SECOND_MS);
    struct tm tm;
    if (ms == 0 || gmtime_r(&seconds, &tm) == NULL) {
        snprintf(out, TIME_SIZE, "-");
        return out;
    }
    size_t len = strftime(out, TIME_SIZE, "%Y-%m-%d %H:%M:%S", &tm);
    if (with_ms) {
        snprintf(out + len, TIME_SIZE - len, ".%03d", (int)(ms % SECOND_MS));
    }
    return out;
}

/* "450ms", "12.3s", "4m05s", "2h03m" */
static const char *span_text(int64_t ms, char out[TIME_SIZE])
{
    if (ms < 0) {
        snprintf(out, TIME_SIZE, "-");
    } else if (ms < SECOND_MS) {
        snprintf(out, TIME_SIZE, "%lldms", (long long)ms);
    } else if (ms < MINUTE_MS) {
        snprintf(out, TIME_SIZE, "%lld.%llds", (long long)(ms / SECOND_MS), (long long)(ms % SECOND_MS / 100));
    } else if (ms < HOUR_MS) {
        snprintf(out, TIME_SIZE, "%lldm%02llds", (long long)(ms / MINUTE_MS), (long long)(ms % MINUTE_MS / SECOND_MS));
    } else {
        snprintf(out, TIME_SIZE, "%lldh%02lldm", (long long)(ms / HOUR_MS), (long long)(ms % HOUR_MS / MINUTE_MS));
    }
    return out;
}

static int64_t ms_of(const struct json *task, const char *name)
{
    return json_get_i64(task, str_from(name), 0);
}

/* A number with or without decimals. */
static double number_of(const struct json *object, const char *name)
{
    const struct json *number = json_get(object, str_from(name));
    if (number == NULL) { return 0; }
    return number->type == JSON_REAL ? number->as.real : number->type == JSON_INT ? (double)number->as.integer : 0;
}

static const struct json *list_of(const struct json *object, const char *name)
{
    static const struct json nothing = { .type = JSON_ARRAY };
    const struct json *list = json_get(object, str_from(name));
    return list != NULL && list->type == JSON_ARRAY ? list : &nothing;
}

/* ---- the table ---- */

/* The first exit code that tells of a failure, else 0; "-" when nothing has run. */
static struct str exit_text(const struct json *task, struct arena *arena)
{
    const struct json *containers = list_of(task, "containers");
    struct str text = { 0 };
    for (size_t c = 0; c < containers->count; c++) {
        const struct json *code = json_get(&containers->as.items[c], STR("exitCode"));
        bool known = code != NULL && code->type == JSON_INT;
        if (known && (!str_is_set(text) || str_eq(text, STR("0")))) {
            text = arena_printf(arena, "%lld", (long long)code->as.integer);
        }
    }
    return or_dash(text);
}

static void print_row(const struct json *task, struct arena *arena)
{
    char stopped[TIME_SIZE], ran[TIME_SIZE];
    int64_t started_ms = ms_of(task, "started"), stopped_ms = ms_of(task, "stopped");
    printf("%-20s %-8s %4g %9.1f ", time_text(stopped_ms, false, stopped), span_text(started_ms == 0 ? -1 : stopped_ms - started_ms, ran),
           number_of(task, "gpus"), number_of(task, "gpuSeconds"));
    print_text(exit_text(task, arena), 5, true);
    print_text(or_dash(json_get_str(task, STR("family"))), 24, true);
    putchar(' ');
    print_text(or_dash(json_get_str(task, STR("instanceName"))), 16, true);
    putchar(' ');
    print_text(or_dash(json_get_str(task, STR("id"))), ID_HEX_LEN, true);
    putchar(' ');
    print_text(or_dash(json_get_str(task, STR("reason"))), 200, false);
    putchar('\n');
}

static void print_head(void)
{
    printf("%-20s %-8s %4s %9s %-5s%-24s %-16s %-32s %s\n", "STOPPED (UTC)", "RAN", "GPUS", "GPU-SECS", "EXIT", "FAMILY", "MACHINE", "TASK", "REASON");
}

/* ---- one task ---- */

static void print_line(const char *name, struct str value)
{
    printf("%-12s", name);
    print_text(or_dash(value), 4096, false);
    putchar('\n');
}

static void print_tags(const struct json *task)
{
    const struct json *tags = list_of(task, "tags");
    for (size_t t = 0; t < tags->count; t++) {
        printf("%-12s", t == 0 ? "Tags" : "");
        print_text(json_get_str(&tags->as.items[t], STR("key")), 4096, false);
        putchar('=');
        print_text(json_get_str(&tags->as.items[t], STR("value")), 4096, false);
        putchar('\n');
    }
}

struct step { const char *key, *words; int64_t ms; };

static int earlier(const void *a, const void *b)
{
    const struct step *left = a, *right = b;
    if (left->ms != right->ms) {
        return left->ms < right->ms ? -1 : 1;
    }
    return left < right ? -1 : 1;
}

/* In order of time: a task that ended by itself has stopped executing before the server could order it to. */
static void print_timeline(const struct json *task)
{
    struct step steps[] = {
        { "created", "created and placed", 0 }, { "pullStarted", "pull started", 0 }, { "pullStopped", "pull stopped", 0 },
        { "started", "started", 0 }, { "stopping", "stopping", 0 }, { "executionStopped", "execution stopped", 0 }, { "stopped", "stopped", 0 },
    };
    for (size_t s = 0; s < COUNT_OF(steps); s++) {
        steps[s].ms = ms_of(task, steps[s].key);
    }
    qsort(steps, COUNT_OF(steps), sizeof steps[0], earlier);
    int64_t before_ms = 0;
    printf("\nTimeline (UTC)\n");
    for (size_t s = 0; s < COUNT_OF(steps); s++) {
        char at[TIME_SIZE], since[TIME_SIZE];
        if (steps[s].ms == 0) {
            continue;
        }
        printf("  %s  %c%-8s  %s\n", time_text(steps[s].ms, true, at), before_ms == 0 ? ' ' : '+',
               before_ms == 0 ? "" : span_text(steps[s].ms - before_ms, since), steps[s].words);
        before_ms = steps[s].ms;
    }
}

static void print_containers(const struct json *task)
{
    const struct json *containers = list_of(task, "containers");
    printf("\nContainers\n");
    for (size_t c = 0; c < containers->count; c++) {
        const struct json *container = &containers->as.items[c], *code = json_get(container, STR("exitCode")), *gpus = list_of(container, "gpuIds");
        printf("  ");
        print_text(or_dash(json_get_str(container, STR("name"))), 255, false);
        if (code != NULL && code->type == JSON_INT) {
            printf("  exit %lld", (long long)code->as.integer);
        }
        for (size_t g = 0; g < gpus->count; g++) {
            printf("%s", g == 0 ? "  " : ", ");
            print_text(gpus->as.items[g].type == JSON_STRING ? gpus->as.items[g].as.string : STR("-"), 255, false);
        }
        double share = number_of(container, "gpuShare");
        if (gpus->count > 0 && share < 1) { printf(" (%g of it)", share); }
        putchar('\n');
        if (json_get_str(container, STR("reason")).len > 0) {
            printf("    ");
            print_text(json_get_str(container, STR("reason")), 4096, false);
            putchar('\n');
        }
    }
}

static void print_logs(const struct json *reply)
{
    const struct json *logs = list_of(reply, "logs");
    for (size_t l = 0; l < logs->count; l++) {
        const struct json *log = &logs->as.items[l];
        struct str text = json_get_str(log, STR("text"));
        int64_t before = json_get_i64(log, STR("earlierBytes"), 0);
        printf("\nLog of ");
        print_text(json_get_str(log, STR("container")), 255, false);
        if (before > 0) {
            printf(" (%lld bytes came before this)", (long long)before);
        }
        printf("\n" STR_FMT "%s", STR_ARG(text), text.len > 0 && !str_ends_with(text, STR("\n")) ? "\n" : "");
    }
}

static void print_task(const struct json *reply, struct arena *arena)
{
    const struct json *task = json_get(reply, STR("task"));
    struct str id = json_get_str(task, STR("instance"));
    print_line("Task", json_get_str(task, STR("arn")));
    print_line("Family", json_get_str(task, STR("family")));
    print_line("Cluster", json_get_str(task, STR("cluster")));
    print_line("Machine", arena_printf(arena, STR_FMT " (" STR_FMT ")", STR_ARG(or_dash(json_get_str(task, STR("instanceName")))), STR_ARG(or_dash(id))));
    print_line("Group", json_get_str(task, STR("group")));
    print_line("Started by", json_get_str(task, STR("startedBy")));
    print_line("Stop code", json_get_str(task, STR("stopCode")));
    print_line("Reason", json_get_str(task, STR("reason")));
    printf("%-12s%g for %.1f GPU-seconds in all\n", "GPUs", number_of(task, "gpus"), number_of(task, "gpuSeconds"));
    print_tags(task);
    print_timeline(task);
    print_containers(task);
    print_logs(reply);
}

/* ---- asking ---- */

static bool ask(const struct remote *remote, const char *path, const struct json **reply, struct arena *arena, struct err *err)
{
    struct str text;
    struct err broken = { 0 };
    if (!remote_get_text(remote, path, &text, arena, err)) {
        return false;
    }
    *reply = json_parse(text, arena, &broken);
    return *reply != NULL || err_set(err, ERR_SERVER, "the server's answer is not JSON: %s", broken.message);
}

static void print_json(const struct json *value, struct arena *arena)
{
    struct buf text = buf_in(arena);
    struct json_out out = json_out_to(&text);
    json_dump(&out, value);
    fwrite(text.ptr, 1, text.len, stdout);
}

static bool show_task(const struct config *config, const struct remote *remote, struct arena *arena, struct err *err)
{
    struct str argument = str_from(config->arguments[0]);
    const struct json *reply;
    struct id id;
    char hex[ID_HEX_LEN + 1];
    size_t slash = argument.len;
    while (slash > 0 && argument.ptr[slash - 1] != '/') {
        slash--;
    }
    if (!id_parse(str_slice(argument, slash, argument.len), &id)) {
        return err_set(err, ERR_INVALID_PARAMETER, "\"%s\" is no task: it should be an id or an ARN.", config->arguments[0]);
    }
    id_hex(id, hex);
    if (!ask(remote, arena_printf(arena, "/berth/v1/history/%s", hex).ptr, &reply, arena, err)) {
        return false;
    }
    if (str_eq(str_from(config_text(config, SETTING_OUTPUT)), STR("json"))) {
        print_json(reply, arena);
        putchar('\n');
    } else {
        print_task(reply, arena);
    }
    return true;
}

static const char *page_path(const struct config *config, int64_t left, const char *token, struct arena *arena)
{
    static const struct { enum setting setting; const char *name; } filters[] = {
        { SETTING_HISTORY_CLUSTER, "cluster" }, { SETTING_FAMILY, "family" }, { SETTING_STARTED_BY, "startedBy" }, { SETTING_SINCE, "since" },
        { SETTING_UNTIL, "until" },
    };
    struct buf path = buf_in(arena);
    buf_printf(&path, "/berth/v1/history?limit=%d", left > PAGE_MAX ? PAGE_MAX : (int)left);
    for (size_t f = 0; f < COUNT_OF(filters); f++) {
        if (config_text(config, filters[f].setting) != NULL) {
            buf_printf(&path, "&%s=", filters[f].name);
            cli_put_encoded(&path, config_text(config, filters[f].setting));
        }
    }
    if (token != NULL) {
        buf_printf(&path, "&nextToken=%s", token);        /* letters, digits, '-' and '_' */
    }
    buf_put_char(&path, '\0');
    return path.ptr;
}

/* Page after page, printed as they come; *token is NULL behind the last one. */
static bool show_page(const struct config *config, const struct remote *remote, int64_t *shown, int64_t left, const char **token,
                      struct arena *page, struct arena *arena, struct err *err)
{
    bool as_json = str_eq(str_from(config_text(config, SETTING_OUTPUT)), STR("json"));
    const struct json *reply;
    if (!ask(remote, page_path(config, left, *token, page), &reply, page, err)) {
        return false;
    }
    const struct json *tasks = list_of(reply, "tasks");
    for (size_t t = 0; t < tasks->count; t++) {
        if (as_json) {
            fputs(*shown == 0 ? "{\"tasks\":[" : ",", stdout);
            print_json(&tasks->as.items[t], page);
        } else {
            if (*shown == 0) {
                print_head();
            }
            print_row(&tasks->as.items[t], page);
        }
        *shown += 1;
    }
    struct str next = json_get_str(reply, STR("nextToken"));
    *token = next.len > 0 ? arena_cstr(arena, next) : NULL;
    return true;
}

static bool show_list(const struct config *config, const struct remote *remote, struct arena *arena, struct err *err)
{
    int64_t limit = config_number(config, SETTING_LIMIT), shown = 0;
    const char *token = NULL;
    struct arena page;
    bool good = true;
    arena_init(&page, PAGE_ARENA_MAX);
    do {
        good = show_page(config, remote, &shown, limit == 0 ? PAGE_MAX : limit - shown, &token, &page, arena, err);
        arena_reset(&page);
    } while (good && token != NULL && (limit == 0 || shown < limit));
    arena_finish(&page);
    if (good && str_eq(str_from(config_text(config, SETTING_OUTPUT)), STR("json"))) {
        fputs(shown == 0 ? "{\"tasks\":[]}\n" : "]}\n", stdout);
    } else if (good && shown == 0) {
        printf("No task in the history is like that.\n");
    }
    return good;
}

int cli_history(const struct config *config, struct arena *arena, struct err *err)
{
    struct remote remote;
    if (!cli_remote(config, &remote, arena, err)) {
        return 1;
    }
    bool good = config->argument_count == 1 ? show_task(config, &remote, arena, err) : show_list(config, &remote, arena, err);
    return good ? 0 : 1;
}
