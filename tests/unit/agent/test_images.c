/* test_images.c: decisions about images, the book of those that were pulled, and the machinery around a runtime whose pulls
 * end when the test says so. */
#include "agent/images/images.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "agent/docker/docker.h"
#include "agent/images/book.h"
#include "base/clock.h"
#include "tests/unit/agent/memory_registry.h"
#include "tests/unit/check.h"

enum { LONG_MS = 120 * 1000, HOUR_MS = 3600 * 1000 };

/* ---- rules ---- */

static void test_behaviours(void)
{
    static const struct { const char *name; enum image_pull behaviour; bool here, pulled, want; } rows[] = {
        { "default pulls an image that is here", IMAGE_PULL_DEFAULT, true, true, true }, { "and one that is not", IMAGE_PULL_DEFAULT, false, false, true },
        { "always pulls an image that is here", IMAGE_PULL_ALWAYS, true, true, true },
        { "once: pulled before", IMAGE_PULL_ONCE, true, true, false }, { "once: here, but from elsewhere", IMAGE_PULL_ONCE, true, false, true },
        { "once: pulled before and gone", IMAGE_PULL_ONCE, false, true, true },
        { "prefer-cached: here", IMAGE_PULL_PREFER_CACHED, true, false, false }, { "prefer-cached: not here", IMAGE_PULL_PREFER_CACHED, false, false, true },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        CHECK_EQ(rows[r].name, image_must_be_pulled(image_rule(rows[r].behaviour), rows[r].here, rows[r].pulled), rows[r].want);
    }
}

static void test_failures(void)
{
    static const struct { const char *message; bool final; } rows[] = {
        { "manifest for r/app:1 not found: manifest unknown: manifest unknown", true },
        { "pull access denied for app, repository does not exist or may require 'docker login': denied: requested access", true },
        { "Get \"http://r/v2/app/manifests/1\": no basic auth credentials", true }, { "unauthorized: authentication required", true },
        { "invalid reference format", true }, { "Get \"http://127.0.0.1:1/v2/\": dial tcp 127.0.0.1:1: connect: connection refused", false },
        { "received unexpected HTTP status: 503 Service Unavailable", false }, { "toomanyrequests: You have reached your pull rate limit", false },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) { CHECK_EQ(rows[r].message, image_failure_is_final(rows[r].message), rows[r].final); }
    static const int64_t pauses[] = { 1100, 2200, 4400, 5000, 5000 };
    for (int a = 0; a < (int)COUNT_OF(pauses); a++) { CHECK_EQ("a pause", image_pause_ms(a + 1), pauses[a]); }
    CHECK_EQ("a late pause", image_pause_ms(100), 5000);
}

static void test_choice(void)
{
    enum { NOW = 100 * 1000, AGE = 10 * 1000 };
#define CANDIDATE(name, own, in_use, pulled, used) { STR_INIT(name), own, in_use, pulled, used }
    static const struct { const char *name; struct image_candidate candidates[4]; size_t count, most; const char *want; } rows[] = {
        { "nothing", { CANDIDATE("a", true, false, 0, 0) }, 0, 5, "" },
        { "old enough by a hair", { CANDIDATE("a", true, false, NOW - AGE, 0) }, 1, 5, "a" },
        { "too young by a hair", { CANDIDATE("a", true, false, NOW - AGE + 1, 0) }, 1, 5, "" },
        { "used by a container", { CANDIDATE("a", true, true, 0, 0) }, 1, 5, "" },
        { "somebody else's", { CANDIDATE("a", false, false, 0, 0) }, 1, 5, "" },
        { "least recently used first", { CANDIDATE("a", true, false, 0, 3), CANDIDATE("b", true, false, 0, 1), CANDIDATE("c", true, false, 0, 2) }, 3, 5, "bca" },
        { "no more than that", { CANDIDATE("a", true, false, 0, 3), CANDIDATE("b", true, false, 0, 1), CANDIDATE("c", true, false, 0, 2) }, 3, 2, "bc" },
        { "none at all", { CANDIDATE("a", true, false, 0, 3) }, 1, 0, "" },
        { "ties by name", { CANDIDATE("c", true, false, 0, 1), CANDIDATE("a", true, false, 0, 1), CANDIDATE("b", true, true, 0, 0) }, 3, 5, "ac" },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        size_t chosen[4], count = image_choose(rows[r].candidates, rows[r].count, NOW, AGE, rows[r].most, chosen);
        char got[8] = "";
        for (size_t c = 0; c < count; c++) { got[c] = rows[r].candidates[chosen[c]].image.ptr[0]; }
        CHECK_STR(rows[r].name, str_from(got), str_from(rows[r].want));
    }
}

