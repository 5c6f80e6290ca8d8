/* boards.c: the rows of a board are dealt into sets: one for all instances, or, where the demand is spread over the values of attributes, one
 * for each combination of values. Within a set the terms of those values are the same for all rows. Each set has a tree over the ranks of its
 * rows, in the order of the fleet. The best row is the best of the sets' best. */
#include "scheduler/place/boards.h"

#include "base/num.h"
#include "scheduler/ask/expression.h"
#include "scheduler/place/tree.h"
#include "scheduler/place/demand_stats.h"

enum { BOARDS_KEPT_MIN = 4, PIECE_ROWS = 64 };
static const size_t BOARDS_BYTES_MAX = (size_t)64 << 20, BOARD_ARENA_MAX = (size_t)1 << 20;

struct row_set { uint64_t hash; uint32_t first, count, values[VALUE_TERMS_MAX]; struct tree tree; };   /* its leaves; numbers of values */
struct piece { struct tally *items; uint32_t count; bool stale; };       /* stale: a row of it has changed */
struct value { uint64_t hash; uint32_t term, text; int64_t tasks; };     /* of an attribute, and tasks of the group where it is so */

struct board {
    uint64_t hash, asked;
    uint32_t fleet;
    struct arena arena;                      /* the demand, copied */
    struct demand demand;
    struct search search;
    /* worked out from the fleet */
    bool made;
    uint64_t order, stamp, outlook;          /* of the fleet, then; and which outlook */
    uint32_t capacity;                       /* rows */
    rank *leaves;
    struct tree_node *nodes; size_t node_count;
    struct row_set *sets; uint32_t set_count, set_capacity; struct hash_table sets_by_hash;
    /* where the demand is spread over values */
    uint32_t *leaf_of, *row_of, *set_of;    /* by row, by leaf, by row */
    int32_t *here;                           /* by row: tasks of the group that were counted in `values` */
    struct value *values; uint32_t value_count, value_capacity; struct hash_table values_by_hash;
    struct tally *tallies;                   /* by row, from the first question why none fits … */
    struct piece *pieces;                    /* … put together for PIECE_ROWS rows each … */
    struct evidence evidence; uint64_t evidence_stamp;           /* … of the fleet as it was then */
    uint32_t hidden;                         /* calls of board_hide that no board_show has followed */
};

struct search *board_search(struct board *board) { return &board->search; }

/* ---- the shape of a demand: everything but chance, and the group only where it counts ---- */
static struct str shape_group(const struct demand *demand)
{
    bool counts = demand->distinct_instance;
    for (size_t s = 0; s < demand->strategy_count; s++) { counts |= demand->strategies[s].kind == STRATEGY_SPREAD; }
    return counts ? demand->group : (struct str){ NULL, 0 };
}

static uint64_t mix(uint64_t hash, uint64_t value) { return hash_mix(hash ^ hash_mix(value)); }
static uint64_t mix_str(uint64_t hash, struct str s) { return mix(hash, s.len == 0 ? str_is_set(s) : hash_bytes(s.ptr, s.len)); }

static uint64_t shape_hash(const struct demand *demand)
{
    uint64_t hash = mix(mix(mix(0, (uint64_t)demand->cluster), (uint64_t)demand->cpu), (uint64_t)demand->memory_mib);
    for (size_t p = 0; p < demand->port_count; p++) { hash = mix(hash, (uint64_t)demand->ports[p]); }
    for (size_t c = 0; c < demand->container_count; c++) {
        hash = mix(mix(mix(hash, (uint64_t)demand->gpus[c].count), (uint64_t)demand->gpus[c].share), (uint64_t)demand->gpus[c].memory_mib);
    }
    for (size_t a = 0; a < demand->attribute_count; a++) { hash = mix_str(mix_str(hash, demand->attributes[a].name), demand->attributes[a].value); }
    for (size_t e = 0; e < demand->expression_count; e++) { hash = mix_str(hash, demand->expressions[e]->text); }
    for (size_t s = 0; s < demand->strategy_count; s++) { hash = mix_str(mix(hash, demand->strategies[s].kind), demand->strategies[s].field); }
    return mix_str(mix(mix(hash, demand->distinct_instance), (uint64_t)demand->interfaces), shape_group(demand));
}

