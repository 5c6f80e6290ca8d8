/* stepper.h: the thread that asks the writer for the next steps of services, when they are due. It decides nothing: the writer says when, and the
 * operation which services and what. A step that failed (the queue or the disk is full) is asked for again after a second. */
#ifndef BERTH_SERVER_STEPPER_H
#define BERTH_SERVER_STEPPER_H

#include "server/writing/writer.h"

struct stepper;
struct stepper *stepper_create(void);                                                /* owned; it waits for its thread */
/* A step is due at this time of the wall clock; 0: no time is known. From any thread. */
void            stepper_tell(struct stepper *stepper, int64_t due_ms);
MUST_USE bool   stepper_start(struct stepper *stepper, struct writer *writer, struct err *err);     /* the writer is lent until the stop */
void            stepper_stop(struct stepper *stepper);                               /* ends the thread; accepts NULL */
void            stepper_free(struct stepper *stepper);                               /* after the writer's end; accepts NULL */

#endif
