#include "model/taskdef.h"

#include <stdio.h>

#include "base/assert.h"
#include "base/num.h"
#include "model/status.h"
#include "model/task.h"

/* A revision is deleted in two steps, and never ACTIVE again. What nothing remembers any more is dropped. */
static const uint32_t taskdef_steps[TASK_DEFINITION_STATUS_COUNT] = {
    [TASK_DEFINITION_STATUS_UNSET]    = STATUS_BIT(TASK_DEFINITION_STATUS_ACTIVE),
    [TASK_DEFINITION_STATUS_ACTIVE]   = STATUS_BIT(TASK_DEFINITION_STATUS_INACTIVE),
    [TASK_DEFINITION_STATUS_INACTIVE] = STATUS_BIT(TASK_DEFINITION_STATUS_DELETE_IN_PROGRESS),
};

bool taskdef_may_become(enum task_definition_status from, enum task_definition_status to)
{
    return status_may_become(taskdef_steps, TASK_DEFINITION_STATUS_COUNT, from, to);
}

void taskdef_become(struct taskdef *taskdef, enum task_definition_status status, int64_t now_ms)
{
    struct task_definition *def = &taskdef->def;
    ASSERT(taskdef_may_become(def->status, status));
    ASSERT(def->family.len > 0);
    def->status = status;
    if (status == TASK_DEFINITION_STATUS_ACTIVE) { def->registered_at = now_ms; }
    if (status == TASK_DEFINITION_STATUS_INACTIVE) { def->deregistered_at = now_ms; }
    if (status == TASK_DEFINITION_STATUS_DELETE_IN_PROGRESS) { def->delete_requested_at = now_ms; }
}

struct task_definition taskdef_as_given(const struct task_definition *def)
{
    struct task_definition given = *def;
    given.status = TASK_DEFINITION_STATUS_UNSET;
    given.registered_at = given.deregistered_at = given.delete_requested_at = 0;
    return given;
}

/* It is DELETED when no daemon uses it any more, and can be described for a time. */
static const uint32_t daemon_taskdef_steps[DAEMON_TASK_DEFINITION_STATUS_COUNT] = {
    [DAEMON_TASK_DEFINITION_STATUS_UNSET]              = STATUS_BIT(DAEMON_TASK_DEFINITION_STATUS_ACTIVE),
    [DAEMON_TASK_DEFINITION_STATUS_ACTIVE]             = STATUS_BIT(DAEMON_TASK_DEFINITION_STATUS_DELETE_IN_PROGRESS),
    [DAEMON_TASK_DEFINITION_STATUS_DELETE_IN_PROGRESS] = STATUS_BIT(DAEMON_TASK_DEFINITION_STATUS_DELETED),
};

bool daemon_taskdef_may_become(enum daemon_task_definition_status from, enum daemon_task_definition_status to)
{
    return status_may_become(daemon_taskdef_steps, DAEMON_TASK_DEFINITION_STATUS_COUNT, from, to);
}

void daemon_taskdef_become(struct daemon_taskdef *taskdef, enum daemon_task_definition_status status, int64_t now_ms)
{
    struct daemon_task_definition *def = &taskdef->def;
    ASSERT(daemon_taskdef_may_become(def->status, status));
    ASSERT(def->family.len > 0);
    def->status = status;
    if (status == DAEMON_TASK_DEFINITION_STATUS_ACTIVE) { def->registered_at = now_ms; }
    if (status == DAEMON_TASK_DEFINITION_STATUS_DELETE_IN_PROGRESS) { def->delete_requested_at = now_ms; }
}

