/* doctor.h: is this machine fit to run tasks, and if not, how can that be mended? A table of checks over a look at the machine; each makes one
 * finding, or none where it has nothing to check. */
#ifndef BERTH_AGENT_DOCTOR_H
#define BERTH_AGENT_DOCTOR_H

#include "base/err.h"
#include "model/records/gpu_health.h"

struct nvml;
struct doctor_look {                         /* input of the checks */
    const char *root;                        /* put before every path: "" on a machine, a made-up tree in tests */
    const struct nvml *nvml;                 /* NULL: it can't be loaded, … */
    struct str missing;                      /* … for this reason */
    struct str docker_info;                  /* Docker's /info as JSON; absent: it does not answer, … */
    struct str docker_problem;               /* … for this reason */
    bool gpu_support_off;                    /* by the agent's settings */
    int64_t cuda_wanted;                     /* 12040: CUDA 12.4; 0: not asked */
    const char *dir;                         /* where the agent keeps its state, for its disk */
};
/* Appends to *findings (room for FINDINGS_MAX). Texts live in `arena`. */
void doctor_check(const struct doctor_look *look, struct finding_list *findings, struct arena *arena);

/* This machine: loads NVML, asks Docker, checks. */
struct doctor_settings { const char *docker_socket, *dir; bool gpu_support_off; int64_t cuda_wanted; };
void doctor_check_machine(const struct doctor_settings *settings, struct finding_list *findings, struct arena *arena);

/* For other checks of this form. Texts that are too long are cut. */
void doctor_put(struct finding_list *findings, const char *check, enum finding_status status, struct str text, const char *remedy);
/* The disk under `dir`, or under the nearest folder above it that exists. */
void doctor_put_disk(struct finding_list *findings, const char *dir, struct arena *arena);

#endif
