/* tls.c: the rules (TLS 1.2 and 1.3, no renegotiation, no cache: tickets resume), the certificate, and connections.
 *
 * Every handshake asks for the certificate again, under a lock, so that it can be exchanged while connections come. */
#include "server/net/tls.h"

#include <errno.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "base/assert.h"
#include "base/lock.h"
#include "base/log.h"
#include "base/num.h"

enum {
    CHAIN_MAX = 16,
    PLAIN_PIECES = 64,                       /* from a peer that does not speak TLS, read before it gets an answer */
    RECORD_HEAD = 5, HELLO_HEAD = RECORD_HEAD + 4, HELLO_MAX = 16 * 1024, RECORD_HANDSHAKE = 0x16,
};

struct certificate { X509 *leaf; EVP_PKEY *key; STACK_OF(X509) *chain; };

/* Which state of a file was seen. */
struct stamp { int64_t changed_s, changed_ns; uint64_t inode; int64_t size; };
struct stamps { struct stamp cert, key; };

struct tls {
    SSL_CTX *context;
    char *cert_file, *key_file;
    struct stamps seen, taken;               /* of tls_look only */
    struct lock lock;
    struct certificate certificate;          /* guarded by lock */
};

/* ---- reading files ---- */

static const char *last_reason(void)
{
    const char *reason = ERR_reason_error_string(ERR_peek_last_error());
    return reason != NULL ? reason : "OpenSSL does not say why";
}

static void certificate_free(struct certificate *certificate)
{
    X509_free(certificate->leaf);
    EVP_PKEY_free(certificate->key);
    sk_X509_pop_free(certificate->chain, X509_free);
    *certificate = (struct certificate){ 0 };
}

static BIO *open_file(const char *file, struct err *err)
{
    BIO *bio = BIO_new_file(file, "r");
    if (bio == NULL) { err_set(err, ERR_INVALID_PARAMETER, "The file %s can't be read: %s.", file, strerror(errno)); }
    return bio;
}

static bool read_chain(BIO *bio, struct certificate *certificate)
{
    certificate->leaf = PEM_read_bio_X509(bio, NULL, NULL, NULL);
    certificate->chain = sk_X509_new_null();
    ASSERT(certificate->chain != NULL);
    for (X509 *next = NULL; certificate->leaf != NULL && sk_X509_num(certificate->chain) < CHAIN_MAX;) {
        next = PEM_read_bio_X509(bio, NULL, NULL, NULL);
        if (next == NULL) { break; }
        ASSERT(sk_X509_push(certificate->chain, next) > 0);
    }
    return certificate->leaf != NULL;
}

/* Nobody is there to be asked for a passphrase. */
static int no_passphrase(char *out, int size, int writing, void *context)
{
    (void)out;
    (void)size;
    (void)writing;
    bool *asked = context;
    *asked = true;
    return -1;
}

static bool read_files(const char *cert_file, const char *key_file, struct certificate *certificate, struct err *err)
{
    bool asked = false;
    BIO *cert = open_file(cert_file, err), *key = cert != NULL ? open_file(key_file, err) : NULL;
    if (cert != NULL && key != NULL && !read_chain(cert, certificate)) {
        err_set(err, ERR_INVALID_PARAMETER, "There is no certificate in %s: it should have one in PEM form (%s).", cert_file, last_reason());
    } else if (cert != NULL && key != NULL) {
        certificate->key = PEM_read_bio_PrivateKey(key, NULL, no_passphrase, &asked);
        if (certificate->key == NULL && asked) {
            err_set(err, ERR_INVALID_PARAMETER, "The key in %s has a passphrase, which the server can't ask for.", key_file);
        } else if (certificate->key == NULL) {
            err_set(err, ERR_INVALID_PARAMETER, "There is no key in %s: it should have one in PEM form (%s).", key_file, last_reason());
        }
    }
    BIO_free(cert);
    BIO_free(key);
    ERR_clear_error();
    return err->code == ERR_NONE;
}

/* As in every handshake, so that what would fail there fails here. */
static bool check_use(const struct tls *tls, const struct certificate *certificate, struct err *err)
{
    if (X509_check_private_key(certificate->leaf, certificate->key) != 1) {
        ERR_clear_error();
        return err_set(err, ERR_INVALID_PARAMETER, "The key in %s does not belong to the certificate in %s.", tls->key_file, tls->cert_file);
    }
    SSL *trial = SSL_new(tls->context);
    ASSERT(trial != NULL);
    if (SSL_use_cert_and_key(trial, certificate->leaf, certificate->key, certificate->chain, 1) != 1) {
        err_set(err, ERR_INVALID_PARAMETER, "The certificate in %s can't be used: %s.", tls->cert_file, last_reason());
    }
    SSL_free(trial);
    ERR_clear_error();
    return err->code == ERR_NONE;
}

static void warn_of_dates(const struct tls *tls, const X509 *leaf)
{
    if (X509_cmp_current_time(X509_get0_notAfter(leaf)) <= 0) {
        log_line(LOG_WARN, "tls", "the certificate in %s has expired: clients will refuse it", tls->cert_file);
    } else if (X509_cmp_current_time(X509_get0_notBefore(leaf)) > 0) {
        log_line(LOG_WARN, "tls", "the certificate in %s is not valid yet: clients will refuse it", tls->cert_file);
    }
}

