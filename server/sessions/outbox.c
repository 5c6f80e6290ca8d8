/* outbox.c: manifest, payloads, stop verifications, keys of roles, checks and early pulls of one session. */
#include "server/sessions/outbox.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/num.h"
#include "base/table.h"

enum {
    ANSWER_PAYLOADS_MAX = 64,                /* in one answer; the rest follows with the next poll */
    ANSWER_ROLES_MAX = 128,
    ANSWER_MESSAGES_MAX = ANSWER_PAYLOADS_MAX + ANSWER_ROLES_MAX + 4,        /* and a manifest, a stop verification, checks, and pulls */
    AGAIN_FIRST_MS = 1000, AGAIN_MOST_MS = 30 * 1000,
};

/* Microseconds, so that a thousand messages a millisecond still leave the numbers behind the clock. */
int64_t numbers_next(struct numbers *numbers, int64_t now_ms)
{
    int64_t last = atomic_load(&numbers->last), next;
    do {
        next = max_i64(last + 1, now_ms * 1000);
    } while (!atomic_compare_exchange_weak(&numbers->last, &last, next));
    ASSERT(next > 0);
    return next;
}

static struct str message_id(int64_t number, struct arena *arena)
{
    struct buf id = buf_in(arena);
    buf_put_char(&id, 'm');
    buf_put_i64(&id, number);
    return buf_str(&id);
}

/* ---- messages that were sent ---- */

void outbox_reset(struct outbox *outbox, int64_t first_again_ms)
{
    ASSERT(first_again_ms >= 0);
    outbox->count = 0;
    outbox->first_again_ms = first_again_ms;
    outbox->manifest = (struct message){ .wanted = true };
    outbox->checks = (struct message){ .acked = true };
    outbox->traffic = -1;
    outbox_forget_pulls(outbox);
    for (size_t r = 0; r < outbox->role_count; r++) {
        struct message *message = &outbox->roles[r].message;
        if (!message->acked) { message->due_ms = message->sent = 0; }
    }
}

void outbox_take_checks(struct outbox *outbox, struct opt_int followed)
{
    ASSERT(outbox->traffic < 0);             /* it has just been reset */
    outbox->takes_checks = followed.set;
    outbox->follows_checks = followed.set && followed.value > 0;
}

void outbox_forget_roles(struct outbox *outbox)
{
    outbox->role_count = 0;
    outbox->roles_known = false;
}

void outbox_forget_pulls(struct outbox *outbox)
{
    outbox->pulls = (struct message){ .acked = true };
    outbox->pulls_known = false;
}

void outbox_finish(struct outbox *outbox)
{
    free(outbox->items);
    free(outbox->roles);
    *outbox = (struct outbox){ 0 };
}

static bool read_id(struct str id, int64_t *number)
{
    return str_starts_with(id, STR("m")) && str_to_i64(str_slice(id, 1, id.len), number) && *number > 0;
}

void outbox_ack_role(struct outbox *outbox, struct str id)
{
    int64_t number;
    if (!read_id(id, &number)) { return; }
    for (size_t r = 0; r < outbox->role_count; r++) {
        if (outbox->roles[r].message.number == number) { outbox->roles[r].message.acked = true; }
    }
}

void outbox_ack(struct outbox *outbox, struct str id)
{
    int64_t number;
    if (!read_id(id, &number)) { return; }
    outbox_ack_role(outbox, id);
    if (outbox->manifest.number == number) { outbox->manifest.acked = true; }
    if (outbox->checks.number == number) { outbox->checks.acked = true; }
    if (outbox->pulls.number == number) { outbox->pulls.acked = true; }
    for (size_t m = 0; m < outbox->count; m++) {
        if (outbox->items[m].number == number) { outbox->items[m].acked = true; }
    }
}

static struct message *add_message(struct outbox *outbox, const struct work *work)
{
    outbox->items = array_grow(outbox->items, &outbox->capacity, outbox->count + 1, sizeof *outbox->items);
    struct message *message = &outbox->items[outbox->count++];
    *message = (struct message){ .task = work->task, .desired = work->desired };
    return message;
}

