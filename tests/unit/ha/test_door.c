/* A model of the one place through which commits pass (ha/commits.c, ha/engine.h), walked through every order of steps: two members, a log with a leader's key,
 * and requests that arrive late, twice or never. Members lead, lose the lead without noticing, give up, die and come back at any point. Change it before the
 * code. Each of its bugs must be found. */
#include "tests/unit/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MEMBERS = 2, TERMS = 4, ENTRIES = 3, TRIES = MEMBERS * TERMS * ENTRIES, NOBODY = MEMBERS };
enum role { FOLLOWS, READS, LEADS };                          /* READS: has the key, and reads the log once more before it leads */

enum bug {
    NO_BUG, ACKNOWLEDGES_FIRST, NO_GUARDS, UNKNOWN_IS_REFUSED, NEW_NUMBER, CONFIRMS_ITSELF, RENEWS_OLD, TRUSTS_WATCH, REFUSES_LANDED, BUG_COUNT
};
static const char *const bug_names[BUG_COUNT] = {
    "none", "an answer before the append", "appends without guards", "\"nothing was changed\" after no answer", "a retry under a new number", "an unconfirmed refusal",
    "a lease renewed by an old leader", "a new leader trusts the watch", "\"nothing was changed\" for an entry that landed",
};

/* A try to append is a member, a term and a number; a member tries a number once in a term. Bits and small numbers, so that states are compared as bytes. */
struct person { uint8_t role, term, revision, pending, store[ENTRIES]; };          /* pending: number of its append; store: tries that it has kept */
struct state {
    uint8_t term, leader;                        /* leader: NOBODY when the key is gone */
    uint8_t log[ENTRIES];                    /* the try that is there; 0: none */
    uint32_t sent, acknowledged, refused, copies;            /* tries; copies: of the try before it, under a new number */
    struct person members[MEMBERS];
};
struct walk { struct state *states; uint32_t *slots; size_t count, capacity, slot_count; enum bug bug; const char *wrong; };

static uint8_t try_of(int member, int term, int n) { return (uint8_t)(1 + (member * TERMS + term - 1) * ENTRIES + n - 1); }
static uint32_t bit_of(uint8_t try) { return (uint32_t)1 << (try - 1); }
static int number_of(uint8_t try) { return (try - 1) % ENTRIES + 1; }
static int term_of(uint8_t try) { return (try - 1) / ENTRIES % TERMS + 1; }
static int member_of(uint8_t try) { return (try - 1) / (ENTRIES * TERMS); }

static int last_of(const struct state *state)
{
    int last = 0;
    while (last < ENTRIES && state->log[last] != 0) { last++; }
    return last;
}

/* ---- what must hold ---- */

static const char *wrong_with(const struct state *state)
{
    int last = last_of(state);
    for (int n = 0; n < ENTRIES; n++) {
        uint8_t try = state->log[n];
        if (try != 0 && (state->refused & bit_of(try)) != 0) { return "a refused one happened"; }
        if (try != 0 && n > 0 && (state->copies & bit_of(try)) != 0 && state->log[n - 1] == try - 1) { return "one job happened twice"; }
    }
    for (uint8_t try = 1; try <= TRIES; try++) {
        if ((state->acknowledged & bit_of(try)) != 0 && state->log[number_of(try) - 1] != try) { return "an acknowledged one is gone"; }
    }
    for (int m = 0; m < MEMBERS; m++) {
        const struct person *member = &state->members[m];
        if (member->revision > last) { return "a store is ahead of the log"; }
        for (int n = 0; n < member->revision; n++) {
            if (member->store[n] != state->log[n]) { return "a store has another history than the log"; }
        }
    }
    return NULL;
}

/* ---- the states that were seen ---- */

static uint64_t hash_of(const struct state *state)
{
    uint64_t hash = 1469598103934665603u;
    const unsigned char *bytes = (const unsigned char *)state;
    for (size_t b = 0; b < sizeof *state; b++) { hash = (hash ^ bytes[b]) * 1099511628211u; }
    return hash ^ hash >> 29;
}

