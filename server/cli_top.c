/* cli_top.c: `berth top`: machines, what they use of their GPUs and their containers of them, on one screen. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/assert.h"
#include "base/clock.h"
#include "server/cli.h"
#include "server/cli_words.h"

enum { NAME_WIDTH = 28, CLUSTER_WIDTH = 14, AGAIN_MS = 2000, SCREEN_ARENA_MAX = 64 * 1024 * 1024 };

/* What a machine's GPUs say together, and its containers; a figure that none of them told is not known. */
struct sum { double value; size_t count; };
struct totals { size_t held; struct sum busy, used, total, hottest, power, cores, ram; };

static void add(struct sum *sum, const struct json *figures, const char *name)
{
    if (json_get(figures, str_from(name)) == NULL) { return; }
    sum->value += cli_number(figures, name);
    sum->count++;
}

static struct totals add_up(const struct json *gpus, const struct json *containers)
{
    struct totals totals = { 0 };
    for (size_t g = 0; g < gpus->count; g++) {
        const struct json *gpu = &gpus->as.items[g];
        totals.held += cli_list(gpu, "tasks")->count > 0;
        add(&totals.busy, gpu, "utilization");
        add(&totals.used, gpu, "memoryUsedBytes");
        add(&totals.total, gpu, "memoryTotalBytes");
        add(&totals.power, gpu, "powerWatts");
        double celsius = cli_number(gpu, "temperatureCelsius");
        if (json_get(gpu, STR("temperatureCelsius")) != NULL && (totals.hottest.count == 0 || celsius > totals.hottest.value)) {
            totals.hottest = (struct sum){ celsius, 1 };
        }
    }
    for (size_t c = 0; c < containers->count; c++) {
        add(&totals.cores, &containers->as.items[c], "cpuCores");
        add(&totals.ram, &containers->as.items[c], "memoryBytes");
    }
    return totals;
}

static void print_figure(struct sum sum, double factor, int decimals, const char *unit)
{
    char text[32] = "-";
    if (sum.count > 0) { (void)snprintf(text, sizeof text, "%.*f%s%s", decimals, sum.value * factor, unit[0] == '\0' ? "" : " ", unit); }
    printf(" %9s", text);
}

static void print_machine(const struct json *machine, int64_t now_ms)
{
    static const double gib = (double)(1 << 30);
    const struct json *gpus = cli_list(machine, "gpus"), *containers = cli_list(machine, "containers");
    const struct json *simulated = json_get(machine, STR("simulated"));
    struct totals totals = add_up(gpus, containers);
    double at_ms = cli_number(machine, "at");
    if (gpus->count + containers->count == 0) { return; }
    cli_print(cli_text(machine, "name"), NAME_WIDTH, true);
    putchar(' ');
    cli_print(cli_text(machine, "cluster"), CLUSTER_WIDTH, true);
    printf(" %4zu %4zu %5.0f", gpus->count, totals.held, cli_number(machine, "taskCount"));
    print_figure(totals.busy, totals.busy.count > 0 ? 100 / (double)totals.busy.count : 0, 0, "%");
    print_figure(totals.used, 1 / gib, 1, "GiB");
    print_figure(totals.total, 1 / gib, 1, "GiB");
    print_figure(totals.hottest, 1, 0, "C");
    print_figure(totals.power, 1, 0, "W");
    print_figure(totals.cores, 1, 2, "");
    print_figure(totals.ram, 1 / gib, 1, "GiB");
    if (at_ms > 0) { printf("  %.0f s ago", ((double)now_ms - at_ms) / 1000); } else { printf("  never"); }
    puts(simulated != NULL && simulated->type == JSON_TRUE ? " (simulated)" : "");
}

static void print_table(const struct json *reply, int64_t now_ms)
{
    const struct json *machines = cli_list(reply, "machines");
    double total = cli_number(reply, "total");
    printf("%-*s %-*s %4s %4s %5s %9s %9s %9s %9s %9s %9s %9s  %s\n", NAME_WIDTH, "MACHINE", CLUSTER_WIDTH, "CLUSTER", "GPUS", "HELD", "TASKS", "BUSY", "USED",
           "MEMORY", "HOTTEST", "POWER", "CORES", "RAM", "TOLD");
    for (size_t m = 0; m < machines->count; m++) { print_machine(&machines->as.items[m], now_ms); }
    if (total > (double)machines->count) { printf("and %.0f more machines: --cluster shows one cluster\n", total - (double)machines->count); }
}

static bool show(const struct config *config, const struct remote *remote, bool on_screen, struct arena *arena, struct err *err)
{
    const struct json *reply;
    const char *cluster = config_text(config, SETTING_HISTORY_CLUSTER);
    struct buf path = buf_in(arena);
    buf_put(&path, STR("/berth/v1/samples"));
    if (cluster != NULL) {
        buf_put(&path, STR("?cluster="));
        cli_put_encoded(&path, cluster);
    }
    if (!cli_ask(remote, arena_cstr(arena, buf_str(&path)), (struct str){ 0 }, &reply, arena, err)) { return false; }
    if (strcmp(config_text(config, SETTING_OUTPUT), "json") == 0) {
        cli_print_json(reply, arena);
        putchar('\n');
        return true;
    }
    if (on_screen) { fputs("\x1b[H\x1b[J", stdout); }
    print_table(reply, clock_now_ms());
    return true;
}

int cli_top(const struct config *config, struct arena *arena, struct err *err)
{
    struct remote remote;
    bool json = strcmp(config_text(config, SETTING_OUTPUT), "json") == 0;
    bool on_screen = !config_flag(config, SETTING_ONCE) && !json && isatty(STDOUT_FILENO) == 1;
    if (!cli_remote(config, &remote, arena, err)) { return 1; }
    bool good = true;
    while (good) {
        struct arena screen = { .ceiling = SCREEN_ARENA_MAX };
        good = show(config, &remote, on_screen, &screen, err);
        arena_finish(&screen);
        if (!on_screen) { break; }
        (void)fflush(stdout);
        clock_sleep_ms(AGAIN_MS);
    }
    return good ? 0 : 1;
}
