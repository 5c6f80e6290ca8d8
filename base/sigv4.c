/* sigv4.c: Signature Version 4. The canonical request is never built: it flows through a small buffer into SHA-256.
 *
 * Fetching an algorithm and making a context cost more than hashing a short text, so the algorithms are fetched once and
 * the contexts belong to the thread, as does a small cache of signing keys (deriving one costs four HMACs). */
#include "base/sigv4.h"

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <pthread.h>
#include <time.h>

#include "base/buf.h"

enum {
    SHA_SIZE = 32,
    KEY_SLOTS = 64,              /* signing keys per thread */
    KEY_NAME_MAX = 160,          /* secret, date, region and service together; longer ones are derived each time */
    PARAMETERS_MAX = 128,        /* of a query */
    SEGMENTS_MAX = 128,          /* of a path */
};

static const char hex_upper[] = "0123456789ABCDEF";

/* ---- what a thread keeps ---- */

struct key_slot { size_t name_len; char name[KEY_NAME_MAX]; uint8_t key[SHA_SIZE]; };

struct crypto {
    EVP_MD_CTX *digest;          /* of the canonical request */
    EVP_MAC_CTX *mac;
    bool keyed;                  /* the mac has this key: */
    uint8_t mac_key[SHA_SIZE];
    struct key_slot keys[KEY_SLOTS];
};

static pthread_once_t crypto_once = PTHREAD_ONCE_INIT;
static pthread_key_t crypto_at_exit;
static EVP_MD *crypto_sha256;
static EVP_MAC *crypto_hmac;
static _Thread_local struct crypto crypto_here;

static void crypto_finish(void *crypto)
{
    struct crypto *here = crypto;
    EVP_MD_CTX_free(here->digest);
    EVP_MAC_CTX_free(here->mac);
    OPENSSL_cleanse(here, sizeof *here);
}

static void crypto_start(void)
{
    crypto_sha256 = EVP_MD_fetch(NULL, "SHA256", NULL);
    crypto_hmac = EVP_MAC_fetch(NULL, "HMAC", NULL);
    ASSERT(crypto_sha256 != NULL);
    ASSERT(crypto_hmac != NULL);
    ASSERT(pthread_key_create(&crypto_at_exit, crypto_finish) == 0);
}

static struct crypto *crypto_get(void)
{
    struct crypto *here = &crypto_here;
    if (here->digest != NULL) { return here; }
    ASSERT(pthread_once(&crypto_once, crypto_start) == 0);
    here->digest = EVP_MD_CTX_new();
    here->mac = EVP_MAC_CTX_new(crypto_hmac);
    ASSERT(here->digest != NULL);
    ASSERT(here->mac != NULL);
    const OSSL_PARAM algorithm[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, (char[]){ "SHA256" }, 0), OSSL_PARAM_construct_end(),
    };
    ASSERT(EVP_MAC_CTX_set_params(here->mac, algorithm) == 1);
    ASSERT(pthread_setspecific(crypto_at_exit, here) == 0);
    return here;
}

/* ---- hashing ---- */

struct hasher { EVP_MD_CTX *digest; size_t len; char pending[1024]; };   /* feeding single bytes to OpenSSL would be slow */

static void hash_begin(struct hasher *hasher, struct crypto *crypto)
{
    hasher->digest = crypto->digest;
    hasher->len = 0;
    ASSERT(EVP_DigestInit_ex2(hasher->digest, crypto_sha256, NULL) == 1);
}

static void hash_flush(struct hasher *hasher)
{
    ASSERT(EVP_DigestUpdate(hasher->digest, hasher->pending, hasher->len) == 1);
    hasher->len = 0;
}

static void hash_char(struct hasher *hasher, char c)
{
    if (hasher->len == sizeof hasher->pending) { hash_flush(hasher); }
    hasher->pending[hasher->len++] = c;
}

