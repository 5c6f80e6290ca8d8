/* why.c: why a task is on its machine, or why it stopped. It reads the task's record while there is one, then the history, which does
 * not keep the request's placement members. As JSON:
 *
 * {"task":{…},                               as in the history (history.c); a live task has only the times so far
 *  "lastStatus":"RUNNING","desiredStatus":"RUNNING",
 *  "gang":{"id":"<32 hex>","rank":0,"size":4},                                null: it was started alone, or its record is removed
 *  "strategies":["spread (attribute:zone)"],"constraints":["distinctInstance","attribute:rack == r7"],      from its request
 *  "choice":"…",                              the rule by which it got its place; null when its record is removed
 *  "detail":"…"}                              all this as a paragraph */
#include "api/show/history.h"
#include "api/tell/pulls.h"
#include "api/show/what_if.h"
#include "base/text/duration.h"

/* A task, from its record or from the history. */
struct subject {
    const struct cluster *cluster;
    struct history entry;                    /* a live task has only the times so far */
    const struct task *task;                 /* NULL: only the history has it */
    enum task_status last_status, desired_status;
    const struct instance *instance;         /* NULL: it has no instance, or its record is removed */
};

static bool find_subject(struct op_ctx *ctx, struct id id, struct subject *subject)
{
    const struct history *past = NULL;
    *subject = (struct subject){ .task = store_task(ctx->txn, id, ctx->arena), .last_status = TASK_STOPPED, .desired_status = TASK_STOPPED };
    if (subject->task != NULL) {
        subject->entry = history_of(ctx, subject->task);
        subject->last_status = subject->task->last_status;
        subject->desired_status = subject->task->desired_status;
    } else if ((past = store_history(ctx->txn, id, ctx->arena)) != NULL) {
        subject->entry = *past;
    } else {
        return false;
    }
    subject->cluster = store_cluster_by_number(ctx->txn, subject->entry.cluster_number, ctx->arena);
    subject->instance = id_is_zero(subject->entry.instance) ? NULL : store_instance(ctx->txn, subject->entry.instance, ctx->arena);
    return subject->cluster != NULL;
}

/* ---- in words ---- */

/* "2 GPUs", "0.5 of a GPU", "no GPU" */
static void put_gpus(struct buf *out, int64_t thousandths)
{
    if (thousandths == 0) {
        buf_put(out, STR("no GPU"));
    } else if (thousandths % GPU_SHARE_WHOLE == 0) {
        buf_printf(out, "%lld GPU%s", (long long)thousandths / GPU_SHARE_WHOLE, thousandths == GPU_SHARE_WHOLE ? "" : "s");
    } else {
        buf_printf(out, "%g of a GPU", (double)thousandths / GPU_SHARE_WHOLE);
    }
}

static struct str machine_name(const struct subject *subject)
{
    return subject->entry.instance_name.len > 0 ? subject->entry.instance_name : STR("its machine");
}

static void tell_pull(struct buf *out, const struct image_pull *pull)
{
    buf_printf(out, " That machine is pulling " STR_FMT, STR_ARG(str_slice(pull->image, 0, 255)));
    if (pull->layers > 0) {
        buf_printf(out, ": %lld of %lld MiB that are known of, %lld of %lld layers are done", (long long)(pull->bytes >> 20),
                   (long long)(pull->bytes_known >> 20), (long long)pull->layers_done, (long long)pull->layers);
    }
    buf_put_char(out, '.');
}

static void tell_wait(struct op_ctx *ctx, struct buf *out, const struct task *task)
{
    const struct task_wait *wait = task->wait;
    char waited[DURATION_TEXT_SIZE], left[DURATION_TEXT_SIZE];
    duration_print(ctx->now_ms - wait->since_ms, waited);
    duration_print(wait->until_ms - ctx->now_ms, left);
    buf_printf(out, "It has waited %s for room", waited);
    if (task->capacity_provider.len > 0) { buf_printf(out, " on a machine of the capacity provider " STR_FMT, STR_ARG(task->capacity_provider)); }
    buf_printf(out, ", with the priority %lld.", (long long)wait->priority);
    if (wait->until_ms != 0) { buf_printf(out, " It gives up in %s.", left); }
    if (wait->barred_ms != 0 && id_is_zero(wait->place)) { buf_put(out, STR(" Room that is kept for it holds back others.")); }
    if (wait->none_before_ms > ctx->now_ms) {
        duration_print(wait->none_before_ms - ctx->now_ms, left);
        buf_printf(out, " Room that was kept for it has held back others for as long as it may: none is kept in the next %s.", left);
    }
    buf_put(out, STR(" `berth queue` shows its place in the queue and what it lacks."));
    if (task->capacity_provider.len == 0) { return; }
    buf_printf(out, " `berth why " STR_FMT "` says which machines its capacity provider orders.", STR_ARG(task->capacity_provider));
}

