#include "agent/task/s3.h"

#include <curl/curl.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"

enum { TIMEOUT_MS = 60 * 1000, CONNECT_TIMEOUT_MS = 5000 };
static const struct str file_scheme = STR_INIT("file:///");

bool s3_check_endpoint(const char *endpoint, struct err *err)
{
    struct str url = str_from(endpoint);
    bool web = str_starts_with(url, STR("http://")) || str_starts_with(url, STR("https://"));
    return ((web || str_starts_with(url, file_scheme)) && url.len > file_scheme.len && str_find(url, '?') == url.len)
        || err_set(err, ERR_INVALID_PARAMETER, "--s3-endpoint can't be \"%s\": it should be http://HOST:PORT, https://HOST or file:///DIR.", endpoint);
}

/* A key is a path below the bucket and leads nowhere else. */
static bool stays_below(struct str path)
{
    struct str word, rest = path;
    for (bool more = true; more;) {
        more = str_cut(rest, '/', &word, &rest);
        if (str_eq(word, STR("..")) || str_eq(word, STR("."))) { return false; }
    }
    return str_find(path, '\0') == path.len;
}

/* ---- a folder ---- */

static bool get_file(const struct s3_place *place, struct str bucket, struct str key, size_t size_max, struct str *text, struct arena *arena,
                     struct err *err)
{
    struct str dir = str_slice(str_from(place->endpoint), file_scheme.len - 1, SIZE_MAX);
    struct str path = arena_printf(arena, STR_FMT "/" STR_FMT "/" STR_FMT, STR_ARG(dir), STR_ARG(bucket), STR_ARG(key));
    FILE *file = fopen(path.ptr, "re");
    if (file == NULL) { return err_set(err, ERR_INVALID_PARAMETER, STR_FMT ": %s", STR_ARG(path), strerror(errno)); }
    char *bytes = arena_alloc(arena, size_max + 1, 1);
    *text = (struct str){ bytes, fread(bytes, 1, size_max + 1, file) };
    bool failed = ferror(file) != 0;
    if (fclose(file) != 0 || failed) { return err_set(err, ERR_INVALID_PARAMETER, STR_FMT " can't be read", STR_ARG(path)); }
    return true;
}

/* ---- a server ---- */

struct download { struct buf text; size_t size_max; const atomic_bool *stop; };

static size_t on_body(char *bytes, size_t size, size_t count, void *user)
{
    struct download *download = user;
    size_t len = size * count, room = download->size_max + 1 - download->text.len;
    if (len > room) { return 0; }                                         /* ends the transfer: the length says why */
    buf_put(&download->text, (struct str){ bytes, len });
    return len;
}

static int on_progress(void *user, curl_off_t total, curl_off_t now, curl_off_t up_total, curl_off_t up_now)
{
    const struct download *download = user;
    (void)total;
    (void)now;
    (void)up_total;
    (void)up_now;
    return atomic_load(download->stop) ? 1 : 0;
}

/* /BUCKET/KEY with everything encoded that is neither plain nor a slash. */
static struct str make_url(const struct s3_place *place, struct str bucket, struct str key, struct arena *arena)
{
    struct buf url = buf_in(arena);
    struct str endpoint = str_from(place->endpoint), path = arena_printf(arena, STR_FMT "/" STR_FMT, STR_ARG(bucket), STR_ARG(key));
    while (str_ends_with(endpoint, STR("/"))) { endpoint.len--; }
    buf_put(&url, endpoint);
    buf_put_char(&url, '/');
    for (size_t c = 0; c < path.len; c++) {
        char byte = path.ptr[c];
        bool plain = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || (byte >= '0' && byte <= '9')
            || (byte != '\0' && strchr("-._~/", byte) != NULL);
        if (plain) { buf_put_char(&url, byte); } else { buf_printf(&url, "%%%02X", (unsigned)(unsigned char)byte); }
    }
    buf_put_char(&url, '\0');
    return buf_str(&url);
}

static void set_options(CURL *easy, const struct s3_place *place, const char *url, struct download *download, char *error_text, struct arena *arena)
{
    const struct credentials *who = &place->credentials;
    curl_easy_setopt(easy, CURLOPT_URL, url);
    curl_easy_setopt(easy, CURLOPT_PATH_AS_IS, 1L);                       /* the path is sent as it is signed */
    curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, (long)TIMEOUT_MS);
    curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, (long)CONNECT_TIMEOUT_MS);
    curl_easy_setopt(easy, CURLOPT_USERAGENT, "berth-agent/" BERTH_VERSION);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_body);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, download);
    curl_easy_setopt(easy, CURLOPT_NOPROGRESS, 0L);
    curl_easy_setopt(easy, CURLOPT_XFERINFOFUNCTION, on_progress);
    curl_easy_setopt(easy, CURLOPT_XFERINFODATA, download);
    curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, error_text);
    if (!str_is_set(who->access_key_id)) { return; }
    curl_easy_setopt(easy, CURLOPT_AWS_SIGV4, arena_printf(arena, "aws:amz:%s:s3", place->region).ptr);
    curl_easy_setopt(easy, CURLOPT_USERNAME, arena_cstr(arena, who->access_key_id));
    curl_easy_setopt(easy, CURLOPT_PASSWORD, arena_cstr(arena, who->secret_access_key));
}

