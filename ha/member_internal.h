/* member_internal.h: a member, for its files. member.c has its roles and its thread; follow.c brings others' commits from the log into its store; commits.c its
 * own ones into the log, while it leads; standing.c knows who leads, and who may answer. One lock guards what threads share; no call of the engine is
 * made under it. */
#ifndef BERTH_HA_MEMBER_INTERNAL_H
#define BERTH_HA_MEMBER_INTERNAL_H

#include "base/clock.h"
#include "base/lock.h"
#include "ha/fitness.h"
#include "ha/member.h"
#include "ha/others.h"
#include "ha/questions.h"

enum { CALL_MS = 2000, AGAIN_MS = 200 };     /* one question to the engine; before it is asked again */

/* How the last commit of this member ended, as far as the log goes. */
struct last_try { int64_t revision; bool led; enum ha_end end; };

struct member {
    struct member_config config;
    struct store *store;                     /* NULL: it is being opened */
    bool origin, seals;
    struct seal_key key;
    struct questions questions;              /* what the head is */
    struct lock lock;                        /* guards the block below */
    struct lock_signal changed;
    enum member_role role;
    bool ready, lost, hand_over, stopping;   /* ready: to lead, lead() has returned; lost: the lead is over, or not sure */
    int64_t term, revision;
    int64_t heard_ms, kept_ms, proved_ms;    /* the log answered; the store had all of it; the question began that said: this member leads. 0: never */
    struct ha_head head;
    struct last_try last_try;
    struct err over;
    int64_t led, appended, refused, unknown;
    struct others others;                    /* of the member's thread */
    struct fitness fitness;                  /* what it knows of commits; of the clock: the member's thread's own */
    pthread_t thread; bool started;
    struct arena arena;                      /* of the member's thread, as what follows */
    struct arena sink_arena;                 /* of the thread that commits */
    int64_t renewed_ms, announced_ms, trimmed_ms, not_before_ms, suspected_ms, usurped_ms;
    int64_t led_ms, moved_ms;                /* when somebody led last, and the log had more than the store */
    bool stuck;                              /* the store did not take the next entries */
};

static inline int64_t member_now(struct member *member)
{
    return member->config.now_ms == NULL ? clock_monotonic_ms() : member->config.now_ms(member->config.context);
}

/* ---- member.c ---- */
void          member_rest(struct member *member, int64_t until_ms);
void          member_note_head(struct member *member, const struct ha_head *head);         /* the log's answer, which came now */
void          member_note_proof(struct member *member, int64_t began_ms);                  /* the log said that this member leads, to a question of then */
void          member_note_revision(struct member *member, int64_t revision);               /* the store has it */
int64_t       member_revision(struct member *member);                                      /* the last that the store has */

/* ---- follow.c: on the member's thread, or before that runs ---- */
bool          member_check_place(struct member *member, const struct ha_head *head);       /* false: the member has stopped */
enum ha_end   member_follow_up_to(struct member *member, int64_t last);                    /* HA_REFUSED: the member has stopped */
/* A member that has nothing to read would find only with the next entry that it has another key than the others, or another history. */
MUST_USE bool member_check_last(struct member *member, int64_t last, struct err *err);

#endif
