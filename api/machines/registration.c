/* registration.c: RegisterContainerInstance. A machine comes for the first time, comes again after its agent restarted, or comes
 * under an id that is not known here (any more). Its ARN never changes, because an agent that came once keeps the ARN that it
 * was given first, with any later answer. What the agent says of the machine replaces the earlier values; tasks stay.
 *
 * GPUs are the platformDevices of type GPU, in the order given: that is their slot. Berth's agent describes them in attributes
 * (berth.gpu-model and berth.gpu-memory, in MiB; berth.gpu-kinds where devices are not alike or are partitions: model/gpu.h),
 * and the server adds berth.gpu-count for agents that do not. An EC2 identity document adds the attributes that ECS takes from it. */
#include "wire/agent_protocol.h"
#include "api/capacity/choice.h"
#include "api/capacity/machines.h"
#include "api/core/binding.h"
#include "api/machines/gpu_health.h"
#include "api/handlers.h"
#include "api/machines/machines.h"
#include "api/core/placement.h"
#include "api/schemas/instances.h"

enum { ATTRIBUTE_NAME_MAX = 128, ATTRIBUTE_VALUE_MAX = 128, DEVICE_ID_MAX = 128, RESERVED_PORTS_MAX = 100, ADDED_MAX = 8 };

/* ---- resources ---- */

static const struct resource *find_resource(const struct resource_list *resources, struct str name)
{
    for (size_t r = 0; r < resources->count; r++) {
        if (str_eq(resources->items[r].name, name)) { return &resources->items[r]; }
    }
    return NULL;
}

/* The ECS agent's serialiser leaves out an amount of 0. */
static bool read_amount(const struct resource_list *resources, struct str name, int64_t *amount, struct err *err)
{
    const struct resource *resource = find_resource(resources, name);
    struct opt_int value = { 0 };
    if (resource != NULL) { value = resource->integer_value.set ? resource->integer_value : resource->long_value; }
    if (value.value < 0 || value.value > INT32_MAX) {
        return err_set(err, ERR_INVALID_PARAMETER, "The resource " STR_FMT " must be between 0 and %d.", STR_ARG(name), INT32_MAX);
    }
    *amount = value.value;
    return true;
}

static bool read_ports(const struct resource_list *resources, struct str name, int64_t protocol_bit, struct int_list *ports,
                       struct err *err)
{
    const struct resource *resource = find_resource(resources, name);
    size_t count = resource == NULL ? 0 : resource->string_set_value.count;
    for (size_t p = 0; p < count; p++) {
        int64_t port;
        struct str text = resource->string_set_value.items[p];
        if (!str_to_i64(text, &port) || port < 1 || port > 65535) {
            return err_set(err, ERR_INVALID_PARAMETER, "The resource " STR_FMT " holds \"" STR_FMT "\", which is no port.", STR_ARG(name),
                           STR_ARG(str_slice(text, 0, 32)));
        }
        if (ports->count == RESERVED_PORTS_MAX) {
            return err_set(err, ERR_INVALID_PARAMETER, "A container instance can reserve at most %d ports.", RESERVED_PORTS_MAX);
        }
        ports->items[ports->count++] = opt_int_of(port | protocol_bit);
    }
    return true;
}

static bool read_resources(struct op_ctx *ctx, const struct resource_list *resources, struct instance *instance, struct err *err)
{
    instance->reserved_ports = (struct int_list){ ARENA_NEW(ctx->arena, struct opt_int, RESERVED_PORTS_MAX), 0 };
    return read_amount(resources, STR("CPU"), &instance->cpu, err)
        && read_amount(resources, STR("MEMORY"), &instance->memory_mib, err)
        && read_ports(resources, STR("PORTS"), 0, &instance->reserved_ports, err)
        && read_ports(resources, STR("PORTS_UDP"), PORT_UDP, &instance->reserved_ports, err);
}

/* ---- GPUs ---- */

static bool add_gpu(struct gpu_list *gpus, struct str uuid, struct err *err)
{
    if (uuid.len == 0 || uuid.len > DEVICE_ID_MAX) {
        return err_set(err, ERR_CLIENT, "The id of a platform device must have 1 to %d characters.", DEVICE_ID_MAX);
    }
    if (gpus->count == INSTANCE_GPUS_MAX) {
        return err_set(err, ERR_CLIENT, "A container instance can have at most %d GPUs.", INSTANCE_GPUS_MAX);
    }
    for (size_t g = 0; g < gpus->count; g++) {
        if (str_eq(gpus->items[g].uuid, uuid)) {
            return err_set(err, ERR_CLIENT, "The platform device " STR_FMT " is given twice.", STR_ARG(uuid));
        }
    }
    gpus->items[gpus->count++] = (struct gpu){ .uuid = uuid };
    return true;
}

