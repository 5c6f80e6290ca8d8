/* gpu_health.h: faults of a machine and its GPUs, as its agent finds them and as Berth remembers them. One table per shape serves
 * the agent's report and the record. Written by tools/shapes from model/records/gpu_health.shapes. */
#ifndef BERTH_MODEL_RECORDS_GPU_HEALTH_H
#define BERTH_MODEL_RECORDS_GPU_HEALTH_H

#include "model/ecs/instance.h"
#include "model/gpu.h"

enum finding_status { FINDING_STATUS_UNSET, FINDING_OK, FINDING_WARN, FINDING_FAIL, FINDING_STATUS_COUNT };
extern const struct enum_names finding_status_names;

/* One thing that was looked at: which ("nvidia-driver"), the result, and the remedy (absent: nothing to mend). */
struct finding {
    struct str check;
    enum finding_status status;
    struct str text;
    struct str remedy;
};
struct finding_list { struct finding *items; size_t count; };
extern const struct schema finding_schema;

/* A GPU that is out of the pool. One device can have three: its agent's, a person's, and Berth's own, because another machine has
 * it too. On the wire an agent says neither by nor restored_by nor holder: it speaks for itself. */
struct gpu_fault {
    struct str uuid;
    struct str reason;
    int64_t since_ms;                        /* when it began, by the clock of who says so: the same again is the same fault */
    enum opt_bool gone;                      /* it no longer answers: its tasks have lost it */
    struct str by;                           /* the person who took it out; absent: the agent, or Berth */
    struct str restored_by;                  /* the person who gave it back although the agent still reports it: it is in the pool */
    struct id holder;                        /* the machine that reported this device before; zero: the fault is not of that kind */
};
struct gpu_fault_list { struct gpu_fault *items; size_t count; };
extern const struct schema gpu_fault_schema;

/* The last report of a machine's agent on its accelerators. */
struct machine_health {
    enum instance_health_check_state state;
    struct str reason;                       /* of a state that is not OK */
    struct finding_list findings;            /* those that are not OK */
    int64_t changed_ms;                      /* time of the last change */
    int64_t told_ms;                         /* time of this report */
};
struct machine_health_list { struct machine_health *items; size_t count; };
extern const struct schema machine_health_record;

/* The last report of a machine's agent on its Docker. */
struct runtime_health {
    enum instance_health_check_state state;
    int64_t changed_ms;
    int64_t told_ms;
};
struct runtime_health_list { struct runtime_health *items; size_t count; };
extern const struct schema runtime_health_record;

/* POST /berth/v1/agent/health: all that is wrong now, so that a thing that is not in it is well again. */
struct health_report {
    struct str cluster;
    struct str container_instance;           /* as registered: ARN */
    enum instance_health_check_state state;
    struct str reason;
    struct finding_list findings;
    struct gpu_fault_list gpus;
};
struct health_report_list { struct health_report *items; size_t count; };
extern const struct schema health_report_schema;

#endif