/* For a machine that leaves its pool it also says until when. */
static void tell_draining(struct op_ctx *ctx, struct buf *out, const struct instance *instance)
{
    const struct kept_machine *machine = id_is_zero(instance->machine) ? NULL : store_machine(ctx->txn, instance->machine, ctx->arena);
    buf_put(out, STR(" That machine drains"));
    if (str_is_set(instance->status_reason)) { buf_printf(out, ": " STR_FMT, STR_ARG(instance->status_reason)); }
    buf_put(out, STR(". A service starts its tasks elsewhere before it stops them here; other tasks go on"));
    if (machine != NULL && machine->state == MACHINE_LEAVING) {
        char left[DURATION_TEXT_SIZE];
        duration_print(machine->drain_by_ms - ctx->now_ms, left);
        buf_printf(out, ", for %s at the longest", left);
    }
    buf_put_char(out, '.');
}

/* Prints why it has its status. */
static void tell_live(struct op_ctx *ctx, struct buf *out, const struct subject *subject, const struct image_pull *pull)
{
    bool silent = subject->instance != NULL && subject->instance->agent_connected != OPT_TRUE;
    bool stops = subject->desired_status == TASK_STOPPED;
    if (subject->task != NULL && subject->task->wait != NULL) {
        tell_wait(ctx, out, subject->task);
        return;
    }
    if (id_is_zero(subject->entry.instance)) {
        buf_put(out, STR("It is on no machine yet."));
        return;
    }
    if (stops) {
        buf_printf(out, "Its stop is ordered. It keeps its place on " STR_FMT " until the agent there reports its end.", STR_ARG(machine_name(subject)));
    } else if (subject->last_status == TASK_RUNNING) {
        buf_printf(out, "It runs on " STR_FMT ".", STR_ARG(machine_name(subject)));
    } else {
        buf_printf(out, "It has its place on " STR_FMT ", where the agent is to start it.", STR_ARG(machine_name(subject)));
    }
    if (subject->instance != NULL && subject->instance->status == INSTANCE_DRAINING) { tell_draining(ctx, out, subject->instance); }
    if (pull != NULL && !silent) { tell_pull(out, pull); }
    if (silent) { buf_put(out, STR(" That agent is not connected: until it is back, Berth can change and learn nothing there.")); }
}

/* Prints the containers that failed or have a reason. */
static void tell_ends(struct buf *out, const struct subject *subject)
{
    for (size_t c = 0; c < subject->entry.containers.count; c++) {
        const struct history_container *container = &subject->entry.containers.items[c];
        bool has_code = container->exit_code.set && container->exit_code.value != 0, has_reason = container->reason.len > 0;
        if (!has_code && !has_reason) { continue; }
        buf_printf(out, " Container " STR_FMT, STR_ARG(container->name));
        if (has_code) { buf_printf(out, " ended with exit code %lld", (long long)container->exit_code.value); }
        if (has_reason) { buf_printf(out, ": " STR_FMT, STR_ARG(str_slice(container->reason, 0, 255))); }
        buf_put_char(out, '.');
    }
}

static void tell_stopped(struct buf *out, const struct subject *subject)
{
    struct str code = enum_word(&task_stop_code_names, (int)subject->entry.stop_code);
    buf_put(out, subject->entry.started_ms == 0 ? STR("It stopped before it ran") : STR("It stopped"));
    if (code.len > 0) { buf_printf(out, " (" STR_FMT ")", STR_ARG(code)); }
    if (subject->entry.stopped_reason.len > 0) { buf_printf(out, ": " STR_FMT, STR_ARG(subject->entry.stopped_reason)); }
    buf_put_char(out, '.');
    tell_ends(out, subject);
}

/* Those that were stopped so that it can start. */
static void tell_stopped_for(struct buf *out, const struct task *task)
{
    if (task == NULL || task->stopped_for.count == 0) { return; }
    buf_put(out, task->wait != NULL ? STR(" So that it can start were stopped: ") : STR(" So that it could start were stopped: "));
    for (size_t t = 0; t < task->stopped_for.count; t++) {
        char hex[ID_HEX_LEN + 1];
        id_hex(task->stopped_for.items[t], hex);
        buf_printf(out, "%s%s", t == 0 ? "" : ", ", hex);
    }
    buf_put_char(out, '.');
}

