/* test_tls.c: TLS over sockets that never block, with a peer whose bytes come in pieces; certificates that change; and the command that
 * makes them. */
#include "server/net/tls.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <sys/socket.h>

#include "cli/cli.h"
#include "tests/unit/server/server_fixture.h"

enum { TURNS_MAX = 2000000, LARGE = 300 * 1000 };

static char dir[FIXTURE_PATH_MAX], cert_file[FIXTURE_PATH_MAX + 16], key_file[FIXTURE_PATH_MAX + 16], ca_file[FIXTURE_PATH_MAX + 16];
static struct arena arena;

/* ---- a peer ---- */

struct peer { SSL_CTX *context; SSL *ssl; BIO *in, *out; int fd; };          /* OpenSSL with memory instead of a socket */
struct ends { struct peer peer; struct ssl_st *ssl; int fd; };

static struct ends open_pair(struct tls *tls)
{
    struct ends pair;
    int fds[2], small = 4096;
    ASSERT(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, fds) == 0);
    ASSERT(setsockopt(fds[0], SOL_SOCKET, SO_SNDBUF, &small, sizeof small) == 0);
    pair.fd = fds[0];
    pair.ssl = tls_begin(tls, pair.fd);
    pair.peer = (struct peer){ .context = SSL_CTX_new(TLS_client_method()), .in = BIO_new(BIO_s_mem()), .out = BIO_new(BIO_s_mem()), .fd = fds[1] };
    ASSERT(pair.ssl != NULL && SSL_CTX_load_verify_locations(pair.peer.context, ca_file, NULL) == 1);
    SSL_CTX_set_verify(pair.peer.context, SSL_VERIFY_PEER, NULL);
    pair.peer.ssl = SSL_new(pair.peer.context);
    SSL_set_bio(pair.peer.ssl, pair.peer.in, pair.peer.out);
    SSL_set_connect_state(pair.peer.ssl);
    return pair;
}

static void close_pair(struct ends *pair)
{
    tls_end(pair->ssl);
    SSL_free(pair->peer.ssl);
    SSL_CTX_free(pair->peer.context);
    if (pair->peer.fd >= 0) { close(pair->peer.fd); }
    close(pair->fd);
    ERR_clear_error();
}

/* At most `step` bytes each way. */
static void pump(struct peer *peer, size_t step)
{
    char bytes[16384];
    ASSERT(step <= sizeof bytes);
    int pending = (int)BIO_ctrl_pending(peer->out);
    int size = BIO_read(peer->out, bytes, pending < (int)step ? pending : (int)step);
    if (size > 0) { ASSERT(send(peer->fd, bytes, (size_t)size, MSG_NOSIGNAL) == size || errno == EPIPE); }
    ssize_t got = recv(peer->fd, bytes, step, 0);
    if (got > 0) { ASSERT(BIO_write(peer->in, bytes, (int)got) == (int)got); }
}

static enum tls_greeting greet(struct ends *pair, size_t step)
{
    enum tls_greeting greeting = TLS_WAITS;
    for (int t = 0; t < TURNS_MAX && (greeting == TLS_WAITS || !SSL_is_init_finished(pair->peer.ssl)); t++) {
        (void)SSL_do_handshake(pair->peer.ssl);
        ERR_clear_error();
        pump(&pair->peer, step);
        if (greeting == TLS_WAITS) { greeting = tls_greet(pair->ssl); }
        if (greeting == TLS_FAILED) { break; }
    }
    return greeting;
}

/* ---- bytes ---- */

static void check_down(struct ends *pair, const char *text, size_t step)
{
    static char got[LARGE];
    size_t sent = 0, received = 0;
    bool waited = false;
    for (int t = 0; t < TURNS_MAX && received < LARGE; t++) {
        ssize_t moved = sent < LARGE ? tls_send(pair->ssl, text + sent, LARGE - sent) : 0;
        ASSERT(moved >= 0 || errno == EAGAIN);
        if (moved > 0) { sent += (size_t)moved; } else if (sent < LARGE && tls_wants_to_send(pair->ssl)) { waited = true; }
        pump(&pair->peer, step);
        int read = SSL_read(pair->peer.ssl, got + received, (int)(LARGE - received));
        if (read > 0) { received += (size_t)read; }
    }
    CHECK("a slow reader is waited for", waited);
    CHECK("and gets all", received == LARGE && memcmp(got, text, LARGE) == 0);
}

static void check_up(struct ends *pair, const char *text, size_t step)
{
    static char got[LARGE];
    size_t received = 0;
    CHECK_EQ("the peer says it all", SSL_write(pair->peer.ssl, text, LARGE), LARGE);
    for (int t = 0; t < TURNS_MAX && received < LARGE; t++) {
        pump(&pair->peer, step);
        ssize_t moved = tls_receive(pair->ssl, got + received, LARGE - received);
        if (moved < 0 && errno != EAGAIN) { break; }
        if (moved > 0) { received += (size_t)moved; }
    }
    CHECK("in pieces it comes too", received == LARGE && memcmp(got, text, LARGE) == 0);
}

