/* services.c: `berth services`: a table of a cluster's services and their deployments, or one service with its last events. */
#include "cli/commands/services.h"

#include <stdio.h>

#include "cli/cli.h"
#include "cli/rollout.h"

enum { NAME_WIDTH = 24, ROLLOUT_WIDTH = 11, REASON_WIDTH = 512, EVENT_WIDTH = 160, EVENTS_SHOWN = 10, DESCRIBED_MAX = 10, PAGE_ARENA_MAX = 64 * 1024 * 1024 };

/* ---- asking ---- */

static void put_cluster(struct json_out *out, const char *cluster)
{
    if (cluster == NULL) { return; }
    json_key(out, STR("cluster"));
    json_str(out, str_from(cluster));
}

/* {"cluster":...,NAME:[TEXT]} */
static struct str one_of_list(const char *cluster, struct str name, struct str text, struct arena *arena)
{
    struct buf body = buf_in(arena);
    struct json_out out = json_out_to(&body);
    json_open(&out, '{');
    put_cluster(&out, cluster);
    json_key(&out, name);
    json_open(&out, '[');
    json_str(&out, text);
    json_close(&out, ']');
    json_close(&out, '}');
    return buf_str(&body);
}

bool cli_find_service(const struct remote *remote, const char *cluster, const char *name, const struct json **service, struct arena *arena, struct err *err)
{
    const struct json *reply;
    if (!cli_call(remote, "DescribeServices", one_of_list(cluster, STR("services"), str_from(name), arena), NULL, &reply, arena, err)) { return false; }
    const struct json *services = cli_list(reply, "services");
    if (services->count == 0) {
        return err_set(err, ERR_SERVICE_NOT_FOUND, "there is no service \"%s\" in the cluster %s.", name, cluster == NULL ? "default" : cluster);
    }
    *service = &services->as.items[0];
    return true;
}

bool cli_find_deployment(const struct remote *remote, struct str arn, const struct json **deployment, struct arena *arena, struct err *err)
{
    const struct json *reply;
    struct str body = one_of_list(NULL, STR("serviceDeploymentArns"), arn, arena);
    if (!cli_call(remote, "DescribeServiceDeployments", body, NULL, &reply, arena, err)) { return false; }
    const struct json *deployments = cli_list(reply, "serviceDeployments");
    if (deployments->count == 0) {
        return err_set(err, ERR_SERVICE_DEPLOYMENT_NOT_FOUND, "there is no service deployment " STR_FMT " any more.", STR_ARG(arn));
    }
    *deployment = &deployments->as.items[0];
    return true;
}

/* ---- words ---- */

static int64_t time_of(const struct json *object, const char *name)
{
    enum { SECOND_MS = 1000 };
    double seconds = cli_number(object, name);
    return seconds > 0 && seconds < (double)(INT64_MAX / SECOND_MS) ? (int64_t)(seconds * SECOND_MS) : 0;
}

void cli_print_event(const struct json *event, size_t width)
{
    char at[CLI_TIME_SIZE];
    printf("%s  ", cli_time_text(time_of(event, "createdAt"), false, at));
    cli_print(cli_text(event, "message"), width, false);
}

/* "75%" of the PRIMARY deployment; the others only go down. */
static void print_done(const struct json *deployment)
{
    if (str_eq(json_get_str(deployment, STR("status")), STR("PRIMARY"))) {
        printf("%3d%%", rollout_percent(rollout_count(deployment, "runningCount"), rollout_count(deployment, "desiredCount")));
    } else {
        printf("%4s", "-");
    }
}

static void print_rollout(const struct json *deployment)
{
    cli_print(rollout_name(cli_text(deployment, "taskDefinition")), NAME_WIDTH, true);
    putchar(' ');
    cli_print(cli_text(deployment, "rolloutState"), ROLLOUT_WIDTH, true);
    putchar(' ');
    print_done(deployment);
}

/* ---- the table ---- */

