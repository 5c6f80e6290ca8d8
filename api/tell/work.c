/* work.c: the work of an instance, and the messages about it to its agent. Everything is derived from the records at the moment of
 * asking, so that nothing is lost when a message is. The definition travels in two ways: what the agent's own model knows as
 * members, the rest as JSON of Docker's Config and HostConfig, which the agent lays over its own (docker_config.c). */
#include "api/tell/work.h"

#include "api/tell/docker_config.h"
#include "api/tasks/gang.h"
#include "api/tasks/overrides.h"
#include "api/core/support.h"
#include "api/tell/work_docker.h"
#include "api/tell/work_secrets.h"

/* ---- what there is to do ---- */

const struct instance *work_for_instance(struct op_ctx *ctx, struct id instance, struct work_list *work)
{
    *work = (struct work_list){ 0 };
    const struct instance *found = support_kept_instance(ctx, instance);
    if (found == NULL || found->status == INSTANCE_INACTIVE) { return NULL; }
    struct live_task *tasks;
    size_t count = store_live_on_instance(ctx->txn, instance, &tasks, ctx->arena);
    work->items = ARENA_NEW(ctx->arena, struct work, count);
    struct id *starts = ARENA_NEW(ctx->arena, struct id, count);
    size_t start_count = 0;
    for (size_t t = 0; t < count; t++) {
        if (tasks[t].last_status == TASK_DEACTIVATING) { continue; }
        if (tasks[t].desired_status == TASK_STOPPED) {
            work->items[work->count++] = (struct work){ tasks[t].id, TASK_STOPPED };
        } else if (tasks[t].last_status < TASK_RUNNING) {
            starts[start_count++] = tasks[t].id;
        }
    }
    for (size_t s = 0; s < start_count; s++) { work->items[work->count++] = (struct work){ starts[s], TASK_RUNNING }; }
    ASSERT(work->count <= count);
    return found;
}

struct wire_manifest *work_manifest(struct op_ctx *ctx, struct id instance)
{
    const struct instance *found = support_kept_instance(ctx, instance);
    const struct cluster *cluster = found == NULL ? NULL : support_kept_cluster_by_number(ctx, found->cluster_number);
    if (cluster == NULL) { return NULL; }
    const struct names *names = &ctx->config->names;
    struct wire_manifest *manifest = ARENA_NEW(ctx->arena, struct wire_manifest, 1);
    manifest->cluster_arn = names_cluster_arn(names, cluster->name, ctx->arena);
    manifest->container_instance_arn = names_instance_arn(names, cluster->name, instance, ctx->arena);

    struct live_task *tasks;
    size_t count = store_live_on_instance(ctx->txn, instance, &tasks, ctx->arena);
    manifest->tasks.items = ARENA_NEW(ctx->arena, struct wire_manifest_task, count);
    for (size_t t = 0; t < count; t++) {
        if (tasks[t].desired_status != TASK_RUNNING && tasks[t].last_status != TASK_DEACTIVATING) { continue; }
        manifest->tasks.items[manifest->tasks.count++] = (struct wire_manifest_task){
            .task_arn = names_task_arn(names, cluster->name, tasks[t].id, ctx->arena),
            .task_cluster_arn = manifest->cluster_arn,
            .desired_status = STR("RUNNING"),
        };
    }
    ASSERT(manifest->tasks.count <= count);
    return manifest;
}

/* ---- one payload ---- */

struct payload {
    struct op_ctx *ctx;
    const struct cluster *cluster;
    const struct instance *instance;         /* NULL when it is gone: then nothing is known of its GPUs */
    const struct task *task;
    const struct task_definition *def;
};

/* ---- environment ---- */

static const struct str visible = STR_INIT("NVIDIA_VISIBLE_DEVICES"), share_told = STR_INIT("BERTH_GPU_SHARE"),
    memory_told = STR_INIT("BERTH_GPU_MEMORY_MIB"), mps_threads = STR_INIT("CUDA_MPS_ACTIVE_THREAD_PERCENTAGE"),
    mps_memory = STR_INIT("CUDA_MPS_PINNED_DEVICE_MEM_LIMIT");

static bool has_share(const struct task_container *container)
{
    return container->gpu_ids.count > 0 && gpu_share_of(container->gpu_share) < GPU_SHARE_WHOLE;
}

/* Variables that Berth sets; a user's own of these names are dropped. */
static bool is_ours(struct str name, bool shares)
{
    if (str_eq(name, visible) || str_eq(name, share_told) || str_eq(name, memory_told)) { return true; }
    return shares && (str_eq(name, mps_threads) || str_eq(name, mps_memory));
}

