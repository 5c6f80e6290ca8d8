#include "agent/gpu/health.h"

#include <stdio.h>

#include "agent/gpu/nvml.h"
#include "base/num.h"

/* ---- NVIDIA's numbers ---- */

const struct xid *xid_find(unsigned int number)
{
    static const struct xid xids[] = {
        { 13,  XID_APPLICATION, "graphics engine exception" },
        { 31,  XID_APPLICATION, "memory page fault" },
        { 32,  XID_APPLICATION, "invalid or corrupted push buffer" },
        { 43,  XID_APPLICATION, "the application stopped processing" },
        { 45,  XID_APPLICATION, "preemptive clean-up after earlier errors" },
        { 48,  XID_CRITICAL,    "double bit ECC error" },
        { 61,  XID_CRITICAL,    "internal microcontroller breakpoint" },
        { 62,  XID_CRITICAL,    "internal microcontroller halt" },
        { 63,  XID_APPLICATION, "a row was remapped or a page retired" },      /* NVML is asked whether it waits for a reset */
        { 64,  XID_CRITICAL,    "row remapping or page retirement failed" },
        { 68,  XID_APPLICATION, "video decoder exception" },
        { 69,  XID_APPLICATION, "graphics engine class error" },
        { 74,  XID_CRITICAL,    "NVLink error" },
        { 79,  XID_GONE,        "it has fallen off the bus" },
        { 92,  XID_APPLICATION, "many single bit ECC errors" },
        { 94,  XID_APPLICATION, "contained ECC error" },
        { 95,  XID_CRITICAL,    "uncontained ECC error" },
        { 109, XID_APPLICATION, "context switch time-out" },
        { 119, XID_CRITICAL,    "the GPU's system processor does not answer" },
        { 120, XID_CRITICAL,    "the GPU's system processor failed" },
        { 140, XID_CRITICAL,    "unrecovered ECC error" },
        { 143, XID_CRITICAL,    "the GPU failed to initialise" },
    };
    for (size_t x = 0; x < COUNT_OF(xids); x++) {
        if (xids[x].number == number) { return &xids[x]; }
    }
    return NULL;
}

/* ---- faults ---- */

/* The same fault for the same reason is one fault, and keeps its time. */
static bool set_fault(struct gpu_state *state, enum gpu_fault_kind kind, const char *reason, int64_t now_ms)
{
    ASSERT(kind != GPU_WELL);
    state->clean_looks = 0;
    if (state->fault == kind && strcmp(state->reason, reason) == 0) { return false; }
    state->fault = kind;
    state->since_ms = now_ms;
    (void)snprintf(state->reason, sizeof state->reason, "%s", reason);
    return true;
}

bool gpu_state_error(struct gpu_state *state, unsigned int number, int64_t now_ms)
{
    char reason[GPU_REASON_MAX];
    const struct xid *xid = xid_find(number);
    if (xid == NULL || xid->kind == XID_APPLICATION) { return false; }
    state->errors++;
    state->clean_looks = 0;
    if (state->fault > GPU_FAILED && xid->kind != XID_GONE) { return false; }      /* that is graver */
    (void)snprintf(reason, sizeof reason, "Xid %u: %s", number, xid->text);
    bool changed = set_fault(state, xid->kind == XID_GONE ? GPU_GONE : GPU_FAILED, reason, now_ms);
    state->since_ms = now_ms;                    /* a second time is news, also to a person who gave the device back */
    return changed || state->fault == GPU_FAILED;
}

/* ---- a look ---- */

struct judgement { enum gpu_fault_kind kind; char reason[GPU_REASON_MAX]; };

static void judge(struct judgement *judgement, enum gpu_fault_kind kind, const char *reason)
{
    judgement->kind = kind;
    (void)snprintf(judgement->reason, sizeof judgement->reason, "%s", reason);
}

/* A device that answers with an error is not gone: containers on it may go on. */
static void judge_answer(struct gpu_state *state, const struct gpu_sample *sample, struct judgement *judgement)
{
    state->failing_looks = sample->code == NVML_OK ? 0 : state->failing_looks + 1;
    if (sample->code == NVML_OK) { return; }
    if (sample->code == NVML_LOST) {
        judge(judgement, GPU_GONE, state->fault == GPU_GONE ? state->reason : "it no longer answers: it has fallen off the bus or was taken out");
    } else if (sample->code == NVML_RESET_REQUIRED) {
        judge(judgement, GPU_SICK, "it needs a reset: `nvidia-smi --gpu-reset` or a reboot");
    } else if (state->failing_looks >= GPU_FAILING_LOOKS) {
        (void)snprintf(judgement->reason, sizeof judgement->reason, "it does not answer: %s", sample->code_text == NULL ? "unknown error" : sample->code_text);
        judgement->kind = GPU_SICK;
    } else {
        judge(judgement, state->fault, state->reason);
    }
}