static void print_head(void)
{
    printf("%-*s %7s %7s %7s  %-*s %-*s %4s  %s\n", NAME_WIDTH, "SERVICE", "DESIRED", "RUNNING", "PENDING", NAME_WIDTH, "DEPLOYMENT", ROLLOUT_WIDTH, "ROLLOUT",
           "DONE", "LAST EVENT (UTC)");
}

static void print_counts(const struct json *object)
{
    printf(" %7lld %7lld %7lld", (long long)rollout_count(object, "desiredCount"), (long long)rollout_count(object, "runningCount"),
           (long long)rollout_count(object, "pendingCount"));
}

/* A line for the service and its newest deployment, and one for each older deployment. */
static void print_service(const struct json *service)
{
    static const struct json nothing = { .type = JSON_OBJECT };
    const struct json *deployments = cli_list(service, "deployments"), *events = cli_list(service, "events");
    cli_print(cli_text(service, "serviceName"), NAME_WIDTH, true);
    print_counts(service);
    printf("  ");
    print_rollout(deployments->count > 0 ? &deployments->as.items[0] : &nothing);
    printf("  ");
    if (events->count > 0) { cli_print_event(&events->as.items[0], EVENT_WIDTH); } else { putchar('-'); }
    putchar('\n');
    for (size_t d = 1; d < deployments->count; d++) {
        printf("%*s  ", NAME_WIDTH + 24, "");
        print_rollout(&deployments->as.items[d]);
        putchar('\n');
    }
}

/* The services on one page of ListServices; *services is empty if the page is. `token` NULL: the first page. *next: absent after the last one. */
static bool ask_page(const struct remote *remote, const char *cluster, const char *token, const struct json **services, struct str *next,
                     struct arena *page, struct err *err)
{
    const struct json *reply;
    struct buf body = buf_in(page);
    struct json_out out = json_out_to(&body);
    json_open(&out, '{');
    put_cluster(&out, cluster);
    json_key(&out, STR("maxResults"));
    json_i64(&out, DESCRIBED_MAX);
    if (token != NULL) {
        json_key(&out, STR("nextToken"));
        json_str(&out, str_from(token));
    }
    json_close(&out, '}');
    if (!cli_call(remote, "ListServices", buf_str(&body), NULL, &reply, page, err)) { return false; }
    const struct json *arns = *services = cli_list(reply, "serviceArns");
    *next = json_get_str(reply, STR("nextToken"));
    if (arns->count == 0) { return true; }
    body = buf_in(page);
    out = json_out_to(&body);
    json_open(&out, '{');
    put_cluster(&out, cluster);
    json_key(&out, STR("services"));
    json_dump(&out, arns);
    json_close(&out, '}');
    if (!cli_call(remote, "DescribeServices", buf_str(&body), NULL, &reply, page, err)) { return false; }
    *services = cli_list(reply, "services");
    return true;
}

static void print_item(const struct json *service, bool first, bool as_json, struct arena *page)
{
    if (as_json) {
        fputs(first ? "{\"services\":[" : ",", stdout);
        cli_print_json(service, page);
        return;
    }
    if (first) { print_head(); }
    print_service(service);
}

/* Page after page, printed as they come. */
static bool list_services(const struct remote *remote, const char *cluster, bool as_json, struct arena *arena, struct err *err)
{
    struct arena page = { .ceiling = PAGE_ARENA_MAX };
    const char *token = NULL;
    size_t shown = 0;
    bool good = true;
    do {
        const struct json *services;
        struct str next = { 0 };
        good = ask_page(remote, cluster, token, &services, &next, &page, err);
        for (size_t s = 0; good && s < services->count; s++) { print_item(&services->as.items[s], shown++ == 0, as_json, &page); }
        token = good && next.len > 0 ? arena_cstr(arena, next) : NULL;
        arena_reset(&page);
    } while (token != NULL);
    arena_finish(&page);
    if (good && as_json) {
        fputs(shown == 0 ? "{\"services\":[]}\n" : "]}\n", stdout);
    } else if (good && shown == 0) {
        printf("There is no service in the cluster %s.\n", cluster == NULL ? "default" : cluster);
    }
    return good;
}

