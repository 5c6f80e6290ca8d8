/* mps.h: NVIDIA's MPS on this machine, which holds tasks that share a GPU to their shares. One control daemon for each GPU that is shared, and only while
 * it is: a daemon that dies takes along the tasks of its own GPU at most, and a GPU that is held whole never has one. Knows the daemons; refuses to know
 * tasks: the books have the shares (books.h).
 *
 * The daemons outlive the agent, as tasks do; the next agent finds them by their folders. */
#ifndef BERTH_AGENT_GPU_MPS_H
#define BERTH_AGENT_GPU_MPS_H

#include "agent/gpu/books.h"
#include "base/arena.h"
#include "base/err.h"

struct mps;
bool          mps_is_here(void);             /* this machine has the program nvidia-cuda-mps-control */
/* A thread that starts a daemon again that has died while its GPU is shared, and ends one whose GPU is not shared any more. `dir` and `books` are lent; the
 * daemons' folders are DIR/UUID. NULL and *err: the folder can't be made. */
struct mps   *mps_create(const char *dir, struct gpu_books *books, struct err *err);
void          mps_destroy(struct mps *mps);  /* accepts NULL; the daemons go on */
/* A daemon serves this GPU, of which the books have a share. *pipe: the folder in which its clients find it, in `arena`. Blocks for some seconds at most. False
 * and *err: it does not start. Any thread. */
MUST_USE bool mps_ready(struct mps *mps, struct str uuid, const char **pipe, struct arena *arena, struct err *err);

#endif
