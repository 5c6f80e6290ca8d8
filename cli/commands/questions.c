/* questions.c: `berth whatif`, `berth why`, `berth headroom`: questions that change nothing. */
#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "cli/cli.h"
#include "cli/commands/capacity.h"
#include "cli/words.h"
#include "cli/settings/config_internal.h"

enum { SOME_STAY_OUT = 3, NAME_WIDTH = 20 };                     /* exit status of a what-if if some tasks would not start, or an update waits for room */

static bool as_json(const struct config *config) { return str_eq(str_from(config_text(config, SETTING_OUTPUT)), STR("json")); }

static bool is_true(const struct json *object, const char *name)
{
    const struct json *value = json_get(object, str_from(name));
    return value != NULL && value->type == JSON_TRUE;
}

static void print_line(const char *name, struct str value)
{
    printf("%-12s", name);
    cli_print(cli_or_dash(value), 4096, false);
    putchar('\n');
}

/* ---- the input of RunTask or UpdateService, from flags in the AWS CLI's words ---- */

/* "type=memberOf,expression=a, b" is one object of two texts; the second goes to the end. A text that begins with a bracket is JSON. */
static bool put_list(struct json_out *out, struct str name, struct str text, struct str first, const char *second, struct err *err)
{
    json_key(out, name);
    if (text.ptr[0] == '[') {
        json_raw(out, text);
        return true;
    }
    struct str head, rest, key, value;
    (void)str_cut(text, ',', &head, &rest);
    bool good = str_cut(head, '=', &key, &value) && str_eq(key, first);
    json_open(out, '[');
    json_open(out, '{');
    json_key(out, first);
    json_str(out, value);
    if (good && rest.len > 0) {
        good = str_cut(rest, '=', &key, &value) && str_eq(key, str_from(second));
        json_key(out, key);
        json_str(out, value);
    }
    json_close(out, '}');
    json_close(out, ']');
    return good || err_set(err, ERR_INVALID_PARAMETER, "\"" STR_FMT "\" should have the form " STR_FMT "=...,%s=... or be a JSON list.",
                           STR_ARG(text), STR_ARG(first), second);
}

enum input { OF_RUN = 1, OF_UPDATE = 2, OF_BOTH = OF_RUN | OF_UPDATE };
struct flag { enum setting setting; struct str member; enum { AS_TEXT, AS_JSON, AS_LIST } form; struct str first; const char *second; enum input input; };
static const struct flag flags[] = {
    { SETTING_ASKED_CLUSTER,   STR_INIT("cluster"),              AS_TEXT,   { NULL, 0 },      NULL,         OF_BOTH },
    { SETTING_TASK_DEFINITION, STR_INIT("taskDefinition"),       AS_TEXT,   { NULL, 0 },      NULL,         OF_BOTH },
    { SETTING_COUNT_OF_TASKS,  STR_INIT("count"),                AS_JSON,   { NULL, 0 },      NULL,         OF_RUN },
    { SETTING_DESIRED_COUNT,   STR_INIT("desiredCount"),         AS_JSON,   { NULL, 0 },      NULL,         OF_UPDATE },
    { SETTING_FORCE,           STR_INIT("forceNewDeployment"),   AS_JSON,   { NULL, 0 },      NULL,         OF_UPDATE },
    { SETTING_GROUP,           STR_INIT("group"),                AS_TEXT,   { NULL, 0 },      NULL,         OF_RUN },
    { SETTING_CONSTRAINTS,     STR_INIT("placementConstraints"), AS_LIST,   STR_INIT("type"), "expression", OF_BOTH },
    { SETTING_STRATEGY,        STR_INIT("placementStrategy"),    AS_LIST,   STR_INIT("type"), "field",      OF_BOTH },
    { SETTING_TAGS,            STR_INIT("tags"),                 AS_LIST,   STR_INIT("key"),  "value",      OF_RUN },
    { SETTING_OVERRIDES,       STR_INIT("overrides"),            AS_JSON,   { NULL, 0 },      NULL,         OF_RUN },
};