static bool take_files(struct tls *tls, struct err *err)
{
    struct certificate fresh = { 0 };
    if (!read_files(tls->cert_file, tls->key_file, &fresh, err) || !check_use(tls, &fresh, err)) {
        certificate_free(&fresh);
        return false;
    }
    warn_of_dates(tls, fresh.leaf);
    lock_take(&tls->lock);
    struct certificate old = tls->certificate;
    tls->certificate = fresh;
    lock_drop(&tls->lock);
    certificate_free(&old);                  /* connections that use it hold it too */
    return true;
}

static struct stamp stamp_of(const char *file)
{
    struct stat stat_of;
    if (stat(file, &stat_of) != 0) { return (struct stamp){ 0 }; }
    return (struct stamp){ stat_of.st_mtim.tv_sec, stat_of.st_mtim.tv_nsec, stat_of.st_ino, stat_of.st_size };
}

static struct stamps stamps_of(const struct tls *tls) { return (struct stamps){ stamp_of(tls->cert_file), stamp_of(tls->key_file) }; }

static bool stamp_eq(struct stamp a, struct stamp b)
{
    return a.changed_s == b.changed_s && a.changed_ns == b.changed_ns && a.inode == b.inode && a.size == b.size;
}

static bool stamps_eq(struct stamps a, struct stamps b) { return stamp_eq(a.cert, b.cert) && stamp_eq(a.key, b.key); }

void tls_look(struct tls *tls)
{
    struct err err = { 0 };
    if (tls == NULL) { return; }
    struct stamps now = stamps_of(tls);
    bool settled = stamps_eq(now, tls->seen);
    tls->seen = now;
    if (!settled || stamps_eq(now, tls->taken)) { return; }
    tls->taken = now;
    if (take_files(tls, &err)) {
        log_line(LOG_INFO, "tls", "the certificate was read again from %s", tls->cert_file);
    } else {
        log_line(LOG_WARN, "tls", "the certificate stays as it was: %s", err.message);
    }
}

/* ---- what OpenSSL calls ---- */

static int on_certificate(SSL *ssl, void *context)
{
    struct tls *tls = context;
    lock_take(&tls->lock);
    int used = SSL_use_cert_and_key(ssl, tls->certificate.leaf, tls->certificate.key, tls->certificate.chain, 1);
    lock_drop(&tls->lock);
    return used;
}

/* A peer that speaks plain HTTP gets an answer that says so. Its bytes are read first: closing a socket with unread bytes would drop the answer. */
static void tell_https(int fd)
{
    static const char answer[] =
        "HTTP/1.1 400 Bad Request\r\nContent-Type: application/x-amz-json-1.1\r\nContent-Length: 114\r\nConnection: close\r\n\r\n"
        "{\"__type\":\"ClientException\",\"message\":\"This port speaks TLS: the address begins with https://, not with http://.\"}";
    char piece[4096];
    _Static_assert(sizeof answer == 110 + 114 + 1, "the length says what follows");
    for (int p = 0; p < PLAIN_PIECES && recv(fd, piece, sizeof piece, MSG_DONTWAIT) > 0; p++) { }
    (void)send(fd, answer, sizeof answer - 1, MSG_NOSIGNAL | MSG_DONTWAIT);
    (void)shutdown(fd, SHUT_WR);
}

static _Thread_local int newest_socket = -1;

int tls_take_newest_socket(void)
{
    int socket = newest_socket;
    newest_socket = -1;
    return socket;
}

static void on_progress(const SSL *ssl, int where, int result)
{
    if ((where & SSL_CB_HANDSHAKE_START) != 0) { newest_socket = SSL_get_fd(ssl); }
    bool failed = where == SSL_CB_ACCEPT_EXIT && result <= 0;
    if (failed && ERR_GET_REASON(ERR_peek_last_error()) == SSL_R_HTTP_REQUEST) { tell_https(SSL_get_fd(ssl)); }
}

/* ---- life ---- */

static SSL_CTX *make_context(struct tls *tls)
{
    SSL_CTX *context = SSL_CTX_new(TLS_server_method());
    ASSERT(context != NULL);
    ASSERT(SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION) == 1);
    (void)SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_CIPHER_SERVER_PREFERENCE);
    (void)SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS);    /* most connections wait */
    (void)SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
    SSL_CTX_set_cert_cb(context, on_certificate, tls);
    SSL_CTX_set_info_callback(context, on_progress);
    return context;
}

struct tls *tls_create(const char *cert_file, const char *key_file, struct err *err)
{
    struct tls *tls = calloc(1, sizeof *tls);
    ASSERT(tls != NULL);
    lock_init(&tls->lock);
    tls->cert_file = strdup(cert_file);
    tls->key_file = strdup(key_file);
    ASSERT(tls->cert_file != NULL && tls->key_file != NULL);
    tls->context = make_context(tls);
    tls->seen = tls->taken = stamps_of(tls);
    if (take_files(tls, err)) { return tls; }
    tls_destroy(tls);
    return NULL;
}

