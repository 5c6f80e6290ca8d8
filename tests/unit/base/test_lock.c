/* test_lock.c: counting under a lock, waiting with an end, and writers that get in while readers come and go. */
#include "base/lock.h"

#include <stdatomic.h>

#include "base/assert.h"
#include "base/clock.h"
#include "tests/unit/check.h"

enum { THREADS = 4, TURNS = 20000 };

static struct lock counter_lock;
static struct lock_signal counter_signal;
static int64_t counter;

static void *count_turns(void *unused)
{
    (void)unused;
    for (int i = 0; i < TURNS; i++) {
        lock_take(&counter_lock);
        counter++;
        lock_wake_all(&counter_signal);
        lock_drop(&counter_lock);
    }
    return NULL;
}

static void test_lock(void)
{
    pthread_t threads[THREADS];
    for (size_t t = 0; t < THREADS; t++) { ASSERT(pthread_create(&threads[t], NULL, count_turns, NULL) == 0); }
    lock_take(&counter_lock);
    while (counter < THREADS * TURNS) { lock_wait(&counter_signal, &counter_lock); }
    CHECK_EQ("nothing is lost", counter, THREADS * TURNS);
    lock_drop(&counter_lock);
    for (size_t t = 0; t < THREADS; t++) { ASSERT(pthread_join(threads[t], NULL) == 0); }
}

static void test_wait_until(void)
{
    lock_take(&counter_lock);
    int64_t start_ms = clock_monotonic_ms();
    CHECK("a time that has passed", !lock_wait_until(&counter_signal, &counter_lock, start_ms - 1));
    CHECK("no time at all", !lock_wait_until(&counter_signal, &counter_lock, -1));
    bool woken = true;
    while (woken) { woken = lock_wait_until(&counter_signal, &counter_lock, start_ms + 20); }
    CHECK("not before its time, on the monotonic clock", clock_monotonic_ms() - start_ms >= 20);
    lock_drop(&counter_lock);
}

static bool flag;

static void *raise_flag(void *unused)
{
    (void)unused;
    lock_take(&counter_lock);
    flag = true;
    lock_wake_one(&counter_signal);
    lock_drop(&counter_lock);
    return NULL;
}

static void test_wake(void)
{
    pthread_t thread;
    lock_take(&counter_lock);
    ASSERT(pthread_create(&thread, NULL, raise_flag, NULL) == 0);
    int64_t end_ms = clock_monotonic_ms() + 60000;
    bool in_time = true;
    while (!flag && in_time) { in_time = lock_wait_until(&counter_signal, &counter_lock, end_ms); }
    CHECK("woken long before the end", flag && in_time);
    lock_drop(&counter_lock);
    ASSERT(pthread_join(thread, NULL) == 0);
}

static struct rwlock shared;
static int64_t shared_value;
static atomic_bool readers_stop;

static void *read_on(void *unused)
{
    (void)unused;
    while (!atomic_load(&readers_stop)) {
        rwlock_take_read(&shared);
        ASSERT(shared_value >= 0);                                 /* a writer makes it negative only while it holds the lock */
        rwlock_drop(&shared);
    }
    return NULL;
}

static void *write_once(void *unused)
{
    (void)unused;
    rwlock_take_write(&shared);
    shared_value = 7;
    rwlock_drop(&shared);
    return NULL;
}

/* A writer that waits for one reader keeps out the next one. When it has begun to wait only the lock knows, so the next
 * reader tries until it is refused. */
static void test_writers_first(void)
{
    pthread_t writer;
    rwlock_init(&shared);
    rwlock_take_read(&shared);
    ASSERT(pthread_create(&writer, NULL, write_once, NULL) == 0);
    int64_t end_ms = clock_monotonic_ms() + 120000;
    bool refused = false;
    while (!refused && clock_monotonic_ms() < end_ms) {
        refused = pthread_rwlock_tryrdlock(&shared.rwlock) != 0;
        if (!refused) { ASSERT(pthread_rwlock_unlock(&shared.rwlock) == 0); }
    }
    CHECK("a reader waits behind a waiting writer", refused);
    rwlock_drop(&shared);
    ASSERT(pthread_join(writer, NULL) == 0);
    rwlock_take_read(&shared);
    CHECK_EQ("the writer came through", shared_value, 7);
    rwlock_drop(&shared);
    rwlock_finish(&shared);
}

/* No reader sees what a writer leaves half done. */
static void test_rwlock(void)
{
    pthread_t threads[THREADS];
    rwlock_init(&shared);
    for (size_t t = 0; t < THREADS; t++) { ASSERT(pthread_create(&threads[t], NULL, read_on, NULL) == 0); }
    for (int64_t i = 1; i <= 200; i++) {
        rwlock_take_write(&shared);
        shared_value = -1;
        shared_value = i;
        rwlock_drop(&shared);
    }
    atomic_store(&readers_stop, true);
    for (size_t t = 0; t < THREADS; t++) { ASSERT(pthread_join(threads[t], NULL) == 0); }
    rwlock_take_read(&shared);
    CHECK_EQ("all writes came through", shared_value, 200);
    rwlock_drop(&shared);
    rwlock_finish(&shared);
}

int main(void)
{
    lock_init(&counter_lock);
    lock_signal_init(&counter_signal);
    test_lock();
    test_wait_until();
    test_wake();
    test_writers_first();
    test_rwlock();
    lock_signal_finish(&counter_signal);
    lock_finish(&counter_lock);
    return check_report();
}