static bool same_text(struct str a, struct str b) { return str_is_set(a) == str_is_set(b) && str_eq(a, b); }

static bool shape_eq(const struct demand *a, const struct demand *b)
{
    bool same = a->cluster == b->cluster && a->cpu == b->cpu && a->memory_mib == b->memory_mib && a->port_count == b->port_count
             && a->container_count == b->container_count && a->attribute_count == b->attribute_count
             && a->expression_count == b->expression_count && a->strategy_count == b->strategy_count
             && a->distinct_instance == b->distinct_instance && a->interfaces == b->interfaces && same_text(shape_group(a), shape_group(b));
    for (size_t p = 0; same && p < a->port_count; p++) { same = a->ports[p] == b->ports[p]; }
    for (size_t c = 0; same && c < a->container_count; c++) { same = memcmp(&a->gpus[c], &b->gpus[c], sizeof a->gpus[c]) == 0; }
    for (size_t n = 0; same && n < a->attribute_count; n++) {
        same = same_text(a->attributes[n].name, b->attributes[n].name) && same_text(a->attributes[n].value, b->attributes[n].value);
    }
    for (size_t e = 0; same && e < a->expression_count; e++) { same = str_eq(a->expressions[e]->text, b->expressions[e]->text); }
    for (size_t s = 0; same && s < a->strategy_count; s++) {
        same = a->strategies[s].kind == b->strategies[s].kind && same_text(a->strategies[s].field, b->strategies[s].field);
    }
    return same;
}

static struct demand shape_copy(const struct demand *from, struct arena *arena)
{
    struct demand to = *from;
    struct sched_attribute *attributes = ARENA_NEW(arena, struct sched_attribute, from->attribute_count);
    struct strategy *strategies = ARENA_NEW(arena, struct strategy, from->strategy_count);
    const struct expression **expressions = (const struct expression **)arena_alloc(arena, from->expression_count, sizeof *expressions);
    for (size_t a = 0; a < from->attribute_count; a++) {
        attributes[a] = (struct sched_attribute){ arena_str(arena, from->attributes[a].name), arena_str(arena, from->attributes[a].value) };
    }
    for (size_t s = 0; s < from->strategy_count; s++) {
        strategies[s] = (struct strategy){ from->strategies[s].kind, arena_str(arena, from->strategies[s].field) };
    }
    for (size_t e = 0; e < from->expression_count; e++) {
        struct err err = { 0 };
        expressions[e] = expression_compile(arena_str(arena, from->expressions[e]->text), arena, &err);
        ASSERT(expressions[e] != NULL);                          /* it was compiled before */
    }
    if (from->port_count > 0) { to.ports = arena_copy(arena, from->ports, from->port_count * sizeof *from->ports); }
    to.attributes = attributes;
    to.strategies = strategies;
    to.expressions = expressions;
    to.group = arena_str(arena, shape_group(from));
    return to;
}

/* ---- memory ---- */
static void *take(struct world *world, size_t size)
{
    world->boards->bytes += size;
    return pool_take(&world->pool, size);
}

static void give(struct world *world, void *block, size_t size)
{
    if (block == NULL) { return; }
    ASSERT(world->boards->bytes >= size);
    world->boards->bytes -= size;
    pool_give(&world->pool, block, size);
}

static void *grow(struct world *world, void *block, size_t old_size, size_t new_size)
{
    ASSERT(new_size > old_size);
    world->boards->bytes += new_size - old_size;
    return pool_grow(&world->pool, block, old_size, new_size);
}

static uint32_t pieces_of(const struct board *board) { return (board->capacity + PIECE_ROWS - 1) / PIECE_ROWS; }