static void hash_str(struct hasher *hasher, struct str s)
{
    if (s.len > sizeof hasher->pending - hasher->len) { hash_flush(hasher); }
    if (s.len > sizeof hasher->pending) {
        ASSERT(EVP_DigestUpdate(hasher->digest, s.ptr, s.len) == 1);
        return;
    }
    if (s.len > 0) { memcpy(hasher->pending + hasher->len, s.ptr, s.len); }
    hasher->len += s.len;
}

static void hash_end(struct hasher *hasher, uint8_t out[SHA_SIZE])
{
    hash_flush(hasher);
    ASSERT(EVP_DigestFinal_ex(hasher->digest, out, NULL) == 1);
}

static void put_hex(const uint8_t bytes[SHA_SIZE], char out[SIGV4_HEX_LEN + 1])
{
    str_put_hex(out, bytes, SHA_SIZE);
    out[SIGV4_HEX_LEN] = '\0';
}

void sha256_bytes(struct str bytes, uint8_t out[32])
{
    EVP_MD_CTX *digest = crypto_get()->digest;
    ASSERT(EVP_DigestInit_ex2(digest, crypto_sha256, NULL) == 1);
    ASSERT(EVP_DigestUpdate(digest, bytes.ptr, bytes.len) == 1);
    ASSERT(EVP_DigestFinal_ex(digest, out, NULL) == 1);
}

void sha256_hex(struct str bytes, char out[SIGV4_HEX_LEN + 1])
{
    uint8_t hash[SHA_SIZE];
    sha256_bytes(bytes, hash);
    put_hex(hash, out);
}

/* With the same key, OpenSSL continues from the state after the padded key: half of the work for a short text. */
static void mac_begin(struct crypto *crypto, struct str key)
{
    bool same = crypto->keyed && key.len == SHA_SIZE && CRYPTO_memcmp(crypto->mac_key, key.ptr, SHA_SIZE) == 0;
    ASSERT(EVP_MAC_init(crypto->mac, same ? NULL : (const unsigned char *)key.ptr, same ? 0 : key.len, NULL) == 1);
    if (same) { return; }
    crypto->keyed = key.len == SHA_SIZE;
    if (crypto->keyed) { memcpy(crypto->mac_key, key.ptr, SHA_SIZE); }
}

static void mac_end(struct crypto *crypto, uint8_t out[SHA_SIZE])
{
    size_t size = 0;
    ASSERT(EVP_MAC_final(crypto->mac, out, &size, SHA_SIZE) == 1);
    ASSERT(size == SHA_SIZE);                                   /* SHA-256 */
}

static void mac_add(struct crypto *crypto, struct str text)
{
    ASSERT(EVP_MAC_update(crypto->mac, (const unsigned char *)text.ptr, text.len) == 1);
}

static void hmac(struct crypto *crypto, struct str key, struct str text, uint8_t out[SHA_SIZE])
{
    mac_begin(crypto, key);
    mac_add(crypto, text);
    mac_end(crypto, out);
}

void hmac_sha256(struct str key, struct str text, uint8_t out[32]) { hmac(crypto_get(), key, text, out); }

/* ---- the canonical path ---- */

/* Characters that a canonical request does not encode: RFC 3986's unreserved ones. */
static bool is_unreserved(unsigned char c)
{
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')
        || c == '-' || c == '.' || c == '_' || c == '~';
}

static void hash_encoded(struct hasher *hasher, struct str s)
{
    for (size_t i = 0; i < s.len; i++) {
        unsigned char c = (unsigned char)s.ptr[i];
        if (is_unreserved(c)) {
            hash_char(hasher, s.ptr[i]);
        } else {
            hash_char(hasher, '%');
            hash_char(hasher, hex_upper[c >> 4]);
            hash_char(hasher, hex_upper[c & 15]);
        }
    }
}

/* The path as received, without empty and dot segments, encoded once more: every service except S3 signs it that way, so
 * "%20" in the request line becomes "%2520". */
