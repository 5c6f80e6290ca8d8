/* lock.h: pthread locks with clang's thread-safety attributes, so that a function can declare the locks that it needs. */
#ifndef BERTH_BASE_LOCK_H
#define BERTH_BASE_LOCK_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#ifdef __clang__
#define CAPABILITY(name)  __attribute__((capability(name)))
#define ACQUIRE(...)      __attribute__((acquire_capability(__VA_ARGS__)))
#define ACQUIRE_SHARED(...) __attribute__((acquire_shared_capability(__VA_ARGS__)))
#define RELEASE(...)      __attribute__((release_capability(__VA_ARGS__)))
#define RELEASE_ANY(...)  __attribute__((release_generic_capability(__VA_ARGS__)))     /* shared or not */
#define REQUIRES(...)     __attribute__((requires_capability(__VA_ARGS__)))
#define NO_THREAD_SAFETY  __attribute__((no_thread_safety_analysis))
#else
#define CAPABILITY(name)
#define ACQUIRE(...)
#define ACQUIRE_SHARED(...)
#define RELEASE(...)
#define RELEASE_ANY(...)
#define REQUIRES(...)
#define NO_THREAD_SAFETY
#endif

struct CAPABILITY("mutex") lock { pthread_mutex_t mutex; };
struct lock_signal { pthread_cond_t cond; };                       /* waits on the monotonic clock */

void lock_init(struct lock *lock);
void lock_finish(struct lock *lock);
void lock_take(struct lock *lock) ACQUIRE(*lock);
void lock_drop(struct lock *lock) RELEASE(*lock);

void lock_signal_init(struct lock_signal *signal);
void lock_signal_finish(struct lock_signal *signal);
void lock_wait(struct lock_signal *signal, struct lock *lock) REQUIRES(*lock);
bool lock_wait_until(struct lock_signal *signal, struct lock *lock, int64_t monotonic_ms) REQUIRES(*lock);   /* false: time is up */
void lock_wake_one(struct lock_signal *signal);
void lock_wake_all(struct lock_signal *signal);

struct CAPABILITY("rwlock") rwlock { pthread_rwlock_t rwlock; };   /* writers first */
void rwlock_init(struct rwlock *lock);
void rwlock_finish(struct rwlock *lock);
void rwlock_take_read(struct rwlock *lock) ACQUIRE_SHARED(*lock);
void rwlock_take_write(struct rwlock *lock) ACQUIRE(*lock);
void rwlock_drop(struct rwlock *lock) RELEASE_ANY(*lock);

#endif
