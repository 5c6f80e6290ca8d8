/* ha.c: `berth ha`: several servers with one state. */
#include <stdio.h>

#include "base/text/duration.h"
#include "cli/cli.h"
#include "cli/words.h"
#include "cli/settings/config_internal.h"

enum { NAME_WIDTH = 14, ADDRESS_WIDTH = 34, RELEASE_WIDTH = 10 };

static bool is_true(const struct json *object, const char *name)
{
    const struct json *word = json_get(object, str_from(name));
    return word != NULL && word->type == JSON_TRUE;
}

static void print_member(const struct json *member, int64_t last)
{
    int64_t durable = json_get_i64(member, STR("durable"), 0), behind = last > durable ? last - durable : 0;
    printf("%c ", is_true(member, "leads") ? '*' : ' ');
    cli_print(json_get_str(member, STR("name")), NAME_WIDTH, true);
    printf(" ");
    cli_print(json_get_str(member, STR("address")), ADDRESS_WIDTH, true);
    printf(" ");
    cli_print(json_get_str(member, STR("release")), RELEASE_WIDTH, true);
    printf(" %12lld %8lld\n", (long long)durable, (long long)behind);
}

static void print_state(const struct json *reply)
{
    const struct json *members = cli_list(reply, "members");
    struct str leader = json_get_str(reply, STR("leader"));
    int64_t last = json_get_i64(reply, STR("logLast"), 0), first = json_get_i64(reply, STR("logFirst"), 0);
    int64_t heard_ms = json_get_i64(reply, STR("heardMsAgo"), -1);
    char heard[DURATION_TEXT_SIZE] = "never";
    if (heard_ms >= 0) { duration_print(heard_ms, heard); }
    printf("  %-*s %-*s %-*s %12s %8s\n", NAME_WIDTH, "SERVER", ADDRESS_WIDTH, "ADDRESS", RELEASE_WIDTH, "RELEASE", "ON DISK", "BEHIND");
    for (size_t m = 0; m < members->count; m++) { print_member(&members->as.items[m], last); }
    printf("\n");
    if (leader.len > 0) {
        cli_print(leader, NAME_WIDTH, false);
        printf(" leads, in term %lld.", (long long)json_get_i64(reply, STR("term"), 0));
    } else {
        printf("Nobody leads.");
    }
    printf(" The log has entries %lld to %lld", (long long)first, (long long)last);
    printf(is_true(reply, "logAnswers") ? " and answers.\n" : ". It does not answer now; the last answer came %s ago.\n", heard);
}

static int hand_over(const struct remote *remote, struct arena *arena, struct err *err)
{
    const struct json *reply;
    if (!cli_ask(remote, "/berth/v1/ha/hand-over", STR("{}"), &reply, arena, err)) { return 1; }
    fprintf(stderr, "The server that led gives up the lead. `berth ha` shows who has it.\n");
    return 0;
}

int cli_ha(const struct config *config, struct arena *arena, struct err *err)
{
    struct remote remote;
    const struct json *reply;
    if (!cli_remote(config, &remote, arena, err)) { return 1; }
    if (config->argument_count == 1 && strcmp(config->arguments[0], "hand-over") == 0) { return hand_over(&remote, arena, err); }
    if (config->argument_count > 0) {
        err_set(err, ERR_INVALID_PARAMETER, "use `berth ha` or `berth ha hand-over`.");
        return 2;
    }
    if (!cli_ask(&remote, "/berth/v1/ha", (struct str){ 0 }, &reply, arena, err)) { return 1; }
    if (str_eq(str_from(config_text(config, SETTING_OUTPUT)), STR("json"))) {
        cli_print_json(reply, arena);
        putchar('\n');
    } else if (!is_true(reply, "enabled")) {
        printf("This server is alone. docs/high-availability.md shows how to run several with one state.\n");
    } else {
        print_state(reply);
    }
    return 0;
}