static bool put_flag(struct json_out *out, const struct flag *flag, struct str text, struct err *err)
{
    ASSERT(flag->form != AS_LIST || flag->second != NULL);       /* of the table above */
    if (flag->form == AS_LIST) {
        return put_list(out, flag->member, text, flag->first, flag->second, err);
    }
    json_key(out, flag->member);
    if (flag->form == AS_TEXT) {
        json_str(out, text);
    } else {
        json_raw(out, text);
    }
    return true;
}

/* The members of --cli-input-json that no flag overrides. */
static bool put_input(struct json_out *out, const struct config *config, struct arena *arena, struct err *err)
{
    struct str given = str_from(config_text(config, SETTING_INPUT)), text = given;
    struct err broken = { 0 };
    if (str_starts_with(given, STR("file://")) && !config_load_file(given.ptr + strlen("file://"), arena, &text)) {
        return err_set(err, ERR_INVALID_PARAMETER, "the file " STR_FMT " can't be read.", STR_ARG(given));
    }
    const struct json *input = json_parse(text, arena, &broken);
    if (input == NULL || input->type != JSON_OBJECT) {
        return err_set(err, ERR_INVALID_PARAMETER, "cli-input-json should be a JSON object: %s", broken.message);
    }
    for (size_t m = 0; m < input->count; m++) {
        const struct json_member *member = &input->as.members[m];
        bool said = str_eq(member->key, STR("service")) && config->argument_count == 1;
        for (size_t f = 0; f < COUNT_OF(flags); f++) {
            said |= str_eq(member->key, flags[f].member) && config_text(config, flags[f].setting) != NULL;
        }
        if (!said) {
            json_key(out, member->key);
            json_dump(out, &member->value);
        }
    }
    return true;
}

static bool check_flags(const struct config *config, enum input input, struct err *err)
{
    for (size_t f = 0; f < COUNT_OF(flags); f++) {
        if (config_text(config, flags[f].setting) == NULL || (flags[f].input & input) != 0) { continue; }
        return err_set(err, ERR_INVALID_PARAMETER, "--%s is %s.", config_rows[flags[f].setting].name,
                       input == OF_RUN ? "for a service: `berth whatif SERVICE`" : "for tasks: leave SERVICE out");
    }
    return true;
}

static bool read_input(const struct config *config, struct str *body, struct arena *arena, struct err *err)
{
    enum input input = config->argument_count == 0 ? OF_RUN : OF_UPDATE;
    struct buf text = buf_in(arena);
    struct json_out out = json_out_to(&text);
    if (!check_flags(config, input, err)) { return false; }
    json_open(&out, '{');
    if (input == OF_UPDATE) {
        json_name(&out, STR("service"));
        json_str(&out, str_from(config->arguments[0]));
    }
    for (size_t f = 0; f < COUNT_OF(flags); f++) {
        const char *said = config_text(config, flags[f].setting);
        if (said != NULL && !put_flag(&out, &flags[f], str_from(said), err)) {
            return false;
        }
    }
    if (config_text(config, SETTING_INPUT) != NULL && !put_input(&out, config, arena, err)) {
        return false;
    }
    json_close(&out, '}');
    *body = buf_str(&text);
    return true;
}

/* ---- what would happen, in words ---- */

static void print_gpus(const struct json *container)
{
    const struct json *gpus = cli_list(container, "gpuIds");
    double share = cli_number(container, "gpuShare");
    for (size_t g = 0; g < gpus->count; g++) {
        printf("%s", g == 0 ? "" : ", ");
        cli_print(gpus->as.items[g].type == JSON_STRING ? gpus->as.items[g].as.string : STR("-"), 255, false);
    }
    if (gpus->count == 0) {
        putchar('-');
    } else if (share < 1) {
        printf(" (%g of it)", share);
    }
    putchar('\n');
}

