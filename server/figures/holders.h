/* holders.h: which tasks held a machine's GPUs when their samples were read, which is some seconds before the report is here. Knows the store and samples;
 * refuses to keep anything. Any thread. */
#ifndef BERTH_SERVER_FIGURES_HOLDERS_H
#define BERTH_SERVER_FIGURES_HOLDERS_H

#include "server/figures/samples.h"
#include "store/store.h"

/* Fills the holders of all GPUs in `sample`, which is about to be put; `samples` has the machine's last one. A task holds its GPUs from its placement until it
 * is STOPPED. One that came and went between two reports is not found: its GPU had no holder then. Lives in `arena`. */
void holders_find(struct store_txn *txn, struct samples *samples, struct machine_sample *sample, int64_t now_ms, struct arena *arena);

#endif
