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
    int at_once, running;                    /* questions: as many as may run, and as do */
};

/* at_once: questions that may be on their way. With more, a caller waits less for the next one, and the log has more of them. */
void questions_init(struct questions *questions, enum ha_end (*ask)(void *context, struct ha_head *head), void *context, int at_once);
void questions_finish(struct questions *questions);                  /* nobody asks any more */
/* Waits for a question that runs, if as many do as may, and for its own: twice the time of one at most. */
enum ha_end questions_ask(struct questions *questions, struct ha_head *head);

#endif
