/* last_record.h: the record that was registered last with a machine's word (attribute berth.machine; see machines.h). Private to api/. */
#ifndef BERTH_API_MACHINES_LAST_RECORD_H
#define BERTH_API_MACHINES_LAST_RECORD_H

#include "api/core/support.h"

#define MACHINE_ATTRIBUTE "berth.machine"

bool last_record_has_word(const struct instance *instance);              /* false: its agent sends no such word */
bool last_record_same_word(const struct instance *a, const struct instance *b);
bool last_record_find(struct op_ctx *ctx, const struct instance *instance, struct id *id);       /* false: there is none */
void last_record_put(struct op_ctx *ctx, const struct instance *instance);                       /* makes it the last record */
/* The record becomes INACTIVE or its word changes. Does nothing when it is not the last record of its word. */
void last_record_forget(struct op_ctx *ctx, const struct instance *instance);

#endif