static void print_places(const struct json *reply)
{
    const struct json *places = cli_list(reply, "placements");
    if (places->count > 0) {
        printf("\n%-5s%-*s %-*s %s\n", "TASK", NAME_WIDTH, "MACHINE", NAME_WIDTH, "CONTAINER", "GPUS");
    }
    for (size_t p = 0; p < places->count; p++) {
        const struct json *place = &places->as.items[p], *containers = cli_list(place, "containers");
        for (size_t c = 0; c < containers->count; c++) {
            printf("%-5zu", p + 1);
            cli_print(cli_text(json_get(place, STR("instance")), "name"), NAME_WIDTH, true);
            putchar(' ');
            cli_print(cli_text(&containers->as.items[c], "name"), NAME_WIDTH, true);
            putchar(' ');
            print_gpus(&containers->as.items[c]);
        }
    }
}

/* The most that one of them has, "-" if it is not an amount. */
static void print_amount(const struct json *group, const char *name)
{
    const struct json *amount = json_get(group, str_from(name));
    if (amount != NULL && amount->type == JSON_INT) {
        printf("%8lld ", (long long)amount->as.integer);
    } else {
        printf("%8s ", "-");
    }
}

static void print_groups(const struct json *evidence)
{
    const struct json *groups = cli_list(evidence, "groups");
    if (groups->count > 0) {
        printf("\n%-18s %8s %8s %8s  %-7s%-*s %s\n", "LACKS", "MACHINES", "FREE", "OF", "EVER", NAME_WIDTH, "NEAREST", "MISSING");
    }
    for (size_t g = 0; g < groups->count; g++) {
        const struct json *group = &groups->as.items[g];
        cli_print(cli_text(group, "reason"), 18, true);
        printf(" %8.0f ", cli_number(group, "instances"));
        print_amount(group, "mostFree");
        print_amount(group, "most");
        printf(" %-7s", is_true(group, "busy") ? "yes" : "never");
        cli_print(cli_text(json_get(group, STR("nearest")), "name"), NAME_WIDTH, true);
        putchar(' ');
        cli_print(cli_text(group, "missing"), 255, false);
        putchar('\n');
    }
}

static void print_blockers(const struct json *evidence)
{
    const struct json *tasks = cli_list(evidence, "blockedBy"), *groups = cli_list(evidence, "groups");
    if (tasks->count == 0 || groups->count == 0) {
        return;
    }
    printf("\nIt would fit on ");
    cli_print(cli_text(json_get(&groups->as.items[0], STR("nearest")), "name"), 255, false);
    printf(" without:\n");
    cli_print_tasks(tasks);
}

static void print_what_if(const struct json *reply)
{
    double count = cli_number(reply, "count"), fits = cli_number(reply, "fits");
    const struct json *evidence = json_get(reply, STR("evidence"));
    printf("%.0f of %.0f task%s of ", fits, count, count == 1 ? "" : "s");
    cli_print(cli_text(reply, "taskDefinition"), 300, false);
    printf(" would start now%s.\n", is_true(reply, "gang") ? ", all together or none" : "");
    print_places(reply);
    if (fits < count) {
        printf("\nWhy not: ");
        cli_print(cli_text(evidence, "detail"), 2048, false);
        putchar('\n');
        print_groups(evidence);
        print_blockers(evidence);
    }
    printf("\nHow a place is chosen: ");
    cli_print(cli_text(reply, "choice"), 2048, false);
    putchar('\n');
}

/* "DEADLOCK: web with 2 tasks of web:3, in a new deployment." */
static void print_what_if_update(const struct json *reply)
{
    double desired = cli_number(reply, "desired");
    cli_print(cli_text(reply, "verdict"), 255, false);
    printf(": ");
    cli_print(cli_text(reply, "service"), 255, false);
    printf(" with %.0f task%s of ", desired, desired == 1 ? "" : "s");
    cli_print(cli_text(reply, "taskDefinition"), 300, false);
    printf(", %s.\n", is_true(reply, "deploys") ? "in a new deployment" : "without a new deployment");
    cli_print(cli_text(reply, "detail"), 2048, false);
    putchar('\n');
}

