#include "agent/machine_gpus.h"

#include "agent/fake/usage.h"
#include "base/clock.h"
#include "base/log.h"

enum { GPUS_ARENA_MAX = 4 * 1024 * 1024 };

/* ---- the report ---- */

static void add_faults(const struct machine_gpus *gpus, const struct gpu_trouble *trouble, struct gpu_fault_list *faults)
{
    const struct gpu_inventory *inventory = &gpus->inventory->gpus;
    for (size_t g = 0; g < inventory->count && faults->count < FAULTS_MAX; g++) {
        const struct gpu_info *gpu = &inventory->gpus[g];              /* all MIG instances of it */
        if (!str_eq(gpu->pci_bus_id, trouble->bus_id)) { continue; }
        faults->items[faults->count++] = (struct gpu_fault){
            .uuid = gpu->uuid, .reason = trouble->reason, .since_ms = trouble->since_ms, .gone = opt_bool_of(trouble->kind == GPU_GONE),
        };
    }
}

struct str machine_gpus_report(const struct machine_gpus *gpus, struct arena *arena)
{
    const struct inventory *inventory = gpus->inventory;
    struct finding findings[1];
    struct health_report report = {
        .cluster = str_from(gpus->cluster), .container_instance = str_from(gpus->instance), .state = INSTANCE_HEALTH_CHECK_STATE_OK,
        .findings = { findings, 0 }, .gpus = { ARENA_NEW(arena, struct gpu_fault, FAULTS_MAX), 0 },
    };
    for (size_t t = 0; t < gpus->troubles.count; t++) { add_faults(gpus, &gpus->troubles.items[t], &report.gpus); }
    bool switched_off = inventory->gpus_off && !str_is_set(inventory->gpu_problem);
    struct str problem = switched_off ? STR("GPU support is switched off on this machine") : inventory->gpus.problem;
    if (str_is_set(problem)) {
        report.reason = str_slice(problem, 0, FINDING_TEXT_MAX);
        report.state = INSTANCE_HEALTH_CHECK_STATE_IMPAIRED;
        findings[report.findings.count++] = (struct finding){
            STR_INIT("gpus"), FINDING_FAIL, report.reason, STR_INIT("run `berth doctor` on this machine"),
        };
    } else if (report.gpus.count > 0) {
        report.state = INSTANCE_HEALTH_CHECK_STATE_IMPAIRED;
        const struct gpu_fault *first = &report.gpus.items[0];
        report.reason = str_slice(arena_printf(arena, STR_FMT ": " STR_FMT, STR_ARG(first->uuid), STR_ARG(first->reason)), 0, FINDING_TEXT_MAX);
    }
    return health_body(&report, arena);
}

static void tell(struct machine_gpus *gpus)
{
    const struct inventory *inventory = gpus->inventory;
    bool has_something = inventory->gpus.count > 0 || inventory->gpus.pci_devices > 0 || str_is_set(inventory->gpus.problem);
    if (gpus->instance[0] == '\0' || inventory->simulated || !has_something) { return; }
    struct arena arena = { .ceiling = GPUS_ARENA_MAX };
    health_reporter_send(&gpus->reporter, machine_gpus_report(gpus, &arena));
    arena_finish(&arena);
}

void machine_gpus_registered(struct machine_gpus *gpus, struct str arn)
{
    if (!str_to_cstr(arn, gpus->instance, sizeof gpus->instance)) { gpus->instance[0] = '\0'; }
    tell(gpus);
}

/* ---- news from the watch ---- */

static void log_news(const struct machine_gpus *gpus, const struct gpu_trouble_list *before)
{
    for (size_t t = 0; t < gpus->troubles.count; t++) {
        const struct gpu_trouble *trouble = &gpus->troubles.items[t];
        log_line(LOG_WARN, "agent", "a GPU is not fit for tasks bus=" STR_FMT ": " STR_FMT, STR_ARG(trouble->bus_id), STR_ARG(trouble->reason));
    }
    if (gpus->troubles.count == 0 && before->count > 0) { log_line(LOG_INFO, "agent", "all GPUs are fit for tasks again"); }
}

static void on_news(void *owner)
{
    struct machine_gpus *gpus = owner;
    struct gpu_inventory inventory;
    struct arena arena;
    lock_take(&gpus->lock);
    gpus->posted = false;
    lock_drop(&gpus->lock);
    arena_init(&arena, GPUS_ARENA_MAX);
    struct gpu_trouble_list before = gpus->troubles;
    gpu_watch_take(gpus->watch, &inventory, &gpus->troubles, &arena);
    bool changed = !gpu_inventory_is_same(&inventory, &gpus->inventory->gpus);
    size_t count = gpus->inventory->gpus.count;
    gpus->inventory->gpus = inventory;
    inventory_judge_gpus(gpus->config, gpus->inventory);
    log_news(gpus, &before);
    arena_finish(&gpus->arena);
    gpus->arena = arena;
    if (changed) {
        log_line(LOG_INFO, "agent", "the machine's GPUs have changed, registering again before=%zu now=%zu", count, gpus->inventory->gpus.count);
        gpus->changed(gpus->owner);              /* and reports once it has registered */
    } else {
        tell(gpus);
    }
}

/* The watch's thread. */
static void post_news(void *owner)
{
    struct machine_gpus *gpus = owner;
    lock_take(&gpus->lock);
    bool post = !gpus->posted;
    gpus->posted = true;
    lock_drop(&gpus->lock);
    if (post) { (void)client_post(gpus->client, &gpus->post); }       /* false: the loop has ended, so nobody asks */
}

/* ---- what they use ---- */

static bool is_held(void *owner, struct str uuid) { return gpu_books_has(owner, uuid); }

struct wire_gpu_sample_list machine_gpus_usage(const struct machine_gpus *gpus, int64_t *age_ms, struct arena *arena)
{
    *age_ms = 0;
    if (gpus->inventory->simulated) { return fake_gpus_usage(&gpus->inventory->gpus, is_held, gpus->books, clock_now_ms(), arena); }
    return gpus->watch != NULL ? gpu_watch_usage(gpus->watch, age_ms, arena) : (struct wire_gpu_sample_list){ NULL, 0 };
}

/* ---- beginning and end ---- */

bool machine_gpus_begin(struct machine_gpus *gpus, struct err *err)
{
    const struct inventory *inventory = gpus->inventory;
    lock_init(&gpus->lock);
    arena_init(&gpus->arena, GPUS_ARENA_MAX);
    gpus->post = (struct post){ .run = on_news, .owner = gpus };
    health_reporter_init(&gpus->reporter, gpus->client, gpus->server, HEALTH_PATH);
    bool worth_it = gpus->config->fake_gpus == NULL && gpus->config->gpu_support != GPU_SUPPORT_OFF
        && (inventory->gpus.count > 0 || inventory->gpus.pci_devices > 0 || str_is_set(inventory->gpus.problem));
    if (!worth_it) { return true; }
    gpus->watch = gpu_watch_start(&(struct gpu_watch_config){ .books = gpus->books, .inventory = &inventory->gpus,
        .use_every_ms = gpus->config->sample_every_ms, .news = post_news, .owner = gpus }, err);
    return gpus->watch != NULL;
}

bool machine_gpus_end(struct machine_gpus *gpus)
{
    if (gpus->reporter.client == NULL) { return true; }                     /* it has not begun */
    if (!gpu_watch_stop(gpus->watch)) { return false; }
    health_reporter_finish(&gpus->reporter);
    arena_finish(&gpus->arena);
    lock_finish(&gpus->lock);
    gpus->reporter.client = NULL;
    return true;
}
