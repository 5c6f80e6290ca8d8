/* archive.h: the figures of GPUs over time, in files of a fixed size a GPU: a day of samples, one in 15 s, and 30 days of their means, one in 15 min; and
 * who held the GPU at each of them. It survives a restart; a server that is killed loses the last 15 s, one that loses its power up to a minute. Memory: some
 * 300 bytes a GPU. Its own thread writes the files; archive_put only changes memory. Any thread. docs/internals/metrics.md says more.
 *
 * Refuses to know the store and HTTP. */
#ifndef BERTH_SERVER_ARCHIVE_ARCHIVE_H
#define BERTH_SERVER_ARCHIVE_ARCHIVE_H

#include "base/err.h"
#include "server/archive/owners.h"

enum {
    ARCHIVE_DAY_MS = 15 * 1000, ARCHIVE_MONTH_MS = 15 * 60 * 1000,               /* from one sample to the next */
    ARCHIVE_DAY_SAMPLES = 24 * 60 * 4, ARCHIVE_MONTH_SAMPLES = 30 * 24 * 4,
};
enum archive_kind { ARCHIVE_DAY, ARCHIVE_MONTH };

struct archive;
/* Owned; starts empty, and says so in the log, where the files have another form. `most`: bytes of all files together. NULL: no folder, or no thread. */
struct archive *archive_open(const char *folder, int64_t most, struct err *err);
void            archive_close(struct archive *archive);              /* writes all of it; accepts NULL */

/* A machine's report, with the holders of its GPUs. Two samples of the same 15 s: the later one stays. */
void            archive_put(struct archive *archive, const struct machine_sample *sample, struct str cluster);

struct archive_sample { int64_t at_ms; struct gpu_figures figures; uint32_t owner; };      /* owner: in `owners`; OWNERS_NONE: not known any more */
struct archive_series {
    struct str uuid;
    struct archive_sample *samples; size_t count;                    /* by time */
    struct owner_change *owners; size_t owner_count;                 /* the newest first */
};
/* The samples of a GPU from `from_ms` to before `until_ms`. False: the GPU is not known. All in `arena`. */
bool            archive_read(struct archive *archive, struct str uuid, enum archive_kind kind, int64_t from_ms, int64_t until_ms,
                             struct archive_series *series, struct arena *arena);
/* The GPUs that the machine had at its last report; of all machines with a zero id. At most `most`. */
size_t          archive_list(struct archive *archive, struct id instance, struct str *uuids, size_t most, struct arena *arena);

struct archive_counts { int64_t gpus, gpus_max, lost, file_bytes; };  /* lost: samples and changes that there was no room for, or that the disk refused */
struct archive_counts archive_count(struct archive *archive);

#endif