static bool hash_path(struct hasher *hasher, struct str path)
{
    if (str_eq(path, STR("/"))) {
        hash_char(hasher, '/');
        return true;
    }
    struct str segments[SEGMENTS_MAX], segment, rest = path;
    size_t count = 0;
    bool more = path.len > 0;
    while (more) {
        more = str_cut(rest, '/', &segment, &rest);
        if (segment.len == 0 || str_eq(segment, STR("."))) { continue; }
        if (str_eq(segment, STR(".."))) {
            count -= count > 0;
        } else if (count == SEGMENTS_MAX) {
            return false;
        } else {
            segments[count++] = segment;
        }
    }
    for (size_t s = 0; s < count; s++) {
        hash_char(hasher, '/');
        hash_encoded(hasher, segments[s]);
    }
    if (count == 0 || str_ends_with(path, STR("/"))) { hash_char(hasher, '/'); }
    return true;
}

/* ---- the canonical query ---- */

/* Walks the canonical form of one name or value of a query: decoded as a form (a plus is a blank; a client may sign %20 and
 * send +), then encoded by the rules above. `pending` is the rest of an encoded byte. */
struct walk { struct str rest; char pending[2]; unsigned pending_count; };

/* Takes one decoded byte from the front. A percent sign without an escape is an ordinary character. */
static unsigned char take_decoded(struct str *rest)
{
    char c = rest->ptr[0];
    int high = rest->len >= 3 && c == '%' ? str_hex_value(rest->ptr[1]) : -1;
    int low = high >= 0 ? str_hex_value(rest->ptr[2]) : -1;
    *rest = str_slice(*rest, low >= 0 ? 3 : 1, rest->len);
    if (low >= 0) { return (unsigned char)(high << 4 | low); }
    return c == '+' ? ' ' : (unsigned char)c;
}

/* The next canonical character; -1 at the end. */
static int walk_next(struct walk *walk)
{
    if (walk->pending_count > 0) { return walk->pending[--walk->pending_count]; }
    if (walk->rest.len == 0) { return -1; }
    unsigned char c = take_decoded(&walk->rest);
    if (is_unreserved(c)) { return c; }
    walk->pending[0] = hex_upper[c & 15];
    walk->pending[1] = hex_upper[c >> 4];
    walk->pending_count = 2;
    return '%';
}

static int canonical_cmp(struct str a, struct str b)
{
    struct walk left = { .rest = a }, right = { .rest = b };
    int l, r;
    do {
        l = walk_next(&left);
        r = walk_next(&right);
    } while (l == r && l != -1);
    return l - r;
}

static void hash_canonical(struct hasher *hasher, struct str s)
{
    struct walk walk = { .rest = s };
    for (int c = walk_next(&walk); c != -1; c = walk_next(&walk)) { hash_char(hasher, (char)c); }
}

struct parameter { struct str name, value; };

static bool parameter_before(const struct parameter *a, const struct parameter *b)
{
    int order = canonical_cmp(a->name, b->name);
    return order != 0 ? order < 0 : canonical_cmp(a->value, b->value) < 0;
}

static bool hash_query(struct hasher *hasher, struct str query)
{
    if (query.len == 0) { return true; }
    struct parameter sorted[PARAMETERS_MAX];
    struct str piece, rest = query;
    size_t count = 0;
    while (rest.len > 0) {
        struct parameter parameter;
        str_cut(rest, '&', &piece, &rest);
        str_cut(piece, '=', &parameter.name, &parameter.value);
        if (piece.len == 0) { continue; }
        if (count == PARAMETERS_MAX) { return false; }
        size_t at = count++;
        for (; at > 0 && parameter_before(&parameter, &sorted[at - 1]); at--) { sorted[at] = sorted[at - 1]; }
        sorted[at] = parameter;
    }
    for (size_t p = 0; p < count; p++) {
        if (p > 0) { hash_char(hasher, '&'); }
        hash_canonical(hasher, sorted[p].name);
        hash_char(hasher, '=');
        hash_canonical(hasher, sorted[p].value);
    }
    return true;
}

