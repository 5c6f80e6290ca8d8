/* gpu_twins.c: a GPU's UUID names one device, but two machines may report it: a machine that lost its folder and registers as a new one, a copied
 * virtual machine, or one with false reports. The first machine that reports it holds it. On the others it is in quarantine, which a person can't
 * lift, and the reason names the holder. When the holder is deregistered, or registers again without the device, the next machine holds it. So a GPU
 * is never given to tasks on two machines. */
#include "api/machines/gpu_health.h"
#include "api/core/placement.h"

enum { TELLERS_MAX = 16 };                   /* the cost of a registration does not grow with the number of machines that report the same GPU */

const struct gpu_fault *gpu_twin_of(const struct instance *instance, struct str uuid)
{
    for (size_t f = 0; f < instance->gpu_faults.count; f++) {
        const struct gpu_fault *fault = &instance->gpu_faults.items[f];
        if (!id_is_zero(fault->holder) && str_eq(fault->uuid, uuid)) { return fault; }
    }
    return NULL;
}

static bool has_gpu(const struct instance *instance, struct str uuid)
{
    for (size_t g = 0; instance != NULL && g < instance->gpus.count; g++) {
        if (str_eq(instance->gpus.items[g].uuid, uuid)) { return true; }
    }
    return false;
}

static bool is_among(const struct id *ids, size_t count, struct id id)
{
    size_t i = 0;
    while (i < count && !id_eq(ids[i], id)) { i++; }
    return i < count;
}

/* The machine that holds the device, without `self`; NULL: none. */
static const struct instance *find_holder(struct op_ctx *ctx, const struct id *ids, size_t count, struct str uuid, struct id self)
{
    for (size_t i = 0; i < count; i++) {
        const struct instance *instance = id_eq(ids[i], self) ? NULL : store_instance(ctx->txn, ids[i], ctx->arena);
        if (instance != NULL && gpu_twin_of(instance, uuid) == NULL) { return instance; }
    }
    return NULL;
}

static struct gpu_fault fault_of(struct op_ctx *ctx, struct str uuid, const struct instance *holder, int64_t since_ms)
{
    char hex[ID_HEX_LEN + 1];
    id_hex(holder->id, hex);
    return (struct gpu_fault){
        .uuid = uuid, .since_ms = since_ms, .holder = holder->id,
        .reason = arena_printf(ctx->arena, "machine " STR_FMT " (%s) has this GPU too, and reported it first. Deregister the one that no longer has it.",
                               STR_ARG(str_slice(support_instance_name(holder, ctx->arena), 0, 128)), hex),
    };
}

/* A copy without Berth's faults, with room for `more`. */
static struct gpu_fault_list other_faults(struct op_ctx *ctx, const struct instance *instance, size_t more)
{
    struct gpu_fault_list list = { ARENA_NEW(ctx->arena, struct gpu_fault, instance->gpu_faults.count + more), 0 };
    for (size_t f = 0; f < instance->gpu_faults.count; f++) {
        if (id_is_zero(instance->gpu_faults.items[f].holder)) { list.items[list.count++] = instance->gpu_faults.items[f]; }
    }
    return list;
}

bool gpu_twins_mark(struct op_ctx *ctx, struct instance *instance, struct err *err)
{
    struct gpu_fault_list faults = other_faults(ctx, instance, instance->gpus.count);
    for (size_t g = 0; g < instance->gpus.count; g++) {
        struct str uuid = instance->gpus.items[g].uuid;
        struct id ids[TELLERS_MAX];
        size_t count = sched_gpu_tellers(ctx->world, uuid, ids, TELLERS_MAX);
        if (count >= TELLERS_MAX && !is_among(ids, TELLERS_MAX, instance->id)) {
            return err_set(err, ERR_CLIENT, "The GPU " STR_FMT " is reported by %zu machines already.", STR_ARG(uuid), count);
        }
        const struct instance *holder = find_holder(ctx, ids, count < TELLERS_MAX ? count : TELLERS_MAX, uuid, instance->id);
        const struct gpu_fault *before = gpu_twin_of(instance, uuid);
        if (holder != NULL) { faults.items[faults.count++] = fault_of(ctx, uuid, holder, before != NULL ? before->since_ms : ctx->now_ms); }
    }
    ASSERT(faults.count <= instance->gpu_faults.count + instance->gpus.count);
    instance->gpu_faults = faults;
    return true;
}

/* Replaces its fault with one that names the holder; with none when the machine is the holder. */
static void put_fault(struct op_ctx *ctx, const struct instance *found, struct str uuid, const struct instance *holder)
{
    ASSERT(found->status != INSTANCE_INACTIVE && gpu_twin_of(found, uuid) != NULL);
    struct instance instance = *found;
    instance.gpu_faults = (struct gpu_fault_list){ ARENA_NEW(ctx->arena, struct gpu_fault, found->gpu_faults.count), 0 };
    for (size_t f = 0; f < found->gpu_faults.count; f++) {
        struct gpu_fault fault = found->gpu_faults.items[f];
        bool is_it = !id_is_zero(fault.holder) && str_eq(fault.uuid, uuid);
        if (is_it && found == holder) { continue; }
        instance.gpu_faults.items[instance.gpu_faults.count++] = is_it ? fault_of(ctx, fault.uuid, holder, fault.since_ms) : fault;
    }
    instance.version++;
    placement_put_instance(ctx, &instance);
}

/* Ids are in the order of registration. */
static void pass_on(struct op_ctx *ctx, struct str uuid)
{
    struct id ids[TELLERS_MAX];
    size_t count = sched_gpu_tellers(ctx->world, uuid, ids, TELLERS_MAX);
    count = count < TELLERS_MAX ? count : TELLERS_MAX;
    if (count == 0 || find_holder(ctx, ids, count, uuid, (struct id){ { 0 } }) != NULL) { return; }
    size_t first = 0;
    for (size_t i = 1; i < count; i++) { first = id_cmp(ids[i], ids[first]) < 0 ? i : first; }
    const struct instance *holder = store_instance(ctx->txn, ids[first], ctx->arena);
    for (size_t i = 0; i < count && holder != NULL; i++) {
        const struct instance *found = i == first ? holder : store_instance(ctx->txn, ids[i], ctx->arena);
        if (found != NULL) { put_fault(ctx, found, uuid, holder); }
    }
}

void gpu_twins_pass_on(struct op_ctx *ctx, const struct instance *before, const struct instance *now)
{
    for (size_t g = 0; g < before->gpus.count; g++) {
        struct str uuid = before->gpus.items[g].uuid;
        if (!has_gpu(now, uuid)) { pass_on(ctx, uuid); }
    }
}