static void test_book(void)
{
    struct image_book book = { 0 }, again = { 0 };
    struct arena arena;
    struct err err = { 0 };
    arena_init(&arena, 1 << 20);
    image_book_pulled(&book, STR("a"), STR("id1"), (struct str){ NULL, 0 }, 10);
    image_book_pulled(&book, STR("b"), STR("id2"), STR("id2"), 20);
    CHECK("brought here", image_book_find(&book, STR("a"))->own);
    CHECK("was here already", !image_book_find(&book, STR("b"))->own);
    image_book_pulled(&book, STR("a"), STR("id1"), STR("id1"), 30);
    CHECK("pulled again: still ours", image_book_find(&book, STR("a"))->own && book.count == 2);
    image_book_pulled(&book, STR("b"), STR("id3"), STR("id2"), 40);
    CHECK("its name has moved to one that we brought", image_book_find(&book, STR("b"))->own && book.count == 3);
    image_book_used(&book, STR("a"), 50);
    CHECK("read again", image_book_read(&again, image_book_text(&book, &arena), &err));
    CHECK_STR("the same", image_book_text(&again, &arena), image_book_text(&book, &arena));
    CHECK_EQ("with times", image_book_find(&again, STR("a"))->used_ms, 50);
    image_book_forget(&again, STR("a"), STR("other"));
    CHECK_EQ("only that image", again.count, 3);
    image_book_forget(&again, STR(""), STR("id2"));
    image_book_forget(&again, STR("a"), STR("id1"));
    CHECK_EQ("forgotten", again.count, 1);
    CHECK("damage is reported", !image_book_read(&again, STR("{"), &err));
    image_book_finish(&book);
    image_book_finish(&again);
    arena_finish(&arena);
}

/* ---- progress ---- */

static void test_progress(void)
{
    static const char lines[] =
        "{\"status\":\"Pulling from app\",\"id\":\"latest\"}\n{\"status\":\"Pulling fs layer\",\"progressDetail\":{},\"id\":\"one\"}\n"
        "{\"status\":\"Already exists\",\"progressDetail\":{},\"id\":\"two\"}\n{\"status\":\"Pulling fs layer\",\"id\":\"three\"}\n"
        "{\"status\":\"Downloading\",\"progressDetail\":{\"current\":10,\"total\":100},\"id\":\"one\"}\n"
        "{\"status\":\"Downloading\",\"progressDetail\":{\"current\":60,\"total\":50},\"id\":\"three\"}\nno JSON\n"
        "{\"status\":\"Download complete\",\"id\":\"one\"}\n{\"status\":\"Extracting\",\"progressDetail\":{\"current\":1,\"total\":100},\"id\":\"one\"}\n"
        "{\"status\":\"Pull complete\",\"id\":\"one\"}\n";
    for (size_t step = 1; step <= sizeof lines; step += 36) {
        static struct docker_pull_stream stream;
        stream = (struct docker_pull_stream){ .len = 0 };
        for (size_t at = 0; at < sizeof lines - 1; at += step) { docker_pull_feed(&stream, str_slice(str_from(lines), at, at + step)); }
        struct image_progress progress = docker_pull_progress(&stream);
        CHECK_EQ("layers", progress.layers, 3);
        CHECK_EQ("done", progress.layers_done, 2);
        CHECK_EQ("bytes", progress.bytes, 150);
        CHECK_EQ("of", progress.bytes_known, 150);
        CHECK("no error", stream.error[0] == '\0' && stream.begun);
        docker_pull_feed(&stream, STR("{\"errorDetail\":{\"message\":\"m\"},\"error\":\"first\"}\n{\"error\":\"second\"}"));
        docker_pull_end(&stream);
        CHECK_STR("the first error", str_from(stream.error), STR("first"));
    }
}

/* ---- a machine around a registry ---- */

static char dir[] = "/tmp/berth-images-XXXXXX";
static struct registry registry;
static struct agent_config config;
static struct images *images;
static atomic_int threads;
static atomic_bool unwanted;

static bool is_unwanted(void *owner)
{
    (void)owner;
    return atomic_load(&unwanted);
}


