#include "agent/fake/faults.h"

#include <stdio.h>
#include <stdlib.h>

#include "agent/gpu/nvml.h"
#include "agent/registration/register.h"
#include "base/clock.h"
#include "base/log.h"

enum { UUID_MAX = 64, REPORT_ARENA_MAX = 4 * 1024 * 1024 };

struct patient {                                 /* a machine that is named */
    struct patient *next;
    struct fake_patient machine;
    struct health_reporter reporter;
    bool registered;
};
struct scripted {
    struct scripted *next;
    struct fake_faults *faults;
    struct patient *patient;
    struct fake_fault fault;                     /* its text is borrowed from the settings */
    char uuid[UUID_MAX];
    struct gpu_state state;
    struct timer timer;
    bool active;
};
struct fake_faults {
    struct fake_faults_config config;
    struct patient *patients;
    struct scripted *scripts;
};

/* ---- the text ---- */

static bool read_span(struct str text, int64_t *ms)
{
    static const struct { struct str unit; int64_t ms; } units[] = {
        { STR_INIT("ms"), 1 }, { STR_INIT("s"), 1000 }, { STR_INIT("m"), 60000 }, { STR_INIT("h"), 3600000 },
    };
    for (size_t u = 0; u < COUNT_OF(units); u++) {
        if (!str_ends_with(text, units[u].unit)) { continue; }
        int64_t number;
        if (!str_to_i64(str_slice(text, 0, text.len - units[u].unit.len), &number) || number < 0 || number > 100000) { continue; }
        *ms = number * units[u].ms;
        return true;
    }
    return false;
}

static bool read_check(struct str text, struct fake_fault *fault)
{
    int64_t code = 0;
    fault->event = FAKE_EVENT_TARGETS;
    fault->check = (struct check_result){ .cause = str_eq(text, STR("timeout")) ? CHECK_TIMEOUT : CHECK_FAILED };
    if (str_eq(text, STR("timeout")) || str_eq(text, STR("refused"))) { return true; }
    bool good = str_starts_with(text, STR("code")) && str_to_i64(str_slice(text, 4, text.len), &code) && code >= 100 && code <= MATCHER_CODE_MAX;
    fault->check = (struct check_result){ CHECK_CODE, code };
    return good;
}

static bool read_event(struct str text, struct fake_fault *fault)
{
    int64_t xid = 0;
    if (str_eq(text, STR("gone")) || str_eq(text, STR("memory"))) {
        fault->event = str_eq(text, STR("gone")) ? FAKE_EVENT_GONE : FAKE_EVENT_MEMORY;
        return true;
    }
    bool good = str_starts_with(text, STR("xid")) && str_to_i64(str_slice(text, 3, text.len), &xid) && xid > 0 && xid < 1000;
    fault->event = FAKE_EVENT_XID;
    fault->xid = (unsigned int)xid;
    return good;
}

bool fake_fault_parse(struct str *rest, struct fake_fault *fault, struct err *err)
{
    struct str one, where, what, machine = { 0 }, slot, event, when, begins, lasts;
    *fault = (struct fake_fault){ .slot = -1 };
    str_cut(*rest, ',', &one, rest);
    one = str_trim(one);
    bool good = str_cut(one, '=', &where, &what) && str_cut(where, '/', &machine, &slot) && str_cut(what, '@', &event, &when);
    if (good && str_eq(slot, STR("targets"))) {
        good = read_check(event, fault);
    } else if (good) {
        good = str_to_i64(slot, &fault->slot) && fault->slot >= 0 && read_event(event, fault);
    }
    bool ends = good && str_cut(when, '+', &begins, &lasts);
    good = good && read_span(begins, &fault->after_ms) && (!ends || read_span(lasts, &fault->lasts_ms));
    fault->machine = machine;
    return good || err_set(err, ERR_INVALID_PARAMETER, "\"" STR_FMT "\" should have the form MACHINE/GPU=EVENT@AFTER or MACHINE/GPU=EVENT@AFTER+FOR, as in "
                           "p3.16xlarge-1/5=xid79@10s+1m; events are xid and its number, gone and memory; of MACHINE/targets: code and its number, timeout and "
                           "refused.", STR_ARG(one));
}