/* All daemons of a machine share its network, and "shared" is the machine's namespace. */
struct taskdef daemon_taskdef_as(const struct daemon_taskdef *daemon)
{
    const struct daemon_task_definition *def = &daemon->def;
    return (struct taskdef){
        .def = {
            .family = def->family, .revision = def->revision, .task_role_arn = def->task_role_arn, .execution_role_arn = def->execution_role_arn,
            .container_definitions = def->container_definitions, .volumes = def->volumes, .cpu = def->cpu, .memory = def->memory,
            .network_mode = NETWORK_MODE_HOST, .pid_mode = def->pid_mode == DAEMON_PID_MODE_SHARED ? PID_MODE_HOST : PID_MODE_UNSET,
            .ipc_mode = def->ipc_mode == DAEMON_IPC_MODE_SHARED ? IPC_MODE_HOST : IPC_MODE_UNSET, .registered_at = def->registered_at,
            .registered_by = def->registered_by, .status = TASK_DEFINITION_STATUS_ACTIVE,
        },
        .tags = daemon->tags, .of_daemon = OPT_TRUE,
    };
}

bool taskdef_is_of(const struct taskdef *taskdef, const struct task *task)
{
    return taskdef->def.revision.value == task->revision && str_eq(taskdef->def.family, task->family)
        && (taskdef->of_daemon == OPT_TRUE) == (task->of_daemon == OPT_TRUE);
}

/* ---- GPUs ---- */

static bool refuse(char why[GPU_WISH_WHY_MAX], const char *what, struct str value)
{
    struct str shown = str_slice(value, 0, 32);
    (void)snprintf(why, GPU_WISH_WHY_MAX, "%s, but was '" STR_FMT "'.", what, STR_ARG(shown));
    return false;
}

/* "0.5": up to three decimals, at least one of them not 0. *share is unchanged if the text is not a decimal number. */
static bool read_share(struct str value, int64_t *share, char why[GPU_WISH_WHY_MAX])
{
    struct str whole, decimals;
    int64_t units = 0, thousandths = 0;
    (void)str_cut(value, '.', &whole, &decimals);
    bool is_number = str_to_i64(whole, &units) && whole.ptr[0] != '-' && str_to_i64(decimals, &thousandths) && decimals.ptr[0] != '-';
    if (!is_number) {
        return refuse(why, "The value of a GPU resource requirement must be a whole number of at least 1, a share of one GPU like 0.5, or "
                           "ALL", value);
    }
    if (units > 0) { return refuse(why, "A container can have whole GPUs or a share of one: the value must be a whole number or below 1", value); }
    for (size_t d = decimals.len; d < 3; d++) { thousandths *= 10; }
    if (decimals.len > 3 || thousandths == 0) {
        return refuse(why, "A share of a GPU must be between 0.001 and 0.999, with at most three decimals", value);
    }
    *share = thousandths;
    return true;
}

static bool read_gpu_count(struct str value, struct gpu_wish *wish, char why[GPU_WISH_WHY_MAX])
{
    int64_t count = 0;
    wish->share = GPU_SHARE_WHOLE;
    if (str_eq(value, STR("ALL"))) {
        wish->count = GPUS_ALL;
        return true;
    }
    wish->count = 1;
    if (!str_to_i64(value, &count)) { return read_share(value, &wish->share, why); }
    wish->count = count;
    return count >= 1
        || refuse(why, "The value of a GPU resource requirement must be a whole number of at least 1, a share of one GPU like 0.5, or ALL", value);
}

static bool read_gpu_memory(struct str value, struct gpu_wish *wish, char why[GPU_WISH_WHY_MAX])
{
    bool good = str_to_i64(value, &wish->memory_mib) && wish->memory_mib >= 1 && wish->memory_mib <= INT32_MAX;
    return good || refuse(why, "The value of a GPU_MEMORY resource requirement must be a whole number of MiB, at least 1", value);
}

/* Given twice: ambiguous. */
static bool refuse_twice(char why[GPU_WISH_WHY_MAX], const char *type)
{
    (void)snprintf(why, GPU_WISH_WHY_MAX, "Only one resource requirement of type %s may be given.", type);
    return false;
}

