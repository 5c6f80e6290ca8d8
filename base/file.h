/* file.h: bytes onto the disk, whole or not at all. Knows file descriptors and names; refuses to know the content. */
#ifndef BERTH_BASE_FILE_H
#define BERTH_BASE_FILE_H

#include "base/str.h"

bool file_write_all(int fd, struct str bytes);                  /* false and errno: some of them may be written */

/* The whole of a file of at most `most` bytes; false and *err (ERR_INVALID_PARAMETER), with the path: it can't be read, or is larger. */
struct buf;
struct err;
bool file_read_whole(const char *path, size_t most, struct buf *text, struct err *err);

/* Replaces the file `path`, durable when it returns, readable by the owner only: under PATH.new first, then renamed. False
 * and errno: `path` is as it was. */
bool file_replace(const char *path, struct str bytes);

/* Makes the file if needed and locks it for this process alone: a descriptor whose close ends the lock, as does any end of
 * the process. -1 and errno; EWOULDBLOCK: another process has the lock. */
int  file_lock(const char *path);

#endif