bool tls_ask_for_certificates(struct tls *tls, const char *ca_file, struct err *err)
{
    static const unsigned char session[] = "berth";      /* a resumed session has its certificate from the first handshake */
    STACK_OF(X509_NAME) *names = SSL_load_client_CA_file(ca_file);
    if (names == NULL || SSL_CTX_load_verify_locations(tls->context, ca_file, NULL) != 1) {
        sk_X509_NAME_pop_free(names, X509_NAME_free);
        return err_set(err, ERR_INVALID_PARAMETER, "There is no authority in %s: it should have one in PEM form (%s).", ca_file, last_reason());
    }
    SSL_CTX_set_client_CA_list(tls->context, names);     /* takes the names; a browser without such a certificate asks its user nothing */
    ASSERT(SSL_CTX_set_session_id_context(tls->context, session, sizeof session - 1) == 1);
    SSL_CTX_set_verify(tls->context, SSL_VERIFY_PEER, NULL);
    return true;
}

void tls_destroy(struct tls *tls)
{
    if (tls == NULL) { return; }
    SSL_CTX_free(tls->context);
    certificate_free(&tls->certificate);
    lock_finish(&tls->lock);
    free(tls->cert_file);
    free(tls->key_file);
    free(tls);
}

SSL_CTX *tls_context(const struct tls *tls) { return tls->context; }

/* ---- connections ---- */

SSL *tls_begin(struct tls *tls, int fd)
{
    SSL *ssl = SSL_new(tls->context);
    if (ssl == NULL || SSL_set_fd(ssl, fd) != 1) {
        SSL_free(ssl);
        return NULL;
    }
    (void)SSL_set_mode(ssl, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    SSL_set_accept_state(ssl);
    int least = HELLO_HEAD;                  /* fewer bytes wake nobody: they could not be used */
    (void)setsockopt(fd, SOL_SOCKET, SO_RCVLOWAT, &least, sizeof least);
    return ssl;
}

/* OpenSSL makes room for a whole hello, up to 128 KiB, as soon as it has seen the nine bytes that say its length, and anybody can say one. So it
 * sees them when the length is one that clients have. What is no handshake at all is OpenSSL's to refuse. */
static enum tls_greeting look_at_hello(int fd)
{
    unsigned char head[HELLO_HEAD];
    ssize_t got = recv(fd, head, sizeof head, MSG_PEEK | MSG_DONTWAIT);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) { return TLS_WAITS; }
    if (got <= 0 || head[0] != RECORD_HANDSHAKE) { return TLS_GREETED; }
    if (got < HELLO_HEAD) { return TLS_WAITS; }
    unsigned record = (unsigned)head[3] << 8 | head[4], hello = (unsigned)head[6] << 16 | (unsigned)head[7] << 8 | head[8];
    return record >= HELLO_HEAD - RECORD_HEAD && hello <= HELLO_MAX ? TLS_GREETED : TLS_FAILED;
}

enum tls_greeting tls_greet(SSL *ssl)
{
    enum tls_greeting looked = SSL_in_before(ssl) ? look_at_hello(SSL_get_fd(ssl)) : TLS_GREETED;
    if (looked != TLS_GREETED) { return looked; }
    int one = 1;
    (void)setsockopt(SSL_get_fd(ssl), SOL_SOCKET, SO_RCVLOWAT, &one, sizeof one);
    ERR_clear_error();
    int result = SSL_do_handshake(ssl), why = SSL_get_error(ssl, result);
    if (result == 1) { return TLS_GREETED; }
    return why == SSL_ERROR_WANT_READ || why == SSL_ERROR_WANT_WRITE ? TLS_WAITS : TLS_FAILED;
}

static ssize_t as_errno(SSL *ssl, int result)
{
    switch (SSL_get_error(ssl, result)) {
    case SSL_ERROR_WANT_READ:
    case SSL_ERROR_WANT_WRITE: errno = EAGAIN; break;
    case SSL_ERROR_ZERO_RETURN: return 0;
    default: errno = EPROTO; break;          /* it can only be ended */
    }
    return -1;
}

static int as_int(size_t size) { return size > INT32_MAX ? INT32_MAX : (int)size; }

ssize_t tls_receive(SSL *ssl, void *bytes, size_t size)
{
    ERR_clear_error();
    int got = SSL_read(ssl, bytes, as_int(size));
    return got > 0 ? got : as_errno(ssl, got);
}

ssize_t tls_send(SSL *ssl, const void *bytes, size_t size)
{
    ERR_clear_error();
    int sent = SSL_write(ssl, bytes, as_int(size));
    return sent > 0 ? sent : as_errno(ssl, sent);
}

bool tls_wants_to_send(const SSL *ssl) { return SSL_want_write(ssl); }

void tls_say_goodbye(SSL *ssl)
{
    ERR_clear_error();
    (void)SSL_shutdown(ssl);                 /* a peer that is gone, or too slow for two dozen bytes, does without */
    ERR_clear_error();
}

void tls_end(SSL *ssl) { SSL_free(ssl); }
