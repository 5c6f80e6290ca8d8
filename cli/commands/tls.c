/* `berth tls create`: a private authority, made once, and a server certificate, new each time: for
 * networks without another authority. P-256 keys: small, fast, and supported by every client. */
#include <arpa/inet.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <stdio.h>
#include <time.h>

#include "agent/core/state_file.h"
#include "base/assert.h"
#include "base/buf.h"
#include "base/rng.h"
#include "cli/cli.h"

enum { DAY_S = 24 * 3600, AUTHORITY_DAYS = 3650, SERVER_DAYS = 825, NAME_MAX_LEN = 253, SERIAL_BYTES = 16 };   /* 825: the limit of Apple's clients */

struct issuer { X509 *cert; EVP_PKEY *key; };
struct extension { int nid; const char *value; };

/* ---- names ---- */

static bool is_name(struct str name)
{
    for (size_t c = 0; c < name.len; c++) {
        char letter = name.ptr[c];
        bool plain = (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') || (letter >= '0' && letter <= '9');
        if (!plain && strchr(".-_*:", letter) == NULL) { return false; }
    }
    return name.len > 0 && name.len <= NAME_MAX_LEN;
}

static bool is_address(const char *name)
{
    struct in6_addr ignored;
    return inet_pton(AF_INET, name, &ignored) == 1 || inet_pton(AF_INET6, name, &ignored) == 1;
}

/* "gpu.example,10.0.0.5" → "DNS:gpu.example,IP:10.0.0.5,…"; this machine's own names are always among them. */
static bool alternative_names(const char *hosts, struct buf *out, struct arena *arena, struct err *err)
{
    struct str name, rest = arena_printf(arena, "%s,localhost,127.0.0.1,::1", hosts);
    while (rest.len > 0) {
        (void)str_cut(rest, ',', &name, &rest);
        name = str_trim(name);
        if (!is_name(name)) {
            return err_set(err, ERR_INVALID_PARAMETER, "\"" STR_FMT "\" is neither a host name nor an address.", STR_ARG(str_slice(name, 0, 100)));
        }
        buf_printf(out, "%s%s:" STR_FMT, out->len == 0 ? "" : ",", is_address(arena_cstr(arena, name)) ? "IP" : "DNS", STR_ARG(name));
    }
    buf_put_char(out, '\0');
    return true;
}

/* ---- certificates ---- */

static bool no_luck(struct err *err, const char *what)
{
    const char *reason = ERR_reason_error_string(ERR_peek_last_error());
    err_set(err, ERR_SERVER, "%s can't be made: %s.", what, reason != NULL ? reason : "OpenSSL does not say why");
    ERR_clear_error();
    return false;
}

static void name_it(X509_NAME *name, const char *text)
{
    ASSERT(X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_UTF8, (const unsigned char *)text, -1, -1, 0) == 1);
}

static void number_it(X509 *cert)
{
    unsigned char bytes[SERIAL_BYTES];
    rng_secret(bytes, sizeof bytes);
    bytes[0] = (unsigned char)((bytes[0] & 0x7F) | 0x40);                 /* positive, with a fixed length */
    BIGNUM *number = BN_bin2bn(bytes, sizeof bytes, NULL);
    ASSERT(number != NULL && BN_to_ASN1_INTEGER(number, X509_get_serialNumber(cert)) != NULL);
    BN_free(number);
}

static bool extend(X509 *cert, X509 *issuer, const struct extension *extensions, size_t count)
{
    X509V3_CTX context;
    X509V3_set_ctx_nodb(&context);
    X509V3_set_ctx(&context, issuer, cert, NULL, NULL, 0);
    for (size_t e = 0; e < count; e++) {
        X509_EXTENSION *extension = X509V3_EXT_conf_nid(NULL, &context, extensions[e].nid, extensions[e].value);
        bool added = extension != NULL && X509_add_ext(cert, extension, -1) == 1;
        X509_EXTENSION_free(extension);
        if (!added) { return false; }
    }
    return true;
}

/* by: NULL: self-signed. The caller owns *made, also on failure. */
static bool make(const char *name, int days, const struct extension *extensions, size_t count, const struct issuer *by, struct issuer *made,
                 struct err *err)
{
    *made = (struct issuer){ X509_new(), EVP_EC_gen("P-256") };
    if (made->cert == NULL || made->key == NULL) { return no_luck(err, name); }
    const struct issuer *signer = by != NULL ? by : made;
    ASSERT(X509_set_version(made->cert, X509_VERSION_3) == 1);
    number_it(made->cert);
    name_it(X509_get_subject_name(made->cert), name);
    bool good = X509_gmtime_adj(X509_getm_notBefore(made->cert), -DAY_S) != NULL          /* clocks differ */
        && X509_gmtime_adj(X509_getm_notAfter(made->cert), (long)days * DAY_S) != NULL
        && X509_set_issuer_name(made->cert, X509_get_subject_name(signer->cert)) == 1
        && X509_set_pubkey(made->cert, made->key) == 1
        && extend(made->cert, signer->cert, extensions, count)
        && X509_sign(made->cert, signer->key, EVP_sha256()) > 0;
    return good || no_luck(err, name);
}