static void tell_place(struct buf *out, const struct subject *subject)
{
    const struct history *entry = &subject->entry;
    int64_t gpus = history_gpu_thousandths(entry);
    if (id_is_zero(entry->instance)) { return; }
    buf_put(out, subject->last_status == TASK_STOPPED ? STR(" It had ") : STR(" It has "));
    put_gpus(out, gpus);
    buf_printf(out, ", %lld CPU units and %lld MiB of memory on " STR_FMT ".", (long long)entry->cpu, (long long)entry->memory_mib,
               STR_ARG(machine_name(subject)));
    if (subject->task == NULL) { return; }
    const struct task_gang *gang = subject->task->gang;
    if (gang != NULL) {
        buf_printf(out, " It is number %lld of a gang of %lld, which was placed at once.", (long long)gang->rank, (long long)gang->size);
    }
    buf_put(out, STR(" How it got its place: "));
    what_if_put_choice(out, subject->task->placing, gpus > 0);
}

/* ---- as JSON ---- */

static void put_gang(struct json_out *out, const struct task_gang *gang)
{
    if (gang == NULL) {
        own_json_str(out, STR("gang"), (struct str){ 0 });
        return;
    }
    json_key(out, STR("gang"));
    json_open(out, '{');
    own_json_id(out, STR("id"), gang->first);
    own_json_i64(out, STR("rank"), gang->rank);
    own_json_i64(out, STR("size"), gang->size);
    json_close(out, '}');
}

/* The request's placement members. */
static void put_placing(struct op_ctx *ctx, struct json_out *out, const struct task_placing *placing)
{
    json_key(out, STR("strategies"));
    json_open(out, '[');
    for (size_t s = 0; placing != NULL && s < placing->strategies.count; s++) {
        const struct placement_strategy *strategy = &placing->strategies.items[s];
        struct str word = enum_word(&placement_strategy_type_names, (int)strategy->type);
        json_str(out, strategy->field.len == 0 ? word : arena_printf(ctx->arena, STR_FMT " (" STR_FMT ")", STR_ARG(word), STR_ARG(strategy->field)));
    }
    json_close(out, ']');
    json_key(out, STR("constraints"));
    json_open(out, '[');
    for (size_t c = 0; placing != NULL && c < placing->constraints.count; c++) {
        const struct placement_constraint *constraint = &placing->constraints.items[c];
        bool is_member = constraint->type == PLACEMENT_CONSTRAINT_TYPE_MEMBEROF;
        json_str(out, is_member ? constraint->expression : enum_word(&placement_constraint_type_names, (int)constraint->type));
    }
    json_close(out, ']');
}

static void put_pull(struct json_out *out, const struct image_pull *pull)
{
    if (pull == NULL) {
        own_json_str(out, STR("pull"), (struct str){ 0 });
        return;
    }
    json_key(out, STR("pull"));
    json_open(out, '{');
    own_json_str(out, STR("image"), pull->image);
    own_json_i64(out, STR("layers"), pull->layers);
    own_json_i64(out, STR("layersDone"), pull->layers_done);
    own_json_i64(out, STR("bytes"), pull->bytes);
    own_json_i64(out, STR("bytesKnown"), pull->bytes_known);
    json_close(out, '}');
}

bool api_print_why(struct op_ctx *ctx, struct id id, const struct image_pull_list *pulls, struct buf *out)
{
    struct subject subject;
    if (!find_subject(ctx, id, &subject)) { return false; }
    const struct task_placing *placing = subject.task == NULL ? NULL : subject.task->placing;
    struct buf choice = buf_in(ctx->arena), detail = buf_in(ctx->arena);
    if (subject.task != NULL) { what_if_put_choice(&choice, placing, history_gpu_thousandths(&subject.entry) > 0); }
    bool lives = subject.last_status != TASK_STOPPED;
    const struct image_pull *pull = lives ? pulls_of_task(ctx, subject.task, pulls) : NULL;
    if (lives) { tell_live(ctx, &detail, &subject, pull); } else { tell_stopped(&detail, &subject); }
    tell_place(&detail, &subject);
    tell_stopped_for(&detail, subject.task);

    struct json_out json = json_out_to(out);
    json_open(&json, '{');
    json_key(&json, STR("task"));
    history_put(ctx, &json, &subject.entry);
    own_json_str(&json, STR("lastStatus"), enum_word(&task_status_names, (int)subject.last_status));
    own_json_str(&json, STR("desiredStatus"), enum_word(&task_status_names, (int)subject.desired_status));
    put_gang(&json, subject.task == NULL ? NULL : subject.task->gang);
    put_placing(ctx, &json, placing);
    put_pull(&json, pull);
    own_json_str(&json, STR("choice"), buf_str(&choice));
    own_json_str(&json, STR("detail"), buf_str(&detail));
    json_close(&json, '}');
    return true;
}