static void open_machine(enum image_pull behaviour)
{
    struct err err = { 0 };
    config.data_dir = dir;
    config.image_pull = behaviour;
    config.images_per_cleanup = 5;
    images = images_create(&registry.base, &config, &threads, &err);
    CHECK_STR("a machine", str_from(err.message), STR(""));
    ASSERT(images != NULL);
}

static void close_machine(void)
{
    images_leave(images);
    for (int64_t until_ms = clock_monotonic_ms() + LONG_MS; atomic_load(&threads) > 0 && clock_monotonic_ms() < until_ms;) { clock_sleep_ms(5); }
    CHECK_EQ("no thread is left", atomic_load(&threads), 0);
    images_destroy(images);
}

static void forget(void)
{
    char path[64];
    snprintf(path, sizeof path, "%s/images.json", dir);
    unlink(path);
    memset(registry.here, 0, sizeof registry.here);
    memset(registry.used, 0, sizeof registry.used);
    registry.open = true;
    registry.pulls = registry.resolves = registry.failures = registry.most = 0;
    atomic_store(&unwanted, false);
}

struct asker { pthread_t thread; const char *image, *password, *login_error; atomic_int begun; bool good; struct image_got got; struct err err; };

static void count_begun(void *owner) { atomic_fetch_add(&((struct asker *)owner)->begun, 1); }

static bool find_login(void *owner, struct registry_login *login, bool *named, struct arena *arena, struct err *err)
{
    (void)arena;
    const struct asker *asker = owner;
    *named = asker->password != NULL;
    *login = (struct registry_login){ STR("docker.io"), STR("bob"), str_from(asker->password), { NULL, 0 } };
    return asker->login_error == NULL || err_set(err, ERR_CLIENT, "%s", asker->login_error);
}

static void *ask(void *arg)
{
    struct asker *asker = arg;
    struct image_wish wish = {
        .image = str_from(asker->image), .find_login = find_login, .unwanted = is_unwanted, .begun = count_begun, .owner = asker,
    };
    images_hold(images, wish.image);
    asker->good = images_get(images, &wish, &asker->got, &asker->err);
    images_release(images, wish.image);
    return NULL;
}

static void begin(struct asker *askers, size_t count)
{
    for (size_t a = 0; a < count; a++) { ASSERT(pthread_create(&askers[a].thread, NULL, ask, &askers[a]) == 0); }
}

static void end(struct asker *askers, size_t count)
{
    for (size_t a = 0; a < count; a++) { ASSERT(pthread_join(askers[a].thread, NULL) == 0); }
}

static struct asker ask_once(const char *image)
{
    struct asker asker = { .image = image };
    ask(&asker);
    return asker;
}

static void await_working(size_t count)
{
    lock_take(&registry.lock);
    for (int64_t until_ms = clock_monotonic_ms() + LONG_MS; registry.working != count && clock_monotonic_ms() < until_ms;) {
        lock_wait_until(&registry.changed, &registry.lock, until_ms);
    }
    CHECK_EQ("that many pulls at once", registry.working, count);
    lock_drop(&registry.lock);
}

static void await_begun(struct asker *askers, size_t count)
{
    for (size_t a = 0; a < count; a++) {
        for (int64_t until_ms = clock_monotonic_ms() + LONG_MS; atomic_load(&askers[a].begun) == 0 && clock_monotonic_ms() < until_ms;) { clock_sleep_ms(5); }
    }
}

static void set_open(bool open)
{
    lock_take(&registry.lock);
    registry.open = open;
    lock_wake_all(&registry.changed);
    lock_drop(&registry.lock);
}

static void test_one_pull_for_all(void)
{
    struct asker askers[] = { { .image = "a" }, { .image = "a" }, { .image = "a" }, { .image = "a", .password = "p" } };
    forget();
    open_machine(IMAGE_PULL_DEFAULT);
    set_open(false);
    begin(askers, COUNT_OF(askers));
    await_working(2);                                /* that of nobody in particular, and bob's */
    await_begun(askers, COUNT_OF(askers));
    set_open(true);
    end(askers, COUNT_OF(askers));
    for (size_t a = 0; a < COUNT_OF(askers); a++) {
        CHECK("all have it", askers[a].good);
        CHECK_STR("with its digest", str_from(askers[a].got.digest), STR("sha256:remote"));
    }
    CHECK("bob's password went to the registry", registry.pulls >= 2);
    close_machine();
}