static bool has_room(const struct json *reply)
{
    static const struct str words[] = { STR_INIT("ROOM"), STR_INIT("SOME_ROOM"), STR_INIT("SWAP") };
    struct str verdict = json_get_str(reply, STR("verdict"));
    bool has = false;
    for (size_t w = 0; w < COUNT_OF(words); w++) { has |= str_eq(verdict, words[w]); }
    return has;
}

int cli_what_if(const struct config *config, struct arena *arena, struct err *err)
{
    struct remote remote;
    struct str body;
    const struct json *reply;
    bool of_service = config->argument_count == 1;
    if (config_text(config, SETTING_DRAIN) != NULL) { return cli_what_if_drain(config, arena, err); }
    if (!cli_remote(config, &remote, arena, err) || !read_input(config, &body, arena, err)
        || !cli_ask(&remote, of_service ? "/berth/v1/whatif/service" : "/berth/v1/whatif", body, &reply, arena, err)) {
        return 1;
    }
    if (as_json(config)) {
        cli_print_json(reply, arena);
        putchar('\n');
    } else if (of_service) {
        print_what_if_update(reply);
    } else {
        print_what_if(reply);
    }
    if (of_service) { return has_room(reply) ? 0 : SOME_STAY_OUT; }
    return cli_number(reply, "fits") < cli_number(reply, "count") ? SOME_STAY_OUT : 0;
}

/* ---- why ---- */

static void print_texts(const char *name, const struct json *list)
{
    for (size_t t = 0; t < list->count; t++) {
        print_line(t == 0 ? name : "", list->as.items[t].type == JSON_STRING ? list->as.items[t].as.string : STR("-"));
    }
}

static void print_why(const struct json *reply, struct arena *arena)
{
    const struct json *task = json_get(reply, STR("task")), *gang = json_get(reply, STR("gang")), *containers = cli_list(task, "containers");
    char text[CLI_TIME_SIZE];
    cli_print(cli_text(reply, "detail"), 8192, false);
    printf("\n\n");
    print_line("Task", json_get_str(task, STR("arn")));
    print_line("Family", json_get_str(task, STR("family")));
    print_line("Status", arena_printf(arena, STR_FMT ", wanted " STR_FMT, STR_ARG(cli_text(reply, "lastStatus")), STR_ARG(cli_text(reply, "desiredStatus"))));
    print_line("Machine", arena_printf(arena, STR_FMT " (" STR_FMT ")", STR_ARG(cli_text(task, "instanceName")), STR_ARG(cli_text(task, "instance"))));
    for (size_t c = 0; c < containers->count; c++) {
        const struct json *container = &containers->as.items[c];
        printf("%-12s", c == 0 ? "GPUs" : "");
        cli_print(cli_text(container, "name"), 255, false);
        printf(": ");
        print_gpus(container);
    }
    if (gang != NULL && gang->type == JSON_OBJECT) {
        printf("%-12snumber %.0f of %.0f, ", "Gang", cli_number(gang, "rank"), cli_number(gang, "size"));
        cli_print(cli_text(gang, "id"), 255, false);
        putchar('\n');
    }
    print_texts("Strategies", cli_list(reply, "strategies"));
    print_texts("Constraints", cli_list(reply, "constraints"));
    print_line("Placed", str_from(cli_time_text(json_get_i64(task, STR("created"), 0), true, text)));
}

static void print_why_service(const struct json *reply)
{
    const struct json *service = json_get(reply, STR("service")), *deployment = json_get(reply, STR("deployment")), *reasons = cli_list(reply, "reasons");
    printf("%.0f of %.0f tasks run.%s\n", cli_number(service, "running"), cli_number(service, "desired"), reasons->count == 0 ? " Nothing is missing." : "");
    for (size_t r = 0; r < reasons->count; r++) {
        printf("- ");
        cli_print(reasons->as.items[r].type == JSON_STRING ? reasons->as.items[r].as.string : STR("-"), 2048, false);
        putchar('\n');
    }
    putchar('\n');
    print_line("Service", json_get_str(service, STR("arn")));
    print_line("Status", cli_text(service, "status"));
    if (deployment != NULL && deployment->type == JSON_OBJECT) {
        print_line("Deployment", cli_text(deployment, "id"));
        print_line("Rollout", cli_text(deployment, "rollout"));
        print_line("Definition", cli_text(deployment, "taskDefinition"));
    }
    if (str_is_set(json_get_str(reply, STR("verdict")))) { print_line("Room", cli_text(reply, "verdict")); }
}

