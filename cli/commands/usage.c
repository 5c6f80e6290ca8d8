/* usage.c: `berth usage`: hours of GPUs by tag, family, service, startedBy or cluster. `berth idle`: tasks that hold GPUs and do not use them. */
#include <stdio.h>
#include <string.h>

#include "base/text/duration.h"
#include "cli/cli.h"
#include "cli/words.h"

enum { KEY_WIDTH = 32 };
static const char *const columns[] = { "held", "used", "idle", "unknown", "queued" };

static bool is_false(const struct json *object, const char *name)
{
    const struct json *value = json_get(object, str_from(name));
    return value != NULL && value->type == JSON_FALSE;
}

/* ---- CSV ---- */

/* A text with a comma, a quote or an end of line is quoted. One that a spreadsheet would take for a formula gets a quote mark before it. */
static void print_field(struct str text)
{
    bool is_formula = text.len > 0 && strchr("=+-@\t\r", text.ptr[0]) != NULL;
    putchar('"');
    if (is_formula) { putchar('\''); }
    for (size_t c = 0; c < text.len; c++) {
        if (text.ptr[c] == '"') { putchar('"'); }
        putchar(text.ptr[c]);
    }
    putchar('"');
}

static void print_csv_row(struct str key, const struct json *sums)
{
    print_field(key);
    printf(",%.0f,%.0f", cli_number(sums, "tasks"), cli_number(sums, "running"));
    for (size_t c = 0; c < COUNT_OF(columns); c++) { printf(",%.6f", cli_number(sums, columns[c])); }
    putchar('\n');
}

static void print_csv(const struct json *reply)
{
    const struct json *groups = cli_list(reply, "groups"), *others = json_get(reply, STR("others"));
    print_field(json_get_str(reply, STR("by")));
    printf(",tasks,running,held_gpu_hours,used_gpu_hours,idle_gpu_hours,unknown_gpu_hours,queued_gpu_hours\n");
    for (size_t g = 0; g < groups->count; g++) { print_csv_row(json_get_str(&groups->as.items[g], STR("key")), &groups->as.items[g]); }
    if (others != NULL && others->type == JSON_OBJECT) { print_csv_row(STR("(others)"), others); }
}

/* ---- a table ---- */

static void print_row(struct str key, const struct json *sums)
{
    cli_print(key, KEY_WIDTH, true);
    printf(" %7.0f %7.0f", cli_number(sums, "tasks"), cli_number(sums, "running"));
    for (size_t c = 0; c < COUNT_OF(columns); c++) { printf(" %10.2f", cli_number(sums, columns[c])); }
    double known = cli_number(sums, "held") - cli_number(sums, "unknown");
    if (known > 0) { printf(" %5.0f %%\n", 100 * cli_number(sums, "used") / known); } else { printf(" %7s\n", "-"); }
}

static void print_table(const struct json *reply)
{
    const struct json *groups = cli_list(reply, "groups"), *others = json_get(reply, STR("others"));
    char since[CLI_TIME_SIZE], until[CLI_TIME_SIZE], from[CLI_TIME_SIZE];
    printf("GPU-hours from %s to %s (UTC)\n\n", cli_time_text(json_get_i64(reply, STR("since"), 0), false, since),
           cli_time_text(json_get_i64(reply, STR("until"), 0), false, until));
    cli_print(json_get_str(reply, STR("by")), KEY_WIDTH, true);
    printf(" %7s %7s %10s %10s %10s %10s %10s %7s\n", "TASKS", "RUNNING", "HELD", "USED", "IDLE", "UNKNOWN", "QUEUED", "IN USE");
    for (size_t g = 0; g < groups->count; g++) { print_row(cli_text(&groups->as.items[g], "key"), &groups->as.items[g]); }
    if (others != NULL && others->type == JSON_OBJECT) { print_row(STR("(others)"), others); }
    print_row(STR("(all)"), json_get(reply, STR("total")));
    if (is_false(reply, "complete")) {
        (void)cli_time_text(json_get_i64(reply, STR("from"), 0), false, from);
        printf("\nThe history is too long for one answer: tasks that stopped before %s are missing.\n", from);
    }
}

