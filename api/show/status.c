/* status.c: the state in plain text, for a terminal and for a chat: what the page shows at a glance, who waits, what is wrong, the machines and the
 * services. Names come from people and from containers: signs that a terminal would obey are printed as "?". */
#include <stdlib.h>

#include "api/core/api.h"
#include "api/core/support.h"
#include "api/show/view.h"
#include "base/text/duration.h"
#include "base/time/calendar.h"

enum { MACHINES_LISTED_MAX = 1000, SERVICES_LISTED_MAX = 200, WAITING_LISTED_MAX = 20, PROBLEMS_LISTED_MAX = 50, CELLS_MAX = 64, TEXT_MAX = 300 };
static const size_t SCRATCH_CEILING = (size_t)16 << 20;

/* ---- text that is safe to print ---- */

/* The bytes of a sign that moves the cursor, turns the direction of text or ends a line; 0: it is a plain one. */
static size_t unsafe_bytes(struct str rest)
{
    const unsigned char *at = (const unsigned char *)rest.ptr;
    if (at[0] < 0x20 || at[0] == 0x7f) { return 1; }
    if (rest.len >= 2 && at[0] == 0xc2 && at[1] < 0xa0) { return 2; }                            /* C1 */
    if (rest.len < 3 || at[0] != 0xe2) { return 0; }
    bool directs = at[1] == 0x80 && (at[2] == 0x8e || at[2] == 0x8f || (at[2] >= 0xa8 && at[2] <= 0xae));
    return directs || (at[1] == 0x81 && at[2] >= 0xa6 && at[2] <= 0xa9) ? 3 : 0;
}

static void put_plain(struct buf *out, struct str text)
{
    struct str rest = str_slice(text, 0, TEXT_MAX);
    while (rest.len > 0 && rest.len < text.len && ((unsigned char)text.ptr[rest.len] & 0xc0) == 0x80) { rest.len--; }    /* not within a sign */
    while (rest.len > 0) {
        size_t unsafe = unsafe_bytes(rest);
        buf_put_char(out, unsafe > 0 ? '?' : rest.ptr[0]);
        rest = str_slice(rest, unsafe > 0 ? unsafe : 1, rest.len);
    }
}

/* A column: at least as wide as `width`, and a blank. */
static void put_column(struct buf *out, struct str text, size_t width)
{
    put_plain(out, text);
    for (size_t c = text.len; c < width; c++) { buf_put_char(out, ' '); }
    buf_put(out, STR("  "));
}

static void put_more(struct buf *out, size_t all, size_t shown)
{
    if (all > shown) { buf_printf(out, "  and %zu more\n", all - shown); }
}

/* ---- the counts ---- */

enum cell { CELL_HELD, CELL_SHARED, CELL_FREE, CELL_DRAINING, CELL_OUT, CELL_UNKNOWN, CELL_COUNT };
static const char cell_signs[CELL_COUNT + 1] = "#+.-x?";

struct machine_line { struct str cluster, name, type, status; char cells[CELLS_MAX + 1]; size_t gpus, held; int64_t tasks; bool connected; };
struct problem { struct str what, name, text; };
struct status {
    struct op_ctx *ctx;
    struct arena scratch;                    /* for one record at a time */
    size_t machine_count, connected, service_count, problem_count, cells[CELL_COUNT];
    struct machine_line *machines;           /* the first of them */
    struct problem *problems;                /* the first of them */
    struct buf services;
};

static void status_finish(struct status *status) { arena_finish(&status->scratch); }

static void add_problem(struct status *status, const char *what, struct str name, struct str text)
{
    struct arena *arena = status->ctx->arena;
    if (status->problem_count++ < PROBLEMS_LISTED_MAX) {
        status->problems[status->problem_count - 1] = (struct problem){ str_from(what), arena_str(arena, name), arena_str(arena, text) };
    }
}

static const struct gpu_fault *fault_of(const struct instance *instance, struct str uuid)
{
    for (size_t f = 0; f < instance->gpu_faults.count; f++) {
        const struct gpu_fault *fault = &instance->gpu_faults.items[f];
        if (!str_is_set(fault->restored_by) && str_eq(fault->uuid, uuid)) { return fault; }
    }
    return NULL;
}