/* Call it after the attributes were read: they describe the devices. */
static bool read_gpus(struct op_ctx *ctx, const struct platform_device_list *devices, struct instance *instance, struct err *err)
{
    bool found;
    int64_t memory = 0;
    struct str model = instance_attribute(instance, STR("berth.gpu-model"), &found);
    if (!str_to_i64(instance_attribute(instance, STR("berth.gpu-memory"), &found), &memory) || memory < 0) { memory = 0; }

    instance->gpus = (struct gpu_list){ ARENA_NEW(ctx->arena, struct gpu, INSTANCE_GPUS_MAX), 0 };
    for (size_t d = 0; d < devices->count; d++) {
        if (devices->items[d].type != PLATFORM_DEVICE_TYPE_GPU) { continue; }
        if (!add_gpu(&instance->gpus, devices->items[d].id, err)) { return false; }
    }
    if (gpu_kinds_read(instance_long_attribute(instance, STR("berth.gpu-kinds"), ctx->arena), &instance->gpus)) { return true; }
    for (size_t g = 0; g < instance->gpus.count; g++) {
        instance->gpus.items[g].model = model;
        instance->gpus.items[g].memory_mib = memory;
    }
    return true;
}

/* ---- attributes ---- */

static bool has_attribute(const struct attribute_list *list, struct str name)
{
    for (size_t a = 0; a < list->count; a++) {
        if (str_eq(list->items[a].name, name)) { return true; }
    }
    return false;
}

static void add_if_absent(struct attribute_list *list, struct str name, struct str value)
{
    if (value.len > 0 && !has_attribute(list, name)) { list->items[list->count++] = (struct attribute){ .name = name, .value = value }; }
}

/* Names that agents register by themselves. All other attributes are custom, and the ECS agent sends them only once. */
bool support_attribute_is_built_in(struct str name)
{
    return str_starts_with(name, STR("ecs.")) || str_starts_with(name, STR("com.amazonaws.ecs.")) || str_starts_with(name, STR("berth."));
}

static bool is_custom(const struct instance *instance, struct str name)
{
    return str_list_has(&instance->custom_attributes, name) || !support_attribute_is_built_in(name);
}

static bool check_attributes(const struct attribute_list *sent, struct err *err)
{
    for (size_t a = 0; a < sent->count; a++) {
        const struct attribute *attribute = &sent->items[a];
        if (attribute->name.len < 1 || attribute->name.len > ATTRIBUTE_NAME_MAX) {
            return err_set(err, ERR_INVALID_PARAMETER, "The name of attributes[%zu] must have 1 to %d characters.", a, ATTRIBUTE_NAME_MAX);
        }
        if (attribute->value.len > ATTRIBUTE_VALUE_MAX) {
            return err_set(err, ERR_INVALID_PARAMETER, "The value of attribute " STR_FMT " must have at most %d characters.",
                           STR_ARG(attribute->name), ATTRIBUTE_VALUE_MAX);
        }
    }
    return true;
}

/* All sent attributes come back with the same value, because the ECS agent checks it, then the other known ones. If a name is sent twice, the last
 * value is used. */
static bool read_attributes(struct op_ctx *ctx, const struct attribute_list *sent, const struct instance *old,
                            struct instance *instance, struct err *err)
{
    if (!check_attributes(sent, err)) { return false; }
    size_t old_count = old == NULL ? 0 : old->attributes.count;
    struct attribute_list *list = &instance->attributes;
    *list = (struct attribute_list){ ARENA_NEW(ctx->arena, struct attribute, sent->count + old_count + ADDED_MAX), 0 };
    for (size_t a = 0; a < sent->count; a++) {
        const struct attribute attribute = { .name = sent->items[a].name, .value = sent->items[a].value };
        size_t at = 0;
        while (at < list->count && !str_eq(list->items[at].name, attribute.name)) { at++; }
        list->items[at] = attribute;
        if (at == list->count) { list->count++; }
    }
    for (size_t a = 0; a < old_count; a++) {
        const struct attribute *attribute = &old->attributes.items[a];
        bool is_kept = is_custom(old, attribute->name) || str_eq(attribute->name, STR("berth.name"));
        if (is_kept && !has_attribute(list, attribute->name)) { list->items[list->count++] = *attribute; }
    }
    ASSERT(list->count <= sent->count + old_count);              /* room was made for both, and for the additions */
    return true;
}

/* ---- the EC2 identity document ---- */

/* The document's signature is not checked: the access key decides who may register. A text that is no such document is no error, because agents
 * outside EC2 send an empty one. */