/* A service: an ARN of one, or a name that can be no task's id. */
static bool is_service(const char *text, struct arena *arena)
{
    const char *hex;
    struct err unread = { 0 };
    if (strstr(text, ":service/") != NULL) { return true; }
    return strchr(text, ':') == NULL && strchr(text, '/') == NULL && !cli_read_task(text, &hex, arena, &unread);
}

static bool is_provider(const char *text) { return strstr(text, ":capacity-provider/") != NULL; }

static void put_provider(struct buf *path, const char *provider)
{
    buf_put(path, STR("/berth/v1/why?provider="));
    cli_put_encoded(path, provider);
}

/* The path for a task, a service, a capacity provider, or a plain RunTask. */
static bool why_path(const struct config *config, struct buf *path, struct arena *arena, struct err *err)
{
    static const struct { enum setting setting; const char *name; } parameters[] = {
        { SETTING_ASKED_CLUSTER, "cluster" }, { SETTING_COUNT_OF_TASKS, "count" },
    };
    ASSERT(config->argument_count <= 1);                         /* the command's row allows no more */
    const char *taskdef = config_text(config, SETTING_TASK_DEFINITION), *hex;
    if (config->argument_count == 1 && strcmp(config->arguments[0], "last") == 0) {
        buf_put(path, STR("/berth/v1/why?task=last"));
    } else if (config->argument_count == 1 && is_provider(config->arguments[0])) {
        put_provider(path, config->arguments[0]);
    } else if (config->argument_count == 1 && is_service(config->arguments[0], arena)) {
        buf_put(path, STR("/berth/v1/why?service="));
        cli_put_encoded(path, config->arguments[0]);
        if (config_text(config, SETTING_ASKED_CLUSTER) != NULL) {
            buf_put(path, STR("&cluster="));
            cli_put_encoded(path, config_text(config, SETTING_ASKED_CLUSTER));
        }
    } else if (config->argument_count == 1) {
        if (!cli_read_task(config->arguments[0], &hex, arena, err)) {
            return false;
        }
        buf_printf(path, "/berth/v1/why?task=%s", hex);
    } else if (taskdef != NULL) {
        buf_put(path, STR("/berth/v1/why?taskDefinition="));
        cli_put_encoded(path, taskdef);
        for (size_t p = 0; p < COUNT_OF(parameters); p++) {
            if (config_text(config, parameters[p].setting) != NULL) {
                buf_printf(path, "&%s=", parameters[p].name);
                cli_put_encoded(path, config_text(config, parameters[p].setting));
            }
        }
    } else {
        return err_set(err, ERR_INVALID_PARAMETER, "a task, a service, a capacity provider or a definition is needed: `berth why TASK`, `berth why SERVICE`, "
                       "`berth why PROVIDER`, or `berth why --task-definition FAMILY`.");
    }
    buf_put_char(path, '\0');
    return true;
}

/* The name of no service can be that of a capacity provider. */
static bool ask_why(const struct config *config, const struct json **reply, struct arena *arena, struct err *err)
{
    struct remote remote;
    struct err other = { 0 };
    struct buf path = buf_in(arena), provider = buf_in(arena);
    if (!why_path(config, &path, arena, err) || !cli_remote(config, &remote, arena, err)) { return false; }
    if (cli_ask(&remote, path.ptr, (struct str){ 0 }, reply, arena, err)) { return true; }
    bool is_name = config->argument_count == 1 && strchr(config->arguments[0], ':') == NULL && is_service(config->arguments[0], arena);
    if (!is_name || (err->code != ERR_SERVICE_NOT_FOUND && err->code != ERR_CLUSTER_NOT_FOUND)) { return false; }
    put_provider(&provider, config->arguments[0]);
    buf_put_char(&provider, '\0');
    bool found = cli_ask(&remote, provider.ptr, (struct str){ 0 }, reply, arena, &other);
    if (found) { *err = (struct err){ 0 }; }
    return found;
}

