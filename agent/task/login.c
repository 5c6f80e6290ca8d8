/* login.c: the user name and the password for a definition's repositoryCredentials. They are fetched when the image is pulled and forgotten
 * after it. */
#include "agent/images/rules.h"
#include "agent/task/secrets.h"
#include "agent/task/task.h"
#include "base/clock.h"

enum { ATTEMPTS_MAX = 5 };

bool login_find(const struct login_ask *ask, struct registry_login *login, bool *named, struct arena *arena, struct err *err)
{
    const struct wire_registry_auth *auth = ask->auth;
    *named = auth != NULL && str_eq(auth->type, STR("asm")) && auth->asm_auth != NULL;
    if (!*named) { return true; }

    struct secret_ref ref;
    struct str value = { NULL, 0 };
    struct err cause = { 0 };
    bool transient = false;
    bool good = secret_ref_parse(auth->asm_auth->credentials_parameter, SECRET_OF_ASM, &ref, &cause);
    if (good && ref.kind != SECRET_OF_ASM) { good = err_set(&cause, ERR_INVALID_PARAMETER, "logins for registries are kept in Secrets Manager"); }
    for (int attempt = 1; good && !str_is_set(value); attempt++) {
        cause = (struct err){ 0 };
        if (secrets_fetch(ask->host->client, ask->host->server, &ref, &value, &transient, arena, &cause)) { break; }
        good = transient && attempt < ATTEMPTS_MAX;
        if (good && ask->rest(ask->owner, image_pause_ms(attempt))) { return false; }
    }
    good = good && registry_login_of_secret(value, ask->image, login, arena, &cause);
    return good || err_set(err, cause.code, "CannotPullContainerAuthError: engine: failed to apply private registry credentials: %s", cause.message);
}

/* True: the task is to stop, or the agent. */
static bool rest(void *owner, int64_t ms)
{
    struct task *task = owner;
    lock_take(&task->lock);
    int64_t until_ms = clock_monotonic_ms() + ms;
    while (!task->stop_wanted && !task_host_stopping(task->host) && lock_wait_until(&task->changed, &task->lock, until_ms)) { }
    bool stop = task->stop_wanted || task_host_stopping(task->host);
    lock_drop(&task->lock);
    return stop;
}

bool task_find_login(void *owner, struct registry_login *login, bool *named, struct arena *arena, struct err *err)
{
    const struct task_container *container = owner;
    const struct login_ask ask = {
        .host = container->task->host, .auth = container->wire->registry_authentication, .image = container->wire->image, .rest = rest,
        .owner = container->task,
    };
    return login_find(&ask, login, named, arena, err);
}
