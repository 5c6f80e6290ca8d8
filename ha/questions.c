#include "ha/questions.h"

#include <semaphore.h>
#include <string.h>

#include "base/assert.h"

struct asker { struct asker *next; sem_t ready; bool asks; enum ha_end end; struct ha_head head; };      /* asks: it asks the next question itself */

void questions_init(struct questions *questions, enum ha_end (*ask)(void *context, struct ha_head *head), void *context, int at_once)
{
    ASSERT(at_once > 0);
    *questions = (struct questions){ .ask = ask, .context = context, .at_once = at_once };
    lock_init(&questions->lock);
}

void questions_finish(struct questions *questions)
{
    ASSERT(questions->running == 0 && questions->waiting == NULL);
    lock_finish(&questions->lock);
}

/* True: as many questions run as may, and `mine` is on the list for the next one. */
static bool stands_in_line(struct questions *questions, struct asker *mine)
{
    lock_take(&questions->lock);
    bool waits = questions->running == questions->at_once;
    if (!waits) { questions->running++; }
    if (waits) {
        ASSERT(sem_init(&mine->ready, 0, 0) == 0);
        mine->next = questions->waiting;
        questions->waiting = mine;
    }
    lock_drop(&questions->lock);
    return waits;
}

static struct asker *take_line(struct questions *questions)
{
    lock_take(&questions->lock);
    struct asker *line = questions->waiting;
    questions->waiting = NULL;
    lock_drop(&questions->lock);
    return line;
}

/* One of those who have come meanwhile. */
static struct asker *next_asker(struct questions *questions)
{
    lock_take(&questions->lock);
    struct asker *next = questions->waiting;
    if (next != NULL) { questions->waiting = next->next; } else { questions->running--; }
    lock_drop(&questions->lock);
    return next;
}

enum ha_end questions_ask(struct questions *questions, struct ha_head *head)
{
    struct asker mine = { .asks = false };
    if (stands_in_line(questions, &mine)) {
        while (sem_wait(&mine.ready) != 0) { }           /* a signal's handler ran on this thread */
        ASSERT(sem_destroy(&mine.ready) == 0);
        *head = mine.head;
        if (!mine.asks) { return mine.end; }
    }
    struct asker *line = take_line(questions), *next;    /* all of them have come before it begins */
    enum ha_end end = questions->ask(questions->context, head);
    for (; line != NULL; line = next) {
        next = line->next;                               /* it may be gone as soon as it is woken */
        line->end = end;
        line->head = *head;
        ASSERT(sem_post(&line->ready) == 0);
    }
    next = next_asker(questions);
    if (next != NULL) {
        next->asks = true;
        ASSERT(sem_post(&next->ready) == 0);
    }
    return end;
}