static void board_unmake(struct world *world, struct board *board)
{
    size_t rows = board->capacity;
    for (uint32_t p = 0; board->pieces != NULL && p < pieces_of(board); p++) {
        give(world, board->pieces[p].items, board->pieces[p].count * sizeof *board->pieces[p].items);
    }
    give(world, board->pieces, pieces_of(board) * sizeof *board->pieces);
    give(world, board->leaves, rows * sizeof *board->leaves);
    give(world, board->leaf_of, rows * sizeof *board->leaf_of);
    give(world, board->row_of, rows * sizeof *board->row_of);
    give(world, board->set_of, rows * sizeof *board->set_of);
    give(world, board->here, rows * sizeof *board->here);
    give(world, board->tallies, rows * sizeof *board->tallies);
    give(world, board->nodes, board->node_count * sizeof *board->nodes);
    give(world, board->sets, board->set_capacity * sizeof *board->sets);
    give(world, board->values, board->value_capacity * sizeof *board->values);
    table_finish(&board->sets_by_hash);
    table_finish(&board->values_by_hash);
    board->leaf_of = board->row_of = board->set_of = NULL, board->pieces = NULL;
    board->leaves = NULL, board->here = NULL, board->nodes = NULL, board->sets = NULL, board->values = NULL, board->tallies = NULL;
    board->node_count = 0;
    board->capacity = board->set_count = board->set_capacity = board->value_count = board->value_capacity = 0;
    board->made = false;
}

static void board_drop(struct world *world, uint32_t number)
{
    struct board *board = world->boards->list[number];
    ASSERT(number < BOARDS_MAX && board != NULL);
    board_unmake(world, board);
    search_end(&board->search);
    arena_finish(&board->arena);
    table_remove(&world->boards->by_hash, board->hash, number);
    give(world, board, sizeof *board);
    world->boards->list[number] = NULL;
}

void boards_forget(struct world *world, uint32_t fleet)
{
    for (uint32_t n = 0; n < BOARDS_MAX; n++) {
        const struct board *board = world->boards->list[n];
        if (board != NULL && board->fleet == fleet) { board_drop(world, n); }
    }
}

void boards_finish(struct world *world)
{
    for (uint32_t n = 0; n < BOARDS_MAX; n++) {
        if (world->boards->list[n] != NULL) { board_drop(world, n); }
    }
    ASSERT(world->boards->bytes == 0 && world->boards->by_hash.count == 0);  /* each gave back what it took */
    table_finish(&world->boards->by_hash);
}

/* A place for one more board. While there are too many boards, or they are too large, the one that was not asked for the longest goes. */
static uint32_t board_room(struct world *world)
{
    for (;;) {
        uint32_t spare = NONE, oldest = NONE, count = 0;
        for (uint32_t n = 0; n < BOARDS_MAX; n++) {
            const struct board *board = world->boards->list[n];
            if (board == NULL) {
                spare = n;
                continue;
            }
            count++;
            if (oldest == NONE || board->asked < world->boards->list[oldest]->asked) { oldest = n; }
        }
        bool too_large = world->boards->bytes > BOARDS_BYTES_MAX && count >= BOARDS_KEPT_MIN;
        ASSERT(count == world->boards->by_hash.count);
        if (spare != NONE && !too_large) { return spare; }
        ASSERT(oldest != NONE);
        board_drop(world, oldest);
    }
}

/* ---- values and sets: only where the demand is spread over attributes ---- */
static uint32_t value_of(struct world *world, struct board *board, uint32_t term, uint32_t text)
{
    uint64_t hash = mix(mix(0, term), text);
    size_t at = 0;
    for (uint32_t n = table_first(&board->values_by_hash, hash, &at); n != NONE; n = table_next(&board->values_by_hash, hash, &at)) {
        if (board->values[n].term == term && board->values[n].text == text) { return n; }
    }
    if (board->value_count == board->value_capacity) {
        uint32_t old = board->value_capacity, more = old == 0 ? 4 : old * 2;
        board->values = grow(world, board->values, old * sizeof *board->values, more * sizeof *board->values);
        board->value_capacity = more;
    }
    board->values[board->value_count] = (struct value){ .hash = hash, .term = term, .text = text };
    table_add(&board->values_by_hash, hash, board->value_count);
    return board->value_count++;
}

/* The values that the row's instance has of the terms' attributes, as numbers of texts; NONE where it has none. */
static void row_values(const struct world *world, const struct board *board, const struct fleet *fleet, uint32_t row, uint32_t texts[VALUE_TERMS_MAX])
{
    uint32_t instance = fleet->rows[row].instance;
    for (uint32_t t = 0; t < board->search.term_count; t++) {
        const struct term *term = &board->search.terms[t];
        if (term->kind != TERM_VALUE) { continue; }
        ASSERT(term->value_term < board->search.value_terms);
        const struct kind_attribute *attribute = instance == NONE ? NULL : kind_attribute(world, instance_at(world, instance)->kind, term->name);
        texts[term->value_term] = attribute == NULL ? NONE : attribute->value;
    }
}

