/* feed.c: `berth feed`: keeps a proxy's targets as the server says. */
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/feed/haproxy.h"

const char *cli_feed_name(const struct config *config, const char *kind, struct arena *arena)
{
    char host[40] = "";
    if (config_text(config, SETTING_FEED_NAME) != NULL) { return config_text(config, SETTING_FEED_NAME); }
    (void)gethostname(host, sizeof host - 1);
    return arena_printf(arena, "%s-%s", kind, host[0] == '\0' ? "unnamed" : host).ptr;
}

int cli_feed(const struct config *config, struct arena *arena, struct err *err)
{
    struct remote remote;
    const char *kind = config->argument_count == 0 ? "" : config->arguments[0];
    struct haproxy haproxy = { config_text(config, SETTING_SOCKET) };
    if (strcmp(kind, "haproxy") != 0) { return err_set(err, ERR_INVALID_PARAMETER, "use `berth feed haproxy --socket PATH`.") ? 0 : 1; }
    if (haproxy.socket == NULL) { return err_set(err, ERR_INVALID_PARAMETER, "--socket is needed: the stats socket of HAProxy.") ? 0 : 1; }
    if (!cli_remote(config, &remote, arena, err)) { return 1; }
    (void)signal(SIGPIPE, SIG_IGN);                              /* the failed write reports it */
    const struct feed feed = { .remote = &remote, .name = cli_feed_name(config, kind, arena), .apply = haproxy_apply, .context = &haproxy };
    return feed_follow(&feed, arena, err) ? 0 : 1;
}