static void put_variable(struct pair_list *list, struct str name, struct str value) { list->items[list->count++] = (struct pair){ name, value }; }

/* For CUDA's MPS, where one runs on the machine, the share and the memory that were asked for are limits; elsewhere nothing holds
 * a container to them. A container that asked for memory alone is not slowed down. */
static void put_share(const struct payload *payload, const struct container_definition *def, const struct container_override *over,
                      const struct task_container *container, struct pair_list *out)
{
    struct arena *arena = payload->ctx->arena;
    struct gpu_wish wish;
    char why[GPU_WISH_WHY_MAX];
    if (!taskdef_container_gpus(def, over, &wish, why)) { wish = (struct gpu_wish){ 0 }; }       /* cannot be: it was placed by these words */
    put_variable(out, visible, container->gpu_ids.items[0]);
    put_variable(out, share_told, arena_printf(arena, "%g", (double)container->gpu_share / GPU_SHARE_WHOLE));
    if (wish.share > 0) { put_variable(out, mps_threads, arena_printf(arena, "%lld", (long long)(wish.share + 9) / 10)); }
    if (wish.memory_mib > 0) {
        put_variable(out, memory_told, arena_printf(arena, "%lld", (long long)wish.memory_mib));
        put_variable(out, mps_memory, arena_printf(arena, "0=%lldM", (long long)wish.memory_mib));
    }
}

/* All of a gang were placed together, so that the machine of the first is known before any of them starts. */
static struct gang_master find_master(const struct payload *payload, const struct task_gang *gang)
{
    struct op_ctx *ctx = payload->ctx;
    bool found;
    const struct task *first = id_eq(gang->first, payload->task->id) ? payload->task : store_task(ctx->txn, gang->first, ctx->arena);
    const struct instance *machine = first == NULL ? NULL : store_instance(ctx->txn, first->instance, ctx->arena);
    if (machine == NULL) { return (struct gang_master){ 0 }; }
    return (struct gang_master){
        .address = instance_attribute(machine, STR("berth.address"), &found),
        .is_process = str_eq(instance_attribute(machine, STR("berth.runtime"), &found), STR("process")),
    };
}

/* The agent sets NVIDIA_VISIBLE_DEVICES for containers that have whole GPUs, from the associations. A share has none, because the
 * ECS agent refuses an id that it has given away already: its id is put into the environment here. A container without a GPU would see all of them
 * where NVIDIA's runtime is Docker's default, so it gets "void". */
static struct pair_list make_environment(const struct payload *payload, const struct container_definition *def,
                                         const struct container_override *over, const struct task_container *container)
{
    enum { OURS_MAX = 5 + GANG_VARIABLE_COUNT + GANG_MASTER_COUNT };
    struct pair_list merged = overrides_environment(def, over, payload->ctx->arena);
    struct pair_list out = { ARENA_NEW(payload->ctx->arena, struct pair, merged.count + OURS_MAX), 0 };
    const struct task_gang *gang = payload->task->gang;
    bool shares = has_share(container);
    for (size_t e = 0; e < merged.count; e++) {
        bool dropped = is_ours(merged.items[e].key, shares) || (gang != NULL && gang_is_variable(merged.items[e].key));
        if (!dropped) { out.items[out.count++] = merged.items[e]; }
    }
    if (gang != NULL) {
        const struct gang_master master = find_master(payload, gang);
        gang_put_variables(gang, &out, payload->ctx->arena);
        gang_put_master(&master, payload->def, &out, payload->ctx->arena);
    }
    bool machine_has_gpus = payload->instance != NULL && payload->instance->gpus.count > 0;
    if (shares) {
        put_share(payload, def, over, container, &out);
    } else if (machine_has_gpus && container->gpu_ids.count == 0) {
        put_variable(&out, visible, STR("void"));
    }
    ASSERT(out.count <= merged.count + OURS_MAX);
    return out;
}

/* ---- containers ---- */

/* The agent takes protocols in lower case only and none for granted. */
static struct port_mapping_list make_mappings(const struct payload *payload, const struct container_definition *def)
{
    struct port_mapping_list out = { ARENA_NEW(payload->ctx->arena, struct port_mapping, def->port_mappings.count), def->port_mappings.count };
    for (size_t m = 0; m < out.count; m++) {
        out.items[m] = def->port_mappings.items[m];
        out.items[m].name = (struct str){ 0 };
        out.items[m].app_protocol = APPLICATION_PROTOCOL_UNSET;
        if (out.items[m].protocol == TRANSPORT_PROTOCOL_UNSET) { out.items[m].protocol = TRANSPORT_PROTOCOL_TCP; }
        if (!str_is_set(out.items[m].container_port_range)) {
            out.items[m].host_port = opt_int_of(overrides_host_port(payload->def->network_mode, &out.items[m]));
        }
    }
    return out;
}