static bool set_is(const struct board *board, const struct row_set *set, const uint32_t texts[VALUE_TERMS_MAX])
{
    for (uint32_t v = 0; v < board->search.value_terms; v++) {
        if (board->values[set->values[v]].text != texts[v]) { return false; }
    }
    return true;
}

static uint32_t set_of(struct world *world, struct board *board, const uint32_t texts[VALUE_TERMS_MAX])
{
    uint64_t hash = 0;
    for (uint32_t v = 0; v < board->search.value_terms; v++) { hash = mix(hash, texts[v]); }
    size_t at = 0;
    for (uint32_t n = table_first(&board->sets_by_hash, hash, &at); n != NONE; n = table_next(&board->sets_by_hash, hash, &at)) {
        if (set_is(board, &board->sets[n], texts)) { return n; }
    }
    if (board->set_count == board->set_capacity) {
        uint32_t old = board->set_capacity, more = old == 0 ? 4 : old * 2;
        board->sets = grow(world, board->sets, old * sizeof *board->sets, more * sizeof *board->sets);
        board->set_capacity = more;
    }
    struct row_set *set = &board->sets[board->set_count];
    *set = (struct row_set){ .hash = hash };
    for (uint32_t v = 0; v < board->search.value_terms; v++) { set->values[v] = value_of(world, board, v, texts[v]); }
    table_add(&board->sets_by_hash, hash, board->set_count);
    return board->set_count++;
}

static int32_t tasks_here(const struct world *world, const struct board *board, const struct fleet *fleet, uint32_t row)
{
    uint32_t instance = fleet->rows[row].instance;
    return instance == NONE ? 0 : (int32_t)group_count_of(world, instance, board->search.group);
}

static void count_here(const struct world *world, struct board *board, const struct fleet *fleet, uint32_t row)
{
    int32_t now = tasks_here(world, board, fleet, row), more = now - board->here[row];
    const struct row_set *set = &board->sets[board->set_of[row]];
    for (uint32_t v = 0; v < board->search.value_terms && more != 0; v++) {
        struct value *value = &board->values[set->values[v]];
        ASSERT(value->tasks + more >= 0);
        value->tasks += more;
    }
    board->here[row] = now;
}

/* Rows into sets, and sets into one line of leaves behind each other; in each the rows keep their order. */
static void deal_sets(struct world *world, struct board *board, const struct fleet *fleet)
{
    uint32_t texts[VALUE_TERMS_MAX], *filled;
    size_t size = board->capacity * sizeof(uint32_t);
    board->leaf_of = take(world, size);
    board->row_of = take(world, size);
    board->set_of = take(world, size);
    board->here = take(world, board->capacity * sizeof *board->here);
    for (uint32_t row = 0; row < board->capacity; row++) {
        if (row < fleet->count) { row_values(world, board, fleet, row, texts); } else { memset(texts, 0xFF, sizeof texts); }
        board->set_of[row] = set_of(world, board, texts);
        board->sets[board->set_of[row]].count++;
    }
    for (uint32_t h = 1; h < board->set_count; h++) { board->sets[h].first = board->sets[h - 1].first + board->sets[h - 1].count; }
    ASSERT(board->sets[board->set_count - 1].first + board->sets[board->set_count - 1].count == board->capacity);
    filled = pool_take(&world->pool, board->set_count * sizeof *filled);
    for (uint32_t row = 0; row < board->capacity; row++) {
        uint32_t set = board->set_of[row], leaf = board->sets[set].first + filled[set]++;
        ASSERT(filled[set] <= board->sets[set].count);
        board->leaf_of[row] = leaf;
        board->row_of[leaf] = row;
    }
    pool_give(&world->pool, filled, board->set_count * sizeof *filled);
    for (uint32_t row = 0; row < fleet->count; row++) { count_here(world, board, fleet, row); }
}

/* ---- making a board, and keeping it true ---- */
static uint32_t leaf_of(const struct board *board, uint32_t row) { return board->leaf_of == NULL ? row : board->leaf_of[row]; }
static uint32_t row_of(const struct board *board, uint32_t leaf) { return board->row_of == NULL ? leaf : board->row_of[leaf]; }