void support_read_identity(struct str document, struct instance *instance, struct arena *arena)
{
    static const struct { struct str member, attribute; } facts[] = {
        { STR_INIT("instanceType"),     STR_INIT("ecs.instance-type") },
        { STR_INIT("availabilityZone"), STR_INIT("ecs.availability-zone") },
        { STR_INIT("imageId"),          STR_INIT("ecs.ami-id") },
        { STR_INIT("privateIp"),        STR_INIT("berth.address") },
    };
    _Static_assert(COUNT_OF(facts) == SUPPORT_IDENTITY_FACTS, "callers make room for each");
    struct err ignored = { 0 };
    if (document.len == 0) { return; }
    const struct json *json = json_parse(document, arena, &ignored);
    if (json == NULL || json->type != JSON_OBJECT) { return; }
    struct str id = json_get_str(json, STR("instanceId"));
    if (id.len > 0 && id.len <= ATTRIBUTE_VALUE_MAX) { instance->ec2_instance_id = id; }
    for (size_t f = 0; f < COUNT_OF(facts); f++) {
        struct str value = json_get_str(json, facts[f].member);
        if (value.len <= ATTRIBUTE_VALUE_MAX) { add_if_absent(&instance->attributes, facts[f].attribute, value); }
    }
}

/* ---- which instance it is ---- */

/* The token of a first registration, so that a repeated request finds the same instance. */
static struct str token_name(struct op_ctx *ctx, int64_t cluster_number, struct str token)
{
    return arena_printf(ctx->arena, "registration/%lld/" STR_FMT, (long long)cluster_number, STR_ARG(token));
}

static const struct instance *find_by_token(struct op_ctx *ctx, int64_t cluster_number, struct str token)
{
    struct id id;
    if (token.len == 0) { return NULL; }
    struct str known = store_meta(ctx->txn, token_name(ctx, cluster_number, token), ctx->arena);
    if (!str_is_set(known) || !id_parse(known, &id)) { return NULL; }
    const struct instance *instance = store_instance(ctx->txn, id, ctx->arena);
    bool is_there = instance != NULL && instance->status != INSTANCE_INACTIVE && instance->cluster_number == cluster_number;
    return is_there ? instance : NULL;
}

/* The token may be another machine's by now. */
void support_forget_registration(struct op_ctx *ctx, const struct instance *instance)
{
    struct id id;
    if (instance->client_token.len == 0) { return; }
    struct str name = token_name(ctx, instance->cluster_number, instance->client_token);
    struct str known = store_meta(ctx->txn, name, ctx->arena);
    bool is_its_own = str_is_set(known) && id_parse(known, &id) && id_eq(id, instance->id);
    if (is_its_own) { store_put_meta(ctx->txn, name, (struct str){ 0 }); }
}

/* *known is the record of a machine that registers again, with any status; NULL: the machine is new. */
static bool find_known(struct op_ctx *ctx, const struct cluster *cluster, const struct register_container_instance_request *request,
                       struct id *id, const struct instance **known, struct err *err)
{
    if (request->container_instance_arn.len == 0) {
        *known = find_by_token(ctx, cluster->number, request->client_token);
        *id = *known != NULL ? (*known)->id : id_new(ctx->ids, ctx->now_ms);
        return true;
    }
    if (!names_read_id(&ctx->config->names, request->container_instance_arn, STR("container-instance"), cluster->name, id, err)) { return false; }
    *known = store_instance(ctx->txn, *id, ctx->arena);
    bool is_elsewhere = *known != NULL && (*known)->cluster_number != cluster->number && (*known)->status != INSTANCE_INACTIVE;
    if (is_elsewhere) { return err_set(err, ERR_INVALID_PARAMETER, "Invalid identifier: The container instance is registered in another cluster."); }
    return true;
}

/* ---- the operation ---- */

/* New values replace the agent's own values; values that others have set stay. */
static bool read_machine(struct op_ctx *ctx, const struct register_container_instance_request *request, const struct instance *old,
                         struct instance *instance, struct err *err)
{
    if (!support_check_tags(&request->tags, TAGGED_OTHER, err)) { return false; }
    if (!read_resources(ctx, &request->total_resources, instance, err)) { return false; }
    if (!read_attributes(ctx, &request->attributes, old, instance, err)) { return false; }
    support_read_identity(request->instance_identity_document, instance, ctx->arena);
    if (!read_gpus(ctx, &request->platform_devices, instance, err)) { return false; }
    add_if_absent(&instance->attributes, STR("berth.gpu-count"), arena_printf(ctx->arena, "%zu", instance->gpus.count));
    if (request->version_info != NULL) { instance->version_info = request->version_info; }       /* the ECS agent sends it with another operation */
    if (!agent_protocol_check(instance, err)) { return false; }
    instance->client_token = request->client_token;
    if (request->tags.count > 0) { instance->tags = request->tags; }
    return true;
}