/* As the page has it (web/state.js, gpuState). */
static enum cell cell_of(const struct instance *instance, const struct gpu *gpu, const struct instance_usage *usage)
{
    int64_t share = 0;
    for (size_t u = 0; u < usage->gpus.count; u++) { share += str_eq(usage->gpus.items[u].uuid, gpu->uuid) ? usage->gpus.items[u].share : 0; }
    if (instance->agent_connected != OPT_TRUE) { return CELL_UNKNOWN; }
    if (share > 0) { return share < GPU_SHARE_WHOLE ? CELL_SHARED : CELL_HELD; }
    if (fault_of(instance, gpu->uuid) != NULL) { return CELL_OUT; }
    return instance->status == INSTANCE_ACTIVE ? CELL_FREE : CELL_DRAINING;
}

static void count_gpus(struct status *status, const struct instance *instance, const struct instance_usage *usage, struct machine_line *line)
{
    for (size_t g = 0; g < instance->gpus.count; g++) {
        const struct gpu *gpu = &instance->gpus.items[g];
        const struct gpu_fault *fault = fault_of(instance, gpu->uuid);
        enum cell cell = cell_of(instance, gpu, usage);
        status->cells[cell]++;
        line->held += cell == CELL_HELD || cell == CELL_SHARED;
        if (g < CELLS_MAX) { line->cells[g] = cell_signs[cell]; }
        if (fault != NULL) {
            const char *state = fault->gone == OPT_TRUE ? "gone" : "quarantined";
            add_problem(status, "machine", line->name, arena_printf(&status->scratch, "GPU %zu %s: " STR_FMT, g, state, STR_ARG(fault->reason)));
        }
    }
}

static void add_findings(struct status *status, const struct instance *instance, struct str name)
{
    const struct machine_health *health = instance->health;
    if (instance->agent_connected != OPT_TRUE) { add_problem(status, "machine", name, STR("its agent is silent")); }
    for (size_t f = 0; health != NULL && f < health->findings.count; f++) {
        const struct finding *finding = &health->findings.items[f];
        add_problem(status, "machine", name, arena_printf(&status->scratch, STR_FMT ": " STR_FMT, STR_ARG(finding->check), STR_ARG(finding->text)));
    }
}

static void visit_instance(void *context, const struct instance *instance)
{
    struct status *status = context;
    struct arena *arena = status->ctx->arena;
    struct instance_usage usage;
    char hex[ID_HEX_LEN + 1];
    bool found;
    if (instance->status == INSTANCE_INACTIVE) { return; }
    arena_reset(&status->scratch);
    store_instance_usage(status->ctx->txn, instance->id, &usage, &status->scratch);
    const struct cluster *cluster = support_kept_cluster_by_number(status->ctx, instance->cluster_number);
    struct machine_line line = {
        .cluster = cluster == NULL ? (struct str){ NULL, 0 } : cluster->name,
        .name = arena_str(arena, instance_name(instance, hex)), .type = arena_str(arena, instance_attribute(instance, STR("ecs.instance-type"), &found)),
        .status = enum_word(&instance_status_names, (int)instance->status), .gpus = instance->gpus.count, .tasks = usage.running + usage.pending,
        .connected = instance->agent_connected == OPT_TRUE,
    };
    status->connected += line.connected;
    count_gpus(status, instance, &usage, &line);
    add_findings(status, instance, line.name);
    if (status->machine_count++ < MACHINES_LISTED_MAX) { status->machines[status->machine_count - 1] = line; }
}

