/* The ECS agent's own settings, so that a machine that ran it needs no new ones: from the environment and from the file that
 * at /etc/ecs/ecs.config, lines of NAME=value. Settings that Berth's agent does not use are ignored with a line in the log;
 * the ECS agent also ignores unknown settings. */
#include <unistd.h>

#include "base/assert.h"
#include "base/log.h"
#include "cli/settings/config_internal.h"

typedef struct str translate_value(struct str value);

static struct str as_is(struct str value) { return value; }

/* The ECS agent starts without GPUs when it finds none, so its "true" is Berth's "auto". */
static struct str gpu_support(struct str value) { return str_eq_nocase(value, STR("true")) ? STR("auto") : STR("off"); }

static struct str flag(struct str value) { return str_eq_nocase(value, STR("true")) ? STR("true") : STR("false"); }

static struct str metrics_off(struct str value) { return str_eq_nocase(value, STR("true")) ? STR("0s") : STR("10s"); }

/* The ECS agent says crit where Berth says error. */
static struct str log_level(struct str value) { return str_eq_nocase(value, STR("crit")) ? STR("error") : value; }

static struct str socket_path(struct str value)
{
    struct str scheme = STR("unix://");
    return str_starts_with(value, scheme) ? str_slice(value, scheme.len, value.len) : value;
}

static const struct { struct str variable; enum setting setting; translate_value *translate; } translations[] = {
    { STR_INIT("ECS_CLUSTER"),                       SETTING_CLUSTER,                as_is       },
    { STR_INIT("ECS_BACKEND_HOST"),                  SETTING_JOIN,                   as_is       },
    { STR_INIT("AWS_DEFAULT_REGION"),                SETTING_REGION,                 as_is       },
    { STR_INIT("ECS_DATADIR"),                       SETTING_DATA,                   as_is       },
    { STR_INIT("DOCKER_HOST"),                       SETTING_DOCKER_SOCKET,          socket_path },
    { STR_INIT("ECS_ENABLE_GPU_SUPPORT"),            SETTING_GPU_SUPPORT,            gpu_support },
    { STR_INIT("ECS_INSTANCE_ATTRIBUTES"),           SETTING_ATTRIBUTES,             as_is       },
    { STR_INIT("ECS_RESERVED_MEMORY"),               SETTING_RESERVED_MEMORY,        as_is       },
    { STR_INIT("ECS_CONTAINER_STOP_TIMEOUT"),        SETTING_STOP_TIMEOUT,           as_is       },
    { STR_INIT("ECS_DYNAMIC_HOST_PORT_RANGE"),       SETTING_DYNAMIC_PORTS,          as_is       },
    { STR_INIT("ECS_DISABLE_PRIVILEGED"),            SETTING_NO_PRIVILEGED,          flag        },
    { STR_INIT("ECS_ENABLE_SPOT_INSTANCE_DRAINING"), SETTING_SPOT_DRAINING,          flag        },
    { STR_INIT("ECS_LOGLEVEL"),                      SETTING_LOG_LEVEL,              log_level   },
    { STR_INIT("ECS_IMAGE_PULL_BEHAVIOR"),           SETTING_IMAGE_PULL,             as_is       },
    { STR_INIT("ECS_IMAGE_PULL_TIMEOUT"),            SETTING_IMAGE_PULL_TIMEOUT,     as_is       },
    { STR_INIT("ECS_IMAGE_PULL_INACTIVITY_TIMEOUT"), SETTING_IMAGE_PULL_INACTIVITY,  as_is       },
    { STR_INIT("ECS_ENGINE_AUTH_DATA"),              SETTING_REGISTRY_AUTH_DATA,     as_is       },
    { STR_INIT("ECS_ENGINE_TASK_CLEANUP_WAIT_DURATION"), SETTING_TASK_CLEANUP_WAIT,  as_is       },
    { STR_INIT("ECS_DISABLE_IMAGE_CLEANUP"),         SETTING_NO_IMAGE_CLEANUP,       flag        },
    { STR_INIT("ECS_IMAGE_CLEANUP_INTERVAL"),        SETTING_IMAGE_CLEANUP_INTERVAL, as_is       },
    { STR_INIT("ECS_IMAGE_MINIMUM_CLEANUP_AGE"),     SETTING_IMAGE_MINIMUM_AGE,      as_is       },
    { STR_INIT("ECS_DISABLE_METRICS"),               SETTING_SAMPLE_INTERVAL,        metrics_off },
    { STR_INIT("ECS_NUM_IMAGES_DELETE_PER_CYCLE"),   SETTING_IMAGES_PER_CLEANUP,     as_is       },
};

/* Needed by the ECS agent alone: Berth's agent detects the form of ECS_ENGINE_AUTH_DATA. */
static const struct str needless[] = { STR_INIT("ECS_ENGINE_AUTH_TYPE") };

static bool is_needless(struct str variable)
{
    for (size_t n = 0; n < COUNT_OF(needless); n++) {
        if (str_eq(variable, needless[n])) { return true; }
    }
    return false;
}

static bool take(struct config *config, struct str variable, struct str value, const char *where, struct arena *arena, struct err *err)
{
    for (size_t t = 0; t < COUNT_OF(translations); t++) {
        if (str_eq(variable, translations[t].variable)) {
            /* An empty value is "not set" to the ECS agent. */
            return value.len == 0 || config_set(config, translations[t].setting, translations[t].translate(value), where, arena, err);
        }
    }
    if (str_starts_with(variable, STR("ECS_")) && !is_needless(variable)) {
        log_line(LOG_INFO, "config", "%s: " STR_FMT " has no meaning for this agent and is ignored", where, STR_ARG(variable));
    }
    return true;
}

static struct str unquoted(struct str value)
{
    bool quoted = value.len >= 2 && value.ptr[0] == value.ptr[value.len - 1] && (value.ptr[0] == '"' || value.ptr[0] == '\'');
    return quoted ? str_slice(value, 1, value.len - 1) : value;
}

static bool read_ecs_file(struct config *config, const char *path, struct arena *arena, struct err *err)
{
    struct str text;
    if (!config_load_file(path, arena, &text)) {
        return err_set(err, ERR_INVALID_PARAMETER, "the file %s of --ecs-config can't be read.", path);
    }
    for (int number = 1; text.len > 0; number++) {
        struct str line, rest, variable, value;
        str_cut(text, '\n', &line, &rest);
        text = rest;
        line = str_trim(line);
        if (line.len == 0 || line.ptr[0] == '#') {
            continue;
        }
        const char *where = arena_printf(arena, "%s:%d", path, number).ptr;
        if (!str_cut(line, '=', &variable, &value)) {
            return err_set(err, ERR_INVALID_PARAMETER, "%s: \"" STR_FMT "\" should have the form NAME=value.", where, STR_ARG(line));
        }
        if (!take(config, str_trim(variable), unquoted(str_trim(value)), where, arena, err)) {
            return false;
        }
    }
    return true;
}

bool config_read_ecs(struct config *config, const struct config_sources *sources, struct arena *arena, struct err *err)
{
    for (char *const *entry = sources->environment; *entry != NULL; entry++) {
        struct str variable, value;
        if (str_cut(str_from(*entry), '=', &variable, &value) &&
            !take(config, variable, value, arena_cstr(arena, variable), arena, err)) {
            return false;
        }
    }
    const char *path = config->values[SETTING_ECS_CONFIG];
    if (path == NULL && sources->default_ecs_config != NULL && access(sources->default_ecs_config, R_OK) == 0) {
        path = sources->default_ecs_config;
    }
    return path == NULL || read_ecs_file(config, path, arena, err);
}