static void test_pieces(struct tls *tls)
{
    static const size_t steps[] = { 1, 7, 16384 };
    static char text[LARGE];
    for (size_t t = 0; t < sizeof text; t++) { text[t] = (char)(t * 31 % 251); }
    for (size_t s = 0; s < COUNT_OF(steps); s++) {
        char bytes[16];
        struct ends pair = open_pair(tls);
        CHECK_EQ("nothing yet", tls_greet(pair.ssl), TLS_WAITS);
        CHECK_EQ("a handshake in pieces", greet(&pair, steps[s]), TLS_GREETED);
        CHECK("nothing was said", tls_receive(pair.ssl, bytes, sizeof bytes) < 0 && errno == EAGAIN);
        check_up(&pair, text, steps[s]);
        if (steps[s] > 1) { check_down(&pair, text, steps[s]); }
        (void)SSL_shutdown(pair.peer.ssl);
        for (int t = 0; t < 100; t++) { pump(&pair.peer, steps[s]); }
        CHECK_EQ("goodbye is the end", tls_receive(pair.ssl, bytes, sizeof bytes), 0);
        close_pair(&pair);
    }
}

static void test_ends(struct tls *tls)
{
    char bytes[16];
    struct ends pair = open_pair(tls);
    CHECK_EQ("a handshake", greet(&pair, 4096), TLS_GREETED);
    tls_say_goodbye(pair.ssl);
    for (int t = 0; t < 10; t++) { pump(&pair.peer, 4096); }
    CHECK_EQ("the peer hears goodbye", SSL_get_error(pair.peer.ssl, SSL_read(pair.peer.ssl, bytes, sizeof bytes)), SSL_ERROR_ZERO_RETURN);
    close_pair(&pair);

    pair = open_pair(tls);
    CHECK_EQ("a handshake", greet(&pair, 4096), TLS_GREETED);
    close(pair.peer.fd);
    pair.peer.fd = -1;
    CHECK("breaking off is an error", tls_receive(pair.ssl, bytes, sizeof bytes) < 0 && errno != EAGAIN);
    close_pair(&pair);
}

static void test_strangers(struct tls *tls)
{
    static const struct { const char *name; struct str bytes, answer; enum tls_greeting want; } rows[] = {
        { "plain HTTP is answered",       STR_INIT("GET / HTTP/1.1\r\nHost: a\r\n\r\n"),      STR_INIT("HTTP/1.1 400 Bad Request\r\n"), TLS_FAILED },
        { "a POST too",                   STR_INIT("POST / HTTP/1.1\r\nHost: a\r\n\r\n"),     STR_INIT("HTTP/1.1 400 Bad Request\r\n"), TLS_FAILED },
        { "bytes that are neither get no word", STR_INIT("\x01\x02\x03nonsense"),                  STR_INIT(""),     TLS_FAILED },
        { "a record without an end",      STR_INIT("\x16\x03\x01\xff\xff\x01\x00\x02\x03"),   STR_INIT("\x15"), TLS_FAILED },
        { "no length of a hello yet",     STR_INIT("\x16\x03\x01\x40\x00\x01\x00\x40"),       STR_INIT(""),     TLS_WAITS },
        { "the largest hello",            STR_INIT("\x16\x03\x01\x40\x00\x01\x00\x40\x00"),   STR_INIT(""),     TLS_WAITS },
        { "a hello that is too large",    STR_INIT("\x16\x03\x01\x40\x00\x01\x00\x40\x01"),   STR_INIT(""),     TLS_FAILED },
        { "the shortest first record",    STR_INIT("\x16\x03\x01\x00\x04\x01\x00\x02\x00"),   STR_INIT(""),     TLS_WAITS },
        { "a length in two records",      STR_INIT("\x16\x03\x01\x00\x03\x01\x00\x02\x16"),   STR_INIT(""),     TLS_FAILED },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        char got[1024] = "";
        struct ends pair = open_pair(tls);
        ASSERT(send(pair.peer.fd, rows[r].bytes.ptr, rows[r].bytes.len, 0) == (ssize_t)rows[r].bytes.len);
        CHECK_EQ(rows[r].name, tls_greet(pair.ssl), rows[r].want);
        ssize_t size = recv(pair.peer.fd, got, sizeof got - 1, 0);
        CHECK(rows[r].name, str_starts_with((struct str){ got, size > 0 ? (size_t)size : 0 }, rows[r].answer));
        if (r < 2) { CHECK("it says what to do", strstr(got, "begins with https://") != NULL); }
        close_pair(&pair);
    }
}

