/* check.c: the rules of RegisterTaskDefinition that look at the definition as a whole. */
#include "api/tell/role_credentials.h"
#include "api/definitions/rules.h"

#include "base/text/arn.h"

/* ---- names ---- */

static bool check_family(const struct task_definition *def, struct err *err)
{
    if (names_is_valid(def->family)) { return true; }
    return err_set(err, ERR_CLIENT, "Family contains invalid characters.");
}

bool taskdef_role_is_valid(struct str role)
{
    static const char signs[] = "+=,.@-_";
    enum { ROLE_NAME_MAX = 64 };
    struct arn arn;
    if (arn_looks_like(role)) {
        return role.len <= ROLE_ARN_MAX && arn_parse(role, &arn) && str_eq(arn.service, STR("iam")) && arn.account.len > 0
            && str_starts_with(arn.resource, STR("role/")) && arn.resource.len > sizeof "role/" - 1;
    }
    for (size_t i = 0; i < role.len; i++) {
        char c = role.ptr[i];
        bool plain = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
        if (!plain && memchr(signs, c, sizeof signs - 1) == NULL) { return false; }
    }
    return role.len >= 1 && role.len <= ROLE_NAME_MAX;
}

static bool check_roles(const struct task_definition *def, struct err *err)
{
    bool task_good = !str_is_set(def->task_role_arn) || taskdef_role_is_valid(def->task_role_arn);
    bool execution_good = !str_is_set(def->execution_role_arn) || taskdef_role_is_valid(def->execution_role_arn);
    return (task_good && execution_good) || err_set(err, ERR_CLIENT, "Role is not valid");
}

/* ---- size ---- */

static bool check_size(const struct task_definition *def, struct err *err)
{
    enum { CPU_MIN = 128, CPU_MAX = 196608, MEMORY_MIN_MIB = 6 };
    int64_t cpu = CPU_MIN, mib = MEMORY_MIN_MIB;
    if (str_is_set(def->cpu) && (!taskdef_read_cpu(def->cpu, &cpu) || cpu < CPU_MIN || cpu > CPU_MAX)) {
        return err_set(err, ERR_CLIENT, "Invalid 'cpu' setting for task.");
    }
    if (str_is_set(def->memory) && (!taskdef_read_memory(def->memory, &mib) || mib < MEMORY_MIN_MIB || mib > INT32_MAX)) {
        return err_set(err, ERR_CLIENT, "Invalid 'memory' setting for task.");
    }
    return true;
}

static bool check_cpu_sum(const struct task_definition *def, struct err *err)
{
    int64_t task_cpu, sum = 0;
    if (!str_is_set(def->cpu)) { return true; }
    ASSERT(taskdef_read_cpu(def->cpu, &task_cpu));
    for (size_t c = 0; c < def->container_definitions.count; c++) { sum += def->container_definitions.items[c].cpu.value; }
    if (sum <= task_cpu) { return true; }
    return err_set(err, ERR_CLIENT, "The sum of all container 'cpu' values cannot be greater than the value of the task 'cpu'.");
}

/* ---- containers ---- */

static bool check_containers(const struct task_definition *def, struct err *err)
{
    const struct container_definition_list *list = &def->container_definitions;
    bool essential = false;
    if (list->count > TASKDEF_CONTAINERS_MAX) { return err_set(err, ERR_CLIENT, "Too many containers."); }
    for (size_t c = 0; c < list->count; c++) {
        if (!taskdef_check_container(def, &list->items[c], err)) { return false; }
        essential = essential || list->items[c].essential != OPT_FALSE;
    }
    return essential || err_set(err, ERR_CLIENT, "Task definition doesn't have any essential container");
}

/* True when all that `container` waits for is among `done`, a bit per container. */
static bool is_ready(const struct task_definition *def, const struct container_definition *container, uint32_t done)
{
    for (size_t d = 0; d < container->depends_on.count; d++) {
        const struct container_definition *target = taskdef_container(def, container->depends_on.items[d].container_name);
        ASSERT(target != NULL);              /* check_containers has seen to it */
        size_t index = (size_t)(target - def->container_definitions.items);
        if ((done & 1u << index) == 0) { return false; }
    }
    return true;
}

/* Starts, in thought, all containers that can be started, again and again; the rest waits in a circle. */
static bool check_cycles(const struct task_definition *def, struct err *err)
{
    size_t count = def->container_definitions.count;
    uint32_t done = 0, before;
    ASSERT(count >= 1 && count <= TASKDEF_CONTAINERS_MAX);
    do {
        before = done;
        for (size_t c = 0; c < count; c++) {
            if (is_ready(def, &def->container_definitions.items[c], done)) { done |= 1u << c; }
        }
    } while (done != before);
    if (done == (1u << count) - 1) { return true; }
    return err_set(err, ERR_CLIENT, "The 'dependsOn' settings of the containers form a cycle: none of them could start first.");
}

