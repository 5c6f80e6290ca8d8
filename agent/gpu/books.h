/* books.h: which containers of this machine use which GPUs now. The server decides who gets what; these books see to it that
 * its decision holds on the machine even where the server's and the machine's pasts differ, say after the server came back with
 * an older database: a container then waits until those before it have really ended. */
#ifndef BERTH_AGENT_GPU_BOOKS_H
#define BERTH_AGENT_GPU_BOOKS_H

#include "base/lock.h"
#include "model/schema.h"

struct gpu_entry;
struct gpu_books { struct lock lock; struct gpu_entry *first; /* owned; guarded by lock */ };

void gpu_books_init(struct gpu_books *books);
void gpu_books_finish(struct gpu_books *books);
/* `share` thousandths of each of the devices for `holder`: all of them or, as false, none. A device that somebody has whole goes
 * to nobody else, and shares of one never add up to more than it. */
bool gpu_books_take(struct gpu_books *books, const void *holder, const struct str_list *gpus, int64_t share);
/* What runs already has what it has. */
void gpu_books_note(struct gpu_books *books, const void *holder, const struct str_list *gpus, int64_t share);
bool gpu_books_has(struct gpu_books *books, struct str uuid);                   /* somebody uses it, or some of it */
void gpu_books_give_back(struct gpu_books *books, const void *holder);       /* all that it has; nothing: no harm */

#endif
