/* capacity.c: `berth capacity`: approves, suspends and resumes the orders of a capacity provider; and the answer of `berth why PROVIDER`. */
#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "base/clock.h"
#include "base/text/duration.h"
#include "cli/cli.h"
#include "cli/commands/capacity.h"

enum { USE_WIDTH = 9, TYPE_WIDTH = 16, ID_WIDTH = 35, STATE_WIDTH = 9, TEXT_WIDTH = 2048, REASON_WIDTH = 120 };

/* ---- berth capacity ---- */

int cli_capacity(const struct config *config, struct arena *arena, struct err *err)
{
    static const struct { const char *word; struct str action; } wishes[] = {
        { "approve", STR_INIT("APPROVE") }, { "suspend", STR_INIT("SUSPEND") }, { "resume", STR_INIT("RESUME") },
    };
    struct remote remote;
    const struct json *reply;
    struct buf body = buf_in(arena);
    struct json_out out = json_out_to(&body);
    size_t wish = 0;
    while (config->argument_count == 2 && wish < COUNT_OF(wishes) && strcmp(config->arguments[0], wishes[wish].word) != 0) { wish++; }
    if (config->argument_count != 2 || wish == COUNT_OF(wishes)) {
        (void)err_set(err, ERR_INVALID_PARAMETER, "use `berth capacity approve PROVIDER`, `berth capacity suspend PROVIDER` or `berth capacity resume "
                      "PROVIDER`.");
        return 1;
    }
    json_open(&out, '{');
    json_key(&out, STR("provider"));
    json_str(&out, str_from(config->arguments[1]));
    json_key(&out, STR("action"));
    json_str(&out, wishes[wish].action);
    json_close(&out, '}');
    return cli_remote(config, &remote, arena, err) && cli_ask(&remote, "/berth/v1/capacity", buf_str(&body), &reply, arena, err) ? 0 : 1;
}

/* ---- berth why PROVIDER ---- */

static void print_span(int64_t ms, const char *before)
{
    char text[DURATION_TEXT_SIZE];
    duration_print(ms, text);
    printf("%s%s", before, text);
}

static void print_evidence(const struct json *rows)
{
    if (rows->count == 0) { return; }
    printf("\n%-*s %-*s %8s %8s %8s  %s\n", USE_WIDTH, "MACHINES", TYPE_WIDTH, "TYPE", "COUNT", "RUNNING", "WAITING", "FOR");
    for (size_t r = 0; r < rows->count; r++) {
        const struct json *row = &rows->as.items[r], *tasks = cli_list(row, "tasks");
        cli_print(cli_text(row, "use"), USE_WIDTH, true);
        putchar(' ');
        cli_print(cli_text(row, "type"), TYPE_WIDTH, true);
        printf(" %8.0f %8.0f %8.0f  ", cli_number(row, "machines"), cli_number(row, "running"), cli_number(row, "waiting"));
        cli_print(tasks->count > 0 && tasks->as.items[0].type == JSON_STRING ? tasks->as.items[0].as.string : STR("-"), ID_WIDTH, false);
        if (cli_number(row, "waiting") > 1) { printf(" and %.0f more", cli_number(row, "waiting") - 1); }
        putchar('\n');
    }
}

static void print_machine(const struct json *machine, int64_t now_ms)
{
    const struct json *late = json_get(machine, STR("late"));
    struct str replaced = json_get_str(machine, STR("replaced"));
    cli_print(cli_text(machine, "id"), ID_WIDTH, true);
    putchar(' ');
    cli_print(cli_text(machine, "type"), TYPE_WIDTH, true);
    putchar(' ');
    cli_print(cli_text(machine, "state"), STATE_WIDTH, true);
    print_span(now_ms - json_get_i64(machine, STR("since"), now_ms), " for ");
    printf("%s, tasks: %.0f  ", late != NULL && late->type == JSON_TRUE ? " (late)" : "", cli_number(machine, "tasks"));
    cli_print(replaced.len > 0 ? replaced : cli_text(machine, "reason"), REASON_WIDTH, false);
    putchar('\n');
}

void cli_print_why_provider(const struct json *reply)
{
    const struct json *reasons = cli_list(reply, "reasons"), *machines = cli_list(reply, "machines"), *next = cli_list(reply, "next");
    int64_t now_ms = clock_now_ms();
    cli_print(cli_text(reply, "detail"), TEXT_WIDTH, false);
    putchar('\n');
    for (size_t r = 0; r < reasons->count; r++) {
        printf("- ");
        cli_print(reasons->as.items[r].type == JSON_STRING ? reasons->as.items[r].as.string : STR("-"), TEXT_WIDTH, false);
        putchar('\n');
    }
    print_evidence(cli_list(reply, "evidence"));
    if (machines->count > 0) { putchar('\n'); }
    for (size_t m = 0; m < machines->count; m++) { print_machine(&machines->as.items[m], now_ms); }
    if (next->count > 0) { printf("\nNext:\n"); }
    for (size_t n = 0; n < next->count; n++) {
        print_span(json_get_i64(&next->as.items[n], STR("at"), now_ms) - now_ms, "  in ");
        printf(": ");
        cli_print(cli_text(&next->as.items[n], "what"), TEXT_WIDTH, false);
        putchar('\n');
    }
}
