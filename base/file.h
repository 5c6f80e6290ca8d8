/* file.h: bytes onto the disk, whole or not at all. Knows file descriptors and names; refuses to know what the bytes are. */
#ifndef BERTH_BASE_FILE_H
#define BERTH_BASE_FILE_H

#include "base/str.h"

bool file_write_all(int fd, struct str bytes);                  /* false and errno: some of them may be written */

/* In place of what `path` held, durable when it returns, readable by the owner only: under PATH.new first, then renamed. False
 * and errno: `path` is as it was. */
bool file_replace(const char *path, struct str bytes);

/* Makes the file if need be and locks it for this process alone: a descriptor to close some day, which ends the lock, as does the end of
 * the process, however it comes. -1 and errno; EWOULDBLOCK: somebody else has it. */
int  file_lock(const char *path);

#endif
