#include <signal.h>

#include "agent/agent.h"
#include "agent/link/credentials.h"
#include "base/assert.h"
#include "base/buf.h"
#include "cli/cli.h"
#include "cli/remote.h"

bool cli_remote_at(const struct config *config, const char *url, struct remote *remote, struct arena *arena, struct err *err)
{
    struct agent_config nothing_special = { 0 };
    struct credentials credentials;
    if (!cli_check_ca(config_text(config, SETTING_CA), err) || !credentials_find(&nothing_special, &credentials, arena, err)) {
        return false;
    }
    *remote = (struct remote){
        .url = url, .ca_file = config_text(config, SETTING_CA), .region = config_text(config, SETTING_REGION),
        .access_key = arena_cstr(arena, credentials.access_key_id), .secret = arena_cstr(arena, credentials.secret_access_key),
        .session_token = str_is_set(credentials.session_token) ? arena_cstr(arena, credentials.session_token) : NULL,
    };
    return true;
}

bool cli_remote(const struct config *config, struct remote *remote, struct arena *arena, struct err *err)
{
    return cli_remote_at(config, config_text(config, SETTING_SERVER), remote, arena, err);
}

void cli_put_encoded(struct buf *path, const char *text)
{
    for (const char *c = text; *c != '\0'; c++) {
        buf_printf(path, "%%%02X", (unsigned)(unsigned char)*c);
    }
}

int cli_logs(const struct config *config, struct arena *arena, struct err *err)
{
    struct remote remote;
    if (config->argument_count != 1) {
        err_set(err, ERR_INVALID_PARAMETER, "a task is needed: `berth logs TASK`, an id or an ARN.");
        return 1;
    }
    if (!cli_remote(config, &remote, arena, err)) {
        return 1;
    }
    (void)signal(SIGPIPE, SIG_IGN);                       /* the failed write reports it */
    remote.endless = config_flag(config, SETTING_FOLLOW);
    struct buf path = buf_in(arena);
    buf_printf(&path, "/berth/v1/logs?explain=true&task=");
    cli_put_encoded(&path, config->arguments[0]);
    if (config_text(config, SETTING_CONTAINER) != NULL) {
        buf_printf(&path, "&container=%s", config_text(config, SETTING_CONTAINER));
    }
    if (config_flag(config, SETTING_FOLLOW)) {
        buf_printf(&path, "&follow=true");
    }
    buf_put_char(&path, '\0');
    return remote_get(&remote, path.ptr, stdout, arena, err) ? 0 : 1;
}