/* ---- certificates ---- */

static int create_certificate(const char *host, struct err *err)
{
    char create[] = "create", data[] = "--data", named[] = "--host", *names = strdup(host);
    char *argv[] = { create, data, dir, named, names, NULL }, *environment[] = { NULL };
    const struct config_sources sources = { .argc = 5, .argv = argv, .environment = environment };
    struct config config;
    *err = (struct err){ 0 };
    ASSERT(config_read(COMMAND_TLS, &sources, &config, &arena, err));
    int status = cli_tls(&config, &arena, err);
    free(names);
    return status;
}

static bool serves_file(struct tls *tls)
{
    struct ends pair = open_pair(tls);
    FILE *file = fopen(cert_file, "re");
    ASSERT(file != NULL);
    X509 *wanted = PEM_read_X509(file, NULL, NULL, NULL);
    fclose(file);
    ASSERT(wanted != NULL && greet(&pair, 4096) == TLS_GREETED);
    X509 *shown = SSL_get1_peer_certificate(pair.peer.ssl);
    bool same = X509_cmp(shown, wanted) == 0;
    X509_free(shown);
    X509_free(wanted);
    close_pair(&pair);
    return same;
}

static void put_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "we");
    ASSERT(file != NULL && fputs(text, file) >= 0 && fclose(file) == 0);
}

static void test_change(struct tls *tls)
{
    struct err err;
    CHECK("the file's certificate is served", serves_file(tls));
    CHECK_EQ("another certificate", create_certificate("b.example", &err), 0);
    CHECK("nobody has looked", !serves_file(tls));
    tls_look(tls);
    CHECK("it may still be written", !serves_file(tls));
    tls_look(tls);
    CHECK("it has been left alone", serves_file(tls));

    struct ends pair = open_pair(tls);
    CHECK_EQ("a connection", greet(&pair, 4096), TLS_GREETED);
    put_file(key_file, "nonsense");
    for (int l = 0; l < 3; l++) { tls_look(tls); }
    CHECK("a bad key changes nothing", serves_file(tls));
    CHECK_EQ("a third certificate", create_certificate("c.example", &err), 0);
    for (int l = 0; l < 2; l++) { tls_look(tls); }
    CHECK("a good one is taken after it", serves_file(tls));
    CHECK_EQ("who was there stays", tls_send(pair.ssl, "x", 1), 1);
    close_pair(&pair);
}

static void test_refusals(void)
{
    static const struct { const char *name, *cert, *key, *complaint; } rows[] = {
        { "no certificate there", "/nowhere",    NULL,         "/nowhere can't be read" },
        { "no key there",         NULL,          "/nowhere",   "/nowhere can't be read" },
        { "a folder",             "/",           NULL,         "There is no certificate in /" },
        { "nothing in it",        "/dev/null",   NULL,         "There is no certificate in /dev/null" },
        { "no key in it",         NULL,          "/dev/null",  "There is no key in /dev/null" },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct err err = { 0 };
        struct tls *tls = tls_create(rows[r].cert != NULL ? rows[r].cert : cert_file, rows[r].key != NULL ? rows[r].key : key_file, &err);
        CHECK(rows[r].name, tls == NULL && strstr(err.message, rows[r].complaint) != NULL);
        tls_destroy(tls);
    }
    static const struct { const char *name, *host; int status; } hosts[] = {
        { "names and addresses", "a.example,*.b.example,10.0.0.5,fd00::1", 0 }, { "an empty one", "a,,b", 1 }, { "a blank in it", "a b", 1 },
        { "more than a name", "a\nDNS:b", 1 },
    };
    for (size_t h = 0; h < COUNT_OF(hosts); h++) {
        struct err err;
        CHECK_EQ(hosts[h].name, create_certificate(hosts[h].host, &err), hosts[h].status);
        CHECK_EQ("it is said why", err.code != ERR_NONE, hosts[h].status != 0);
    }
}

int main(void)
{
    struct err err = { 0 };
    arena_init(&arena, FIXTURE_ARENA_BYTES);
    fixture_make_dir(dir);
    (void)snprintf(cert_file, sizeof cert_file, "%s/tls/cert.pem", dir);
    (void)snprintf(key_file, sizeof key_file, "%s/tls/key.pem", dir);
    (void)snprintf(ca_file, sizeof ca_file, "%s/tls/ca.pem", dir);
    CHECK_EQ("a certificate", create_certificate("a.example", &err), 0);
    struct tls *tls = tls_create(cert_file, key_file, &err);
    ASSERT(tls != NULL);
    test_pieces(tls);
    test_ends(tls);
    test_strangers(tls);
    test_change(tls);
    test_refusals();
    tls_destroy(tls);
    fixture_remove_dir(dir);
    arena_finish(&arena);
    return check_report();
}
