#include "agent/metadata.h"

#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

#include "base/assert.h"
#include "base/clock.h"

enum { BASE_MAX = 256, URL_MAX = 512, TEXT_MAX = 8192, TOKEN_MAX = 512, CALL_MS = 1000, TOKEN_TTL_S = 21600, TOKEN_KEEP_MS = TOKEN_TTL_S / 2 * 1000 };

struct metadata {
    char base[BASE_MAX];
    CURL *easy;
    char text[TEXT_MAX + 1]; size_t len;         /* of the last answer */
    char token[TOKEN_MAX];                       /* empty: none */
    int64_t token_ms;                            /* when it was given; monotonic */
};

static size_t on_text(char *bytes, size_t size, size_t count, void *user)
{
    struct metadata *metadata = user;
    size_t len = size * count;
    if (len > TEXT_MAX - metadata->len) { return 0; }
    memcpy(metadata->text + metadata->len, bytes, len);
    metadata->len += len;
    return len;
}

/* 0: there was no answer. */
static long call(struct metadata *metadata, const char *method, const char *path, const char *header)
{
    char url[URL_MAX];
    long status = 0;
    if (snprintf(url, sizeof url, "%s%s", metadata->base, path) >= (int)sizeof url) { return 0; }
    struct curl_slist *headers = header == NULL ? NULL : curl_slist_append(NULL, header);
    metadata->len = 0;
    curl_easy_reset(metadata->easy);
    curl_easy_setopt(metadata->easy, CURLOPT_URL, url);
    curl_easy_setopt(metadata->easy, CURLOPT_CUSTOMREQUEST, method);
    curl_easy_setopt(metadata->easy, CURLOPT_HTTPHEADER, headers);
    curl_easy_setopt(metadata->easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(metadata->easy, CURLOPT_PROTOCOLS_STR, "http");
    curl_easy_setopt(metadata->easy, CURLOPT_PROXY, "");
    curl_easy_setopt(metadata->easy, CURLOPT_TIMEOUT_MS, (long)CALL_MS);
    curl_easy_setopt(metadata->easy, CURLOPT_WRITEFUNCTION, on_text);
    curl_easy_setopt(metadata->easy, CURLOPT_WRITEDATA, metadata);
    bool good = curl_easy_perform(metadata->easy) == CURLE_OK;
    if (good) { curl_easy_getinfo(metadata->easy, CURLINFO_RESPONSE_CODE, &status); }
    curl_slist_free_all(headers);
    metadata->text[metadata->len] = '\0';
    return status;
}

static void renew_token(struct metadata *metadata)
{
    char header[64];
    bool fresh = metadata->token[0] != '\0' && clock_monotonic_ms() - metadata->token_ms < TOKEN_KEEP_MS;
    if (fresh) { return; }
    (void)snprintf(header, sizeof header, "X-aws-ec2-metadata-token-ttl-seconds: %d", TOKEN_TTL_S);
    long status = call(metadata, "PUT", "/latest/api/token", header);
    bool good = status == 200 && metadata->len > 0 && str_to_cstr(str_trim((struct str){ metadata->text, metadata->len }), metadata->token, TOKEN_MAX);
    if (!good) { metadata->token[0] = '\0'; }
    metadata->token_ms = clock_monotonic_ms();
}

struct metadata *metadata_create(const char *base)
{
    const char *disabled = getenv("AWS_EC2_METADATA_DISABLED"), *named = getenv("AWS_EC2_METADATA_SERVICE_ENDPOINT");
    if (disabled != NULL && strcasecmp(disabled, "true") == 0) { return NULL; }
    struct str chosen = str_from(base != NULL ? base : named != NULL && named[0] != '\0' ? named : "http://169.254.169.254");
    while (str_ends_with(chosen, STR("/"))) { chosen.len--; }
    struct metadata *metadata = calloc(1, sizeof *metadata);
    ASSERT(metadata != NULL);
    metadata->easy = curl_easy_init();
    ASSERT(metadata->easy != NULL);
    if (str_to_cstr(chosen, metadata->base, sizeof metadata->base)) { return metadata; }
    metadata_destroy(metadata);
    return NULL;
}

void metadata_destroy(struct metadata *metadata)
{
    if (metadata == NULL) { return; }
    curl_easy_cleanup(metadata->easy);
    free(metadata);
}

enum metadata_result metadata_get(struct metadata *metadata, const char *path, struct str *text, struct arena *arena)
{
    char header[TOKEN_MAX + 64];
    *text = (struct str){ 0 };
    renew_token(metadata);
    (void)snprintf(header, sizeof header, "X-aws-ec2-metadata-token: %s", metadata->token);
    long status = call(metadata, "GET", path, metadata->token[0] == '\0' ? NULL : header);
    if (status == 401) { metadata->token[0] = '\0'; }                  /* too old: the next call asks for another */
    if (status == 404) { return METADATA_NONE; }
    if (status != 200) { return METADATA_FAILED; }
    *text = arena_str(arena, (struct str){ metadata->text, metadata->len });
    return METADATA_FOUND;
}
