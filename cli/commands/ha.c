/* ha.c: `berth ha`: several servers with one state. */
#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/text/duration.h"
#include "cli/cli.h"
#include "cli/words.h"
#include "cli/settings/config_internal.h"
#include "store/store.h"

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

static int forget(const struct remote *remote, const char *name, struct arena *arena, struct err *err)
{
    const struct json *reply;
    struct buf body = buf_in(arena);
    struct json_out json = json_out_to(&body);
    json_open(&json, '{');
    json_key(&json, STR("member"));
    json_str(&json, str_from(name));
    json_close(&json, '}');
    if (!cli_ask(remote, "/berth/v1/ha/forget", buf_str(&body), &reply, arena, err)) { return 1; }
    fprintf(stderr, "%s is not in the list of servers any more. If it runs, it comes back by itself.\n", name);
    return 0;
}

/* ---- after the loss of etcd ---- */

/* False: no store, or one that a server works on. *lock stays open until the end. */
static bool read_place(const char *dir, int64_t *revision, int *lock, struct arena *arena, struct err *err)
{
    struct store *store = NULL;
    struct stat facts;
    const struct store_config config = { .dir = dir, .sync = true, .recall_later = true };
    if (stat(arena_printf(arena, "%s/data.mdb%c", dir, '\0').ptr, &facts) != 0) { return err_set(err, ERR_INVALID_PARAMETER, "There is no store in %s.", dir); }
    *lock = file_lock(arena_printf(arena, "%s/server.lock%c", dir, '\0').ptr);
    if (*lock < 0) { return err_set(err, ERR_INVALID_PARAMETER, "A server is running with the folder %s: stop it first.", dir); }
    if (!store_open(&config, &store, err)) { return false; }
    struct store_txn *txn = store_read_begin(store);
    *revision = store_revision(txn);
    bool sound = store_read_end(txn);
    store_close(store);
    return sound || err_set(err, ERR_SERVER, "The store in %s can't be read.", dir);
}

/* The folder forgets its cluster: the next server that starts with it begins a new one, with all that the folder has (server/members/join.c). */
static int begin_again(const struct config *config, struct arena *arena, struct err *err)
{
    const char *dir = config_text(config, SETTING_DATA), *said = config->argument_count > 1 ? config->arguments[1] : NULL;
    int64_t revision = 0, number = 0;
    int lock = -1;
    if (dir == NULL) { dir = "berth-data"; }
    const char *file = arena_printf(arena, "%s/ha-id%c", dir, '\0').ptr;
    if (!read_place(dir, &revision, &lock, arena, err)) { return 1; }
    if (said == NULL || !str_to_i64(str_from(said), &number) || number != revision) {
        err_set(err, ERR_INVALID_PARAMETER, "the last entry in %s is %lld. If no other server's folder has a later one: `berth ha begin-again %lld --data %s`.",
                dir, (long long)revision, (long long)revision, dir);
        return 1;
    }
    if (unlink(file) != 0 && errno != ENOENT) {
        err_set(err, ERR_SERVER, "%s: %s", file, strerror(errno));
        return 1;
    }
    printf("The next server with the folder %s begins a new cluster with all up to entry %lld. Give it an etcd that has nothing of the old one, or another\n"
           "name in the URL of --ha. Start the other servers behind it, with empty folders.\n", dir, (long long)revision);
    return 0;
}

int cli_ha(const struct config *config, struct arena *arena, struct err *err)
{
    struct remote remote;
    const struct json *reply;
    if (config->argument_count > 0 && strcmp(config->arguments[0], "begin-again") == 0) { return begin_again(config, arena, err); }
    if (!cli_remote(config, &remote, arena, err)) { return 1; }
    if (config->argument_count == 1 && strcmp(config->arguments[0], "hand-over") == 0) { return hand_over(&remote, arena, err); }
    if (config->argument_count == 2 && strcmp(config->arguments[0], "forget") == 0) { return forget(&remote, config->arguments[1], arena, err); }
    bool is_status = config->argument_count == 1 && strcmp(config->arguments[0], "status") == 0;
    if (config->argument_count > 0 && !is_status) {
        err_set(err, ERR_INVALID_PARAMETER, "use `berth ha`, `berth ha hand-over`, `berth ha forget NAME` or `berth ha begin-again`.");
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
