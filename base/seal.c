#include "base/seal.h"

#include <openssl/evp.h>

#include "base/rng.h"

enum { NONCE_LEN = 12, TAG_LEN = 16, TEXT_LEN_MAX = 1 << 30 };
_Static_assert(NONCE_LEN + TAG_LEN == SEAL_OVERHEAD, "the bytes beside the text");

static const unsigned char *bytes_of(struct str text) { return (const unsigned char *)(text.len > 0 ? text.ptr : ""); }

struct str seal_close(const struct seal_key *key, struct str context, struct str text, struct arena *arena)
{
    ASSERT(text.len < TEXT_LEN_MAX && context.len < TEXT_LEN_MAX); /* far above what a request can hold */
    unsigned char *out = arena_alloc(arena, text.len + SEAL_OVERHEAD, 1);
    int len = 0;
    rng_secret(out, NONCE_LEN);
    EVP_CIPHER_CTX *cipher = EVP_CIPHER_CTX_new();
    ASSERT(cipher != NULL);
    ASSERT(EVP_EncryptInit_ex(cipher, EVP_aes_256_gcm(), NULL, key->bytes, out) == 1);
    ASSERT(EVP_EncryptUpdate(cipher, NULL, &len, bytes_of(context), (int)context.len) == 1);
    ASSERT(EVP_EncryptUpdate(cipher, out + NONCE_LEN, &len, bytes_of(text), (int)text.len) == 1);
    ASSERT((size_t)len == text.len);                            /* GCM adds nothing */
    ASSERT(EVP_EncryptFinal_ex(cipher, out + NONCE_LEN + len, &len) == 1);
    ASSERT(EVP_CIPHER_CTX_ctrl(cipher, EVP_CTRL_GCM_GET_TAG, TAG_LEN, out + NONCE_LEN + text.len) == 1);
    EVP_CIPHER_CTX_free(cipher);
    return (struct str){ (const char *)out, text.len + SEAL_OVERHEAD };
}

bool seal_open(const struct seal_key *key, struct str context, struct str sealed, struct str *text, struct arena *arena)
{
    ASSERT(sealed.len < TEXT_LEN_MAX && context.len < TEXT_LEN_MAX); /* far above what a record can hold */
    if (sealed.len < SEAL_OVERHEAD) { return false; }
    size_t text_len = sealed.len - SEAL_OVERHEAD;
    const unsigned char *from = bytes_of(sealed);
    unsigned char *out = arena_alloc(arena, text_len + 1, 1), tag[TAG_LEN];
    int len = 0;
    memcpy(tag, from + NONCE_LEN + text_len, TAG_LEN);
    EVP_CIPHER_CTX *cipher = EVP_CIPHER_CTX_new();
    ASSERT(cipher != NULL);
    ASSERT(EVP_DecryptInit_ex(cipher, EVP_aes_256_gcm(), NULL, key->bytes, from) == 1);
    ASSERT(EVP_DecryptUpdate(cipher, NULL, &len, bytes_of(context), (int)context.len) == 1);
    ASSERT(EVP_DecryptUpdate(cipher, out, &len, from + NONCE_LEN, (int)text_len) == 1);
    ASSERT(EVP_CIPHER_CTX_ctrl(cipher, EVP_CTRL_GCM_SET_TAG, TAG_LEN, tag) == 1);
    bool good = EVP_DecryptFinal_ex(cipher, out + len, &len) == 1;
    EVP_CIPHER_CTX_free(cipher);
    *text = good ? (struct str){ (const char *)out, text_len } : (struct str){ NULL, 0 };
    return good;
}
