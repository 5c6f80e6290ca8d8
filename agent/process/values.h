/* values.h: values that were fetched by reference, held for the processes that need them: in memory, because the values of secrets must not be
 * in any file. The shim gets them through a file without a name. For this wing only. */
#ifndef BERTH_AGENT_PROCESS_VALUES_H
#define BERTH_AGENT_PROCESS_VALUES_H

#include "base/lock.h"
#include "model/schema.h"

struct process_held;
struct process_values { struct lock lock; struct process_held *first; };          /* first: guarded by lock */

void process_values_init(struct process_values *values);
void process_values_finish(struct process_values *values);
void process_values_keep(struct process_values *values, struct str id, const struct pair_list *pairs);   /* no entries: nothing */
void process_values_drop(struct process_values *values, struct str id);
/* A descriptor to read them from, "NAME=VALUE" ended by NULs, owned; -1: none are held. */
int  process_values_open(struct process_values *values, struct str id);
/* All of a descriptor's entries, an array ended by NULL behind those of `envp`. In `arena`. */
char **process_values_read(int fd, char **envp, struct arena *arena);

#endif
