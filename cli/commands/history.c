/* history.c: `berth history`: a table of the tasks that have stopped, or one of them with its timeline and the end of its
 * logs. Times are UTC. Texts of tasks and agents are printed without control characters, except logs, as `berth logs` does. */
#include <stdio.h>
#include <stdlib.h>

#include "base/assert.h"
#include "base/id.h"
#include "cli/cli.h"
#include "cli/words.h"

enum { SECOND_MS = 1000, MINUTE_MS = 60 * SECOND_MS, HOUR_MS = 60 * MINUTE_MS, PAGE_MAX = 100 };
static const size_t PAGE_ARENA_MAX = (size_t)64 << 20, TASK_ARENA_MAX = (size_t)256 << 20;       /* a task may have the logs of 64 containers */

/* ---- words ---- */

/* "450ms", "12.3s", "4m05s", "2h03m" */
static const char *span_text(int64_t ms, char out[CLI_TIME_SIZE])
{
    if (ms < 0) {
        snprintf(out, CLI_TIME_SIZE, "-");
    } else if (ms < SECOND_MS) {
        snprintf(out, CLI_TIME_SIZE, "%lldms", (long long)ms);
    } else if (ms < MINUTE_MS) {
        snprintf(out, CLI_TIME_SIZE, "%lld.%llds", (long long)(ms / SECOND_MS), (long long)(ms % SECOND_MS / 100));
    } else if (ms < HOUR_MS) {
        snprintf(out, CLI_TIME_SIZE, "%lldm%02llds", (long long)(ms / MINUTE_MS), (long long)(ms % MINUTE_MS / SECOND_MS));
    } else {
        snprintf(out, CLI_TIME_SIZE, "%lldh%02lldm", (long long)(ms / HOUR_MS), (long long)(ms % HOUR_MS / MINUTE_MS));
    }
    return out;
}

static int64_t ms_of(const struct json *task, const char *name)
{
    return json_get_i64(task, str_from(name), 0);
}

/* ---- the table ---- */

/* The first exit code other than 0, else 0; "-" if nothing has run. */
static struct str exit_text(const struct json *task, struct arena *arena)
{
    const struct json *containers = cli_list(task, "containers");
    struct str text = { 0 };
    for (size_t c = 0; c < containers->count; c++) {
        const struct json *code = json_get(&containers->as.items[c], STR("exitCode"));
        bool known = code != NULL && code->type == JSON_INT;
        if (known && (!str_is_set(text) || str_eq(text, STR("0")))) {
            text = arena_printf(arena, "%lld", (long long)code->as.integer);
        }
    }
    return cli_or_dash(text);
}

static void print_row(const struct json *task, struct arena *arena)
{
    char stopped[CLI_TIME_SIZE], ran[CLI_TIME_SIZE];
    int64_t started_ms = ms_of(task, "started"), stopped_ms = ms_of(task, "stopped");
    printf("%-20s %-8s %4g %9.1f ", cli_time_text(stopped_ms, false, stopped), span_text(started_ms == 0 ? -1 : stopped_ms - started_ms, ran),
           cli_number(task, "gpus"), cli_number(task, "gpuSeconds"));
    cli_print(exit_text(task, arena), 5, true);
    cli_print(cli_or_dash(json_get_str(task, STR("family"))), 24, true);
    putchar(' ');
    cli_print(cli_or_dash(json_get_str(task, STR("instanceName"))), 16, true);
    putchar(' ');
    cli_print(cli_or_dash(json_get_str(task, STR("id"))), ID_HEX_LEN, true);
    putchar(' ');
    cli_print(cli_or_dash(json_get_str(task, STR("reason"))), 200, false);
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
    cli_print(cli_or_dash(value), 4096, false);
    putchar('\n');
}

static void print_tags(const struct json *task)
{
    const struct json *tags = cli_list(task, "tags");
    for (size_t t = 0; t < tags->count; t++) {
        printf("%-12s", t == 0 ? "Tags" : "");
        cli_print(json_get_str(&tags->as.items[t], STR("key")), 4096, false);
        putchar('=');
        cli_print(json_get_str(&tags->as.items[t], STR("value")), 4096, false);
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

/* In order of time: a task that ended by itself stopped before the server desired it. */
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
        char at[CLI_TIME_SIZE], since[CLI_TIME_SIZE];
        if (steps[s].ms == 0) {
            continue;
        }
        printf("  %s  %c%-8s  %s\n", cli_time_text(steps[s].ms, true, at), before_ms == 0 ? ' ' : '+',
               before_ms == 0 ? "" : span_text(steps[s].ms - before_ms, since), steps[s].words);
        before_ms = steps[s].ms;
    }
}