/* "arn:aws:secretsmanager:REGION:…"; a bare name is a secret of this region. */
static struct str region_of(struct op_ctx *ctx, struct str reference)
{
    struct str part = { NULL, 0 }, rest = reference;
    for (int p = 0; p < 4; p++) { (void)str_cut(rest, ':', &part, &rest); }
    return str_starts_with(reference, STR("arn:")) && part.len > 0 ? part : ctx->config->names.region;
}

struct wire_registry_auth *work_registry_auth(struct op_ctx *ctx, const struct container_definition *def)
{
    if (def->repository_credentials == NULL || def->repository_credentials->credentials_parameter.len == 0) { return NULL; }
    struct wire_registry_auth *out = ARENA_NEW(ctx->arena, struct wire_registry_auth, 1);
    out->type = STR("asm");
    out->asm_auth = ARENA_NEW(ctx->arena, struct wire_asm_auth, 1);
    out->asm_auth->credentials_parameter = def->repository_credentials->credentials_parameter;
    out->asm_auth->region = region_of(ctx, def->repository_credentials->credentials_parameter);
    return out;
}

static struct str role_of(const struct task_definition *def, const struct task *task, enum role_kind kind)
{
    return kind == ROLE_TASK ? overrides_task_role(def, task->overrides) : overrides_execution_role(def, task->overrides);
}

static void make_container(const struct payload *payload, const struct task_container *container, struct wire_container *out)
{
    ASSERT(container->index >= 0 && (uint64_t)container->index < payload->def->container_definitions.count);   /* by fits_definition */
    const struct container_definition *def = &payload->def->container_definitions.items[container->index];
    const struct container_override *over = taskdef_override(payload->task->overrides, def->name);
    struct arena *arena = payload->ctx->arena;
    bool has_role = role_of(payload->def, payload->task, ROLE_EXECUTION).len > 0;
    const struct docker_ways ways = work_docker_ways(payload->ctx->config, payload->instance, payload->task, payload->def, container, has_role, arena);
    *out = (struct wire_container){
        .name = def->name,
        .image = def->image,
        .container_arn = names_container_arn(&payload->ctx->config->names, payload->cluster->name, payload->task->id,
                                             (size_t)container->index, arena),
        .command = overrides_command(def, over),
        .entry_point = def->entry_point,
        .links = def->links,
        .cpu = overrides_cpu(def, over),
        .memory = overrides_memory(def, over),
        .essential = opt_bool_of(def->essential != OPT_FALSE),
        .environment = make_environment(payload, def, over, container),
        .environment_files = work_environment_files(def, over, arena),
        .secrets = work_secrets(&payload->ctx->config->names, def, arena),
        .port_mappings = make_mappings(payload, def),
        .mount_points = def->mount_points,
        .volumes_from = def->volumes_from,
        .depends_on = def->depends_on,
        .start_timeout = def->start_timeout,
        .stop_timeout = def->stop_timeout,
        .restart_policy = def->restart_policy,
        .overrides = STR("{}"),
        .docker_config = docker_config_make(payload->def, def, over, &ways, arena),
        .registry_authentication = work_registry_auth(payload->ctx, def),
        .health_check_type = def->health_check == NULL ? (struct str){ 0 } : STR("docker"),
        .logs_auth_strategy = ways.awslogs == NULL ? (struct str){ 0 } : STR("ExecutionRole"),
    };
}

/* One per whole GPU, each with exactly one container, or the agent refuses the task. */
static struct wire_association_list make_associations(const struct payload *payload)
{
    const struct task_container_list *containers = &payload->task->containers;
    size_t count = 0;
    for (size_t c = 0; c < containers->count; c++) { count += containers->items[c].gpu_ids.count; }
    struct wire_association_list out = { ARENA_NEW(payload->ctx->arena, struct wire_association, count), 0 };
    for (size_t c = 0; c < containers->count; c++) {
        const struct task_container *container = &containers->items[c];
        struct str *name = &payload->def->container_definitions.items[container->index].name;
        for (size_t g = 0; !has_share(container) && g < container->gpu_ids.count; g++) {
            out.items[out.count++] = (struct wire_association){ container->gpu_ids.items[g], STR("gpu"), { name, 1 } };
        }
    }
    ASSERT(out.count <= count);
    return out;
}