bool taskdef_gpus(const struct resource_requirement_list *requirements, struct gpu_wish *wish, char why[GPU_WISH_WHY_MAX])
{
    *wish = (struct gpu_wish){ 0 };
    for (size_t r = 0; r < requirements->count; r++) {
        const struct resource_requirement *requirement = &requirements->items[r];
        if (requirement->type == RESOURCE_TYPE_GPU) {
            if (wish->count != 0) { return refuse_twice(why, "GPU"); }
            if (!read_gpu_count(requirement->value, wish, why)) { return false; }
        } else if (requirement->type == RESOURCE_TYPE_GPU_MEMORY) {
            if (wish->memory_mib != 0) { return refuse_twice(why, "GPU_MEMORY"); }
            if (!read_gpu_memory(requirement->value, wish, why)) { return false; }
        }
    }
    if (wish->count == 0 && wish->memory_mib > 0) { wish->count = 1; }
    return true;
}

const struct container_override *taskdef_override(const struct task_override *overrides, struct str container)
{
    if (overrides == NULL) { return NULL; }
    for (size_t o = 0; o < overrides->container_overrides.count; o++) {
        if (str_eq(overrides->container_overrides.items[o].name, container)) { return &overrides->container_overrides.items[o]; }
    }
    return NULL;
}

static bool is_no_gpu(const struct resource_requirement_list *list)
{
    return list->count == 1 && list->items[0].type == RESOURCE_TYPE_GPU && str_eq(list->items[0].value, STR("0"));
}

bool taskdef_container_gpus(const struct container_definition *def, const struct container_override *over, struct gpu_wish *wish,
                            char why[GPU_WISH_WHY_MAX])
{
    if (over == NULL || over->resource_requirements.items == NULL) { return taskdef_gpus(&def->resource_requirements, wish, why); }
    *wish = (struct gpu_wish){ 0 };
    return is_no_gpu(&over->resource_requirements) || taskdef_gpus(&over->resource_requirements, wish, why);
}

/* ---- amounts ---- */

/* A decimal number with at most six decimals (".5" too), times `factor`, rounded down. */
static bool read_decimal(struct str text, int64_t factor, int64_t *out)
{
    struct str whole_text, fraction_text;
    int64_t whole = 0, fraction = 0, places = 1;
    bool has_point = str_cut(text, '.', &whole_text, &fraction_text);
    bool only_fraction = has_point && whole_text.len == 0;
    if (!only_fraction && (!str_to_i64(whole_text, &whole) || whole_text.ptr[0] == '-')) { return false; }
    if (has_point) {
        bool digits = fraction_text.len >= 1 && fraction_text.len <= 6 && fraction_text.ptr[0] != '-';
        if (!digits || !str_to_i64(fraction_text, &fraction)) { return false; }
        for (size_t d = 0; d < fraction_text.len; d++) { places *= 10; }
    }
    int64_t scaled;
    return mul_i64(whole, factor, &scaled) && add_i64(scaled, fraction * factor / places, out);
}

/* A plain whole number of small units, or a decimal number of large units, followed by their name in any case. */
static bool read_amount(struct str text, struct str unit, int64_t factor, int64_t *out)
{
    struct str amount = str_trim(text);
    bool in_units = amount.len > unit.len
        && str_eq_nocase(str_slice(amount, amount.len - unit.len, amount.len), unit);
    if (!in_units) { return str_to_i64(amount, out) && *out >= 0; }
    return read_decimal(str_trim(str_slice(amount, 0, amount.len - unit.len)), factor, out);
}

bool taskdef_read_cpu(struct str text, int64_t *units)
{
    return read_amount(text, STR("vCPU"), 1024, units);
}

bool taskdef_read_memory(struct str text, int64_t *mib)
{
    return read_amount(text, STR("GB"), 1024, mib);
}

const struct container_definition *taskdef_container(const struct task_definition *def, struct str name)
{
    for (size_t c = 0; c < def->container_definitions.count; c++) {
        if (str_eq(def->container_definitions.items[c].name, name)) { return &def->container_definitions.items[c]; }
    }
    return NULL;
}