static void visit_service(void *context, const struct service *service)
{
    struct status *status = context;
    struct op_ctx ctx = *status->ctx;
    arena_reset(&status->scratch);
    ctx.arena = &status->scratch;
    const struct cluster *cluster = support_kept_cluster_by_number(status->ctx, service->cluster_number);
    if (cluster == NULL || service->status == SERVICE_INACTIVE || status->service_count++ >= SERVICES_LISTED_MAX) { return; }
    const struct service_view *view = view_service(&ctx, cluster, service, false);
    struct id newest = service->last_service_deployment;
    const struct service_deployment *act = id_is_zero(newest) ? NULL : store_service_deployment(ctx.txn, service->number, newest, ctx.arena);
    struct str rollout = act == NULL ? STR("-") : enum_word(&service_deployment_status_names, (int)act->status);
    buf_put(&status->services, STR("  "));
    put_column(&status->services, view->service_name, 20);
    put_column(&status->services, cluster->name, 10);
    buf_printf(&status->services, "%lld of %lld running, %lld pending  " STR_FMT "\n", (long long)view->running_count.value,
               (long long)view->desired_count.value, (long long)view->pending_count.value, STR_ARG(rollout));
    if (str_starts_with(rollout, STR("ROLLBACK"))) {
        add_problem(status, "service", view->service_name, arena_printf(ctx.arena, STR_FMT " " STR_FMT, STR_ARG(rollout), STR_ARG(act->status_reason)));
    }
}

/* ---- the text ---- */

static int by_name(const void *a, const void *b)
{
    const struct machine_line *left = a, *right = b;
    int order = str_cmp_natural(left->cluster, right->cluster);
    return order != 0 ? order : str_cmp_natural(left->name, right->name);
}

static void put_head(const struct status *status, struct buf *out)
{
    int64_t day = status->ctx->now_ms / 86400000, second = status->ctx->now_ms / 1000 % 86400;
    struct date date = calendar_date(day);
    buf_printf(out, "Berth, revision %lld, %04d-%02d-%02d %02lld:%02lld:%02lld UTC\n\n", (long long)store_revision(status->ctx->txn), date.year, date.month,
               date.day, (long long)second / 3600, (long long)second / 60 % 60, (long long)second % 60);
}

static void put_glance(const struct status *status, size_t waiting, struct buf *out)
{
    static const struct { enum cell cell; const char *word; bool always; } words[] = {
        { CELL_HELD, "held", true }, { CELL_SHARED, "shared", false }, { CELL_FREE, "free", true }, { CELL_DRAINING, "draining", false },
        { CELL_OUT, "out of the pool", false }, { CELL_UNKNOWN, "unknown", false },
    };
    struct cluster_counts all = { 0 };
    struct str *names = ARENA_NEW(status->ctx->arena, struct str, MACHINES_LISTED_MAX);
    size_t count = store_list_clusters(status->ctx->txn, (struct str){ NULL, 0 }, names, MACHINES_LISTED_MAX, status->ctx->arena), gpus = 0;
    for (size_t c = 0; c < count; c++) {
        const struct cluster *cluster = store_cluster(status->ctx->txn, names[c], status->ctx->arena);
        struct cluster_counts counts = cluster == NULL ? (struct cluster_counts){ 0 } : store_cluster_counts(status->ctx->txn, cluster->number);
        all.running += counts.running;
        all.pending += counts.pending;
    }
    for (size_t c = 0; c < CELL_COUNT; c++) { gpus += status->cells[c]; }
    buf_printf(out, "agents    %zu of %zu connected\nGPUs      %zu", status->connected, status->machine_count, gpus);
    for (size_t w = 0; w < COUNT_OF(words); w++) {
        size_t cells = status->cells[words[w].cell];
        if (cells > 0 || words[w].always) { buf_printf(out, "%s %zu %s", w == 0 ? ":" : ",", cells, words[w].word); }
    }
    buf_printf(out, "\ntasks     %lld running, %lld pending, %zu waiting\nservices  %zu\n", (long long)all.running, (long long)all.pending, waiting,
               status->service_count);
}

