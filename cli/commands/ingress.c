/* ingress.c: `berth ingress`: HAProxy for all listeners. */
#include <errno.h>
#include <signal.h>
#include <time.h>

#include "cli/cli.h"
#include "cli/feed/ingress.h"

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