static void print_containers(const struct json *task)
{
    const struct json *containers = cli_list(task, "containers");
    printf("\nContainers\n");
    for (size_t c = 0; c < containers->count; c++) {
        const struct json *container = &containers->as.items[c], *code = json_get(container, STR("exitCode")), *gpus = cli_list(container, "gpuIds");
        printf("  ");
        cli_print(cli_or_dash(json_get_str(container, STR("name"))), 255, false);
        if (code != NULL && code->type == JSON_INT) {
            printf("  exit %lld", (long long)code->as.integer);
        }
        for (size_t g = 0; g < gpus->count; g++) {
            printf("%s", g == 0 ? "  " : ", ");
            cli_print(gpus->as.items[g].type == JSON_STRING ? gpus->as.items[g].as.string : STR("-"), 255, false);
        }
        double share = cli_number(container, "gpuShare");
        if (gpus->count > 0 && share < 1) { printf(" (%g of it)", share); }
        putchar('\n');
        if (json_get_str(container, STR("reason")).len > 0) {
            printf("    ");
            cli_print(json_get_str(container, STR("reason")), 4096, false);
            putchar('\n');
        }
    }
}

static void print_logs(const struct json *reply)
{
    const struct json *logs = cli_list(reply, "logs");
    for (size_t l = 0; l < logs->count; l++) {
        const struct json *log = &logs->as.items[l];
        struct str text = json_get_str(log, STR("text"));
        int64_t before = json_get_i64(log, STR("earlierBytes"), 0);
        printf("\nLog of ");
        cli_print(json_get_str(log, STR("container")), 255, false);
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
    print_line("Machine", arena_printf(arena, STR_FMT " (" STR_FMT ")", STR_ARG(cli_text(task, "instanceName")), STR_ARG(cli_or_dash(id))));
    print_line("Group", json_get_str(task, STR("group")));
    print_line("Started by", json_get_str(task, STR("startedBy")));
    print_line("Stop code", json_get_str(task, STR("stopCode")));
    print_line("Reason", json_get_str(task, STR("reason")));
    printf("%-12s%g for %.1f GPU-seconds in all\n", "GPUs", cli_number(task, "gpus"), cli_number(task, "gpuSeconds"));
    print_tags(task);
    print_timeline(task);
    print_containers(task);
    print_logs(reply);
}

/* ---- asking ---- */

static bool show_task(const struct config *config, const struct remote *remote, struct arena *arena, struct err *err)
{
    const struct json *reply;
    const char *hex;
    if (!cli_read_task(config->arguments[0], &hex, arena, err)
        || !cli_ask(remote, arena_printf(arena, "/berth/v1/history/%s", hex).ptr, (struct str){ 0 }, &reply, arena, err)) {
        return false;
    }
    if (str_eq(str_from(config_text(config, SETTING_OUTPUT)), STR("json"))) {
        cli_print_json(reply, arena);
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
    ASSERT(left > 0);                                    /* show_list asks for no page beyond the limit */
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

/* Page after page, printed as they come; *token is NULL after the last one. */
static bool show_page(const struct config *config, const struct remote *remote, int64_t *shown, int64_t left, const char **token,
                      struct arena *page, struct arena *arena, struct err *err)
{
    bool as_json = str_eq(str_from(config_text(config, SETTING_OUTPUT)), STR("json"));
    const struct json *reply;
    if (!cli_ask(remote, page_path(config, left, *token, page), (struct str){ 0 }, &reply, page, err)) {
        return false;
    }
    const struct json *tasks = cli_list(reply, "tasks");
    for (size_t t = 0; t < tasks->count; t++) {
        if (as_json) {
            fputs(*shown == 0 ? "{\"tasks\":[" : ",", stdout);
            cli_print_json(&tasks->as.items[t], page);
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
        printf("No task in the history matches.\n");
    }
    return good;
}

int cli_history(const struct config *config, struct arena *arena, struct err *err)
{
    struct remote remote;
    if (!cli_remote(config, &remote, arena, err)) {
        return 1;
    }
    if (config->argument_count == 0) { return show_list(config, &remote, arena, err) ? 0 : 1; }
    struct arena task = { .ceiling = TASK_ARENA_MAX };
    bool good = show_task(config, &remote, &task, err);
    arena_finish(&task);
    return good ? 0 : 1;
}