static void judge_memory_cells(struct gpu_state *state, const struct gpu_sample *sample, struct judgement *judgement)
{
    if (sample->remap_failed) {
        judge(judgement, GPU_SICK, "its memory has rows that could not be remapped: the device should be replaced");
    } else if (sample->remap_pending || sample->retire_pending) {
        judge(judgement, GPU_SICK, "its memory has bad places that are taken out of use by a reset: `nvidia-smi --gpu-reset` or a reboot");
    }
    if (sample->ecc_uncorrected < 0) { return; }
    bool grew = state->has_ecc && sample->ecc_uncorrected > state->ecc_seen;
    if (grew && judgement->kind == GPU_WELL) {
        (void)snprintf(judgement->reason, sizeof judgement->reason, "%lld uncorrectable ECC errors", (long long)sample->ecc_uncorrected);
        judgement->kind = GPU_FAILED;
        state->errors++;
    }
    state->has_ecc = true;
    state->ecc_seen = sample->ecc_uncorrected;
}

static void name_processes(const struct gpu_sample *sample, char *out, size_t size)
{
    size_t len = 0;
    out[0] = '\0';
    for (size_t p = 0; p < sample->process_count && p < GPU_PIDS_MAX && len < size; p++) {
        int put = snprintf(out + len, size - len, "%s%u", p == 0 ? ", of process " : ", ", sample->pids[p]);
        len += put < 0 ? 0 : (size_t)put;
    }
}

/* Memory that an idle device had before its first task is its own. More than that, once its tasks are gone, was left behind. */
static void judge_memory_use(struct gpu_state *state, const struct gpu_sample *sample, struct judgement *judgement)
{
    state->idle_looks = sample->in_use ? 0 : state->idle_looks + 1;
    if (sample->in_use) { state->had_task = true; }
    if (sample->in_use || sample->memory_used_mib < 0 || state->idle_looks < GPU_IDLE_LOOKS) {
        if (state->fault == GPU_DIRTY && judgement->kind == GPU_WELL) { judge(judgement, GPU_DIRTY, state->reason); }
        return;
    }
    if (!state->has_baseline || sample->memory_used_mib < state->baseline_mib) {
        state->baseline_mib = sample->memory_used_mib;
        state->has_baseline = true;
    }
    if (!state->had_task) { return; }
    int64_t left = sample->memory_used_mib - state->baseline_mib;
    if (left <= GPU_LEFT_BEHIND_MIB) { state->had_task = false; }
    if (left <= GPU_LEFT_BEHIND_MIB || judgement->kind != GPU_WELL) { return; }
    char pids[GPU_REASON_MAX / 2];
    name_processes(sample, pids, sizeof pids);
    if (state->fault == GPU_DIRTY) {
        judge(judgement, GPU_DIRTY, state->reason);          /* the first figure: it may flicker */
    } else {
        (void)snprintf(judgement->reason, sizeof judgement->reason, "%lld MiB of memory were left behind by its tasks%s", (long long)left, pids);
        judgement->kind = GPU_DIRTY;
    }
}

/* How many clean looks it takes until the fault is over. */
static int looks_wanted(const struct gpu_state *state)
{
    if (state->fault == GPU_DIRTY) { return 1; }
    if (state->fault != GPU_FAILED) { return GPU_CLEAN_LOOKS; }
    ASSERT(state->errors > 0);
    int64_t doubles = min_i64(state->errors > 0 ? (int64_t)state->errors - 1 : 0, GPU_HOLD_DOUBLES_MAX);
    return GPU_HOLD_LOOKS << doubles;
}

bool gpu_state_look(struct gpu_state *state, const struct gpu_sample *sample, int64_t now_ms)
{
    struct judgement judgement = { .kind = GPU_WELL };
    judge_answer(state, sample, &judgement);
    if (sample->code == NVML_OK) {
        judge_memory_cells(state, sample, &judgement);
        judge_memory_use(state, sample, &judgement);
    }
    if (judgement.kind != GPU_WELL) {
        bool waits = state->fault == GPU_FAILED && judgement.kind < GPU_FAILED;
        return !waits && set_fault(state, judgement.kind, judgement.reason, now_ms);
    }
    ASSERT((state->fault == GPU_WELL) == (state->reason[0] == '\0'));
    if (state->fault == GPU_WELL) { return false; }
    if (state->fault == GPU_FAILED && sample->in_use) { return false; }       /* a container on it may meet the error again */
    state->clean_looks++;
    if (state->clean_looks < looks_wanted(state)) { return false; }
    ASSERT(state->clean_looks > 0);
    state->fault = GPU_WELL;
    state->reason[0] = '\0';
    state->clean_looks = 0;
    return true;
}
