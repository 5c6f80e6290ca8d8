/* search.h: one demand, as the files of a search share it: what it comes down to, whether an instance can take it, how
 * instances rank, which devices it gets, and why nothing fitted. */
#ifndef BERTH_SCHEDULER_PLACE_SEARCH_H
#define BERTH_SCHEDULER_PLACE_SEARCH_H

#include "scheduler/place/policy.h"
#include "scheduler/world/world.h"

/* ---- ranks ---- */
/* Less is better. A rank is made of terms, the first in its highest bits; RANK_OUT is worse than every rank that is made. */
__extension__ typedef unsigned __int128 rank;
#define RANK_OUT (~(rank)0)

enum term_kind { TERM_TASKS_HERE, TERM_CPU, TERM_MEMORY, TERM_GPUS, TERM_HAS_GPUS, TERM_POLICY, TERM_VALUE };
enum { TERMS_MAX = 8, VALUE_TERMS_MAX = 5 };
struct term {
    enum term_kind kind;
    unsigned shift, width;                                       /* its bits of the rank; TERM_VALUE has none */
    uint32_t name, value_term;                                   /* TERM_VALUE: the attribute's name, and which of these terms it is */
};

/* ---- a demand ---- */
struct need { struct ask ask; bool wants_gpus; };               /* amounts beyond AMOUNT_MAX are more than any instance has */
struct need need_of(const struct demand *demand);
struct wanted { uint32_t name, value; bool any_value; };         /* an attribute by its texts, held */
struct kind_answer { uint32_t birth; bool fits; };               /* of the kind that was born then */

struct search {
    struct world *world;
    const struct demand *demand;
    struct need need;
    struct wanted *wanted;                                       /* as many as the demand's attributes */
    uint32_t group;                                              /* held; NONE without a group */
    struct term terms[TERMS_MAX]; uint32_t term_count, value_terms;
    const struct policy *policy; bool policy_ranks;              /* what chooses devices; whether its cost is a term */
    const struct outlook *outlook;                               /* of the cluster; what policies expect to come */
    bool by_chance;                                              /* among those that rank alike; else the first row */
    struct kind_answer *kind_answers; uint32_t kind_capacity;    /* by number of the kind; grown as asked */
};
void search_begin(struct search *search, struct world *world, const struct demand *demand);    /* `demand` is lent until the end */
void search_end(struct search *search);

/* check.c: one instance. check_fits leaves the devices to the policy that ranks; with that it agrees with check_instance, which
 * looks at everything and tells what was missing. */
struct look { enum verdict verdict; int lacking; bool impossible; struct str what, why; int64_t port; };
bool        check_fits(struct search *search, uint32_t instance);
bool        check_suits(struct search *search, uint32_t instance);               /* nothing is missing but CPU, memory or GPUs, perhaps */
struct look check_instance(const struct search *search, uint32_t instance);

/* rank.c */
void rank_plan(struct search *search);                                           /* strategies into terms */
rank rank_of(struct search *search, uint32_t instance);                          /* RANK_OUT when it can't take the demand */
uint64_t rank_term(rank of, const struct term *term);

/* evidence.c: why nothing fitted: a tally for each instance that was refused, which holds until the instance changes, and tallies put
 * together, which may be put together again. A tally with count 0 is of no instance. */
struct tally { struct evidence_group group; int lacking; int64_t port; };
enum { TALLIES_MAX = 48 };
struct tallies { struct tally items[TALLIES_MAX]; size_t count, last; };         /* last: where the last one went; alike ones follow */
struct tally tally_of(const struct search *search, uint32_t instance, const struct look *look);
void tallies_begin(struct tallies *tallies);
void tallies_put(struct tallies *tallies, const struct tally *each, size_t count);
void evidence_of_many(struct tallies *tallies, struct evidence *evidence);       /* the tallies of all are used up */
void evidence_of_one(const struct search *search, uint32_t instance, const struct look *look, struct evidence *evidence);

/* place.c: whether sched_try made it up. */
bool id_is_trial(struct id id);

/* holders.c: which tasks take the room on the instance that came nearest. `own` are tasks that will not stay: no reason. */
struct own { const struct id *tasks; size_t count; };
void evidence_holders(const struct search *search, struct own own, struct evidence *evidence);

#endif
