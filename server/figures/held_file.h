/* held_file.h: the file in the data folder that keeps held.h over restarts. A server that is killed loses what came since the last time. */
#ifndef BERTH_SERVER_FIGURES_HELD_FILE_H
#define BERTH_SERVER_FIGURES_HELD_FILE_H

#include "server/figures/held.h"
#include "store/store.h"

void held_file_read(const char *path, struct held *held);        /* a file that is not there or not readable says nothing */
/* Forgets machines that have no tasks and have told nothing for a while, and writes the rest. */
void held_file_write(const char *path, struct held *held, struct store *store, int64_t now_ms);

#endif