/* Both lists are nearly in the same order, so the search begins behind the last find. */
static struct message *find_message(struct outbox *outbox, const struct work *work, size_t *from)
{
    for (size_t step = 0; step < outbox->count; step++) {
        size_t at = (*from + step) % outbox->count;
        struct message *message = &outbox->items[at];
        if (id_eq(message->task, work->task) && message->desired == work->desired) {
            *from = at + 1;
            return message;
        }
    }
    return NULL;
}

/* Messages follow the work: new work gets one, and messages of work that is gone are forgotten. */
static void match_work(struct outbox *outbox, const struct work_list *work)
{
    size_t from = 0, kept = 0;
    for (size_t m = 0; m < outbox->count; m++) { outbox->items[m].wanted = false; }
    for (size_t w = 0; w < work->count; w++) {
        struct message *message = find_message(outbox, &work->items[w], &from);
        if (message == NULL) { message = add_message(outbox, &work->items[w]); }
        message->wanted = true;
    }
    for (size_t m = 0; m < outbox->count; m++) {
        if (outbox->items[m].wanted) { outbox->items[kept++] = outbox->items[m]; }
    }
    ASSERT(kept <= work->count);             /* one message for each piece of work */
    outbox->count = kept;
}

static bool is_due(const struct message *message, int64_t monotonic_ms)
{
    return !message->acked && message->due_ms <= monotonic_ms;
}

/* More slowly each time, in case the agent can't read it. */
static void mark_sent(const struct outbox *outbox, struct message *message, int64_t monotonic_ms)
{
    ASSERT(message->number > 0);             /* otherwise nothing could acknowledge it */
    message->sent++;
    int64_t pause_ms = message->sent == 1 ? outbox->first_again_ms : AGAIN_MOST_MS;
    if (message->sent > 1 && message->sent < 8) { pause_ms = min_i64((int64_t)AGAIN_FIRST_MS << (message->sent - 2), AGAIN_MOST_MS); }
    message->due_ms = monotonic_ms + pause_ms;
}

static void find_next_due(struct outbox *outbox, int64_t roles_due_ms)
{
    outbox->next_due_ms = outbox->manifest.acked ? INT64_MAX : outbox->manifest.due_ms;
    if (!outbox->checks.acked) { outbox->next_due_ms = min_i64(outbox->next_due_ms, outbox->checks.due_ms); }
    if (!outbox->pulls.acked) { outbox->next_due_ms = min_i64(outbox->next_due_ms, outbox->pulls.due_ms); }
    for (size_t m = 0; m < outbox->count; m++) {
        if (!outbox->items[m].acked) { outbox->next_due_ms = min_i64(outbox->next_due_ms, outbox->items[m].due_ms); }
    }
    outbox->next_due_ms = min_i64(outbox->next_due_ms, roles_due_ms);
}

/* ---- printing ---- */

static void put_message(struct str_list *messages, struct str type, const struct schema *schema, const void *message, struct arena *arena)
{
    struct buf text = buf_in(arena);
    struct json_out out = json_out_to(&text);
    wire_print(type, schema, message, &out);
    messages->items[messages->count++] = buf_str(&text);
}

/* A manifest that is sent again is made again: it lists what should run now, under its old id and a higher number. */
static bool print_manifest(struct outbox *outbox, struct op_ctx *ctx, struct id instance, struct numbers *numbers,
                           struct str_list *messages)
{
    struct wire_manifest *manifest = work_manifest(ctx, instance);
    if (manifest == NULL) { return false; }
    int64_t number = numbers_next(numbers, ctx->now_ms);
    if (outbox->manifest.number == 0) { outbox->manifest.number = number; }
    manifest->message_id = message_id(outbox->manifest.number, ctx->arena);
    manifest->generated_at = opt_int_of(ctx->now_ms);
    manifest->timeline = opt_int_of(number);
    put_message(messages, STR("TaskManifestMessage"), &wire_manifest_schema, manifest, ctx->arena);
    return true;
}

/* ---- keys of roles ---- */

static struct role_message *role_message_of(struct outbox *outbox, const struct work_role *role)
{
    for (size_t r = 0; r < outbox->role_count; r++) {
        if (outbox->roles[r].kind == role->kind && id_eq(outbox->roles[r].message.task, role->task)) { return &outbox->roles[r]; }
    }
    outbox->roles = array_grow(outbox->roles, &outbox->role_capacity, outbox->role_count + 1, sizeof *outbox->roles);
    struct role_message *made = &outbox->roles[outbox->role_count++];
    *made = (struct role_message){ .message = { .task = role->task, .desired = TASK_RUNNING }, .kind = role->kind };
    return made;
}

