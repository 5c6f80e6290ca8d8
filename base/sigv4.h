/* sigv4.h: AWS Signature Version 4 over OpenSSL (one owner: sigv4.c). Builds the canonical request and the signature for
 * both sides: the agent signs, the server compares. Source: the public Signature Version 4 specification.
 * Signing keys are cached per thread by (secret, date, region, service); contexts are per thread. */
#ifndef BERTH_BASE_SIGV4_H
#define BERTH_BASE_SIGV4_H

#include "base/arena.h"
#include "base/err.h"

enum { SIGV4_HEX_LEN = 64, SIGV4_TIME_LEN = 16, SIGV4_HEADERS_MAX = 64 };

struct sigv4_header { struct str name, value; };                   /* as on the wire; names in any case */

struct sigv4_request {
    struct str method, path, query, body;                         /* path and query as on the request line, still encoded */
    const struct sigv4_header *headers; size_t header_count;      /* borrowed */
};

struct sigv4_authorization {                                      /* borrowed from the Authorization header */
    struct str access_key, date, region, service, signed_headers, signature;
};

/* ERR_INCOMPLETE_SIGNATURE names the missing part, in ECS's words. */
bool sigv4_parse_authorization(struct str header, struct sigv4_authorization *auth, struct err *err);

/* The signature that a holder of `secret` gives this request. `amz_date` is the X-Amz-Date (20150830T123600Z).
 * False when a signed header is absent from the request. */
bool sigv4_signature(const struct sigv4_request *request, const struct sigv4_authorization *auth, struct str amz_date,
                     struct str secret, char signature[SIGV4_HEX_LEN + 1]);

/* Writes the Authorization header's value for an outgoing request. All given headers are signed; they must hold
 * host and x-amz-date. The text lives in `arena`. */
struct str sigv4_sign(const struct sigv4_request *request, struct str access_key, struct str secret, struct str region,
                      struct str service, struct str amz_date, struct arena *arena);

/* 20150830T123600Z. False, and an empty text: the time is before 1970 or after 9999, which parsing refuses too. A request that is
 * signed with the empty text is refused as one without a date. */
bool sigv4_format_time(int64_t epoch_ms, char out[SIGV4_TIME_LEN + 1]);
MUST_USE bool sigv4_parse_time(struct str text, int64_t *epoch_ms);
void sha256_hex(struct str bytes, char out[SIGV4_HEX_LEN + 1]);
void sha256_bytes(struct str bytes, uint8_t out[32]);
void hmac_sha256(struct str key, struct str text, uint8_t out[32]);

#endif
