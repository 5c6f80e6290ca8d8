/* test_peers.c: who is ended when a connection comes and the threads are taken. */
#include "server/net/peers.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/assert.h"
#include "base/clock.h"
#include "base/log.h"
#include "tests/unit/check.h"

enum { THREADS = 8, STRANGERS_MAX = 6, PAIRS_MAX = 64, LONG_ENOUGH_MS = 40 };

struct pair { int server, client; struct peer *peer; };

static struct peers *peers;
static struct pair pairs[PAIRS_MAX];
static size_t pair_count;

/* NULL: it got no thread. */
static struct pair *come(void)
{
    int ends[2];
    ASSERT(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0);
    int number = peers_take(peers, ends[0]);
    if (number == 0) {
        close(ends[0]);
        close(ends[1]);
        return NULL;
    }
    struct pair *pair = &pairs[pair_count++];
    *pair = (struct pair){ .server = ends[0], .client = ends[1], .peer = peers_find(peers, number) };
    CHECK("by its number and by its socket", pair->peer != NULL && peers_find_socket(peers, ends[0]) == pair->peer);
    return pair;
}

static bool is_woken(void)
{
    uint64_t count;
    return read(peers_wake_file(peers), &count, sizeof count) == (ssize_t)sizeof count;
}

static bool is_ended(const struct pair *pair)
{
    struct pollfd look = { .fd = pair->client, .events = POLLIN | POLLRDHUP };
    bool hung_up = poll(&look, 1, 0) > 0;
    CHECK_EQ("told and done", hung_up, peer_was_ended(pair->peer));
    return hung_up;
}

static size_t ended_count(void)
{
    size_t count = 0;
    for (size_t p = 0; p < pair_count; p++) { count += is_ended(&pairs[p]); }
    return count;
}

static void begin(void)
{
    peers = peers_create(THREADS);
    pair_count = 0;
}

static void end(void)
{
    for (size_t p = 0; p < pair_count; p++) {
        close(pairs[p].client);
        close(pairs[p].server);
    }
    peers_destroy(peers);
}

static void rest(int64_t ms) { clock_sleep_ms(ms); }

static void come_known(size_t count)
{
    for (size_t n = 0; n < count; n++) {
        struct pair *pair = come();
        peers_prove(peers, pair->peer);
        peer_works(pair->peer);
    }
}

static void test_strangers(void)
{
    begin();
    for (size_t n = 0; n < STRANGERS_MAX; n++) { CHECK("a thread for each", come() != NULL); }
    CHECK("all have just come: one more has to wait", come() == NULL && ended_count() == 0);
    rest(LONG_ENOUGH_MS);
    CHECK("one more ends the oldest", come() != NULL && is_ended(&pairs[0]) && ended_count() == 1);
    peers_prove(peers, pairs[1].peer);
    CHECK("a thread is kept back no more for one that is known now", come() != NULL && ended_count() == 1);
    CHECK("the next ends a stranger", come() != NULL && !is_ended(&pairs[1]) && is_ended(&pairs[2]) && ended_count() == 2);
    peer_works(pairs[3].peer);
    rest(LONG_ENOUGH_MS);
    CHECK("but none that the server works for", come() != NULL && !is_ended(&pairs[3]) && is_ended(&pairs[4]) && ended_count() == 3);
    peers_prove(peers, pairs[0].peer);
    struct peers_counts counts = peers_count(peers);
    CHECK_EQ("strangers", counts.strangers, STRANGERS_MAX);
    CHECK_EQ("who was ended is known to nobody any more", counts.known, 1);
    CHECK_EQ("counted", counts.ended_strangers, 3);
    end();
}

static void test_unread(void)
{
    begin();
    for (size_t n = 0; n < STRANGERS_MAX; n++) { CHECK("it asks at once", send(come()->client, "x", 1, MSG_NOSIGNAL) == 1); }
    rest(LONG_ENOUGH_MS);
    CHECK("who asked and was not heard is not ended", come() == NULL && ended_count() == 0);
    peer_works(pairs[4].peer);
    peer_waits(pairs[4].peer);
    rest(LONG_ENOUGH_MS);
    CHECK("who was heard once may ask what it likes", come() != NULL && is_ended(&pairs[4]) && ended_count() == 1);
    end();
}

static void test_known(void)
{
    begin();
    come_known(THREADS);
    CHECK("nobody is ended while the server works for all", come() == NULL && ended_count() == 0);
    CHECK("nothing has changed", !is_woken());
    peer_waits(pairs[5].peer);
    rest(LONG_ENOUGH_MS);
    peer_waits(pairs[2].peer);
    CHECK("a moment's rest is no reason", come() == NULL && ended_count() == 0);
    rest(1100);
    CHECK("who has rested longest is ended", come() != NULL && is_ended(&pairs[5]) && ended_count() == 1);
    CHECK_EQ("and counted", peers_count(peers).ended_idle, 1);
    CHECK("the next waits for the stranger that has just come", come() == NULL || is_ended(&pairs[2]));
    end();

    begin();
    come_known(THREADS);
    CHECK("no thread", come() == NULL && !is_woken());
    peers_leave(peers, pairs[0].peer);
    CHECK("it is woken when one leaves", is_woken() && come() != NULL);
    pairs[0] = pairs[--pair_count];
    peers_leave(peers, pairs[0].peer);
    CHECK("and not when nobody asked", !is_woken());
    CHECK("numbers that nobody has", peers_find(peers, 0) == NULL && peers_find(peers, 2 * THREADS + 1) == NULL && peers_find_socket(peers, 9999) == NULL);
    CHECK("-1 is no peer's socket: free ones have it", peers_find_socket(peers, -1) == NULL);
    end();
}

static void test_left(void)
{
    begin();
    struct pair *pair = come();
    CHECK("it is there", !peer_has_left(pair->peer));
    ASSERT(send(pair->client, "x", 1, MSG_NOSIGNAL) == 1);
    CHECK("what says something is there", !peer_has_left(pair->peer));
    ASSERT(shutdown(pair->client, SHUT_WR) == 0);
    CHECK("it has closed its end", peer_has_left(pair->peer));
    end();
}

int main(void)
{
    log_set_level(LOG_ERROR);
    test_strangers();
    test_unread();
    test_known();
    test_left();
    return check_report();
}