/* A payload brings the first keys, and its acknowledgement counts for them. */
static void note_payload_roles(struct outbox *outbox, struct op_ctx *ctx, struct id task, const struct wire_task *wire)
{
    const struct wire_role_credentials *keys[ROLE_KIND_COUNT] = {
        [ROLE_TASK] = wire->role_credentials, [ROLE_EXECUTION] = wire->execution_role_credentials,
    };
    for (enum role_kind kind = 0; kind < ROLE_KIND_COUNT; kind++) {
        if (keys[kind] == NULL) { continue; }
        struct role_message *role = role_message_of(outbox, &(struct work_role){ task, kind });
        role->message.acked = true;
        role->renew_ms = work_role_renew_ms(ctx, task);
    }
}

/* A task whose payload is not acknowledged gets its keys with it. */
static bool has_payload(const struct outbox *outbox, struct id task)
{
    for (size_t m = 0; m < outbox->count; m++) {
        if (id_eq(outbox->items[m].task, task) && outbox->items[m].desired == TASK_RUNNING && !outbox->items[m].acked) { return true; }
    }
    return false;
}

static void learn_roles(struct outbox *outbox, struct op_ctx *ctx, struct id instance)
{
    struct work_role_list roles;
    work_roles(ctx, instance, &roles);
    for (size_t r = 0; r < roles.count; r++) {
        if (!has_payload(outbox, roles.items[r].task)) { (void)role_message_of(outbox, &roles.items[r]); }
    }
    outbox->roles_known = true;
}

/* False: the task is over, and so are its keys. */
static bool print_role(struct role_message *role, struct op_ctx *ctx, struct numbers *numbers, struct str_list *messages)
{
    int64_t renew_ms;
    struct wire_role_message *wire = work_role_message(ctx, &(struct work_role){ role->message.task, role->kind }, &renew_ms);
    if (wire == NULL) { return false; }
    if (role->renew_ms != renew_ms) { role->message = (struct message){ .task = role->message.task, .desired = role->message.desired }; }
    role->renew_ms = renew_ms;
    if (role->message.number == 0) { role->message.number = numbers_next(numbers, ctx->now_ms); }
    wire->message_id = message_id(role->message.number, ctx->arena);
    put_message(messages, STR("IAMRoleCredentialsMessage"), &wire_role_message_schema, wire, ctx->arena);
    return true;
}

/* When the next of them is due. */
static int64_t collect_roles(struct outbox *outbox, struct op_ctx *ctx, struct numbers *numbers, int64_t monotonic_ms,
                             struct str_list *messages)
{
    int64_t next_due_ms = INT64_MAX;
    size_t kept = 0, said = 0;
    for (size_t r = 0; r < outbox->role_count; r++) {
        struct role_message role = outbox->roles[r];
        if (role.message.acked) { role.message.due_ms = monotonic_ms + role.renew_ms - ctx->now_ms; }
        if (role.message.due_ms <= monotonic_ms && said < ANSWER_ROLES_MAX) {
            if (!print_role(&role, ctx, numbers, messages)) { continue; }
            mark_sent(outbox, &role.message, monotonic_ms);
            said++;
        }
        next_due_ms = min_i64(next_due_ms, role.message.due_ms);
        outbox->roles[kept++] = role;
    }
    outbox->role_count = kept;
    return next_due_ms;
}

/* ---- checks of targets ---- */

static uint64_t print_of(const struct wire_checks *checks, struct arena *arena)
{
    static const uint64_t key[2] = { 5, 6 };
    struct buf text = buf_in(arena);
    struct json_out out = json_out_to(&text);
    schema_print(&wire_checks_schema, checks, &out);
    return hash_keyed(key, buf_str(&text).ptr, text.len);
}

