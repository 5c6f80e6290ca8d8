/* feed.c: `berth feed`: keeps a proxy's targets, or a file of names, as the server says. */
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/feed/file.h"
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
    const bool is_haproxy = strcmp(kind, "haproxy") == 0;
    struct haproxy haproxy = { config_text(config, SETTING_SOCKET) };
    struct feed_file file = { render_find(str_from(kind)), config_text(config, SETTING_FILE), config_text(config, SETTING_RELOAD), false, 0 };
    if (!is_haproxy && file.render == NULL) {
        return err_set(err, ERR_INVALID_PARAMETER, "\"%s\" is no kind of feed; see `berth feed --help`.", kind) ? 0 : 1;
    }
    if (is_haproxy ? haproxy.socket == NULL : file.path == NULL) {
        return err_set(err, ERR_INVALID_PARAMETER, is_haproxy ? "--socket is needed: the stats socket of HAProxy." : "--file is needed.") ? 0 : 1;
    }
    if (!cli_remote(config, &remote, arena, err)) { return 1; }
    (void)signal(SIGPIPE, SIG_IGN);                              /* the failed write reports it */
    const struct feed feed = {
        .remote = &remote, .name = is_haproxy || file.render->carries ? cli_feed_name(config, kind, arena) : NULL,
        .names = !is_haproxy && file.render->names,
        .apply = is_haproxy ? haproxy_apply : file_apply, .context = is_haproxy ? (void *)&haproxy : (void *)&file,
        .once = config_flag(config, SETTING_FEED_ONCE),
    };
    return feed_follow(&feed, arena, err) ? 0 : 1;
}