static const char *usage_path(const struct config *config, struct arena *arena)
{
    static const struct { enum setting setting; const char *name; } parameters[] = {
        { SETTING_BY, "by" }, { SETTING_USAGE_SINCE, "since" }, { SETTING_UNTIL, "until" }, { SETTING_HISTORY_CLUSTER, "cluster" },
    };
    struct buf path = buf_in(arena);
    buf_put(&path, STR("/berth/v1/usage"));
    for (size_t p = 0; p < COUNT_OF(parameters); p++) {
        const char *text = config_text(config, parameters[p].setting);
        if (text == NULL) { continue; }
        buf_printf(&path, "%s%s=", p == 0 ? "?" : "&", parameters[p].name);
        cli_put_encoded(&path, text);
    }
    buf_put_char(&path, '\0');
    return path.ptr;
}

int cli_usage(const struct config *config, struct arena *arena, struct err *err)
{
    struct remote remote;
    const struct json *reply;
    if (!cli_remote(config, &remote, arena, err) || !cli_ask(&remote, usage_path(config, arena), (struct str){ 0 }, &reply, arena, err)) { return 1; }
    if (config_flag(config, SETTING_CSV)) {
        print_csv(reply);
    } else if (str_eq(str_from(config_text(config, SETTING_OUTPUT)), STR("json"))) {
        cli_print_json(reply, arena);
        putchar('\n');
    } else {
        print_table(reply);
    }
    return 0;
}

/* ---- held idle ---- */

static void print_task(const struct json *task, int64_t now_ms)
{
    static const double gib = 1 << 30;
    static const double hour_s = 3600;
    char since[DURATION_TEXT_SIZE], stops[DURATION_TEXT_SIZE] = "-";
    const struct json *memory = json_get(task, STR("memoryUsedBytes"));
    int64_t stops_at = json_get_i64(task, STR("stopsAt"), 0);
    duration_print(now_ms - json_get_i64(task, STR("since"), now_ms), since);
    if (stops_at != 0) { duration_print(stops_at > now_ms ? stops_at - now_ms : 0, stops); }
    cli_print(cli_text(task, "task"), 32, true);
    putchar(' ');
    cli_print(cli_text(task, "family"), 24, true);
    putchar(' ');
    cli_print(cli_text(task, "instanceName"), 20, true);
    printf(" %5g %5g %-9s", cli_number(task, "gpus"), cli_number(task, "idleGpus"), since);
    if (memory != NULL && memory->type != JSON_NULL) { printf(" %7.1f", cli_number(task, "memoryUsedBytes") / gib); } else { printf(" %7s", "-"); }
    printf(" %9.2f  %-9s ", cli_number(task, "idleGpuSeconds") / hour_s, stops);
    cli_print(cli_text(task, "startedBy"), 128, false);
    putchar('\n');
}

int cli_idle(const struct config *config, struct arena *arena, struct err *err)
{
    struct remote remote;
    const struct json *reply;
    struct buf path = buf_in(arena);
    buf_put(&path, STR("/berth/v1/idle"));
    if (config_text(config, SETTING_HISTORY_CLUSTER) != NULL) {
        buf_put(&path, STR("?cluster="));
        cli_put_encoded(&path, config_text(config, SETTING_HISTORY_CLUSTER));
    }
    buf_put_char(&path, '\0');
    if (!cli_remote(config, &remote, arena, err) || !cli_ask(&remote, path.ptr, (struct str){ 0 }, &reply, arena, err)) { return 1; }
    const struct json *tasks = cli_list(reply, "tasks");
    if (str_eq(str_from(config_text(config, SETTING_OUTPUT)), STR("json"))) {
        cli_print_json(reply, arena);
        putchar('\n');
    } else if (tasks->count == 0) {
        printf("No task holds idle GPUs.\n");
    } else {
        printf("%-32s %-24s %-20s %5s %5s %-9s %7s %9s  %-9s %s\n", "TASK", "FAMILY", "MACHINE", "GPUS", "IDLE", "FOR", "GIB", "GPU-HOURS",
               "STOPS IN", "STARTED BY");
        for (size_t t = 0; t < tasks->count; t++) { print_task(&tasks->as.items[t], json_get_i64(reply, STR("now"), 0)); }
    }
    return 0;
}