static rank row_rank(struct world *world, struct board *board, const struct fleet *fleet, uint32_t row)
{
    uint32_t instance = row < fleet->count ? fleet->rows[row].instance : NONE;
    if (instance == NONE) { return RANK_OUT; }
    world->boards->ranked++;
    return rank_of(&board->search, instance);
}

static void board_make(struct world *world, struct board *board, const struct fleet *fleet)
{
    ASSERT(fleet->count <= fleet->capacity && fleet->stats != NULL);
    board_unmake(world, board);
    board->made = true;
    board->order = fleet->order;
    board->outlook = fleet->stats->version;
    board->capacity = fleet->capacity;
    board->leaves = take(world, board->capacity * sizeof *board->leaves);
    if (board->search.value_terms > 0) {
        deal_sets(world, board, fleet);
    } else {
        board->sets = take(world, sizeof *board->sets);
        board->sets[0] = (struct row_set){ .count = board->capacity };
        board->set_count = board->set_capacity = 1;
    }
    for (uint32_t row = 0; row < board->capacity; row++) { board->leaves[leaf_of(board, row)] = row_rank(world, board, fleet, row); }
    for (uint32_t h = 0; h < board->set_count; h++) { board->node_count += tree_nodes(board->sets[h].count); }
    board->nodes = take(world, board->node_count * sizeof *board->nodes);
    size_t used = 0;
    for (uint32_t h = 0; h < board->set_count; h++) {
        struct row_set *set = &board->sets[h];
        tree_build(&set->tree, board->leaves + set->first, set->count, board->nodes + used);
        used += tree_nodes(set->count);
    }
    ASSERT(used == board->node_count);
}

/* False: the row belongs to another set now, and the board must be made again. */
static bool row_update(struct world *world, struct board *board, const struct fleet *fleet, uint32_t row)
{
    struct row_set *set = &board->sets[board->set_of == NULL ? 0 : board->set_of[row]];
    if (board->set_of != NULL) {
        uint32_t texts[VALUE_TERMS_MAX];
        row_values(world, board, fleet, row, texts);
        if (fleet->rows[row].instance != NONE && !set_is(board, set, texts)) { return false; }
        count_here(world, board, fleet, row);
    }
    uint32_t leaf = leaf_of(board, row);
    ASSERT(row < board->capacity && leaf >= set->first && leaf - set->first < set->count);
    rank now = row_rank(world, board, fleet, row);
    if (now != board->leaves[leaf]) {
        board->leaves[leaf] = now;
        tree_change(&set->tree, leaf - set->first);
    }
    return true;
}

static void board_follow(struct world *world, struct board *board)
{
    struct fleet *fleet = fleet_at(world, board->fleet);
    ASSERT(fleet->cluster == board->demand.cluster);
    ASSERT(board->stamp <= fleet->stamp);
    const struct demand_stats *stats = demand_stats_of(world, fleet);
    board->search.outlook = stats->outlook;
    bool fresh = board->made && board->order == fleet->order && board->capacity == fleet->capacity && board->outlook == stats->version;
    for (uint32_t row = fleet->newest; fresh && row != NONE && fleet->rows[row].stamp > board->stamp; row = fleet->rows[row].older) {
        fresh = row_update(world, board, fleet, row);
    }
    if (!fresh) { board_make(world, board, fleet); }
    board->stamp = fleet->seen = fleet->stamp;
}

struct board *board_open(struct world *world, const struct demand *demand)
{
    struct boards *boards = world->boards;
    uint32_t fleet = fleet_number(world, demand->cluster);
    if (fleet == NONE) { return NULL; }
    uint64_t hash = shape_hash(demand);
    size_t at = 0;
    for (uint32_t n = table_first(&boards->by_hash, hash, &at); n != NONE; n = table_next(&boards->by_hash, hash, &at)) {
        if (!shape_eq(&boards->list[n]->demand, demand)) { continue; }
        ASSERT(boards->list[n]->fleet == fleet);                 /* the boards of a fleet go with it */
        boards->list[n]->asked = ++boards->asked;
        return boards->list[n];
    }
    uint32_t number = board_room(world);
    ASSERT(boards->list[number] == NULL);
    struct board *board = boards->list[number] = take(world, sizeof *board);
    *board = (struct board){ .hash = hash, .asked = ++boards->asked, .fleet = fleet };
    arena_init(&board->arena, BOARD_ARENA_MAX);
    board->demand = shape_copy(demand, &board->arena);
    search_begin(&board->search, world, &board->demand);
    table_add(&boards->by_hash, hash, number);
    return board;
}