static void put_waiting(const struct json *queue, int64_t now_ms, struct buf *out)
{
    const struct json *entries = json_get(queue, STR("entries"));
    size_t all = (size_t)json_get_i64(queue, STR("count"), 0), shown = 0;
    if (all == 0 || entries == NULL) { return; }
    buf_printf(out, "\nWAITING, in the order in which they are tried\n");
    for (; shown < entries->count && shown < WAITING_LISTED_MAX; shown++) {
        const struct json *entry = &entries->as.items[shown], *tasks = json_get(entry, STR("tasks"));
        char waited[DURATION_TEXT_SIZE];
        duration_print(now_ms - json_get_i64(entry, STR("since"), now_ms), waited);
        buf_put(out, STR("  "));
        put_column(out, tasks != NULL && tasks->count > 0 ? tasks->as.items[0].as.string : STR("-"), ID_HEX_LEN);
        put_column(out, json_get_str(entry, STR("taskDefinition")), 16);
        put_column(out, json_get_str(entry, STR("cluster")), 10);
        put_column(out, str_from(waited), 6);
        put_plain(out, json_get_str(entry, STR("reason")));
        buf_put_char(out, ' ');
        put_plain(out, json_get_str(entry, STR("detail")));
        buf_put_char(out, '\n');
    }
    put_more(out, all, shown);
}

static void put_problems(const struct status *status, struct buf *out)
{
    size_t shown = status->problem_count < PROBLEMS_LISTED_MAX ? status->problem_count : PROBLEMS_LISTED_MAX;
    if (shown > 0) { buf_put(out, STR("\nPROBLEMS\n")); }
    for (size_t p = 0; p < shown; p++) {
        buf_put(out, STR("  "));
        put_column(out, status->problems[p].what, 7);
        put_column(out, status->problems[p].name, 16);
        put_plain(out, status->problems[p].text);
        buf_put_char(out, '\n');
    }
    put_more(out, status->problem_count, shown);
}

static void put_machines(const struct status *status, struct buf *out)
{
    size_t shown = status->machine_count < MACHINES_LISTED_MAX ? status->machine_count : MACHINES_LISTED_MAX;
    if (shown == 0) {
        buf_put(out, STR("\nNo machine has joined yet.\n"));
        return;
    }
    qsort(status->machines, shown, sizeof *status->machines, by_name);
    buf_put(out, STR("\nMACHINES   GPUs: # held  + shared  . free  - draining  x out of the pool  ? unknown\n"));
    for (size_t m = 0; m < shown; m++) {
        const struct machine_line *line = &status->machines[m];
        buf_put(out, STR("  "));
        put_column(out, line->name, 16);
        put_column(out, line->cluster, 10);
        put_column(out, line->type.len > 0 ? line->type : STR("-"), 12);
        put_column(out, line->connected ? line->status : STR("silent"), 8);
        put_column(out, line->gpus > 0 ? str_from(line->cells) : STR("-"), 8);
        buf_printf(out, "%zu of %zu held, %lld task%s\n", line->held, line->gpus, (long long)line->tasks, line->tasks == 1 ? "" : "s");
    }
    put_more(out, status->machine_count, shown);
}

void api_print_status(struct op_ctx *ctx, struct str queue, struct str fits, struct buf *out)
{
    struct err err = { 0 };
    AUTO(status_finish) struct status status = {
        .ctx = ctx, .machines = ARENA_NEW(ctx->arena, struct machine_line, MACHINES_LISTED_MAX),
        .problems = ARENA_NEW(ctx->arena, struct problem, PROBLEMS_LISTED_MAX), .services = buf_in(ctx->arena),
    };
    arena_init(&status.scratch, SCRATCH_CEILING);
    const struct json *waiting = json_parse(queue, ctx->arena, &err);
    store_scan_instances(ctx->txn, visit_instance, &status);
    store_scan_services(ctx->txn, visit_service, &status);
    put_head(&status, out);
    put_glance(&status, (size_t)json_get_i64(waiting, STR("count"), 0), out);
    buf_put(out, fits);
    put_waiting(waiting, ctx->now_ms, out);
    put_problems(&status, out);
    if (status.service_count > 0) { buf_put(out, STR("\nSERVICES\n")); }
    buf_put(out, buf_str(&status.services));
    put_more(out, status.service_count, SERVICES_LISTED_MAX);
    put_machines(&status, out);
}
