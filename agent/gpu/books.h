/* books.h: which containers of this machine use which GPUs now. The server decides who gets which device. These books make its decision hold
 * on the machine also where the server's and the machine's pasts differ, as after the server came back with an older database: a container
 * then waits until those before it have really ended. */
#ifndef BERTH_AGENT_GPU_BOOKS_H
#define BERTH_AGENT_GPU_BOOKS_H

#include "base/lock.h"
#include "model/schema.h"

enum { GPU_UUID_SIZE = 96 };                 /* of a UUID that is shared, with its NUL */
struct gpu_entry;
struct gpu_books { struct lock lock; struct gpu_entry *first; /* owned; guarded by lock */ };

void gpu_books_init(struct gpu_books *books);
void gpu_books_finish(struct gpu_books *books);
/* `share` thousandths of each of the devices for `holder`: all of them or, as false, none. A device that one holder has whole is given to no
 * other, and shares of one never add up to more than it. */
bool gpu_books_take(struct gpu_books *books, const void *holder, const struct str_list *gpus, int64_t share);
/* Adds what a running container has, also where it does not fit. */
void gpu_books_note(struct gpu_books *books, const void *holder, const struct str_list *gpus, int64_t share);
bool gpu_books_has(struct gpu_books *books, struct str uuid);                   /* a container uses it, or a share of it */
/* Devices of which somebody has a share, each once; those of `max` that come first. */
size_t gpu_books_shared(struct gpu_books *books, char (*uuids)[GPU_UUID_SIZE], size_t max);
void gpu_books_give_back(struct gpu_books *books, const void *holder);       /* all that it has; none: nothing */

#endif
