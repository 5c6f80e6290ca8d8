/* deploy.c: `berth deploy SERVICE`: updates a service, with a new revision of its task definition if an image is given, and waits until the service
 * deployment has ended. On a terminal one line is redrawn; otherwise a line is printed when something has changed. */
#include <stdio.h>

#include "base/clock.h"
#include "base/num.h"
#include "cli/cli.h"
#include "cli/rollout.h"
#include "cli/waiting.h"
#include "cli/commands/services.h"

enum {
    LOOK_ARENA_MAX = 64 * 1024 * 1024, LINE_SIZE = 200, EVENT_ID_SIZE = 64, EVENT_WIDTH = 2048,
    ENDED_BADLY = 3, NOT_ENDED = 4,                      /* exit statuses */
};

/* ---- the update ---- */

static bool asks_for_change(const struct config *config)
{
    return config_text(config, SETTING_IMAGE) != NULL || config_text(config, SETTING_TASK_DEFINITION) != NULL
        || config_text(config, SETTING_DESIRED_COUNT) != NULL || config_flag(config, SETTING_FORCE);
}

/* Registers *definition, a name or an ARN, with the images of --image: *definition is the new revision's ARN then. */
static bool register_images(const struct remote *remote, struct str images, struct str *definition, struct arena *arena, struct err *err)
{
    const struct json *reply;
    struct buf body = buf_in(arena), wanted = buf_in(arena);
    struct json_out out = json_out_to(&body);
    json_open(&out, '{');
    json_key(&out, STR("taskDefinition"));
    json_str(&out, *definition);
    json_key(&out, STR("include"));
    json_raw(&out, STR("[\"TAGS\"]"));
    json_close(&out, '}');
    if (!cli_call(remote, "DescribeTaskDefinition", buf_str(&body), NULL, &reply, arena, err) || !rollout_definition(reply, images, &wanted, err)
        || !cli_call(remote, "RegisterTaskDefinition", buf_str(&wanted), NULL, &reply, arena, err)) {
        return false;
    }
    *definition = json_get_str(json_get(reply, STR("taskDefinition")), STR("taskDefinitionArn"));
    if (definition->len == 0) { return err_set(err, ERR_SERVER, "the server's answer has no task definition."); }
    printf("Registered ");
    cli_print(rollout_name(*definition), LINE_SIZE, false);
    printf(".\n");
    return true;
}

static void put_text(struct json_out *out, struct str name, const char *text)
{
    if (text == NULL) { return; }
    json_key(out, name);
    json_str(out, str_from(text));
}

static struct str update_body(const struct config *config, struct str definition, struct arena *arena)
{
    struct buf body = buf_in(arena);
    struct json_out out = json_out_to(&body);
    json_open(&out, '{');
    put_text(&out, STR("cluster"), config_text(config, SETTING_ASKED_CLUSTER));
    put_text(&out, STR("service"), config->arguments[0]);
    if (str_is_set(definition)) {
        json_key(&out, STR("taskDefinition"));
        json_str(&out, definition);
    }
    if (config_text(config, SETTING_DESIRED_COUNT) != NULL) {
        json_key(&out, STR("desiredCount"));
        json_i64(&out, config_number(config, SETTING_DESIRED_COUNT));
    }
    if (config_flag(config, SETTING_FORCE)) {
        json_key(&out, STR("forceNewDeployment"));
        json_bool(&out, true);
    }
    json_close(&out, '}');
    return buf_str(&body);
}

/* *service is the service after the update. */
static bool update(const struct config *config, const struct remote *remote, const struct json **service, struct arena *arena, struct err *err)
{
    const char *images = config_text(config, SETTING_IMAGE);
    struct str definition = str_from(config_text(config, SETTING_TASK_DEFINITION)), warning;
    const struct json *reply;
    if (images != NULL && !str_is_set(definition)) { definition = json_get_str(*service, STR("taskDefinition")); }
    if (images != NULL && !register_images(remote, str_from(images), &definition, arena, err)) { return false; }
    if (!cli_call(remote, "UpdateService", update_body(config, definition, arena), &warning, &reply, arena, err)) { return false; }
    *service = json_get(reply, STR("service"));
    if (warning.len > 0) {
        printf("Warning: ");
        cli_print(warning, EVENT_WIDTH, false);
        putchar('\n');
    }
    return *service != NULL || err_set(err, ERR_SERVER, "the server's answer has no service.");
}

/* ---- the wait ---- */

struct watch {
    const struct remote *remote;
    const char *cluster, *service;
    struct str deployment;                               /* ARN of the service deployment; absent: the service has none */
    bool by_counts;                                      /* it is not of this update, so its end alone says nothing */
    struct waiting_line line;
    char seen_event[EVENT_ID_SIZE];                      /* the newest event that was printed */
};

static void hold_farewell(const struct watch *watch)
{
    bool named = watch->cluster != NULL;
    waiting_farewell("\nThe deployment goes on. `berth deploy %s%s%s` waits for it again.\n", watch->service, named ? " --cluster " : "",
                     named ? watch->cluster : "");
}