static void place(struct walk *walk, uint32_t index)
{
    size_t slot = hash_of(&walk->states[index]) & (walk->slot_count - 1);
    while (walk->slots[slot] != 0) { slot = (slot + 1) & (walk->slot_count - 1); }
    walk->slots[slot] = index + 1;
}

static bool is_known(const struct walk *walk, const struct state *state)
{
    size_t slot = hash_of(state) & (walk->slot_count - 1);
    while (walk->slots[slot] != 0 && memcmp(&walk->states[walk->slots[slot] - 1], state, sizeof *state) != 0) { slot = (slot + 1) & (walk->slot_count - 1); }
    return walk->slots[slot] != 0;
}

static void grow(struct walk *walk)
{
    walk->capacity = walk->capacity == 0 ? 1024 : walk->capacity * 2;
    walk->slot_count = walk->capacity * 2;
    walk->states = realloc(walk->states, walk->capacity * sizeof *walk->states);
    free(walk->slots);
    walk->slots = calloc(walk->slot_count, sizeof *walk->slots);
    if (walk->states == NULL || walk->slots == NULL) { abort(); }
    for (size_t s = 0; s < walk->count; s++) { place(walk, (uint32_t)s); }
}

static void reach(struct walk *walk, const struct state *state)
{
    if (walk->wrong == NULL) { walk->wrong = wrong_with(state); }
    if (walk->count == walk->capacity) { grow(walk); }
    if (is_known(walk, state)) { return; }
    walk->states[walk->count] = *state;
    place(walk, (uint32_t)walk->count++);
}

/* ---- steps ---- */

static void keep(struct person *member, int n, uint8_t try)
{
    member->store[n - 1] = try;
    member->revision = (uint8_t)n;
}

static void follow(struct person *member)
{
    member->role = FOLLOWS;
    member->term = member->pending = 0;
}

static void take_log(const struct state *state, struct person *member)
{
    int last = last_of(state);
    for (int n = member->revision + 1; n <= last; n++) { keep(member, n, state->log[n - 1]); }
}

/* The transaction of an append: the leader's key is of this term, the place is free, and the one before it is taken. */
static void arrive(const struct walk *walk, struct state *state, uint8_t try)
{
    int n = number_of(try);
    bool leads = state->leader == member_of(try) && state->term == term_of(try), next = last_of(state) == n - 1;
    if (walk->bug == NO_GUARDS ? n - 1 <= last_of(state) : leads && next) { state->log[n - 1] = try; }
}

static void begin_append(struct walk *walk, struct state state, int m)
{
    struct person *member = &state.members[m];
    int n = member->revision + 1;
    if (member->role != LEADS || member->pending != 0 || n > ENTRIES) { return; }
    uint8_t try = try_of(m, member->term, n);
    if ((state.sent & bit_of(try)) != 0) { return; }
    state.sent |= bit_of(try);
    member->pending = (uint8_t)n;
    if (walk->bug == ACKNOWLEDGES_FIRST) {
        state.acknowledged |= bit_of(try);
        keep(member, n, try);
        member->pending = 0;
    }
    reach(walk, &state);
}

/* It asks again, and gets the answer: is the entry there, and if not, can it still come? */
static void hear(struct walk *walk, struct state state, int m)
{
    struct person *member = &state.members[m];
    if (member->pending == 0) { return; }
    uint8_t try = try_of(m, member->term, member->pending);
    bool was_there = state.log[member->pending - 1] == try;
    arrive(walk, &state, try);
    bool leads = state.leader == m && state.term == member->term;
    if (state.log[member->pending - 1] == try && !(walk->bug == REFUSES_LANDED && was_there)) {
        state.acknowledged |= bit_of(try);
        keep(member, member->pending, try);
        member->pending = 0;
    } else if (!leads || state.log[member->pending - 1] != 0) {
        state.refused |= bit_of(try);
        follow(member);
    }
    reach(walk, &state);
}