/* ---- why no instance fits ---- */
static void row_tally(struct board *board, const struct fleet *fleet, uint32_t row)
{
    uint32_t instance = fleet->rows[row].instance;
    board->pieces[row / PIECE_ROWS].stale = true;
    board->tallies[row] = (struct tally){ 0 };
    if (instance == NONE) { return; }
    struct look look = check_instance(&board->search, instance);
    ASSERT(look.verdict != FITS || board->hidden > 0);           /* its rank said that it does not fit */
    if (look.verdict == FITS) { return; }
    board->tallies[row] = tally_of(&board->search, instance, &look);
}

static void piece_count(struct world *world, struct board *board, const struct fleet *fleet, uint32_t number)
{
    struct tallies tallies;
    struct piece *piece = &board->pieces[number];
    uint32_t first = number * PIECE_ROWS, rows = fleet->count - first < PIECE_ROWS ? fleet->count - first : PIECE_ROWS;
    ASSERT(first < fleet->count);
    tallies_begin(&tallies);
    tallies_put(&tallies, board->tallies + first, rows);
    if (tallies.count != piece->count) {
        give(world, piece->items, piece->count * sizeof *piece->items);
        piece->items = tallies.count == 0 ? NULL : take(world, tallies.count * sizeof *piece->items);
        piece->count = (uint32_t)tallies.count;
    }
    if (piece->count > 0) { memcpy(piece->items, tallies.items, piece->count * sizeof *piece->items); }
    piece->stale = false;
}

/* The rows that changed, and then the pieces that have some of them: the texts of the others' tallies are their instances' still. */
static void count_all(struct world *world, struct board *board, const struct fleet *fleet)
{
    struct tallies all;
    tallies_begin(&all);
    for (uint32_t p = 0; p * PIECE_ROWS < fleet->count; p++) {
        if (board->pieces[p].stale) { piece_count(world, board, fleet, p); }
        tallies_put(&all, board->pieces[p].items, board->pieces[p].count);
    }
    evidence_of_many(&all, &board->evidence);
    ASSERT(board->evidence.instances + board->hidden >= (int64_t)fleet_live(fleet));         /* one reason of each instance that is not hidden */
}

const struct evidence *board_evidence(struct world *world, struct board *board)
{
    const struct fleet *fleet = fleet_at(world, board->fleet);
    ASSERT(board->made && board->stamp == fleet->stamp);         /* board_pick was just here */
    if (board->tallies == NULL) {
        board->tallies = take(world, board->capacity * sizeof *board->tallies);
        board->pieces = take(world, pieces_of(board) * sizeof *board->pieces);
        for (uint32_t row = 0; row < fleet->count; row++) { row_tally(board, fleet, row); }
    } else if (board->evidence_stamp == fleet->stamp) {
        return &board->evidence;
    } else {
        for (uint32_t row = fleet->newest; row != NONE && fleet->rows[row].stamp > board->evidence_stamp; row = fleet->rows[row].older) {
            row_tally(board, fleet, row);
        }
    }
    board->evidence_stamp = fleet->stamp;
    count_all(world, board, fleet);
    return &board->evidence;
}

/* ---- the best row ---- */
/* Negative when the best of set `a` ranks before that of set `b`. */
static int set_cmp(const struct board *board, const struct row_set *a, const struct row_set *b)
{
    rank of_a = tree_root(&a->tree).least, of_b = tree_root(&b->tree).least;
    for (uint32_t t = 0; t < board->search.term_count; t++) {
        const struct term *term = &board->search.terms[t];
        if (term->kind != TERM_VALUE) {
            uint64_t in_a = rank_term(of_a, term), in_b = rank_term(of_b, term);
            if (in_a != in_b) { return in_a < in_b ? -1 : 1; }
            continue;
        }
        const struct value *value_a = &board->values[a->values[term->value_term]], *value_b = &board->values[b->values[term->value_term]];
        bool none_a = value_a->text == NONE, none_b = value_b->text == NONE;     /* instances without the attribute come last */
        if (none_a != none_b) { return none_a ? 1 : -1; }
        if (!none_a && value_a->tasks != value_b->tasks) { return value_a->tasks < value_b->tasks ? -1 : 1; }
    }
    return 0;
}

