/* Questions for all who ask at a moment: each answer is to a question that began after its caller had come, and one question answers many. */
#include "ha/questions.h"
#include "tests/unit/check.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/clock.h"

enum { ASKERS = 24, ASKS = 60 };
static atomic_long begun, running, most;
static atomic_bool silent;

static enum ha_end ask(void *context, struct ha_head *head)
{
    (void)context;
    long now = atomic_fetch_add(&running, 1) + 1, before = atomic_load(&most);
    while (now > before && !atomic_compare_exchange_weak(&most, &before, now)) { }
    *head = (struct ha_head){ .last = atomic_fetch_add(&begun, 1) + 1 };
    clock_sleep_ms(1);
    atomic_fetch_sub(&running, 1);
    return atomic_load(&silent) ? HA_UNKNOWN : HA_DONE;
}

struct asking { struct questions *questions; size_t early, wrong; };

static void *ask_often(void *context)
{
    struct asking *asking = context;
    struct ha_head head;
    for (int a = 0; a < ASKS; a++) {
        long before = atomic_load(&begun);
        asking->wrong += questions_ask(asking->questions, &head) != (atomic_load(&silent) ? HA_UNKNOWN : HA_DONE);
        asking->early += head.last <= before;
    }
    return NULL;
}

static void ask_together(struct questions *questions)
{
    pthread_t threads[ASKERS];
    struct asking asking[ASKERS];
    for (size_t t = 0; t < ASKERS; t++) {
        asking[t] = (struct asking){ .questions = questions };
        if (pthread_create(&threads[t], NULL, ask_often, &asking[t]) != 0) { abort(); }
    }
    for (size_t t = 0; t < ASKERS; t++) {
        CHECK("joined", pthread_join(threads[t], NULL) == 0);
        CHECK_EQ("no answer is to a question from before", asking[t].early, 0);
        CHECK_EQ("all have its end", asking[t].wrong, 0);
    }
}

static void test_at_once(int at_once)
{
    struct questions questions;
    struct ha_head head;
    atomic_store(&begun, 0);
    atomic_store(&most, 0);
    atomic_store(&silent, false);
    questions_init(&questions, ask, NULL, at_once);
    CHECK_EQ("alone", questions_ask(&questions, &head), HA_DONE);
    CHECK_EQ("the first", head.last, 1);
    ask_together(&questions);
    CHECK("one question answers many", atomic_load(&begun) <= at_once * ASKERS * ASKS / 4);
    atomic_store(&silent, true);
    ask_together(&questions);
    CHECK_EQ("as many as may run, and no more", atomic_load(&most), at_once);
    questions_finish(&questions);
}

int main(void)
{
    test_at_once(1);
    test_at_once(2);
    return check_report();
}
