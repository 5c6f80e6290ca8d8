/* faults.h: GPUs and targets of simulated machines that fail on purpose: "p3.16xlarge-1/5=xid79@10s+1m" is GPU 5 of that machine, which falls off the bus
 * ten seconds after the machine first registered and is back after a minute (without the last part: never). The events: xid and NVIDIA's
 * number; gone; memory (left behind). An error that is an application's own is logged, and the GPU goes on. "p3.16xlarge-1/targets=code503@10s" lets
 * the health checks of all targets on that machine fail: code and HTTP's number, timeout, refused. The loop's thread. */
#ifndef BERTH_AGENT_FAKE_FAULTS_H
#define BERTH_AGENT_FAKE_FAULTS_H

#include "agent/gpu/health.h"
#include "agent/link/health_report.h"
#include "agent/fake/instance_types.h"

enum fake_event { FAKE_EVENT_XID, FAKE_EVENT_GONE, FAKE_EVENT_MEMORY, FAKE_EVENT_TARGETS };
struct fake_fault {                              /* one of the list, as in the text */
    struct str machine; int64_t slot;
    enum fake_event event; unsigned int xid;
    struct check_result check;                   /* of FAKE_EVENT_TARGETS, whose slot is -1 */
    int64_t after_ms, lasts_ms;                  /* lasts_ms 0: for ever */
};
/* The first of the list, and the rest of the text. ERR_INVALID_PARAMETER. */
bool fake_fault_parse(struct str *rest, struct fake_fault *fault, struct err *err);

/* A machine that the text names. */
struct fake_patient { const struct instance_type *type; const char *name, *seed, *arn; };      /* arn: where its ARN will be once it is registered */

struct fake_faults;
struct fake_faults_config {
    struct client *client;
    const struct endpoint *server;
    const char *cluster;
    bool (*find)(void *owner, struct str name, struct fake_patient *patient);
    void (*fail_targets)(void *owner, const char *name, struct check_result result);     /* CHECK_GOOD: they are well again */
    void *owner;
};
struct fake_faults *fake_faults_create(struct str text, const struct fake_faults_config *config, struct err *err);
void fake_faults_registered(struct fake_faults *faults, const char *name);   /* that machine has; NULL: nothing */
void fake_faults_destroy(struct fake_faults *faults);                        /* NULL: nothing */

#endif
