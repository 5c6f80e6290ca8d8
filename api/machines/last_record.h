/* last_record.h: which record was registered last with a machine's word (attribute berth.machine; see machines.h). Private to api/. */
#ifndef BERTH_API_MACHINES_LAST_RECORD_H
#define BERTH_API_MACHINES_LAST_RECORD_H

#include "api/core/support.h"

#define MACHINE_ATTRIBUTE "berth.machine"

bool last_record_has_word(const struct instance *instance);              /* otherwise its agent tells none */
bool last_record_same_word(const struct instance *a, const struct instance *b);
bool last_record_find(struct op_ctx *ctx, const struct instance *instance, struct id *id);       /* false: there is none */
void last_record_put(struct op_ctx *ctx, const struct instance *instance);                       /* it is the last from now on */
/* When the record becomes INACTIVE, or its word another one. Not the last of its word: nothing. */
void last_record_forget(struct op_ctx *ctx, const struct instance *instance);

#endif