static uint32_t set_row(const struct board *board, const struct row_set *set, uint32_t nth)
{
    return row_of(board, set->first + tree_find(&set->tree, nth));
}

/* The best row by the ranks as they are; NONE: no instance fits. */
static uint32_t best_row(const struct board *board, struct rng *rng)
{
    const struct row_set *best = NULL;
    for (uint32_t h = 0; h < board->set_count; h++) {
        const struct row_set *set = &board->sets[h];
        if (tree_root(&set->tree).ties > 0 && (best == NULL || set_cmp(board, set, best) < 0)) { best = set; }
    }
    if (best == NULL) { return NONE; }
    uint64_t ties = 0;
    uint32_t row = NONE;
    for (const struct row_set *set = best; set < board->sets + board->set_count; set++) {
        if (tree_root(&set->tree).ties == 0 || (set != best && set_cmp(board, set, best) != 0)) { continue; }
        ties += tree_root(&set->tree).ties;
        if (board->search.by_chance) { continue; }
        uint32_t first = set_row(board, set, 0);
        row = first < row ? first : row;                         /* NONE is more than any row */
    }
    ASSERT(ties > 0);
    if (board->search.by_chance) {
        uint64_t nth = rng_below(rng, ties);
        for (const struct row_set *set = best;; set++) {
            uint32_t here = tree_root(&set->tree).ties;
            if (here == 0 || (set != best && set_cmp(board, set, best) != 0)) { continue; }
            if (nth < here) { return set_row(board, set, (uint32_t)nth); }
            nth -= here;
        }
    }
    return row;
}

uint32_t board_pick(struct world *world, struct board *board, struct rng *rng)
{
    board_follow(world, board);
    uint32_t row = best_row(board, rng);
    if (row == NONE) { return NONE; }
    const struct fleet *fleet = fleet_at(world, board->fleet);
    ASSERT(row < fleet->count && fleet->rows[row].instance != NONE);
    return fleet->rows[row].instance;
}

static void set_rank(struct board *board, uint32_t row, rank now)
{
    struct row_set *set = &board->sets[board->set_of == NULL ? 0 : board->set_of[row]];
    uint32_t leaf = leaf_of(board, row);
    if (board->leaves[leaf] == now) { return; }
    board->leaves[leaf] = now;
    tree_change(&set->tree, leaf - set->first);
}

void board_hide(struct world *world, struct board *board, uint32_t instance)
{
    ASSERT(board->made && instance_at(world, instance)->known);
    board->hidden++;
    set_rank(board, instance_at(world, instance)->row, RANK_OUT);
}

void board_show(struct world *world, struct board *board, uint32_t instance)
{
    ASSERT(board->made && board->hidden > 0);
    board->hidden--;
    set_rank(board, instance_at(world, instance)->row, row_rank(world, board, fleet_at(world, board->fleet), instance_at(world, instance)->row));
}

void board_foresee(struct world *world, struct board *board, const struct rng *rng, size_t count)
{
    enum { FORESEEN_MAX = 16, ROWS_LEAST = 16384 };
    const struct fleet *fleet = fleet_at(world, board->fleet);
    if (!board->search.by_chance || fleet->count < ROWS_LEAST || count < 2) { return; }
    board_follow(world, board);
    struct rng ahead = *rng;
    uint32_t rows[FORESEEN_MAX];
    size_t seen = 0;
    for (; seen < count && seen < FORESEEN_MAX && (rows[seen] = best_row(board, &ahead)) != NONE; seen++) {
        __builtin_prefetch(&fleet->rows[rows[seen]]);
        __builtin_prefetch(&board->leaves[leaf_of(board, rows[seen])]);
    }
    for (size_t s = 0; s < seen; s++) { instance_fetch(instance_at(world, fleet->rows[rows[s]].instance)); }
    for (size_t s = 0; s < seen; s++) { instance_fetch_around(world, instance_at(world, fleet->rows[rows[s]].instance)); }
}
