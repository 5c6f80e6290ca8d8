/* exec_channel.c: the bytes of a command that runs beside a container's own. */
#include "agent/core/runtime.h"

#include <unistd.h>

/* The streams of a command without a terminal come in frames: stream, three zeros, length in four bytes, text. Both streams are sent as one. */
struct str exec_channel_text(struct exec_channel *channel, char *bytes, size_t len)
{
    size_t kept = 0;
    if (!channel->framed) { return (struct str){ bytes, len }; }
    for (size_t at = 0; at < len;) {
        if (channel->left == 0) {
            channel->head[channel->head_len++] = (unsigned char)bytes[at++];
            if (channel->head_len < sizeof channel->head) { continue; }
            const unsigned char *head = channel->head;
            channel->left = (uint64_t)head[4] << 24 | (uint64_t)head[5] << 16 | (uint64_t)head[6] << 8 | head[7];
            channel->head_len = 0;
            continue;
        }
        size_t part = channel->left < len - at ? (size_t)channel->left : len - at;
        memmove(bytes + kept, bytes + at, part);
        kept += part;
        at += part;
        channel->left -= part;
    }
    return (struct str){ bytes, kept };
}

void exec_channel_close(struct exec_channel *channel)
{
    if (channel->fd >= 0) { close(channel->fd); }
    channel->fd = -1;
}