/* ---- the canonical headers ---- */

static void hash_lower(struct hasher *hasher, struct str s)
{
    for (size_t i = 0; i < s.len; i++) {
        char c = s.ptr[i];
        hash_char(hasher, c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c);
    }
}

static bool is_blank(char c) { return c == ' ' || c == '\t'; }

static size_t run_of(struct str s, bool blank)
{
    size_t len = 0;
    while (len < s.len && is_blank(s.ptr[len]) == blank) { len++; }
    return len;
}

/* A header's value without outer blanks, and with one blank for a run of them. */
static void hash_header_value(struct hasher *hasher, struct str value)
{
    struct str rest = str_trim(value);
    while (rest.len > 0) {
        size_t word = run_of(rest, false);
        hash_str(hasher, (struct str){ rest.ptr, word });
        rest = (struct str){ rest.ptr + word, rest.len - word };
        size_t blanks = run_of(rest, true);
        if (blanks > 0) { hash_char(hasher, ' '); }
        rest = (struct str){ rest.ptr + blanks, rest.len - blanks };
    }
}

static bool hash_header(struct hasher *hasher, const struct sigv4_request *request, struct str name)
{
    bool found = false;
    for (size_t h = 0; h < request->header_count; h++) {
        if (!str_eq_nocase(request->headers[h].name, name)) { continue; }
        if (found) {
            hash_char(hasher, ',');
        } else {
            hash_lower(hasher, name);
            hash_char(hasher, ':');
        }
        found = true;
        hash_header_value(hasher, request->headers[h].value);
    }
    hash_char(hasher, '\n');
    return found;
}

/* In the order of the list, which a client sends sorted. */
static bool hash_headers(struct hasher *hasher, const struct sigv4_request *request, struct str signed_headers)
{
    struct str name, rest = signed_headers;
    bool more = true;
    for (size_t count = 0; more; count++) {
        more = str_cut(rest, ';', &name, &rest);
        if (count == SIGV4_HEADERS_MAX || !hash_header(hasher, request, name)) { return false; }
    }
    return true;
}

/* ---- the signature ---- */

static bool canonical_hash(struct crypto *crypto, const struct sigv4_request *request, struct str signed_headers,
                           char out[SIGV4_HEX_LEN + 1])
{
    char body_hash[SIGV4_HEX_LEN + 1];
    sha256_hex(request->body, body_hash);                          /* first: both use the thread's one context */

    struct hasher hasher;
    hash_begin(&hasher, crypto);
    hash_str(&hasher, request->method);
    hash_char(&hasher, '\n');
    if (!hash_path(&hasher, request->path)) { return false; }
    hash_char(&hasher, '\n');
    if (!hash_query(&hasher, request->query)) { return false; }
    hash_char(&hasher, '\n');
    if (!hash_headers(&hasher, request, signed_headers)) { return false; }
    hash_char(&hasher, '\n');
    hash_str(&hasher, signed_headers);
    hash_char(&hasher, '\n');
    hash_str(&hasher, (struct str){ body_hash, SIGV4_HEX_LEN });
    uint8_t hash[SHA_SIZE];
    hash_end(&hasher, hash);
    put_hex(hash, out);
    return true;
}

static struct str as_key(const uint8_t bytes[SHA_SIZE]) { return (struct str){ (const char *)bytes, SHA_SIZE }; }

static void derive_key(struct crypto *crypto, const struct sigv4_authorization *auth, struct str secret, uint8_t out[SHA_SIZE])
{
    char first[4 + KEY_NAME_MAX];
    struct arena scratch;
    arena_init(&scratch, secret.len + sizeof first);
    char *prefixed = secret.len <= KEY_NAME_MAX ? first : arena_alloc(&scratch, 1, secret.len + 4);
    memcpy(prefixed, "AWS4", 4);
    if (secret.len > 0) { memcpy(prefixed + 4, secret.ptr, secret.len); }

    uint8_t key[SHA_SIZE];
    hmac(crypto, (struct str){ prefixed, secret.len + 4 }, auth->date, key);
    hmac(crypto, as_key(key), auth->region, key);
    hmac(crypto, as_key(key), auth->service, key);
    hmac(crypto, as_key(key), STR("aws4_request"), out);
    OPENSSL_cleanse(key, sizeof key);
    OPENSSL_cleanse(prefixed, secret.len + 4);
    arena_finish(&scratch);
}

