/* health.h: is this GPU fit for tasks? Decided from NVML's answers, look by look, and from its errors as they happen. Pure: it calls no
 * library and reads no clock. */
#ifndef BERTH_AGENT_GPU_HEALTH_H
#define BERTH_AGENT_GPU_HEALTH_H

#include "base/str.h"

/* NVIDIA's numbers for errors. An application's own mistake says nothing about the device. */
enum xid_kind { XID_APPLICATION, XID_CRITICAL, XID_GONE };
struct xid { unsigned int number; enum xid_kind kind; const char *text; };
const struct xid *xid_find(unsigned int number);             /* NULL: unknown number; no reason to take the device out */

enum {
    GPU_LOOK_EVERY_MS = 10000,
    GPU_LEFT_BEHIND_MIB = 256,               /* memory above that of an idle device before its tasks */
    GPU_IDLE_LOOKS = 2,                      /* a task that has just ended may still be giving memory back */
    GPU_FAILING_LOOKS = 2,                   /* an answer that fails once is no fault */
    GPU_CLEAN_LOOKS = 3,                     /* how many good looks end a condition */
    GPU_HOLD_LOOKS = 30, GPU_HOLD_DOUBLES_MAX = 5,   /* … and an error: 5 minutes, twice as long each time it comes back */
    GPU_REASON_MAX = 256, GPU_PIDS_MAX = 4,
};

/* One look at one device. */
struct gpu_sample {
    int code;                                /* NVML's; NVML_OK: it answers */
    const char *code_text;                   /* of another code; borrowed */
    bool in_use;                             /* a task has it, or a share of it */
    int64_t memory_used_mib;                 /* -1: not known */
    int64_t ecc_uncorrected;                 /* since the driver was loaded; -1: it does not count */
    bool remap_failed, remap_pending, retire_pending;
    unsigned int pids[GPU_PIDS_MAX]; size_t process_count;   /* processes on it, and the numbers of the first of them */
};

enum gpu_fault_kind {                        /* reasons to take a device out, the gravest last */
    GPU_WELL,
    GPU_DIRTY,                               /* memory that belongs to no task */
    GPU_FAILED,                              /* an error happened; is it over? */
    GPU_SICK,                                /* a condition that lasts for as long as NVML reports it */
    GPU_GONE,
};

struct gpu_state {                           /* all zero at first */
    enum gpu_fault_kind fault;
    char reason[GPU_REASON_MAX];
    int64_t since_ms;
    bool has_baseline, has_ecc, had_task;
    int64_t baseline_mib, ecc_seen;
    int idle_looks, failing_looks, clean_looks;
    unsigned int errors;                     /* errors that took it out so far */
};

/* Both: true when the fault has changed, its reason and time included. */
bool gpu_state_error(struct gpu_state *state, unsigned int xid, int64_t now_ms);
bool gpu_state_look(struct gpu_state *state, const struct gpu_sample *sample, int64_t now_ms);

#endif