/* S3 needs the hash of the body, which is empty, among the signed headers; libcurl signs those that it finds here. NULL: none. */
static struct curl_slist *make_headers(const struct s3_place *place, struct arena *arena)
{
    static const char no_body[] = "x-amz-content-sha256: e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
    const struct credentials *who = &place->credentials;
    if (!str_is_set(who->access_key_id)) { return NULL; }
    struct curl_slist *headers = curl_slist_append(NULL, no_body);
    if (who->session_token.len == 0) { return headers; }
    return curl_slist_append(headers, arena_printf(arena, "x-amz-security-token: " STR_FMT, STR_ARG(who->session_token)).ptr);
}

/* "<Error><Code>NoSuchKey</Code>…" → "NoSuchKey"; absent when it is another kind of answer. */
static struct str error_code(struct str body)
{
    static const struct str open = STR_INIT("<Code>");
    const char *at = body.len == 0 ? NULL : memmem(body.ptr, body.len, open.ptr, open.len);
    if (at == NULL) { return (struct str){ NULL, 0 }; }
    struct str rest = str_slice(body, (size_t)(at - body.ptr) + open.len, body.len);
    return str_slice(rest, 0, str_find(rest, '<'));
}

static bool read_answer(CURLcode result, long status, const struct download *download, const char *error_text, bool *transient, struct err *err)
{
    struct str body = { download->text.ptr, download->text.len }, code = error_code(body);
    *transient = (result != CURLE_OK && result != CURLE_WRITE_ERROR) || status >= 500 || status == 429;
    if (result != CURLE_OK && body.len < download->size_max && result != CURLE_WRITE_ERROR) {
        return err_set(err, ERR_UNAVAILABLE, "the store does not answer: %s", error_text[0] != '\0' ? error_text : curl_easy_strerror(result));
    }
    if (status == 200 || result == CURLE_WRITE_ERROR) { return true; }    /* the caller reports a text that is too long */
    return err_set(err, ERR_INVALID_PARAMETER, "the store answers with HTTP status %ld%s" STR_FMT, status, code.len > 0 ? ", " : "",
                   STR_ARG(str_slice(code, 0, 100)));
}

static bool get_object(const struct s3_place *place, struct str bucket, struct str key, size_t size_max, const atomic_bool *stop, struct str *text,
                       bool *transient, struct arena *arena, struct err *err)
{
    char error_text[CURL_ERROR_SIZE] = "";
    struct download download = { buf_in(arena), size_max, stop };
    CURL *easy = curl_easy_init();
    if (easy == NULL) { return err_set(err, ERR_SERVER, "libcurl has no memory"); }
    struct curl_slist *headers = make_headers(place, arena);
    curl_easy_setopt(easy, CURLOPT_HTTPHEADER, headers);
    set_options(easy, place, make_url(place, bucket, key, arena).ptr, &download, error_text, arena);
    const char *bundle = getenv("AWS_CA_BUNDLE");
    if (bundle != NULL && bundle[0] != '\0') { curl_easy_setopt(easy, CURLOPT_CAINFO, bundle); }
    CURLcode result = curl_easy_perform(easy);
    long status = 0;
    curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
    bool good = read_answer(result, status, &download, error_text, transient, err);
    curl_easy_cleanup(easy);
    curl_slist_free_all(headers);
    if (good && result == CURLE_WRITE_ERROR) { return err_set(err, ERR_INVALID_PARAMETER, "it has more than %zu bytes", size_max); }
    *text = buf_str(&download.text);
    return good;
}

bool s3_get(const struct s3_place *place, struct str bucket, struct str key, size_t size_max, const atomic_bool *stop, struct str *text,
            bool *transient, struct arena *arena, struct err *err)
{
    *transient = false;
    if (place->endpoint == NULL) {
        return err_set(err, ERR_INVALID_PARAMETER, "this agent has no S3 store: start it with --s3-endpoint http://HOST:PORT, or file:///DIR for"
                       " DIR/BUCKET/KEY");
    }
    if (bucket.len == 0 || key.len == 0 || str_find(bucket, '/') < bucket.len || !stays_below(bucket) || !stays_below(key)) {
        return err_set(err, ERR_INVALID_PARAMETER, "this is no name of an object");
    }
    if (!str_starts_with(str_from(place->endpoint), file_scheme)) { return get_object(place, bucket, key, size_max, stop, text, transient, arena, err); }
    if (!get_file(place, bucket, key, size_max, text, arena, err)) { return false; }
    return text->len <= size_max || err_set(err, ERR_INVALID_PARAMETER, "it has more than %zu bytes", size_max);
}