/* The parts, each after its length, so that different parts never have the same name. 0 if they are too long to keep. */
static size_t key_name(const struct sigv4_authorization *auth, struct str secret, char out[KEY_NAME_MAX])
{
    const struct str parts[] = { secret, auth->date, auth->region, auth->service };
    size_t len = 0;
    for (size_t p = 0; p < COUNT_OF(parts); p++) {
        if (parts[p].len > UINT8_MAX || parts[p].len + 1 > KEY_NAME_MAX - len) { return 0; }
        out[len++] = (char)parts[p].len;
        if (parts[p].len > 0) { memcpy(out + len, parts[p].ptr, parts[p].len); }
        len += parts[p].len;
    }
    return len;
}

static size_t key_slot_of(const char *name, size_t len)
{
    uint64_t hash = 0xcbf29ce484222325u;                           /* FNV-1a */
    for (size_t i = 0; i < len; i++) { hash = (hash ^ (unsigned char)name[i]) * 0x100000001b3u; }
    return (size_t)((hash >> 32) % KEY_SLOTS);
}

static void signing_key(struct crypto *crypto, const struct sigv4_authorization *auth, struct str secret, uint8_t out[SHA_SIZE])
{
    char name[KEY_NAME_MAX];
    size_t len = key_name(auth, secret, name);
    if (len == 0) {
        derive_key(crypto, auth, secret, out);
        return;
    }
    struct key_slot *slot = &crypto->keys[key_slot_of(name, len)];
    if (slot->name_len != len || memcmp(slot->name, name, len) != 0) {
        derive_key(crypto, auth, secret, slot->key);
        memcpy(slot->name, name, len);
        slot->name_len = len;
    }
    memcpy(out, slot->key, SHA_SIZE);
    OPENSSL_cleanse(name, len);
}

/* Parts that fit are joined first, because each call into OpenSSL is expensive. */
static void mac_add_parts(struct crypto *crypto, const struct str *parts, size_t count)
{
    char text[512];
    size_t len = 0;
    for (size_t p = 0; p < count; p++) {
        if (parts[p].len > sizeof text - len) {
            mac_add(crypto, (struct str){ text, len });
            len = 0;
        }
        if (parts[p].len > sizeof text) {
            mac_add(crypto, parts[p]);
        } else if (parts[p].len > 0) {
            memcpy(text + len, parts[p].ptr, parts[p].len);
            len += parts[p].len;
        }
    }
    mac_add(crypto, (struct str){ text, len });
}

bool sigv4_signature(const struct sigv4_request *request, const struct sigv4_authorization *auth, struct str amz_date,
                     struct str secret, char signature[SIGV4_HEX_LEN + 1])
{
    struct crypto *crypto = crypto_get();
    char canonical[SIGV4_HEX_LEN + 1];
    if (!canonical_hash(crypto, request, auth->signed_headers, canonical)) { return false; }

    uint8_t key[SHA_SIZE], hash[SHA_SIZE];
    signing_key(crypto, auth, secret, key);
    const struct str parts[] = {
        STR("AWS4-HMAC-SHA256\n"), amz_date, STR("\n"), auth->date, STR("/"), auth->region, STR("/"), auth->service,
        STR("/aws4_request\n"), { canonical, SIGV4_HEX_LEN },
    };
    mac_begin(crypto, as_key(key));
    mac_add_parts(crypto, parts, COUNT_OF(parts));
    mac_end(crypto, hash);
    put_hex(hash, signature);
    OPENSSL_cleanse(key, sizeof key);
    return true;
}