/* ---- events ---- */

static void tell(struct fake_faults *faults, struct patient *patient)
{
    struct arena arena = { .ceiling = REPORT_ARENA_MAX };
    struct gpu_fault items[FAULTS_MAX];
    struct health_report report = {
        .cluster = str_from(faults->config.cluster), .container_instance = str_from(patient->machine.arn),
        .state = INSTANCE_HEALTH_CHECK_STATE_OK, .gpus = { items, 0 },
    };
    for (const struct scripted *script = faults->scripts; script != NULL && report.gpus.count < FAULTS_MAX; script = script->next) {
        if (script->patient != patient || script->state.fault == GPU_WELL) { continue; }
        items[report.gpus.count++] = (struct gpu_fault){
            .uuid = str_from(script->uuid), .reason = str_from(script->state.reason), .since_ms = script->state.since_ms,
            .gone = opt_bool_of(script->state.fault == GPU_GONE),
        };
    }
    if (report.gpus.count > 0) {
        report.state = INSTANCE_HEALTH_CHECK_STATE_IMPAIRED;
        report.reason = arena_printf(&arena, STR_FMT ": " STR_FMT, STR_ARG(items[0].uuid), STR_ARG(items[0].reason));
    }
    health_reporter_send(&patient->reporter, health_body(&report, &arena));
    arena_finish(&arena);
}

/* The same rules as for real GPUs decide what it means. */
static void happen(struct scripted *script)
{
    static const struct gpu_sample gone = { .code = NVML_LOST };
    int64_t now_ms = clock_now_ms();
    switch (script->fault.event) {
    case FAKE_EVENT_XID:
        (void)gpu_state_error(&script->state, script->fault.xid, now_ms);
        break;
    case FAKE_EVENT_GONE:
        (void)gpu_state_look(&script->state, &gone, now_ms);
        break;
    case FAKE_EVENT_MEMORY:
        script->state = (struct gpu_state){ .fault = GPU_DIRTY, .since_ms = now_ms };
        (void)snprintf(script->state.reason, sizeof script->state.reason, "2048 MiB of memory were left behind by its tasks");
        break;
    case FAKE_EVENT_TARGETS:
        break;                                                             /* its GPUs are well */
    }
}

static void change_gpu(struct scripted *script)
{
    if (script->active) { happen(script); } else { script->state = (struct gpu_state){ 0 }; }
    const struct xid *xid = script->fault.event == FAKE_EVENT_XID ? xid_find(script->fault.xid) : NULL;
    log_line(LOG_INFO, "agent", "a simulated GPU %s machine=%s slot=%lld: %s", script->active ? "fails" : "is well again", script->patient->machine.name,
             (long long)script->fault.slot, script->state.fault != GPU_WELL ? script->state.reason : xid != NULL ? xid->text : "");
    tell(script->faults, script->patient);
}

static void change_targets(const struct scripted *script)
{
    const struct fake_faults_config *config = &script->faults->config;
    log_line(LOG_INFO, "agent", "the targets of a simulated machine %s machine=%s", script->active ? "fail" : "are well again", script->patient->machine.name);
    config->fail_targets(config->owner, script->patient->machine.name, script->active ? script->fault.check : (struct check_result){ .cause = CHECK_GOOD });
}

static void on_time(void *owner)
{
    struct scripted *script = owner;
    struct timers *timers = client_timers(script->faults->config.client);
    script->active = !script->active;
    if (script->fault.event == FAKE_EVENT_TARGETS) { change_targets(script); } else { change_gpu(script); }
    if (script->active && script->fault.lasts_ms > 0) {
        timers_set(timers, &script->timer, client_now(script->faults->config.client) + script->fault.lasts_ms);
    }
}

