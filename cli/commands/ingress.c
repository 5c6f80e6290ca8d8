/* ingress.c: `berth ingress`: HAProxy for all listeners. */
#include <errno.h>
#include <signal.h>
#include <time.h>

#include "cli/cli.h"
#include "cli/feed/ingress.h"

/* The signals are held, see cli_hold_signals. */
static bool is_told_to_stop(void)
{
    const struct timespec no_wait = { 0, 0 };
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    return sigtimedwait(&signals, NULL, &no_wait) > 0;
}

int cli_ingress(const struct config *config, struct arena *arena, struct err *err)
{
    struct remote remote;
    const char *metrics = config_text(config, SETTING_METRICS);
    struct ingress_settings settings = {
        .remote = &remote, .name = cli_feed_name(config, "ingress", arena), .folder = config_text(config, SETTING_INGRESS_DATA),
        .program = config_text(config, SETTING_PROXY), .map_ports = config_text(config, SETTING_MAP_PORTS),
        .certificates = config_text(config, SETTING_CERTIFICATES), .access_log = config_text(config, SETTING_ACCESS_LOG), .ended = is_told_to_stop,
    };
    if (!cli_remote(config, &remote, arena, err)) { return 1; }
    if (config_flag(config, SETTING_CONFIG_ONLY)) { return ingress_print(&settings, arena, err) ? 0 : 1; }
    if (metrics != NULL) { settings.metrics_host = cli_split_address(metrics, &settings.metrics_port, arena); }
    cli_hold_signals();
    return ingress_run(&settings, arena, err) ? 0 : 1;
}