static void issuer_free(struct issuer *issuer)
{
    X509_free(issuer->cert);
    EVP_PKEY_free(issuer->key);
}

/* ---- files ---- */

static bool write_pem(const char *path, const X509 *cert, const EVP_PKEY *key, struct err *err)
{
    BIO *bio = BIO_new(BIO_s_mem());
    char *bytes = NULL;
    bool good = bio != NULL && (cert == NULL || PEM_write_bio_X509(bio, cert) == 1)
        && (key == NULL || PEM_write_bio_PrivateKey(bio, key, NULL, NULL, 0, NULL, NULL) == 1);
    long len = good ? BIO_get_mem_data(bio, &bytes) : 0;
    good = good ? state_file_write(path, (struct str){ bytes, (size_t)len }, err) : no_luck(err, path);
    BIO_free(bio);
    return good;
}

/* Loads the authority of an earlier run. False without *err: it does not exist yet. */
static bool read_authority(const char *cert_path, const char *key_path, struct issuer *authority, struct err *err)
{
    BIO *cert = BIO_new_file(cert_path, "r"), *key = BIO_new_file(key_path, "r");
    bool there = cert != NULL || key != NULL;
    *authority = (struct issuer){ cert == NULL ? NULL : PEM_read_bio_X509(cert, NULL, NULL, NULL),
                                  key == NULL ? NULL : PEM_read_bio_PrivateKey(key, NULL, NULL, NULL) };
    BIO_free(cert);
    BIO_free(key);
    ERR_clear_error();
    bool whole = authority->cert != NULL && authority->key != NULL && X509_check_private_key(authority->cert, authority->key) == 1;
    if (there && !whole) {
        err_set(err, ERR_INVALID_PARAMETER, "%s and %s are not an authority: remove both to make a new one, and give its ca.pem to clients.", cert_path,
                key_path);
    }
    return whole;
}

static bool ready_authority(const char *cert_path, const char *key_path, struct issuer *authority, struct err *err)
{
    static const struct extension extensions[] = {
        { NID_basic_constraints, "critical,CA:TRUE,pathlen:0" }, { NID_key_usage, "critical,keyCertSign,cRLSign" }, { NID_subject_key_identifier, "hash" },
    };
    if (read_authority(cert_path, key_path, authority, err)) { return true; }
    issuer_free(authority);
    *authority = (struct issuer){ 0 };
    return err->code == ERR_NONE && make("Berth authority", AUTHORITY_DAYS, extensions, COUNT_OF(extensions), NULL, authority, err)
        && write_pem(key_path, NULL, authority->key, err) && write_pem(cert_path, authority->cert, NULL, err);
}

static bool make_server(const char *dir, const char *names, const struct issuer *authority, struct arena *arena, struct err *err)
{
    const struct extension extensions[] = {
        { NID_basic_constraints, "critical,CA:FALSE" }, { NID_key_usage, "critical,digitalSignature" }, { NID_ext_key_usage, "serverAuth,clientAuth" },
        { NID_authority_key_identifier, "keyid" }, { NID_subject_alt_name, names },
    };
    struct issuer server;
    bool good = make("Berth server", SERVER_DAYS, extensions, COUNT_OF(extensions), authority, &server, err)
        && write_pem(arena_printf(arena, "%s/key.pem", dir).ptr, NULL, server.key, err)
        && write_pem(arena_printf(arena, "%s/cert.pem", dir).ptr, server.cert, NULL, err)
        && write_pem(arena_printf(arena, "%s/default.pem", dir).ptr, server.cert, server.key, err);
    issuer_free(&server);
    return good;
}

int cli_tls(const struct config *config, struct arena *arena, struct err *err)
{
    const char *data = config_text(config, SETTING_DATA), *hosts = config_text(config, SETTING_HOST);
    if (config->argument_count != 1 || strcmp(config->arguments[0], "create") != 0) {
        return err_set(err, ERR_INVALID_PARAMETER, "use `berth tls create --host NAME`.") ? 0 : 1;
    }
    if (hosts == NULL) {
        return err_set(err, ERR_INVALID_PARAMETER, "the names that clients use for the server are needed: --host NAME[,NAME...].") ? 0 : 1;
    }
    const char *dir = arena_printf(arena, "%s/tls", data == NULL ? "berth-data" : data).ptr;
    const char *ca = arena_printf(arena, "%s/ca.pem", dir).ptr, *ca_key = arena_printf(arena, "%s/ca.key", dir).ptr;
    struct buf names = buf_in(arena);
    struct issuer authority = { 0 };
    bool good = alternative_names(hosts, &names, arena, err) && state_file_make_dir(dir, err) && ready_authority(ca, ca_key, &authority, err)
        && make_server(dir, names.ptr, &authority, arena, err);
    issuer_free(&authority);
    if (!good) { return 1; }
    printf("A certificate for %s and for this machine, valid for %d days, is in %s.\n", hosts, SERVER_DAYS, dir);
    printf("  Server   berth server --tls-cert %s/cert.pem --tls-key %s/key.pem\n", dir, dir);
    printf("  Ingress  berth ingress --certificates %s, or a folder with a copy of its default.pem\n", dir);
    printf("  Clients  --ca ca.pem, a copy of %s, which is not secret\n", ca);
    return 0;
}