static void test_bound(void)
{
    struct asker askers[] = { { .image = "a" }, { .image = "b" }, { .image = "c" }, { .image = "d" }, { .image = "e" }, { .image = "f" } };
    forget();
    open_machine(IMAGE_PULL_ALWAYS);
    set_open(false);
    begin(askers, COUNT_OF(askers));
    await_begun(askers, COUNT_OF(askers));
    await_working(4);
    set_open(true);
    end(askers, COUNT_OF(askers));
    for (size_t a = 0; a < COUNT_OF(askers); a++) { CHECK("all have theirs", askers[a].good); }
    CHECK_EQ("four at once", registry.most, 4);
    CHECK_EQ("one each", registry.pulls, COUNT_OF(askers));
    close_machine();
}

static void test_unwanted(void)
{
    struct asker asker = { .image = "a" };
    forget();
    open_machine(IMAGE_PULL_DEFAULT);
    set_open(false);
    begin(&asker, 1);
    await_working(1);
    atomic_store(&unwanted, true);
    end(&asker, 1);
    CHECK("nobody wants it any more", !asker.good && asker.err.code == ERR_NONE);
    await_working(0);
    close_machine();
}

static void test_end_of_the_agent(void)
{
    struct asker asker = { .image = "a" };
    forget();
    open_machine(IMAGE_PULL_DEFAULT);
    set_open(false);
    begin(&asker, 1);
    await_working(1);
    images_leave(images);
    end(&asker, 1);
    CHECK("left without a failure", !asker.good && asker.err.code == ERR_NONE);
    close_machine();
}

static void test_trouble(void)
{
    static const struct { const char *name; enum image_pull behaviour; bool here; size_t failures; const char *failure; bool good, stops; size_t pulls; } rows[] = {
        { "default: the copy will do", IMAGE_PULL_DEFAULT, true, 1, "X: connection refused", true, false, 0 },
        { "default: no copy, the registry says no", IMAGE_PULL_DEFAULT, false, 2, "X: denied", false, false, 1 },
        { "default: no copy, it passes", IMAGE_PULL_DEFAULT, false, 1, "X: connection refused", true, false, 1 },
        { "always: the copy will not do", IMAGE_PULL_ALWAYS, true, 1, "X: denied", false, true, 0 },
        { "once: neither", IMAGE_PULL_ONCE, true, 1, "X: denied", false, true, 0 },
        { "prefer-cached: nobody is asked", IMAGE_PULL_PREFER_CACHED, true, 1, "X: denied", true, false, 0 },
        { "prefer-cached: no copy", IMAGE_PULL_PREFER_CACHED, false, 2, "X: denied", false, false, 1 },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        forget();
        open_machine(rows[r].behaviour);
        if (rows[r].here) { snprintf(registry.here[0], sizeof registry.here[0], "a"); }
        registry.failures = rows[r].failures;
        registry.failure = rows[r].failure;
        struct asker asker = ask_once("a");
        CHECK_EQ(rows[r].name, asker.good, rows[r].good);
        CHECK_EQ(rows[r].name, registry.pulls, rows[r].pulls);
        if (!rows[r].good) {
            CHECK_EQ(rows[r].name, asker.got.stops_task, rows[r].stops);
            CHECK_STR(rows[r].name, str_from(asker.err.message), str_from(rows[r].failure));
        }
        bool noted = rows[r].good && rows[r].failures > registry.failures && rows[r].pulls == 0;
        CHECK_STR(rows[r].name, str_from(asker.got.trouble), noted ? str_from(rows[r].failure) : STR(""));
        close_machine();
    }
}

static void test_logins(void)
{
    forget();
    open_machine(IMAGE_PULL_DEFAULT);
    struct asker lost = { .image = "a", .login_error = "CannotPullContainerAuthError: gone" };
    ask(&lost);
    CHECK_STR("no login, no image", str_from(lost.err.message), STR("CannotPullContainerAuthError: gone"));
    snprintf(registry.here[0], sizeof registry.here[0], "a");
    lost = (struct asker){ .image = "a", .login_error = "CannotPullContainerAuthError: gone" };
    ask(&lost);
    CHECK("but the copy will do", lost.good && strstr(lost.got.trouble, "AuthError: gone") != NULL && registry.pulls == 0);
    struct asker bob = { .image = "a", .password = "p" };
    ask(&bob);
    CHECK("bob's", bob.good && strlen(registry.auth) > 0);
    CHECK("nobody's", ask_once("a").good && registry.auth[0] == '\0');
    close_machine();
}