/* Only its name: the address is the machine's to choose. */
static struct wire_interface_list make_interfaces(const struct payload *payload)
{
    struct wire_interface_list out = { NULL, 0 };
    if (payload->task->interface == NULL) { return out; }
    out = (struct wire_interface_list){ ARENA_NEW(payload->ctx->arena, struct wire_interface, 1), 1 };
    out.items[0].attachment_arn = names_attachment_arn(&payload->ctx->config->names, payload->task->id, payload->ctx->arena);
    return out;
}

/* The agent wants the `host` object to be there, even when it is empty. */
static struct wire_volume_list make_volumes(const struct payload *payload)
{
    const struct volume_list *volumes = &payload->def->volumes;
    struct wire_volume_list out = { ARENA_NEW(payload->ctx->arena, struct wire_volume, volumes->count), volumes->count };
    for (size_t v = 0; v < volumes->count; v++) {
        const struct volume *volume = &volumes->items[v];
        out.items[v] = (struct wire_volume){ .name = volume->name, .type = STR("host") };
        if (volume->docker_volume_configuration != NULL) {
            out.items[v].type = STR("docker");
            out.items[v].docker = volume->docker_volume_configuration;
        } else {
            out.items[v].host = ARENA_NEW(payload->ctx->arena, struct wire_host_volume, 1);
            if (volume->host != NULL) { out.items[v].host->source_path = volume->host->source_path; }
        }
    }
    return out;
}

/* Limits for the task as a whole: only those that it names. What was placed may be a sum over containers, which limits nobody. */
static void set_limits(const struct payload *payload, struct wire_task *out)
{
    int64_t units, mib;
    struct str cpu = overrides_task_cpu(payload->def, payload->task->overrides);
    struct str memory = overrides_task_memory(payload->def, payload->task->overrides);
    if (cpu.len > 0 && taskdef_read_cpu(cpu, &units)) { out->cpu = (struct opt_double){ (double)units / 1024, true }; }
    if (memory.len > 0 && taskdef_read_memory(memory, &mib)) { out->memory = opt_int_of(mib); }
}

struct str work_role_key(struct op_ctx *ctx) { return store_meta(ctx->txn, role_key_name, ctx->arena); }

/* NULL: it has no such role. */
static struct wire_role_credentials *make_keys(struct op_ctx *ctx, const struct task *task, const struct task_definition *def,
                                               enum role_kind kind, int64_t *renew_ms)
{
    struct str role = role_of(def, task, kind);
    if (role.len == 0 || role.len > ROLE_ARN_MAX) { return NULL; }
    struct str key = work_role_key(ctx);
    if (!role_key_is_good(key)) { return NULL; }
    const struct role_session session = {
        kind, task->id, role_expires_ms(task->id, ctx->config->role_life_ms, ctx->now_ms, renew_ms),
        role_arn_of(role, ctx->config->names.account, ctx->arena),
    };
    struct wire_role_credentials *keys = ARENA_NEW(ctx->arena, struct wire_role_credentials, 1);
    role_issue(key, &session, keys, ctx->arena);
    return keys;
}

static void set_roles(const struct payload *payload, struct wire_task *out)
{
    int64_t renew_ms;
    out->role_credentials = make_keys(payload->ctx, payload->task, payload->def, ROLE_TASK, &renew_ms);
    out->execution_role_credentials = make_keys(payload->ctx, payload->task, payload->def, ROLE_EXECUTION, &renew_ms);
}

static void make_task(const struct payload *payload, enum task_status desired, struct str cluster_arn, struct wire_task *out)
{
    const struct task *task = payload->task;
    struct arena *arena = payload->ctx->arena;
    ASSERT(desired == TASK_RUNNING || desired == TASK_STOPPED);
    enum network_mode mode = payload->def->network_mode == NETWORK_MODE_UNSET ? NETWORK_MODE_BRIDGE : payload->def->network_mode;
    struct buf revision = buf_in(arena);
    buf_put_i64(&revision, task->revision);
    *out = (struct wire_task){
        .arn = names_task_arn(&payload->ctx->config->names, payload->cluster->name, task->id, arena),
        .task_cluster_arn = cluster_arn,
        .family = task->family,
        .version = buf_str(&revision),
        .desired_status = enum_word(&task_status_names, (int)desired),
        .overrides = STR("{}"),
        .network_mode = enum_word(&network_mode_names, (int)mode),
        .pid_mode = enum_word(&pid_mode_names, (int)payload->def->pid_mode),
        .ipc_mode = enum_word(&ipc_mode_names, (int)payload->def->ipc_mode),
        .launch_type = enum_word(&launch_type_names, (int)task->launch_type),
        .group = task->group,
        .associations = make_associations(payload),
        .interfaces = make_interfaces(payload),
        .volumes = make_volumes(payload),
        .containers = { ARENA_NEW(arena, struct wire_container, task->containers.count), task->containers.count },
        .task_definition_account_id = payload->ctx->config->names.account,
    };
    set_limits(payload, out);
    if (desired == TASK_RUNNING) { set_roles(payload, out); }
    for (size_t c = 0; c < task->containers.count; c++) { make_container(payload, &task->containers.items[c], &out->containers.items[c]); }
}