int cli_why(const struct config *config, struct arena *arena, struct err *err)
{
    const struct json *reply;
    if (!ask_why(config, &reply, arena, err)) { return 1; }
    if (as_json(config)) {
        cli_print_json(reply, arena);
        putchar('\n');
    } else if (json_get(reply, STR("provider")) != NULL) {
        cli_print_why_provider(reply);
    } else if (json_get(reply, STR("service")) != NULL) {
        print_why_service(reply);
    } else if (json_get(reply, STR("fits")) == NULL) {
        print_why(reply, arena);
    } else {
        print_what_if(reply);
    }
    return 0;
}

/* ---- headroom ---- */

/* "22×1 · 4×4 · 1×8", padded by characters, some of which have more than one byte. */
static void print_fits(const struct json *part, int width)
{
    const struct json *fits = cli_list(part, "fits");
    int used = 0;
    for (size_t f = 0; f < fits->count; f++) {
        double tasks = cli_number(&fits->as.items[f], "tasks");
        if (tasks > 0) {
            used += printf("%s%.0f×%.0f", used == 0 ? "" : " · ", tasks, cli_number(&fits->as.items[f], "gpus")) - (used == 0 ? 1 : 2);
        }
    }
    if (used == 0) {
        used = printf("no GPU task");
    }
    printf("%*s ", used < width ? width - used : 0, "");
}

static void print_headroom(const struct json *reply)
{
    enum { FITS_WIDTH = 32 };
    const struct json *clusters = cli_list(reply, "clusters");
    printf("%-*s %-*s %9s %9s %12s %8s\n", NAME_WIDTH, "CLUSTER", FITS_WIDTH + 1, "FITS NOW (TASKS×GPUS)", "GPUS FREE", "CPU FREE", "MEMORY FREE", "MACHINES");
    for (size_t c = 0; c < clusters->count; c++) {
        const struct json *cluster = &clusters->as.items[c], *models = cli_list(cluster, "models");
        cli_print(cli_text(cluster, "name"), NAME_WIDTH, true);
        putchar(' ');
        print_fits(cluster, FITS_WIDTH);
        printf("%9.0f %9.0f %12.0f %8.0f", cli_number(cluster, "gpusFree"), cli_number(cluster, "cpuFree"), cli_number(cluster, "memoryFree"),
               cli_number(cluster, "instances"));
        double out = cli_number(cluster, "gpusQuarantined");
        if (out > 0) { printf("   %.0f GPU%s quarantined", out, out == 1 ? "" : "s"); }
        putchar('\n');
        for (size_t m = 0; models->count > 1 && m < models->count; m++) {
            printf("  ");
            cli_print(cli_text(&models->as.items[m], "model"), NAME_WIDTH - 2, true);
            putchar(' ');
            print_fits(&models->as.items[m], FITS_WIDTH);
            printf("%9.0f %9s %12s %8.0f\n", cli_number(&models->as.items[m], "gpusFree"), "", "", cli_number(&models->as.items[m], "instances"));
        }
    }
}

int cli_headroom(const struct config *config, struct arena *arena, struct err *err)
{
    struct remote remote;
    const struct json *reply;
    struct buf path = buf_in(arena);
    buf_put(&path, STR("/berth/v1/headroom"));
    if (config_text(config, SETTING_HISTORY_CLUSTER) != NULL) {
        buf_put(&path, STR("?cluster="));
        cli_put_encoded(&path, config_text(config, SETTING_HISTORY_CLUSTER));
    }
    buf_put_char(&path, '\0');
    if (!cli_remote(config, &remote, arena, err) || !cli_ask(&remote, path.ptr, (struct str){ 0 }, &reply, arena, err)) {
        return 1;
    }
    if (as_json(config)) {
        cli_print_json(reply, arena);
        putchar('\n');
    } else {
        print_headroom(reply);
    }
    return 0;
}
