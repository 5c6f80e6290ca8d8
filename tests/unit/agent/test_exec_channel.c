/* Docker's frames as text, however the bytes are cut. */
#include "agent/core/runtime.h"
#include "tests/unit/check.h"

int main(void)
{
    static const char frames[] = "\1\0\0\0\0\0\0\3abc\2\0\0\0\0\0\0\0\2\0\0\0\0\0\0\5defgh\1\0\0\0\0\0\0\1i";
    for (size_t piece = 1; piece < sizeof frames; piece++) {
        struct exec_channel channel = { .fd = -1, .framed = true };
        char text[sizeof frames], bytes[sizeof frames];
        size_t len = 0;
        memcpy(bytes, frames, sizeof bytes);
        for (size_t at = 0; at < sizeof frames - 1; at += piece) {
            struct str part = exec_channel_text(&channel, bytes + at, piece < sizeof frames - 1 - at ? piece : sizeof frames - 1 - at);
            memcpy(text + len, part.ptr, part.len);
            len += part.len;
        }
        CHECK_STR("frames", ((struct str){ text, len }), STR("abcdefghi"));
    }
    char plain[] = "as it is";
    struct exec_channel channel = { .fd = -1 };
    CHECK_STR("a terminal has none", exec_channel_text(&channel, plain, sizeof plain - 1), STR("as it is"));
    return check_report();
}
