/* drain.c: `berth whatif --drain MACHINE`: what would become of a machine's tasks if it drained. */
#include <stdio.h>

#include "cli/cli.h"
#include "cli/words.h"

enum { TASKS_STAY = 3, NAME_WIDTH = 20 };                         /* exit status: the machine would not get empty by itself */

static bool empties(const struct json *reply)
{
    const struct json *value = json_get(reply, STR("empties"));
    return value != NULL && value->type == JSON_TRUE;
}

static void print_services(const struct json *services)
{
    if (services->count > 0) { printf("\n%-*s %6s %6s %6s  %-8s %s\n", NAME_WIDTH, "SERVICE", "TASKS", "FIT", "STAY", "VERDICT", "WHY"); }
    for (size_t s = 0; s < services->count; s++) {
        const struct json *service = &services->as.items[s];
        cli_print(cli_text(service, "service"), NAME_WIDTH, true);
        printf(" %6.0f %6.0f %6.0f  ", cli_number(service, "tasks"), cli_number(service, "fits"), cli_number(service, "stay"));
        cli_print(cli_text(service, "verdict"), 8, true);
        putchar(' ');
        cli_print(cli_text(service, "detail"), 2048, false);
        putchar('\n');
    }
}

static void print_moves(const struct json *moves)
{
    if (moves->count > 0) { printf("\n%-33s%-*s %5s  %s\n", "TASK", NAME_WIDTH, "SERVICE", "GPUS", "REPLACED ON"); }
    for (size_t m = 0; m < moves->count; m++) {
        const struct json *move = &moves->as.items[m], *to = json_get(move, STR("to"));
        bool has_place = to != NULL && to->type == JSON_OBJECT;
        cli_print(cli_text(move, "task"), 32, true);
        putchar(' ');
        cli_print(cli_text(move, "service"), NAME_WIDTH, true);
        printf(" %5g  ", cli_number(move, "gpus"));
        cli_print(has_place ? cli_text(to, "name") : STR("no room"), 255, false);
        putchar('\n');
    }
}

static void print_standalone(const struct json *tasks)
{
    if (tasks->count == 0) { return; }
    printf("\nIn the way, of no service:\n");
    cli_print_tasks(tasks);
}

int cli_what_if_drain(const struct config *config, struct arena *arena, struct err *err)
{
    struct remote remote;
    const struct json *reply;
    struct buf path = buf_in(arena);
    if (config->argument_count > 0 || config_text(config, SETTING_TASK_DEFINITION) != NULL) {
        (void)err_set(err, ERR_INVALID_PARAMETER, "--drain asks about a machine: leave out the service and --task-definition.");
        return 1;
    }
    buf_put(&path, STR("/berth/v1/whatif/drain?instance="));
    cli_put_encoded(&path, config_text(config, SETTING_DRAIN));
    if (config_text(config, SETTING_ASKED_CLUSTER) != NULL) {
        buf_put(&path, STR("&cluster="));
        cli_put_encoded(&path, config_text(config, SETTING_ASKED_CLUSTER));
    }
    buf_put_char(&path, '\0');
    if (!cli_remote(config, &remote, arena, err) || !cli_ask(&remote, path.ptr, (struct str){ 0 }, &reply, arena, err)) { return 1; }
    if (str_eq(str_from(config_text(config, SETTING_OUTPUT)), STR("json"))) {
        cli_print_json(reply, arena);
        putchar('\n');
    } else {
        cli_print(cli_text(json_get(reply, STR("instance")), "name"), 255, false);
        printf(" has %.0f task%s. ", cli_number(reply, "tasks"), cli_number(reply, "tasks") == 1 ? "" : "s");
        cli_print(cli_text(reply, "detail"), 2048, false);
        putchar('\n');
        print_services(cli_list(reply, "services"));
        print_moves(cli_list(reply, "moves"));
        print_standalone(cli_list(reply, "standalone"));
    }
    return empties(reply) ? 0 : TASKS_STAY;
}