/* A definition never changes, so the indexes in a task are always those of its definition. */
static bool fits_definition(const struct task *task, const struct task_definition *def)
{
    for (size_t c = 0; c < task->containers.count; c++) {
        int64_t index = task->containers.items[c].index;
        if (index < 0 || (uint64_t)index >= def->container_definitions.count) { return false; }
    }
    return true;
}

struct wire_payload *work_payload(struct op_ctx *ctx, const struct work *work)
{
    const struct task *task = store_task(ctx->txn, work->task, ctx->arena);
    if (task == NULL) { return NULL; }
    const struct taskdef *taskdef = support_kept_taskdef(ctx, task);
    const struct cluster *cluster = support_kept_cluster_by_number(ctx, task->cluster_number);
    if (taskdef == NULL || cluster == NULL || !fits_definition(task, &taskdef->def)) { return NULL; }

    const struct payload payload = { ctx, cluster, support_kept_instance(ctx, task->instance), task, &taskdef->def };
    struct wire_payload *out = ARENA_NEW(ctx->arena, struct wire_payload, 1);
    out->cluster_arn = names_cluster_arn(&ctx->config->names, cluster->name, ctx->arena);
    out->container_instance_arn = names_instance_arn(&ctx->config->names, cluster->name, task->instance, ctx->arena);
    out->generated_at = opt_int_of(ctx->now_ms);
    out->tasks = (struct wire_task_list){ ARENA_NEW(ctx->arena, struct wire_task, 1), 1 };
    make_task(&payload, work->desired, out->cluster_arn, &out->tasks.items[0]);
    return out;
}

/* ---- keys of roles ---- */

void work_roles(struct op_ctx *ctx, struct id instance, struct work_role_list *roles)
{
    struct id *ids;
    size_t count = store_tasks_on_instance(ctx->txn, instance, &ids, ctx->arena);
    *roles = (struct work_role_list){ ARENA_NEW(ctx->arena, struct work_role, count * ROLE_KIND_COUNT), 0 };
    for (size_t t = 0; t < count; t++) {
        const struct task *task = store_task(ctx->txn, ids[t], ctx->arena);
        if (task == NULL || !task_is_live(task)) { continue; }
        const struct taskdef *taskdef = support_kept_taskdef(ctx, task);
        for (enum role_kind kind = 0; taskdef != NULL && kind < ROLE_KIND_COUNT; kind++) {
            ASSERT(roles->count < count * ROLE_KIND_COUNT);
            if (role_of(&taskdef->def, task, kind).len > 0) { roles->items[roles->count++] = (struct work_role){ ids[t], kind }; }
        }
    }
}

struct wire_role_message *work_role_message(struct op_ctx *ctx, const struct work_role *role, int64_t *renew_ms)
{
    const struct task *task = store_task(ctx->txn, role->task, ctx->arena);
    if (task == NULL || !task_is_live(task)) { return NULL; }
    const struct taskdef *taskdef = support_kept_taskdef(ctx, task);
    const struct cluster *cluster = support_kept_cluster_by_number(ctx, task->cluster_number);
    if (taskdef == NULL || cluster == NULL) { return NULL; }
    struct wire_role_credentials *keys = make_keys(ctx, task, &taskdef->def, role->kind, renew_ms);
    if (keys == NULL) { return NULL; }
    struct wire_role_message *message = ARENA_NEW(ctx->arena, struct wire_role_message, 1);
    *message = (struct wire_role_message){
        .task_arn = names_task_arn(&ctx->config->names, cluster->name, task->id, ctx->arena),
        .task_cluster_arn = names_cluster_arn(&ctx->config->names, cluster->name, ctx->arena),
        .role_type = role_kind_word(role->kind), .role_credentials = keys,
    };
    return message;
}

int64_t work_role_renew_ms(struct op_ctx *ctx, struct id task)
{
    int64_t renew_ms;
    (void)role_expires_ms(task, ctx->config->role_life_ms, ctx->now_ms, &renew_ms);
    return renew_ms;
}
