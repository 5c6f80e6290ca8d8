/* queue.c: `berth queue`: the tasks that wait for room, in the order in which they are tried. */
#include <stdio.h>

#include "base/text/duration.h"
#include "cli/cli.h"
#include "cli/words.h"
#include "cli/settings/config_internal.h"

enum { TASK_WIDTH = 38, DEFINITION_WIDTH = 22, CLUSTER_WIDTH = 14, START_WIDTH = 16, ID_WIDTH = 32, TEXT_WIDTH = 64 };

static void print_span(int64_t ms, bool known, int width)
{
    char text[DURATION_TEXT_SIZE] = "-";
    if (known) { duration_print(ms, text); }
    printf("%*s ", width, text);
}

/* "5m to 20m", from half of the cases to nine of ten. */
static void print_start(const struct json *entry, int64_t now_ms)
{
    const struct json *expected = json_get(entry, STR("expectedStart"));
    char half[DURATION_TEXT_SIZE] = "?", most[DURATION_TEXT_SIZE] = "?", text[2 * DURATION_TEXT_SIZE + 8] = "unknown";
    int64_t half_ms = expected == NULL ? 0 : json_get_i64(expected, STR("p50"), 0), most_ms = expected == NULL ? 0 : json_get_i64(expected, STR("p90"), 0);
    if (half_ms != 0) { duration_print(half_ms > now_ms ? half_ms - now_ms : 0, half); }
    if (most_ms != 0) { duration_print(most_ms > now_ms ? most_ms - now_ms : 0, most); }
    if (half_ms != 0 || most_ms != 0) { (void)snprintf(text, sizeof text, "%s to %s", half, most); }
    printf(" %-*s ", START_WIDTH, text);
}

/* Room that is kept for an entry, or is not, and tasks that stop for it. */
static void print_kept(const struct json *entry, int64_t now_ms)
{
    const struct json *kept = json_get(entry, STR("kept")), *stopped = cli_list(entry, "stoppedFor");
    int64_t again_ms = json_get_i64(entry, STR("keptAgain"), 0);
    char text[DURATION_TEXT_SIZE];
    if (kept != NULL && kept->type == JSON_OBJECT) {
        printf("\n%.0f: room is kept for it on instance", cli_number(entry, "position"));
        const struct json *instances = cli_list(kept, "instances");
        for (size_t i = 0; i < instances->count; i++) {
            if (instances->as.items[i].type != JSON_STRING) { continue; }
            printf("%s ", i == 0 ? "" : ",");
            cli_print(instances->as.items[i].as.string, ID_WIDTH, false);
        }
    }
    if (stopped->count > 0) { printf("\n%.0f: %zu task%s stopped for it", cli_number(entry, "position"), stopped->count, stopped->count == 1 ? "" : "s"); }
    if (again_ms > now_ms) {
        duration_print(again_ms - now_ms, text);
        printf("\n%.0f: room that was kept for it has held back others for as long as it may; none is kept in the next %s", cli_number(entry, "position"),
               text);
    }
}

static void print_entry(const struct json *entry, int64_t now_ms)
{
    const struct json *tasks = cli_list(entry, "tasks");
    int64_t since_ms = json_get_i64(entry, STR("since"), 0), until_ms = json_get_i64(entry, STR("until"), 0);
    struct str first = tasks->count > 0 && tasks->as.items[0].type == JSON_STRING ? tasks->as.items[0].as.string : STR("-");
    printf("%4.0f  ", cli_number(entry, "position"));
    cli_print(first, TASK_WIDTH - 4, false);
    if (tasks->count > 1) { printf(" +%zu", tasks->count - 1); }
    printf("%*s", tasks->count > 1 ? 1 : 4, "");
    cli_print(cli_text(entry, "cluster"), CLUSTER_WIDTH, true);
    putchar(' ');
    cli_print(cli_text(entry, "taskDefinition"), DEFINITION_WIDTH, true);
    printf(" %8.0f ", cli_number(entry, "priority"));
    print_span(now_ms - since_ms, true, 8);
    print_span(until_ms - now_ms, until_ms != 0, 9);
    print_start(entry, now_ms);
    cli_print(cli_or_dash(json_get_str(entry, STR("reason"))), 64, false);
    putchar('\n');
}

/* The paragraph of each reason is printed once: behind the first entry of its shape. */
static void print_details(const struct json *entries, int64_t now_ms)
{
    for (size_t e = 0; e < entries->count; e++) {
        const struct json *entry = &entries->as.items[e];
        print_kept(entry, now_ms);
        if (cli_number(entry, "positionOfShape") != 1 || !str_is_set(json_get_str(entry, STR("detail")))) { continue; }
        printf("\n%.0f: ", cli_number(entry, "position"));
        cli_print(cli_text(entry, "detail"), 2048, false);
    }
    putchar('\n');
}

static void print_quotas(const struct json *reply)
{
    const struct json *quotas = cli_list(reply, "quotas");
    for (size_t q = 0; q < quotas->count; q++) {
        const struct json *quota = &quotas->as.items[q];
        printf("%squota of ", q == 0 ? "\n" : "");
        cli_print(cli_text(quota, "cluster"), TEXT_WIDTH, false);
        printf(": ");
        cli_print(cli_text(quota, "tag"), TEXT_WIDTH, false);
        putchar('=');
        cli_print(cli_text(quota, "value"), TEXT_WIDTH, false);
        printf(" holds %g of %g GPUs\n", cli_number(quota, "used"), cli_number(quota, "limit"));
    }
}

static void print_queue(const struct json *reply)
{
    const struct json *entries = cli_list(reply, "entries");
    int64_t now_ms = json_get_i64(reply, STR("now"), 0);
    if (entries->count == 0) {
        printf("No task waits for room.\n");
        print_quotas(reply);
        return;
    }
    printf("%4s  %-*s%-*s %-*s %8s %8s %9s  %-*s %s\n", "", TASK_WIDTH, "TASK", CLUSTER_WIDTH, "CLUSTER", DEFINITION_WIDTH, "DEFINITION", "PRIORITY", "WAITED",
           "GIVES UP", START_WIDTH, "STARTS IN", "LACKS");
    for (size_t e = 0; e < entries->count; e++) { print_entry(&entries->as.items[e], now_ms); }
    double count = cli_number(reply, "count");
    if (count > (double)entries->count) { printf("... and %.0f more\n", count - (double)entries->count); }
    print_details(entries, now_ms);
    print_quotas(reply);
}

int cli_queue(const struct config *config, struct arena *arena, struct err *err)
{
    struct remote remote;
    const struct json *reply;
    struct buf path = buf_in(arena);
    buf_put(&path, STR("/berth/v1/queue"));
    if (config_text(config, SETTING_HISTORY_CLUSTER) != NULL) {
        buf_put(&path, STR("?cluster="));
        cli_put_encoded(&path, config_text(config, SETTING_HISTORY_CLUSTER));
    }
    buf_put_char(&path, '\0');
    if (!cli_remote(config, &remote, arena, err) || !cli_ask(&remote, path.ptr, (struct str){ 0 }, &reply, arena, err)) { return 1; }
    if (str_eq(str_from(config_text(config, SETTING_OUTPUT)), STR("json"))) {
        cli_print_json(reply, arena);
        putchar('\n');
    } else {
        print_queue(reply);
    }
    return 0;
}