void fake_faults_registered(struct fake_faults *faults, const char *name)
{
    struct patient *patient = faults == NULL ? NULL : faults->patients;
    while (patient != NULL && strcmp(patient->machine.name, name) != 0) { patient = patient->next; }
    if (patient == NULL) { return; }
    tell(faults, patient);
    if (patient->registered) { return; }
    patient->registered = true;
    int64_t now_ms = client_now(faults->config.client);
    for (struct scripted *script = faults->scripts; script != NULL; script = script->next) {
        if (script->patient == patient) { timers_set(client_timers(faults->config.client), &script->timer, now_ms + script->fault.after_ms); }
    }
}

/* ---- beginning and end ---- */

static struct patient *find_patient(struct fake_faults *faults, const struct fake_patient *machine)
{
    struct patient *patient = faults->patients;
    while (patient != NULL && patient->machine.name != machine->name) { patient = patient->next; }
    if (patient != NULL) { return patient; }
    patient = calloc(1, sizeof *patient);
    ASSERT(patient != NULL);
    patient->machine = *machine;
    health_reporter_init(&patient->reporter, faults->config.client, faults->config.server, HEALTH_PATH);
    patient->next = faults->patients;
    faults->patients = patient;
    return patient;
}

static bool add_script(struct fake_faults *faults, const struct fake_fault *fault, struct err *err)
{
    struct fake_patient machine;
    if (!faults->config.find(faults->config.owner, fault->machine, &machine)) {
        return err_set(err, ERR_INVALID_PARAMETER, "No simulated machine is called " STR_FMT ": they are named by their type and a number, p3.16xlarge-1.",
                       STR_ARG(fault->machine));
    }
    bool is_gpu = fault->event != FAKE_EVENT_TARGETS;
    if (is_gpu && fault->slot >= instance_type_gpus(machine.type)) {
        return err_set(err, ERR_INVALID_PARAMETER, STR_FMT " has %d GPUs, counted from 0: there is no GPU %lld.", STR_ARG(fault->machine),
                       (int)instance_type_gpus(machine.type), (long long)fault->slot);
    }
    struct arena arena = { .ceiling = REPORT_ARENA_MAX };
    struct inventory inventory;
    struct scripted *script = calloc(1, sizeof *script);
    ASSERT(script != NULL);
    script->faults = faults;
    script->patient = find_patient(faults, &machine);
    script->fault = *fault;
    script->timer = (struct timer){ .fire = on_time, .owner = script };
    script->next = faults->scripts;
    faults->scripts = script;
    if (!is_gpu) { return true; }
    bool good = instance_type_inventory(machine.type, str_from(machine.name), str_from(machine.seed), &inventory, &arena, err)
        && str_to_cstr(inventory.gpus.gpus[fault->slot].uuid, script->uuid, sizeof script->uuid);
    arena_finish(&arena);
    return good;
}

struct fake_faults *fake_faults_create(struct str text, const struct fake_faults_config *config, struct err *err)
{
    struct fake_faults *faults = calloc(1, sizeof *faults);
    struct fake_fault fault;
    ASSERT(faults != NULL);
    faults->config = *config;
    for (struct str rest = text; rest.len > 0;) {
        if (fake_fault_parse(&rest, &fault, err) && add_script(faults, &fault, err)) { continue; }
        fake_faults_destroy(faults);
        return NULL;
    }
    return faults;
}

void fake_faults_destroy(struct fake_faults *faults)
{
    if (faults == NULL) { return; }
    while (faults->scripts != NULL) {
        struct scripted *script = faults->scripts;
        faults->scripts = script->next;
        timers_cancel(client_timers(faults->config.client), &script->timer);
        free(script);
    }
    while (faults->patients != NULL) {
        struct patient *patient = faults->patients;
        faults->patients = patient->next;
        health_reporter_finish(&patient->reporter);
        free(patient);
    }
    free(faults);
}