/* A list that differs is a new message. An agent without a list needs no empty one. */
static void print_checks(struct outbox *outbox, struct op_ctx *ctx, struct id instance, struct numbers *numbers, int64_t monotonic_ms,
                         struct str_list *messages)
{
    int64_t traffic = store_traffic_revision(ctx->txn);
    if (!outbox->takes_checks || (traffic == outbox->traffic && !is_due(&outbox->checks, monotonic_ms))) { return; }
    struct wire_checks checks = { .checks = work_checks(ctx, instance) };
    uint64_t print = print_of(&checks, ctx->arena);
    bool is_first = outbox->traffic < 0, is_needed = !is_first || outbox->follows_checks || checks.checks.count > 0;
    if (is_first || print != outbox->checks_print) { outbox->checks = (struct message){ .acked = !is_needed }; }
    outbox->checks_print = print;
    outbox->traffic = traffic;
    if (!is_due(&outbox->checks, monotonic_ms)) { return; }
    if (outbox->checks.number == 0) { outbox->checks.number = numbers_next(numbers, ctx->now_ms); }
    checks.number = opt_int_of(checks_number(traffic));
    checks.message_id = message_id(outbox->checks.number, ctx->arena);
    put_message(messages, STR("BerthChecksMessage"), &wire_checks_schema, &checks, ctx->arena);
    mark_sent(outbox, &outbox->checks, monotonic_ms);
}

/* ---- early pulls ---- */

/* A message that is sent again is made again; with nothing to pull there is none. */
static void print_pulls(struct outbox *outbox, struct op_ctx *ctx, const struct instance *instance, struct numbers *numbers, int64_t monotonic_ms,
                        struct str_list *messages)
{
    if (outbox->pulls_known && !is_due(&outbox->pulls, monotonic_ms)) { return; }
    struct wire_pulls pulls = { .pulls = work_pulls(ctx, instance) };
    outbox->pulls.acked = pulls.pulls.count == 0;
    outbox->pulls_known = true;
    if (outbox->pulls.acked) { return; }
    if (outbox->pulls.number == 0) { outbox->pulls.number = numbers_next(numbers, ctx->now_ms); }
    pulls.message_id = message_id(outbox->pulls.number, ctx->arena);
    put_message(messages, STR("BerthPullsMessage"), &wire_pulls_schema, &pulls, ctx->arena);
    mark_sent(outbox, &outbox->pulls, monotonic_ms);
}

/* ---- more printing ---- */

static bool print_payload(struct outbox *outbox, struct message *message, struct op_ctx *ctx, struct numbers *numbers,
                          struct str_list *messages)
{
    struct wire_payload *payload = work_payload(ctx, &(struct work){ message->task, message->desired });
    if (payload == NULL) { return false; }
    if (message->number == 0) { message->number = numbers_next(numbers, ctx->now_ms); }
    ASSERT(payload->tasks.count == 1);
    payload->message_id = message_id(message->number, ctx->arena);
    payload->generated_at = opt_int_of(ctx->now_ms);
    payload->seq_num = payload->timeline = opt_int_of(message->number);
    put_message(messages, STR("PayloadMessage"), &wire_payload_schema, payload, ctx->arena);
    note_payload_roles(outbox, ctx, message->task, &payload->tasks.items[0]);
    return true;
}

/* Messages about tasks that this transaction does not see yet are forgotten: the commit that made the task wakes the agent, and the task is work again. */
static void print_payloads(struct outbox *outbox, struct op_ctx *ctx, struct numbers *numbers, int64_t monotonic_ms, struct str_list *messages)
{
    size_t payloads = 0, kept = 0;
    for (size_t m = 0; m < outbox->count; m++) {
        struct message message = outbox->items[m];
        if (is_due(&message, monotonic_ms) && payloads < ANSWER_PAYLOADS_MAX) {
            if (!print_payload(outbox, &message, ctx, numbers, messages)) { continue; }
            mark_sent(outbox, &message, monotonic_ms);
            payloads++;
        }
        outbox->items[kept++] = message;
    }
    outbox->count = kept;
}

/* A task may go on only when the store says that it lives, and here. */
static bool must_stop(struct op_ctx *ctx, struct id instance, struct id id)
{
    const struct task *task = store_task(ctx->txn, id, ctx->arena);
    return task == NULL || !task_is_live(task) || !id_eq(task->instance, instance);
}