/* Events that are new, the oldest first. On a terminal they are put above the line, which is drawn again. */
static void print_events(struct watch *watch, const struct json *service)
{
    const struct json *events = cli_list(service, "events");
    size_t count = rollout_new_events(events, str_from(watch->seen_event));
    if (count > 0) { waiting_above(&watch->line); }
    for (size_t e = count; e > 0; e--) {
        cli_print_event(&events->as.items[e - 1], EVENT_WIDTH);
        putchar('\n');
    }
    (void)fflush(stdout);
}

static void remember_event(struct watch *watch, const struct json *service)
{
    const struct json *events = cli_list(service, "events");
    struct str id = events->count > 0 ? json_get_str(&events->as.items[0], STR("id")) : STR("");
    if (!str_to_cstr(id, watch->seen_event, sizeof watch->seen_event)) { watch->seen_event[0] = '\0'; }
}

/* Looks once and prints changes. The deployment is asked for first: if it has ended, the service's last events have come. */
static bool look(struct watch *watch, enum rollout_end *end, struct str *failure, struct arena *arena, struct err *err)
{
    const struct json *service, *deployment = NULL;
    if (str_is_set(watch->deployment) && !cli_find_deployment(watch->remote, watch->deployment, &deployment, arena, err)) { return false; }
    if (!cli_find_service(watch->remote, watch->cluster, watch->service, &service, arena, err)) { return false; }
    struct str status = cli_text(watch->by_counts ? service : deployment, "status");
    struct progress progress = rollout_progress(service);
    struct buf line = buf_in(arena);
    *end = deployment == NULL ? ROLLOUT_SUCCEEDED : rollout_end(cli_text(deployment, "status"));
    if (watch->by_counts && *end != ROLLOUT_GOES_ON) { *end = rollout_is_settled(service) ? ROLLOUT_SUCCEEDED : ROLLOUT_GOES_ON; }
    *failure = arena_printf(arena, STR_FMT ": " STR_FMT, STR_ARG(status), STR_ARG(cli_text(deployment, "statusReason")));
    print_events(watch, service);
    remember_event(watch, service);
    (watch->line.on_terminal ? rollout_bar : rollout_line)(status, &progress, &line);
    waiting_say(&watch->line, STR(""), buf_str(&line));
    return true;
}

/* One look. False: the wait is over, with the exit status in *status, and *err if that is not 0. */
static bool goes_on(struct watch *watch, int *status, struct err *err)
{
    struct arena arena = { .ceiling = LOOK_ARENA_MAX };
    enum rollout_end end = ROLLOUT_GOES_ON;
    struct str failure = { 0 };
    *status = 0;
    if (!look(watch, &end, &failure, &arena, err)) {
        *status = 1;                                     /* if it does not pass */
        if (waiting_may_pass(err)) {
            waiting_say(&watch->line, STR(""), str_from(err->message));
            *err = (struct err){ 0 };
        }
    } else if (end == ROLLOUT_FAILED) {
        *status = ENDED_BADLY;
        (void)err_set(err, ERR_CLIENT, "the deployment ended as " STR_FMT, STR_ARG(failure));
    }
    arena_finish(&arena);
    return err->code == ERR_NONE && end == ROLLOUT_GOES_ON;
}

static int wait_for_end(struct watch *watch, const struct config *config, struct err *err)
{
    int64_t until_ms = clock_monotonic_ms() + config_duration_ms(config, SETTING_TIMEOUT);
    int status;
    while (goes_on(watch, &status, err)) {
        int64_t left_ms = until_ms - clock_monotonic_ms();
        if (left_ms <= 0) {
            status = NOT_ENDED;
            (void)err_set(err, ERR_UNAVAILABLE, "the deployment did not end within %s. It goes on.", config_text(config, SETTING_TIMEOUT));
            break;
        }
        clock_sleep_ms(min_i64(left_ms, WAITING_LOOK_MS));
    }
    waiting_end(&watch->line);
    return status;
}

int cli_deploy(const struct config *config, struct arena *arena, struct err *err)
{
    struct remote remote;
    struct watch watch = { .remote = &remote, .cluster = config_text(config, SETTING_ASKED_CLUSTER), .service = config->arguments[0] };
    const struct json *service;
    if (config->argument_count != 1) {
        (void)err_set(err, ERR_INVALID_PARAMETER, "a service is needed: `berth deploy SERVICE`, a name or an ARN.");
        return 1;
    }
    if (!cli_remote(config, &remote, arena, err) || !cli_find_service(&remote, watch.cluster, watch.service, &service, arena, err)) { return 1; }
    struct str before = json_get_str(service, STR("currentServiceDeployment"));
    remember_event(&watch, service);
    bool changes = asks_for_change(config);
    if (changes && !update(config, &remote, &service, arena, err)) { return 1; }
    watch.deployment = json_get_str(service, STR("currentServiceDeployment"));
    watch.by_counts = !str_is_set(watch.deployment) || (changes && str_eq(before, watch.deployment));
    if (watch.by_counts) { puts("No new deployment is needed."); }
    waiting_begin(&watch.line);
    hold_farewell(&watch);
    return wait_for_end(&watch, config, err);
}