/* A provisioner started the machine that names itself so. The provider is the one that it has now; one that comes later takes it (providers_serve). */
static void read_provisioned(struct op_ctx *ctx, const struct cluster *cluster, struct instance *instance)
{
    char text[MACHINE_EC2_ID_LEN + 1];
    const struct kept_machine *machine = machine_said(ctx, instance);
    if (machine == NULL) { return; }
    instance->machine = machine->id;
    instance->capacity_provider = provider_of_pool(ctx, cluster, machine->pool);
    if (instance->ec2_instance_id.len == 0) { instance->ec2_instance_id = arena_str(ctx->arena, machine_ec2_id(machine->id, text)); }
}

/* A machine of another type is another machine; the ECS agent looks for these words, and ends. */
static bool check_same_type(const struct instance *known, const struct instance *instance, struct err *err)
{
    bool found;
    struct str type = STR("ecs.instance-type");
    struct str before = instance_attribute(known, type, &found), now = instance_attribute(instance, type, &found);
    if (before.len == 0 || now.len == 0 || str_eq(before, now)) { return true; }
    char hex[ID_HEX_LEN + 1];
    id_hex(known->id, hex);
    return err_set(err, ERR_CLIENT, "Container instance type changes are not supported. Container instance %s was previously registered as "
                   STR_FMT ".", hex, STR_ARG(before));
}

static void put_instance(struct op_ctx *ctx, bool is_new, struct instance *instance)
{
    if (is_new) {
        instance_become(instance, INSTANCE_ACTIVE, ctx->now_ms);
        instance->agent_connected = OPT_FALSE;
    }
    ASSERT(instance->status == INSTANCE_ACTIVE || instance->status == INSTANCE_DRAINING);      /* an INACTIVE one is not known here */
    instance->version++;
    instance->session_epoch++;
    placement_put_instance(ctx, instance);
}

static void remember_token(struct op_ctx *ctx, const struct instance *instance)
{
    char hex[ID_HEX_LEN + 1];
    id_hex(instance->id, hex);
    store_put_meta(ctx->txn, token_name(ctx, instance->cluster_number, instance->client_token), (struct str){ hex, ID_HEX_LEN });
}

bool op_register_container_instance(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct register_container_instance_request *request = input;
    struct register_container_instance_response *response = output;
    const struct cluster *cluster = support_cluster(ctx, request->cluster, err);
    const struct instance *known;
    struct id id;
    if (cluster == NULL || !find_known(ctx, cluster, request, &id, &known, err)) { return false; }
    if (known != NULL && !binding_check_record(ctx, cluster->name, known, err)) { return false; }

    bool is_new = known == NULL || known->status == INSTANCE_INACTIVE;
    bool is_repeated = !is_new && request->client_token.len > 0 && str_eq(known->client_token, request->client_token);
    if (is_repeated) {
        response->container_instance = view_instance(ctx, cluster, known, true);
        return true;
    }

    /* A deregistered or unknown machine is registered under the ARN that it names, because its agent can't change it. Of the old record only the
     * counters are kept, because they must never get smaller. */
    struct instance instance = is_new ? (struct instance){ 0 } : *known;
    instance.id = id;
    instance.cluster_number = cluster->number;
    if (is_new && known != NULL) {
        instance.version = known->version;
        instance.session_epoch = known->session_epoch;
    }
    if (!read_machine(ctx, request, is_new ? NULL : known, &instance, err)) { return false; }
    if (!machine_proves(ctx, &instance, err)) { return false; }
    if (is_new) { read_provisioned(ctx, cluster, &instance); }
    if (!binding_check_record(ctx, cluster->name, &instance, err)) { return false; }
    if (!is_new && !check_same_type(known, &instance, err)) { return false; }
    if (!gpu_twins_mark(ctx, &instance, err)) { return false; }
    if (!is_new) { support_forget_registration(ctx, known); }
    put_instance(ctx, is_new, &instance);
    if (request->container_instance_arn.len == 0 && request->client_token.len > 0) { remember_token(ctx, &instance); }
    if (!is_new) { gpu_twins_pass_on(ctx, known, &instance); }
    machines_registered(ctx, is_new ? NULL : known, &instance);
    machine_registered(ctx, &instance);
    const struct instance *now = store_instance(ctx->txn, id, ctx->arena);       /* NULL: the store has failed, and this answer is not sent */
    response->container_instance = view_instance(ctx, cluster, now != NULL ? now : &instance, true);
    return true;
}