/* ---- one service ---- */

static void print_line(const char *name, struct str value)
{
    printf("%-12s", name);
    cli_print(cli_or_dash(value), 4096, false);
    putchar('\n');
}

static void print_deployments(const struct json *service)
{
    const struct json *deployments = cli_list(service, "deployments");
    if (deployments->count == 0) { return; }
    printf("\n%-30s %-8s %7s %7s %7s %7s  %-*s %-*s %4s  %s\n", "DEPLOYMENT", "STATUS", "DESIRED", "RUNNING", "PENDING", "FAILED", NAME_WIDTH, "DEFINITION",
           ROLLOUT_WIDTH, "ROLLOUT", "DONE", "REASON");
    for (size_t d = 0; d < deployments->count; d++) {
        const struct json *deployment = &deployments->as.items[d];
        cli_print(cli_text(deployment, "id"), 30, true);
        putchar(' ');
        cli_print(cli_text(deployment, "status"), 8, true);
        print_counts(deployment);
        printf(" %7lld  ", (long long)rollout_count(deployment, "failedTasks"));
        print_rollout(deployment);
        printf("  ");
        cli_print(cli_text(deployment, "rolloutStateReason"), REASON_WIDTH, false);
        putchar('\n');
    }
}

static void print_whole(const struct json *service, const struct json *deployment, struct arena *arena)
{
    const struct json *events = cli_list(service, "events");
    print_line("Service", json_get_str(service, STR("serviceArn")));
    print_line("Status", json_get_str(service, STR("status")));
    print_line("Definition", rollout_name(cli_text(service, "taskDefinition")));
    print_line("Tasks", arena_printf(arena, "%lld of %lld running, %lld pending", (long long)rollout_count(service, "runningCount"),
                                     (long long)rollout_count(service, "desiredCount"), (long long)rollout_count(service, "pendingCount")));
    if (deployment != NULL) {
        print_line("Deployment", json_get_str(deployment, STR("status")));
        print_line("Reason", json_get_str(deployment, STR("statusReason")));
    }
    print_deployments(service);
    printf("\nLast events (UTC)\n");
    for (size_t e = 0; e < events->count && e < EVENTS_SHOWN; e++) {
        printf("  ");
        cli_print_event(&events->as.items[e], REASON_WIDTH);
        putchar('\n');
    }
}

static void print_as_json(const struct json *service, const struct json *deployment, struct arena *arena)
{
    printf("{\"service\":");
    cli_print_json(service, arena);
    printf(",\"serviceDeployment\":");
    if (deployment != NULL) { cli_print_json(deployment, arena); } else { printf("null"); }
    printf("}\n");
}

static bool show_service(const struct remote *remote, const char *cluster, const char *name, bool as_json, struct arena *arena, struct err *err)
{
    const struct json *service, *deployment = NULL;
    if (!cli_find_service(remote, cluster, name, &service, arena, err)) { return false; }
    struct str arn = json_get_str(service, STR("currentServiceDeployment"));
    if (arn.len > 0 && !cli_find_deployment(remote, arn, &deployment, arena, err)) { return false; }
    if (as_json) {
        print_as_json(service, deployment, arena);
    } else {
        print_whole(service, deployment, arena);
    }
    return true;
}

int cli_services(const struct config *config, struct arena *arena, struct err *err)
{
    struct remote remote;
    const char *cluster = config_text(config, SETTING_ASKED_CLUSTER);
    bool as_json = str_eq(str_from(config_text(config, SETTING_OUTPUT)), STR("json"));
    if (!cli_remote(config, &remote, arena, err)) { return 1; }
    if (config->argument_count == 0) { return list_services(&remote, cluster, as_json, arena, err) ? 0 : 1; }
    struct arena page = { .ceiling = PAGE_ARENA_MAX };
    bool good = show_service(&remote, cluster, config->arguments[0], as_json, &page, err);
    arena_finish(&page);
    return good ? 0 : 1;
}
