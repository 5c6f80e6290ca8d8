/* fuzz_docker_pull.c: what Docker says while it pulls comes to the same however it is cut into pieces, and no layer has more than all of it. */
#include "agent/docker/docker.h"

#include "base/num.h"
#include "tests/fuzz/fuzz.h"

static void feed(struct docker_pull_stream *stream, struct str text, size_t piece)
{
    *stream = (struct docker_pull_stream){ 0 };
    while (text.len > 0) {
        struct str part = str_slice(text, 0, piece);
        (void)docker_pull_feed(stream, part);
        text = str_slice(text, part.len, text.len);
    }
    docker_pull_end(stream);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct docker_pull_stream whole, parts;
    if (size == 0) { return 0; }
    struct str text = fuzz_str(data + 1, size - 1);
    feed(&whole, text, SIZE_MAX);
    feed(&parts, text, (size_t)data[0] % 31 + 1);
    struct image_progress one = docker_pull_progress(&whole), two = docker_pull_progress(&parts);
    ASSERT(one.layers == two.layers && one.layers_done == two.layers_done && one.bytes == two.bytes && one.bytes_known == two.bytes_known);
    ASSERT(strcmp(whole.error, parts.error) == 0 && whole.begun == parts.begun);
    ASSERT(one.layers_done <= one.layers && one.bytes >= 0 && one.bytes <= one.bytes_known);
    return 0;
}
