/* page.c: the page's files, which are built into the program. They answer GET for all paths without their own row. Everybody may read them: they
 * hold nothing of this server, and the page must be there to ask for a key.
 *
 * GET /berth/v1/caller                         who reads: {"region":…,"user":…,"role":"viewer"}; null without a key, where the dashboard is open */
#include "server/paths/viewers.h"

#include "base/sigv4.h"
#include "model/access_key.h"
#include "server/front/answers.h"
#include "server/live/web_files.h"
#include "wire/own_json.h"

static const struct { struct str ending, type; } file_types[] = {
    { STR_INIT(".html"), STR_INIT("text/html; charset=utf-8") },  { STR_INIT(".js"), STR_INIT("text/javascript; charset=utf-8") },
    { STR_INIT(".css"), STR_INIT("text/css; charset=utf-8") },    { STR_INIT(".svg"), STR_INIT("image/svg+xml") },
    { STR_INIT(".json"), STR_INIT("application/json") },          { STR_INIT(".png"), STR_INIT("image/png") },
    { STR_INIT(".ico"), STR_INIT("image/x-icon") },               { STR_INIT(".txt"), STR_INIT("text/plain; charset=utf-8") },
    { STR_INIT(".woff2"), STR_INIT("font/woff2") },
};

static struct str type_of(struct str path)
{
    for (size_t t = 0; t < COUNT_OF(file_types); t++) {
        if (str_ends_with(path, file_types[t].ending)) { return file_types[t].type; }
    }
    return STR("application/octet-stream");
}

static const struct web_file *find_file(struct str path)
{
    struct str wanted = str_eq(path, STR("/")) ? STR("/index.html") : path;
    for (const struct web_file *file = web_files; file->path != NULL; file++) {
        if (str_eq(str_from(file->path), wanted)) { return file; }
    }
    return NULL;
}

/* RFC 9110, 12.5.3, as browsers use it: gzip is named, and its weight is not zero. */
static bool takes_gzip(const struct http_request *request)
{
    struct str rest = http_header(request, STR("Accept-Encoding")), coding;
    bool more = rest.len > 0;
    while (more) {
        more = str_cut(rest, ',', &coding, &rest);
        struct str name, weight = { NULL, 0 };
        (void)str_cut(coding, ';', &name, &weight);
        if (str_eq_nocase(str_trim(name), STR("gzip"))) { return !str_eq(str_trim(weight), STR("q=0")); }
    }
    return false;
}

void caller_handle(const void *context, struct http_request *request, struct http_answer *answer, const struct caller *caller)
{
    const struct front *front = context;
    (void)request;
    struct json_out out = json_out_to(&answer->body);
    json_open(&out, '{');
    own_json_str(&out, STR("region"), front->api->names.region);
    bool signs_in = caller->access_key.len > 0;
    own_json_str(&out, STR("user"), signs_in ? caller->user : (struct str){ NULL, 0 });
    own_json_str(&out, STR("role"), signs_in ? enum_word(&access_role_names, (int)caller->role) : (struct str){ NULL, 0 });
    json_close(&out, '}');
    answer_json(front, answer);
}

void page_handle(const void *context, struct http_request *request, struct http_answer *answer, const struct caller *caller)
{
    const struct front *front = context;
    (void)caller;
    const struct web_file *file = find_file(request->path);
    metrics_count(front->metrics, NULL, file != NULL ? ERR_NONE : ERR_CLIENT);
    if (file == NULL) {
        answer_text(answer, 404, STR("text/plain; charset=utf-8"), STR("There is no such page. The dashboard is at /.\n"));
        answer->headers = live_headers;
        return;
    }
    bool packed = takes_gzip(request);
    struct str bytes = packed ? (struct str){ (const char *)file->packed, file->packed_size } : (struct str){ (const char *)file->bytes, file->size };
    char hash[SIGV4_HEX_LEN + 1];
    sha256_hex(bytes, hash);
    struct str tag = arena_printf(request->arena, "\"%.32s\"", hash);
    answer->headers = arena_printf(request->arena, SAFE_HEADERS "Cache-Control: no-cache\r\nVary: Accept-Encoding\r\n%sETag: " STR_FMT "\r\n",
                                   packed ? "Content-Encoding: gzip\r\n" : "", STR_ARG(tag));
    if (str_eq(http_header(request, STR("If-None-Match")), tag)) {
        answer->status = 304;
        return;
    }
    answer_text(answer, 200, type_of(str_from(file->path)), bytes);
}
