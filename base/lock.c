/* lock.c: only a bug can make a pthread call here fail, so every one is asserted. The definitions are excluded from clang's
 * analysis, which cannot see that a pthread call takes the lock that the declaration names. */
#include "base/lock.h"

#include <errno.h>
#include <time.h>

#include "base/assert.h"

void lock_init(struct lock *lock) { ASSERT(pthread_mutex_init(&lock->mutex, NULL) == 0); }
void lock_finish(struct lock *lock) { ASSERT(pthread_mutex_destroy(&lock->mutex) == 0); }

NO_THREAD_SAFETY void lock_take(struct lock *lock) { ASSERT(pthread_mutex_lock(&lock->mutex) == 0); }
NO_THREAD_SAFETY void lock_drop(struct lock *lock) { ASSERT(pthread_mutex_unlock(&lock->mutex) == 0); }

void lock_signal_init(struct lock_signal *signal)
{
    pthread_condattr_t attributes;
    ASSERT(pthread_condattr_init(&attributes) == 0);
    ASSERT(pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC) == 0);
    ASSERT(pthread_cond_init(&signal->cond, &attributes) == 0);
    ASSERT(pthread_condattr_destroy(&attributes) == 0);
}

void lock_signal_finish(struct lock_signal *signal) { ASSERT(pthread_cond_destroy(&signal->cond) == 0); }

void lock_wait(struct lock_signal *signal, struct lock *lock)
{
    ASSERT(pthread_cond_wait(&signal->cond, &lock->mutex) == 0);
}

bool lock_wait_until(struct lock_signal *signal, struct lock *lock, int64_t monotonic_ms)
{
    int64_t end_ms = monotonic_ms > 0 ? monotonic_ms : 0;
    struct timespec end = { .tv_sec = (time_t)(end_ms / 1000), .tv_nsec = (long)(end_ms % 1000) * 1000000 };
    int result = pthread_cond_timedwait(&signal->cond, &lock->mutex, &end);
    ASSERT(result == 0 || result == ETIMEDOUT);
    return result == 0;
}

void lock_wake_one(struct lock_signal *signal) { ASSERT(pthread_cond_signal(&signal->cond) == 0); }
void lock_wake_all(struct lock_signal *signal) { ASSERT(pthread_cond_broadcast(&signal->cond) == 0); }

/* By default glibc prefers readers, and a busy server would then never let a writer in. A reader that takes the
 * lock a second time can deadlock with a waiting writer: read locks here do not nest. */
void rwlock_init(struct rwlock *lock)
{
    pthread_rwlockattr_t attributes;
    ASSERT(pthread_rwlockattr_init(&attributes) == 0);
    ASSERT(pthread_rwlockattr_setkind_np(&attributes, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP) == 0);
    ASSERT(pthread_rwlock_init(&lock->rwlock, &attributes) == 0);
    ASSERT(pthread_rwlockattr_destroy(&attributes) == 0);
}

void rwlock_finish(struct rwlock *lock) { ASSERT(pthread_rwlock_destroy(&lock->rwlock) == 0); }

NO_THREAD_SAFETY void rwlock_take_read(struct rwlock *lock) { ASSERT(pthread_rwlock_rdlock(&lock->rwlock) == 0); }
NO_THREAD_SAFETY void rwlock_take_write(struct rwlock *lock) { ASSERT(pthread_rwlock_wrlock(&lock->rwlock) == 0); }
NO_THREAD_SAFETY void rwlock_drop(struct rwlock *lock) { ASSERT(pthread_rwlock_unlock(&lock->rwlock) == 0); }
