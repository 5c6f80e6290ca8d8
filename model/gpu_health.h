/* gpu_health.h: what is wrong with a machine and its GPUs, as its agent finds it and as Berth remembers it. One table per shape
 * serves the agent's report and the record. */
#ifndef BERTH_MODEL_GPU_HEALTH_H
#define BERTH_MODEL_GPU_HEALTH_H

#include "model/ecs/instance.h"

enum { FINDINGS_MAX = 64, FINDING_TEXT_MAX = 512, FAULTS_MAX = 128 };

enum finding_status { FINDING_UNSET, FINDING_OK, FINDING_WARN, FINDING_FAIL, FINDING_STATUS_COUNT };
extern const struct enum_names finding_status_names;         /* "OK", "WARN", "FAIL" */

/* One thing that was looked at: which ("nvidia-driver"), what was seen, and what mends it (absent: nothing to mend). */
struct finding { struct str check; enum finding_status status; struct str text, remedy; };
struct finding_list { struct finding *items; size_t count; };

/* A GPU that is out of the pool. One device can have three: its agent's, a person's, and Berth's own, because another machine has it too. */
struct gpu_fault {
    struct str uuid, reason;
    int64_t since_ms;                        /* when it began, by the clock of who says so: the same again is the same fault */
    enum opt_bool gone;                      /* it no longer answers: what runs on it has lost it */
    struct str by;                           /* the person who took it out; absent: the agent, or Berth */
    struct id holder;                        /* the machine that told of this device before; zero: the fault is not of that kind */
    struct str restored_by;                  /* the person who gave it back although the agent still reports it: it is in the pool */
};
struct gpu_fault_list { struct gpu_fault *items; size_t count; };

/* What a machine's agent last said of its accelerators. */
struct machine_health {
    enum instance_health_check_state state;
    struct str reason;                       /* of a state that is not OK */
    struct finding_list findings;            /* those that are not OK */
    int64_t changed_ms, told_ms;             /* when the state last changed; when this was told */
};

/* What a machine's agent last said of its Docker. */
struct runtime_health { enum instance_health_check_state state; int64_t changed_ms, told_ms; };

/* POST /berth/v1/agent/health: all that is wrong now, so that what is not in it is well again. */
struct health_report {
    struct str cluster, container_instance;  /* as registered: ARN */
    enum instance_health_check_state state;
    struct str reason;
    struct finding_list findings;
    struct gpu_fault_list gpus;
};
extern const struct schema gpu_fault_schema, machine_health_schema, runtime_health_schema, health_report_schema;

#endif