/* No answer for ten seconds: nobody says what became of it, and the member follows. */
static void give_up(struct walk *walk, struct state state, int m)
{
    struct person *member = &state.members[m];
    if (member->pending == 0) { return; }
    uint8_t try = try_of(m, member->term, member->pending);
    if (walk->bug == UNKNOWN_IS_REFUSED) { state.refused |= bit_of(try); }
    if (walk->bug == NEW_NUMBER && member->pending < ENTRIES) {
        take_log(&state, member);
        uint8_t copy = (uint8_t)(try + 1);
        if (member->revision != member->pending || (state.sent & bit_of(copy)) != 0) { return; }
        state.sent |= bit_of(copy);
        state.copies |= bit_of(copy);
        member->pending++;
    } else {
        follow(member);
    }
    reach(walk, &state);
}

static void take_lead(struct walk *walk, struct state state, int m)
{
    struct person *member = &state.members[m];
    if (state.term == TERMS || member->pending != 0) { return; }       /* also in place of one that lives */
    state.term++;
    state.leader = (uint8_t)m;
    member->role = walk->bug == TRUSTS_WATCH ? LEADS : READS;
    member->term = state.term;
    reach(walk, &state);
}

static void read_once_more(struct walk *walk, struct state state, int m)
{
    struct person *member = &state.members[m];
    if (member->role != READS) { return; }
    bool leads = state.leader == m && state.term == member->term;
    take_log(&state, member);
    if (leads) { member->role = LEADS; } else { follow(member); }
    reach(walk, &state);
}

/* An answer without a commit leaves, or a machine's lease begins again: its store must have all of the log, and nobody else leads. */
static void confirm(struct walk *walk, const struct state *state, int m)
{
    const struct person *member = &state->members[m];
    if (member->role != LEADS || member->pending != 0) { return; }
    bool leads = state->leader == m && state->term == member->term, says = leads || walk->bug == CONFIRMS_ITSELF || walk->bug == RENEWS_OLD;
    if (!says || walk->wrong != NULL) { return; }
    if (walk->bug != RENEWS_OLD && member->revision != last_of(state)) { walk->wrong = "an answer rests on an old state"; }
    if (walk->bug == RENEWS_OLD && state->leader != m && state->leader != NOBODY) { walk->wrong = "a lease begins again beside another leader"; }
}

static void walk_member(struct walk *walk, const struct state *at, int m)
{
    struct state state = *at;
    begin_append(walk, *at, m);
    hear(walk, *at, m);
    give_up(walk, *at, m);
    take_lead(walk, *at, m);
    read_once_more(walk, *at, m);
    confirm(walk, at, m);
    follow(&state.members[m]);                   /* it dies, and is there again with what its store has */
    reach(walk, &state);
    state = *at;
    if (state.members[m].role == FOLLOWS) { take_log(&state, &state.members[m]); }
    reach(walk, &state);
}

static void walk_from(struct walk *walk, const struct state *at)
{
    struct state state = *at;
    for (int m = 0; m < MEMBERS; m++) { walk_member(walk, at, m); }
    state.leader = NOBODY;                       /* the lease ends */
    reach(walk, &state);
    for (uint8_t try = 1; try <= TRIES; try++) { /* a request comes late, or once more */
        if ((at->sent & bit_of(try)) == 0) { continue; }
        state = *at;
        arrive(walk, &state, try);
        reach(walk, &state);
    }
}

static const char *walk_all(enum bug bug, size_t *count)
{
    struct walk walk = { .bug = bug };
    struct state first;
    memset(&first, 0, sizeof first);             /* with what lies between its members */
    first.leader = NOBODY;
    reach(&walk, &first);
    for (size_t s = 0; s < walk.count && walk.wrong == NULL; s++) {
        struct state at = walk.states[s];        /* the list may move */
        walk_from(&walk, &at);
    }
    *count = walk.count;
    free(walk.states);
    free(walk.slots);
    return walk.wrong;
}

int main(void)
{
    size_t count;
    const char *wrong = walk_all(NO_BUG, &count);
    CHECK("the door", wrong == NULL);
    printf("%zu states: %s\n", count, wrong == NULL ? "nothing is wrong" : wrong);
    for (int bug = NO_BUG + 1; bug < BUG_COUNT; bug++) {
        wrong = walk_all((enum bug)bug, &count);
        CHECK(bug_names[bug], wrong != NULL);
        printf("%s: %s\n", bug_names[bug], wrong == NULL ? "not found" : wrong);
    }
    return check_report();
}
