/* web_files.h: the files of web/, built into the binary. The table ends with a NULL path. */
#ifndef BERTH_SERVER_LIVE_WEB_FILES_H
#define BERTH_SERVER_LIVE_WEB_FILES_H

#include <stddef.h>

struct web_file {
    const char *path;                                    /* as requested, "/app.js" */
    const unsigned char *bytes; size_t size;
    const unsigned char *packed; size_t packed_size;     /* the same by gzip */
};
extern const struct web_file web_files[];

#endif
