/* feed.c: `berth feed`: keeps a proxy's targets, or a file of names, as the server says. `berth ingress`: HAProxy for all listeners. */
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/feed/caddy.h"
#include "cli/feed/file.h"
#include "cli/feed/haproxy.h"
#include "cli/feed/ingress.h"

const char *cli_feed_name(const char *given, const char *kind, struct arena *arena)
{
    char host[40] = "";
    if (given != NULL) { return given; }
    (void)gethostname(host, sizeof host - 1);
    return arena_printf(arena, "%s-%s", kind, host[0] == '\0' ? "unnamed" : host).ptr;
}

/* How a kind is fed. `context` is NULL if the setting that it needs is missing. */
struct way { feed_apply *apply; void *context; const char *missing; bool carries, names; };

int cli_feed(const struct config *config, struct arena *arena, struct err *err)
{
    struct remote remote;
    const char *kind = config->argument_count == 0 ? "" : config->arguments[0];
    struct haproxy haproxy = { config_text(config, SETTING_SOCKET) };
    struct caddy caddy = { config_text(config, SETTING_ADMIN) };
    struct feed_file file = { render_find(str_from(kind)), config_text(config, SETTING_FILE), config_text(config, SETTING_RELOAD), false, 0 };
    struct way way = { file_apply, file.path == NULL ? NULL : &file, "--file is needed.", false, false };
    if (strcmp(kind, "haproxy") == 0) {
        way = (struct way){ haproxy_apply, haproxy.socket == NULL ? NULL : &haproxy, "--socket is needed: the stats socket of HAProxy.", true, false };
    } else if (strcmp(kind, "caddy") == 0) {
        way = (struct way){ caddy_apply, &caddy, NULL, true, false };
    } else if (file.render == NULL) {
        return err_set(err, ERR_INVALID_PARAMETER, "\"%s\" is no kind of feed; see `berth feed --help`.", kind) ? 0 : 1;
    } else {
        way.carries = file.render->carries;
        way.names = file.render->names;
    }
    if (way.context == NULL) { return err_set(err, ERR_INVALID_PARAMETER, "%s", way.missing) ? 0 : 1; }
    if (!cli_remote(config, &remote, arena, err)) { return 1; }
    (void)signal(SIGPIPE, SIG_IGN);                              /* the failed write reports it */
    const struct feed feed = {
        .remote = &remote, .name = way.carries ? cli_feed_name(config_text(config, SETTING_FEED_NAME), kind, arena) : NULL, .names = way.names,
        .apply = way.apply, .context = way.context, .once = config_flag(config, SETTING_FEED_ONCE),
    };
    return feed_follow(&feed, arena, err) ? 0 : 1;
}

/* ---- ingress ---- */

/* The signals are held, see cli_hold_signals. */
static bool is_told_to_stop(void *context)
{
    const struct timespec no_wait = { 0, 0 };
    sigset_t signals;
    (void)context;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    return sigtimedwait(&signals, NULL, &no_wait) > 0;
}

void cli_ingress_settings(const struct config *config, struct ingress_settings *settings, struct arena *arena)
{
    const char *metrics = config_text(config, SETTING_METRICS);
    *settings = (struct ingress_settings){
        .program = config_text(config, SETTING_PROXY), .map_ports = config_text(config, SETTING_MAP_PORTS),
        .certificates = config_text(config, SETTING_CERTIFICATES), .access_log = config_text(config, SETTING_ACCESS_LOG),
    };
    if (metrics != NULL) { settings->metrics_host = cli_split_address(metrics, &settings->metrics_port, arena); }
}

int cli_ingress(const struct config *config, struct arena *arena, struct err *err)
{
    struct remote remote;
    struct ingress_settings settings;
    cli_ingress_settings(config, &settings, arena);
    settings.remote = &remote;
    settings.name = cli_feed_name(config_text(config, SETTING_FEED_NAME), "ingress", arena);
    settings.folder = config_text(config, SETTING_INGRESS_DATA);
    settings.ended = is_told_to_stop;
    if (!cli_remote(config, &remote, arena, err)) { return 1; }
    if (config_flag(config, SETTING_CONFIG_ONLY)) { return ingress_print(&settings, arena, err) ? 0 : 1; }
    cli_hold_signals();
    return ingress_check(&settings, arena, err) && ingress_run(&settings, arena, err) ? 0 : 1;
}