/* ---- the rest ---- */

static bool check_retired(const struct task_definition *def, struct err *err)
{
    return def->inference_accelerators.count == 0 || err_set(err, ERR_CLIENT, "Unsupported field 'inferenceAccelerators'");
}

static bool has_property(const struct proxy_configuration *proxy, struct str name)
{
    for (size_t p = 0; p < proxy->properties.count; p++) {
        if (str_eq(proxy->properties.items[p].name, name)) { return proxy->properties.items[p].value.len > 0; }
    }
    return false;
}

static bool check_proxy(const struct task_definition *def, struct err *err)
{
    static const struct { struct str name; const char *problem; } needed[] = {
        { STR_INIT("ProxyIngressPort"), "Ingress port not found" },
        { STR_INIT("ProxyEgressPort"),  "Egress port not found" },
        { STR_INIT("AppPorts"),         "App ports not found" },
    };
    const struct proxy_configuration *proxy = def->proxy_configuration;
    if (proxy == NULL) { return true; }
    if (def->network_mode != NETWORK_MODE_AWSVPC) {
        return err_set(err, ERR_CLIENT, "proxyConfiguration is only supported when networkMode=awsvpc");
    }
    if (taskdef_container(def, proxy->container_name) == NULL) {
        return err_set(err, ERR_CLIENT, "Unknown container '" STR_FMT "' in 'proxyConfiguration'.",
                       STR_ARG(str_slice(proxy->container_name, 0, 255)));
    }
    for (size_t n = 0; n < COUNT_OF(needed); n++) {
        if (!has_property(proxy, needed[n].name)) { return err_set(err, ERR_CLIENT, "%s", needed[n].problem); }
    }
    if (!has_property(proxy, STR("IgnoredUID")) && !has_property(proxy, STR("IgnoredGID"))) {
        return err_set(err, ERR_CLIENT, "Ignored UID or GID not found");
    }
    return true;
}

/* A constraint that cannot be read would refuse every instance later on, so it is refused now. */
static bool check_constraints(struct op_ctx *ctx, const struct task_definition *def, struct err *err)
{
    for (size_t c = 0; c < def->placement_constraints.count; c++) {
        struct str expression = def->placement_constraints.items[c].expression;
        struct err problem = { 0 };
        if (expression.len == 0) {
            return err_set(err, ERR_CLIENT, "Placement constraint of type memberOf requires an expression.");
        }
        if (expression_compile(expression, ctx->arena, &problem) == NULL) {
            return err_set(err, ERR_CLIENT, "%s", problem.message);
        }
    }
    return true;
}

static bool check_required_compatibilities(const struct task_definition *def, struct err *err)
{
    for (size_t r = 0; r < def->requires_compatibilities.count; r++) {
        enum compatibility compatibility = (enum compatibility)def->requires_compatibilities.items[r];
        if (!taskdef_check_compatibility(def, compatibility, err)) { return false; }
    }
    return true;
}

/* The limit is on the given members, not on defaults that are filled in: a definition that was accepted once is accepted again. */
static bool check_bytes(struct op_ctx *ctx, const struct task_definition *def, struct err *err)
{
    enum { DEFINITION_MAX_BYTES = 64 * 1024 };
    struct buf buf = buf_in(ctx->arena);
    struct json_out json = json_out_to(&buf);
    schema_print(&task_definition_schema, def, &json);
    if (buf.len <= DEFINITION_MAX_BYTES) { return true; }
    return err_set(err, ERR_CLIENT, "Actual length: '%zu'. Max allowed length is '%d' bytes.", buf.len, DEFINITION_MAX_BYTES);
}

/* Later rules rely on what earlier ones have seen to. */
bool taskdef_check(struct op_ctx *ctx, const struct task_definition *def, struct err *err)
{
    static bool (*const rules[])(const struct task_definition *, struct err *) = {
        check_family, check_roles, check_size, check_retired, taskdef_check_volumes, check_containers, check_cpu_sum, check_cycles,
        check_proxy, check_required_compatibilities,
    };
    for (size_t r = 0; r < COUNT_OF(rules); r++) {
        if (!rules[r](def, err)) { return false; }
    }
    return check_constraints(ctx, def, err) && check_bytes(ctx, def, err);
}
