/* kinds.h: one call to a provisioner, by its kind. Private to this folder. */
#ifndef BERTH_SERVER_PROVISION_KINDS_H
#define BERTH_SERVER_PROVISION_KINDS_H

#include <stdatomic.h>
#include <sys/types.h>

#include "api/core/api.h"
#include "server/calls/calls.h"
#include "server/provision/settings.h"

struct fake_machine { struct fake_machine *next; struct str id; pid_t pid; };
struct provisioner {                         /* of one thread */
    const struct provisioner_setting *setting;       /* NULL: a pool names one that is not there */
    struct calls *calls;
    const atomic_bool *stopping;
    struct arena kept;                       /* what the next two need */
    struct str *host_ids;                    /* static: the machine that each host is; absent: it is free */
    struct fake_machine *fakes;              /* fake: those that were started */
};
struct kind_call { struct str name, verb, body, request; };      /* name: of the provisioner; body: whole; request: its name */
struct kind_end { enum provisioned_end end; struct str text; };  /* as struct provisioned */

typedef struct kind_end kind_run(struct provisioner *provisioner, const struct kind_call *call, struct arena *arena);
kind_run kind_exec, kind_http, kind_static, kind_fake;
void     kind_fake_stop(struct provisioner *provisioner);        /* ends its machines */

#endif
