/* progress.c: the progress of a pull, one JSON object a line: {"status":"Downloading","id":"<layer>",
 * "progressDetail":{"current":1,"total":2}}, {"status":"Pull complete","id":"<layer>"}, {"error":"…"}. The size of a layer is known only once
 * its download has begun. */
#include "agent/docker/docker.h"

#include <stdio.h>

#include "base/num.h"

enum layer_news { NEWS_NONE, NEWS_SEEN, NEWS_BYTES, NEWS_DONE };

static const struct { struct str status; enum layer_news news; } statuses[] = {
    { STR_INIT("Pulling fs layer"), NEWS_SEEN },  { STR_INIT("Waiting"), NEWS_SEEN },             { STR_INIT("Downloading"), NEWS_BYTES },
    { STR_INIT("Verifying Checksum"), NEWS_SEEN }, { STR_INIT("Download complete"), NEWS_SEEN },   { STR_INIT("Extracting"), NEWS_SEEN },
    { STR_INIT("Pull complete"), NEWS_DONE },     { STR_INIT("Already exists"), NEWS_DONE },
};

static enum layer_news news_of(struct str status)
{
    for (size_t s = 0; s < COUNT_OF(statuses); s++) {
        if (str_eq(status, statuses[s].status)) { return statuses[s].news; }
    }
    return NEWS_NONE;
}

static uint64_t hash(struct str text)
{
    uint64_t value = 14695981039346656037U;
    for (size_t i = 0; i < text.len; i++) { value = (value ^ (unsigned char)text.ptr[i]) * 1099511628211U; }
    return value;
}

/* NULL: more layers than fit. */
static struct docker_layer *layer_of(struct docker_pull_stream *stream, struct str id)
{
    uint64_t name = hash(id);
    for (size_t l = 0; l < stream->layer_count; l++) {
        if (stream->layers[l].name == name) { return &stream->layers[l]; }
    }
    if (stream->layer_count == DOCKER_LAYERS_MAX) { return NULL; }
    stream->layers[stream->layer_count] = (struct docker_layer){ .name = name };
    return &stream->layers[stream->layer_count++];
}

static bool take_layer(struct docker_pull_stream *stream, const struct json *line)
{
    enum { SIZE_MOST = INT32_MAX };                  /* MiB: no sum of layers overflows */
    enum layer_news news = news_of(json_get_str(line, STR("status")));
    struct str id = json_get_str(line, STR("id"));
    struct docker_layer *layer = news == NEWS_NONE || id.len == 0 ? NULL : layer_of(stream, id);
    if (layer == NULL) { return false; }
    layer->done = layer->done || news == NEWS_DONE;
    if (news == NEWS_BYTES) {
        const struct json *detail = json_get(line, STR("progressDetail"));
        int64_t most = (int64_t)SIZE_MOST << 20;
        layer->size = max_i64(0, min_i64(json_get_i64(detail, STR("total"), 0), most));
        layer->bytes = max_i64(0, min_i64(json_get_i64(detail, STR("current"), 0), layer->size));
    } else if (news == NEWS_DONE || str_eq(json_get_str(line, STR("status")), STR("Download complete"))) {
        layer->bytes = layer->size;
    }
    return true;
}

static bool end_line(struct docker_pull_stream *stream)
{
    struct arena arena;
    arena_init(&arena, DOCKER_CALL_ARENA);
    struct err ignored = { 0 };                      /* a line that is not JSON carries no progress */
    const struct json *line = stream->too_long ? NULL : json_parse((struct str){ stream->line, stream->len }, &arena, &ignored);
    struct str error = json_get_str(line, STR("error"));
    if (error.len > 0 && stream->error[0] == '\0') { (void)snprintf(stream->error, sizeof stream->error, STR_FMT, STR_ARG(error)); }
    stream->len = 0;
    stream->too_long = false;
    stream->begun = true;
    bool changed = take_layer(stream, line);
    arena_finish(&arena);
    return changed;
}

bool docker_pull_feed(struct docker_pull_stream *stream, struct str bytes)
{
    bool changed = false;
    for (size_t i = 0; i < bytes.len; i++) {
        if (bytes.ptr[i] == '\n') {
            changed = end_line(stream) || changed;
        } else if (stream->len == sizeof stream->line) {
            stream->too_long = true;
        } else {
            stream->line[stream->len++] = bytes.ptr[i];
        }
    }
    return changed;
}

void docker_pull_end(struct docker_pull_stream *stream)
{
    if (stream->len > 0) { (void)end_line(stream); }
}

struct image_progress docker_pull_progress(const struct docker_pull_stream *stream)
{
    struct image_progress progress = { .layers = (int64_t)stream->layer_count };
    for (size_t l = 0; l < stream->layer_count; l++) {
        progress.layers_done += stream->layers[l].done ? 1 : 0;
        progress.bytes += stream->layers[l].bytes;
        progress.bytes_known += stream->layers[l].size;
    }
    return progress;
}