/* ---- the Authorization header, in ---- */

static bool incomplete(struct str header, const struct sigv4_authorization *auth, struct str credential, struct err *err)
{
    return err_set(err, ERR_INCOMPLETE_SIGNATURE, "%s%s%sAuthorization=" STR_FMT,
        credential.len == 0 ? "Authorization header requires 'Credential' parameter. " : "",
        auth->signature.len == 0 ? "Authorization header requires 'Signature' parameter. " : "",
        auth->signed_headers.len == 0 ? "Authorization header requires 'SignedHeaders' parameter. " : "",
        STR_ARG(str_slice(header, 0, sizeof err->message)));
}

/* From the back: a key id may hold a slash, the four parts of the scope may not. */
static bool parse_credential(struct str credential, struct sigv4_authorization *auth, struct err *err)
{
    struct str parts[5], rest = credential;
    for (size_t p = COUNT_OF(parts) - 1; p > 0; p--) {
        size_t slash = rest.len;
        while (slash > 0 && rest.ptr[slash - 1] != '/') { slash--; }
        parts[p] = str_slice(rest, slash, rest.len);
        rest = str_slice(rest, 0, slash > 0 ? slash - 1 : 0);
    }
    parts[0] = rest;
    for (size_t p = 0; p < COUNT_OF(parts); p++) {
        if (parts[p].len == 0) {
            return err_set(err, ERR_INCOMPLETE_SIGNATURE, "Credential must have exactly 5 slash-delimited elements, "
                "e.g. keyid/date/region/service/term, got '" STR_FMT "'", STR_ARG(str_slice(credential, 0, 256)));
        }
    }
    if (!str_eq(parts[4], STR("aws4_request"))) {
        return err_set(err, ERR_INVALID_SIGNATURE, "Credential should be scoped with a valid terminator: 'aws4_request', not '"
            STR_FMT "'.", STR_ARG(str_slice(parts[4], 0, 256)));
    }
    auth->access_key = parts[0];
    auth->date = parts[1];
    auth->region = parts[2];
    auth->service = parts[3];
    return true;
}

/* `name=value` pairs in any order, with commas, blanks or both between them. An unknown name is ignored. */
bool sigv4_parse_authorization(struct str header, struct sigv4_authorization *auth, struct err *err)
{
    *auth = (struct sigv4_authorization){ .signature = { NULL, 0 } };
    struct str algorithm, rest, credential = { NULL, 0 };
    str_cut(str_trim(header), ' ', &algorithm, &rest);
    if (!str_eq(algorithm, STR("AWS4-HMAC-SHA256"))) { return incomplete(header, auth, credential, err); }
    while (rest.len > 0) {
        struct str pair, name, value;
        str_cut(rest, str_find(rest, ',') < str_find(rest, ' ') ? ',' : ' ', &pair, &rest);
        str_cut(pair, '=', &name, &value);
        value = str_trim(value);
        if (str_eq(name, STR("Credential"))) {
            credential = value;
        } else if (str_eq(name, STR("SignedHeaders"))) {
            auth->signed_headers = value;
        } else if (str_eq(name, STR("Signature"))) {
            auth->signature = value;
        }
    }
    if (credential.len == 0 || auth->signed_headers.len == 0 || auth->signature.len == 0) {
        return incomplete(header, auth, credential, err);
    }
    return parse_credential(credential, auth, err);
}

/* ---- the Authorization header, out ---- */

static void put_lower(struct buf *buf, struct str s)
{
    for (size_t i = 0; i < s.len; i++) {
        char c = s.ptr[i];
        buf_put_char(buf, c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c);
    }
}

static struct str lower_copy(struct arena *arena, struct str s)
{
    struct buf buf = buf_in(arena);
    put_lower(&buf, s);
    return buf_str(&buf);
}