/* An id that can't be read is left alone: nothing is stopped on a guess. */
static bool candidate_id(struct str arn, struct id *id)
{
    size_t slash = arn.len;
    while (slash > 0 && arn.ptr[slash - 1] != '/') { slash--; }
    return id_parse(str_slice(arn, slash, arn.len), id);
}

static void print_stop_ack(struct outbox *outbox, struct op_ctx *ctx, struct id instance, const struct str_list *candidates,
                           struct str_list *messages)
{
    struct wire_stop_ack ack = {
        .message_id = message_id(outbox->manifest.number, ctx->arena), .generated_at = opt_int_of(ctx->now_ms),
        .stop_tasks = { ARENA_NEW(ctx->arena, struct wire_manifest_task, candidates->count), 0 },
    };
    for (size_t c = 0; c < candidates->count; c++) {
        struct id id;
        if (!candidate_id(candidates->items[c], &id) || !must_stop(ctx, instance, id)) { continue; }
        ack.stop_tasks.items[ack.stop_tasks.count++] = (struct wire_manifest_task){
            .task_arn = candidates->items[c], .desired_status = STR("STOPPED"),
        };
    }
    put_message(messages, STR("TaskStopVerificationAck"), &wire_stop_ack_schema, &ack, ctx->arena);
}

struct str outbox_heartbeat(struct numbers *numbers, int64_t now_ms, struct arena *arena)
{
    struct str_list out = { ARENA_NEW(arena, struct str, 1), 0 };
    const struct wire_heartbeat heartbeat = {
        .message_id = message_id(numbers_next(numbers, now_ms), arena), .healthy = OPT_TRUE,
    };
    put_message(&out, STR("HeartbeatMessage"), &wire_heartbeat_schema, &heartbeat, arena);
    ASSERT(out.count == 1);
    return out.items[0];
}

/* ---- the whole answer ---- */

static void take_epoch(struct outbox *outbox, const struct instance *instance)
{
    if (outbox->epoch == instance->session_epoch) { return; }
    outbox_reset(outbox, outbox->first_again_ms);                                 /* the machine has registered again, and has forgotten everything */
    outbox_forget_roles(outbox);
    outbox->epoch = instance->session_epoch;
}

/* With a new key of the server, all keys of roles that were sent are invalid. */
static void take_role_key(struct outbox *outbox, struct op_ctx *ctx)
{
    uint64_t print = role_key_print(work_role_key(ctx));
    if (print != outbox->role_key) { outbox_forget_roles(outbox); }
    outbox->role_key = print;
}

bool outbox_collect(struct outbox *outbox, struct op_ctx *ctx, struct id instance_id, const struct str_list *candidates,
                    struct numbers *numbers, int64_t monotonic_ms, struct str_list *messages, struct err *err)
{
    ASSERT(outbox->count <= outbox->capacity && outbox->role_count <= outbox->role_capacity);
    struct work_list work = { 0 };
    const struct instance *instance = work_for_instance(ctx, instance_id, &work);
    if (instance == NULL) {
        return err_set(err, ERR_INVALID_PARAMETER, "InactiveInstanceException: The container instance is not registered.");
    }
    take_epoch(outbox, instance);
    take_role_key(outbox, ctx);
    match_work(outbox, &work);

    *messages = (struct str_list){ ARENA_NEW(ctx->arena, struct str, ANSWER_MESSAGES_MAX), 0 };
    if (is_due(&outbox->manifest, monotonic_ms) && print_manifest(outbox, ctx, instance_id, numbers, messages)) {
        mark_sent(outbox, &outbox->manifest, monotonic_ms);
    }
    if (candidates->count > 0) { print_stop_ack(outbox, ctx, instance_id, candidates, messages); }
    print_payloads(outbox, ctx, numbers, monotonic_ms, messages);
    print_checks(outbox, ctx, instance_id, numbers, monotonic_ms, messages);
    print_pulls(outbox, ctx, instance, numbers, monotonic_ms, messages);
    if (!outbox->roles_known) { learn_roles(outbox, ctx, instance_id); }
    find_next_due(outbox, collect_roles(outbox, ctx, numbers, monotonic_ms, messages));
    ASSERT(messages->count <= ANSWER_MESSAGES_MAX);
    return true;
}