static void test_once_over_restarts(void)
{
    forget();
    open_machine(IMAGE_PULL_ONCE);
    CHECK("pulled", ask_once("a").good && registry.pulls == 1);
    struct asker again = ask_once("a");
    CHECK("not again", again.good && registry.pulls == 1 && atomic_load(&again.begun) == 0);
    CHECK_STR("the digest is still known", str_from(again.got.digest), STR("sha256:local"));
    close_machine();
    open_machine(IMAGE_PULL_ONCE);
    CHECK("nor by a new agent", ask_once("a").good && registry.pulls == 1);
    close_machine();
}

static void test_tidying(void)
{
    forget();
    snprintf(registry.here[0], sizeof registry.here[0], "theirs");
    open_machine(IMAGE_PULL_DEFAULT);
    CHECK("all are here", ask_once("a").good && ask_once("b").good && ask_once("c").good && ask_once("theirs").good);
    snprintf(registry.used, sizeof registry.used, "id-b");
    images_hold(images, STR("c"));
    config.image_minimum_age_ms = HOUR_MS;
    images_clean(images);
    CHECK("too young", registry_place_of(&registry, STR("a")) != NULL);
    config.image_minimum_age_ms = 0;
    images_clean(images);
    CHECK("unused", registry_place_of(&registry, STR("a")) == NULL);
    CHECK("a container has it", registry_place_of(&registry, STR("b")) != NULL);
    CHECK("one will have it", registry_place_of(&registry, STR("c")) != NULL);
    CHECK("was here before", registry_place_of(&registry, STR("theirs")) != NULL);
    images_release(images, STR("c"));
    close_machine();
    open_machine(IMAGE_PULL_DEFAULT);
    images_clean(images);
    CHECK("a new agent remembers", registry_place_of(&registry, STR("c")) == NULL && registry_place_of(&registry, STR("b")) != NULL);
    close_machine();
}

static bool becomes_here(const char *image, bool wanted)
{
    bool here = !wanted;
    for (int64_t until_ms = clock_monotonic_ms() + LONG_MS; here != wanted && clock_monotonic_ms() < until_ms; clock_sleep_ms(5)) {
        lock_take(&registry.lock);
        here = registry_place_of(&registry, str_from(image)) != NULL;
        lock_drop(&registry.lock);
    }
    return here;
}

static void test_tidying_by_itself(void)
{
    static const struct { const char *name; enum image_pull behaviour; bool off, stays; } rows[] = {
        { "by itself", IMAGE_PULL_DEFAULT, false, false }, { "switched off", IMAGE_PULL_DEFAULT, true, true },
        { "prefer-cached keeps all", IMAGE_PULL_PREFER_CACHED, false, true },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        forget();
        config.image_cleanup_every_ms = 10;
        config.image_cleanup_off = rows[r].off;
        open_machine(rows[r].behaviour);
        CHECK_EQ(rows[r].name, atomic_load(&threads), rows[r].stays ? 0 : 1);
        CHECK(rows[r].name, ask_once("a").good);
        CHECK_EQ(rows[r].name, becomes_here("a", rows[r].stays), rows[r].stays);
        close_machine();
    }
    config.image_cleanup_every_ms = 0;
    config.image_cleanup_off = false;
}

static void test_preparing(void)
{
    struct asker asker = { .image = "a" };
    forget();
    open_machine(IMAGE_PULL_DEFAULT);
    set_open(false);
    begin(&asker, 1);
    await_working(1);
    images_prepare(images, STR("b"));
    images_prepare(images, STR("b"));
    clock_sleep_ms(50);
    CHECK_EQ("not while a container waits", registry.pulls, 1);
    set_open(true);
    end(&asker, 1);
    CHECK("then it comes", becomes_here("b", true) && asker.good);
    CHECK_EQ("once", registry.pulls, 2);
    close_machine();
}

int main(void)
{
    ASSERT(mkdtemp(dir) != NULL);
    registry.base.ops = &registry_ops;
    lock_init(&registry.lock);
    lock_signal_init(&registry.changed);
    test_behaviours();
    test_failures();
    test_choice();
    test_book();
    test_progress();
    test_one_pull_for_all();
    test_bound();
    test_unwanted();
    test_end_of_the_agent();
    test_trouble();
    test_logins();
    test_once_over_restarts();
    test_tidying();
    test_tidying_by_itself();
    test_preparing();
    forget();
    CHECK("nothing is left", rmdir(dir) == 0);
    lock_signal_finish(&registry.changed);
    lock_finish(&registry.lock);
    return check_report();
}