/* The names of all headers: lower case, sorted, each once, with semicolons between. */
static struct str signed_headers_of(const struct sigv4_request *request, struct arena *arena)
{
    struct str sorted[SIGV4_HEADERS_MAX];
    ASSERT(request->header_count > 0 && request->header_count <= SIGV4_HEADERS_MAX); /* requests that we send */
    for (size_t h = 0; h < request->header_count; h++) {
        struct str name = lower_copy(arena, request->headers[h].name);
        size_t at = h;
        for (; at > 0 && str_cmp(name, sorted[at - 1]) < 0; at--) { sorted[at] = sorted[at - 1]; }
        sorted[at] = name;
    }
    struct buf list = buf_in(arena);
    for (size_t h = 0; h < request->header_count; h++) {
        if (h > 0 && str_eq(sorted[h], sorted[h - 1])) { continue; }
        if (h > 0) { buf_put_char(&list, ';'); }
        buf_put(&list, sorted[h]);
    }
    return buf_str(&list);
}

struct str sigv4_sign(const struct sigv4_request *request, struct str access_key, struct str secret, struct str region,
                      struct str service, struct str amz_date, struct arena *arena)
{
    struct sigv4_authorization auth = {
        .access_key = access_key, .date = str_slice(amz_date, 0, 8), .region = region, .service = service,
        .signed_headers = signed_headers_of(request, arena),
    };
    char signature[SIGV4_HEX_LEN + 1];
    ASSERT(sigv4_signature(request, &auth, amz_date, secret, signature)); /* requests that we send, too */
    return arena_printf(arena, "AWS4-HMAC-SHA256 Credential=" STR_FMT "/" STR_FMT "/" STR_FMT "/" STR_FMT "/aws4_request, "
        "SignedHeaders=" STR_FMT ", Signature=%s", STR_ARG(access_key), STR_ARG(auth.date), STR_ARG(region), STR_ARG(service),
        STR_ARG(auth.signed_headers), signature);
}

/* ---- time ---- */

bool sigv4_format_time(int64_t epoch_ms, char out[SIGV4_TIME_LEN + 1])
{
    time_t seconds = (time_t)(epoch_ms / 1000);
    struct tm utc;
    out[0] = '\0';
    return epoch_ms >= 0 && gmtime_r(&seconds, &utc) != NULL && utc.tm_year <= 9999 - 1900
        && strftime(out, SIGV4_TIME_LEN + 1, "%Y%m%dT%H%M%SZ", &utc) == SIGV4_TIME_LEN;
}

static int digits_at(struct str text, size_t from, size_t count)
{
    int64_t value = -1;
    struct str digits = str_slice(text, from, from + count);
    return digits.ptr[0] != '-' && str_to_i64(digits, &value) ? (int)value : -1;
}

/* timegm() makes 2 March of 30 February, in the struct as well: comparing with the text that was read finds all such days and hours. */
bool sigv4_parse_time(struct str text, int64_t *epoch_ms)
{
    if (text.len != SIGV4_TIME_LEN || text.ptr[8] != 'T' || text.ptr[15] != 'Z') { return false; }
    const struct tm read = {
        .tm_year = digits_at(text, 0, 4) - 1900, .tm_mon = digits_at(text, 4, 2) - 1, .tm_mday = digits_at(text, 6, 2),
        .tm_hour = digits_at(text, 9, 2), .tm_min = digits_at(text, 11, 2), .tm_sec = digits_at(text, 13, 2),
    };
    if (read.tm_year < 1970 - 1900) { return false; }
    struct tm utc = read;
    int64_t seconds = (int64_t)timegm(&utc);
    bool same = utc.tm_year == read.tm_year && utc.tm_mon == read.tm_mon && utc.tm_mday == read.tm_mday && utc.tm_hour == read.tm_hour
        && utc.tm_min == read.tm_min && utc.tm_sec == read.tm_sec;
    if (same) { *epoch_ms = seconds * 1000; }
    return same;
}
