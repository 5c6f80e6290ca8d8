/* questions.h: one question for all who ask at a moment. Each takes the answer to a question that began after it had come. Knows those who wait; refuses to
 * know the question. Any thread.
 *
 * Each caller waits at one semaphore, for its own answer: many that wake for one lock wait for each other. */
#ifndef BERTH_HA_QUESTIONS_H
#define BERTH_HA_QUESTIONS_H

#include "base/lock.h"
#include "ha/engine.h"

struct asker;
struct questions {
    enum ha_end (*ask)(void *context, struct ha_head *head);         /* ends in a bounded time */
    void *context;
    struct lock lock;                        /* guards what follows */
    struct asker *waiting;                   /* for the next question */
    bool asking;
};

void questions_init(struct questions *questions, enum ha_end (*ask)(void *context, struct ha_head *head), void *context);
void questions_finish(struct questions *questions);                  /* nobody asks any more */
/* Waits for the question that runs, if one does, and for its own: twice the time of one at most. */
enum ha_end questions_ask(struct questions *questions, struct ha_head *head);

#endif
