/* gpu.c: `berth gpu`: lists GPUs in quarantine, and puts one in or takes it out by hand. */
#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "cli/cli.h"
#include "cli/words.h"

enum { UUID_WIDTH = 40, MACHINE_WIDTH = 20, STATE_WIDTH = 11, WHO_WIDTH = 10, REASON_WIDTH = 512 };
static const char path[] = "/berth/v1/gpus";

static struct str state_of(const struct json *gpu)
{
    const struct json *gone = json_get(gpu, STR("gone"));
    if (json_get_str(gpu, STR("restoredBy")).len > 0) { return STR("given back"); }
    return gone != NULL && gone->type == JSON_TRUE ? STR("gone") : STR("quarantined");
}

static void print_gpu(const struct json *gpu)
{
    char since[CLI_TIME_SIZE];
    struct str by = json_get_str(gpu, STR("by"));
    cli_print(cli_text(gpu, "uuid"), UUID_WIDTH, true);
    putchar(' ');
    cli_print(cli_text(gpu, "name"), MACHINE_WIDTH, true);
    putchar(' ');
    cli_print(state_of(gpu), STATE_WIDTH, true);
    printf(" %-20s", cli_time_text((int64_t)cli_number(gpu, "since"), false, since));
    cli_print(by.len > 0 ? by : STR("its agent"), WHO_WIDTH, true);
    putchar(' ');
    cli_print(cli_text(gpu, "reason"), REASON_WIDTH, false);
    putchar('\n');
}

static int list_gpus(const struct config *config, const struct remote *remote, struct arena *arena, struct err *err)
{
    const struct json *reply;
    if (!cli_ask(remote, path, (struct str){ 0 }, &reply, arena, err)) { return 1; }
    const struct json *gpus = cli_list(reply, "gpus");
    if (strcmp(config_text(config, SETTING_OUTPUT), "json") == 0) {
        cli_print_json(reply, arena);
        putchar('\n');
    } else if (gpus->count == 0) {
        puts("Every GPU is in the pool.");
    } else {
        printf("%-*s %-*s %-*s %-20s%-*s %s\n", UUID_WIDTH, "GPU", MACHINE_WIDTH, "MACHINE", STATE_WIDTH, "STATE", "SINCE (UTC)", WHO_WIDTH, "BY", "REASON");
        for (size_t g = 0; g < gpus->count; g++) { print_gpu(&gpus->as.items[g]); }
    }
    return 0;
}

static int set_gpu(const struct config *config, const struct remote *remote, struct str state, struct arena *arena, struct err *err)
{
    ASSERT(config->argument_count == 2);
    const struct json *reply;
    struct buf body = buf_in(arena);
    struct json_out out = json_out_to(&body);
    const char *reason = config_text(config, SETTING_REASON);
    json_open(&out, '{');
    json_key(&out, STR("uuid"));
    json_str(&out, str_from(config->arguments[1]));
    json_key(&out, STR("state"));
    json_str(&out, state);
    if (reason != NULL) {
        json_key(&out, STR("reason"));
        json_str(&out, str_from(reason));
    }
    json_close(&out, '}');
    return cli_ask(remote, path, buf_str(&body), &reply, arena, err) ? 0 : 1;
}

int cli_gpu(const struct config *config, struct arena *arena, struct err *err)
{
    static const struct { const char *word; struct str state; } wishes[] = {
        { "quarantine", STR_INIT("QUARANTINED") }, { "restore", STR_INIT("AVAILABLE") },
    };
    struct remote remote;
    const char *word = config->argument_count == 0 ? "list" : config->arguments[0];
    bool lists = strcmp(word, "list") == 0;
    if (!cli_remote(config, &remote, arena, err)) { return 1; }
    if (lists && config->argument_count <= 1) { return list_gpus(config, &remote, arena, err); }
    for (size_t w = 0; w < COUNT_OF(wishes) && config->argument_count == 2; w++) {
        if (strcmp(word, wishes[w].word) == 0) { return set_gpu(config, &remote, wishes[w].state, arena, err); }
    }
    (void)err_set(err, ERR_INVALID_PARAMETER, "use `berth gpu list`, `berth gpu quarantine UUID` or `berth gpu restore UUID`.");
    return 1;
}
