/* live_tables.c: two hash tables, both with open addressing and linear probing. A removed cell is closed by moving up those
 * behind it that may stand there, so that no tombstones gather. */
#include "store/live_tables.h"

#include <stdlib.h>

#include "base/array.h"

enum { TABLE_SIZE_MIN = 64 };

/* Eight bytes of an id are chance, the others grow: all are mixed, since a simulation's chance may be poor. */
static uint32_t hash_id(struct id id)
{
    uint64_t high, low;
    memcpy(&high, id.bytes, sizeof high);
    memcpy(&low, id.bytes + 8, sizeof low);
    uint64_t mixed = (high * 0x9E3779B97F4A7C15u ^ low) * 0xD6E8FEB86659FD93u;
    return (uint32_t)(mixed >> 32 ^ mixed);
}

/* ---- ids ---- */

size_t id_part(struct id id) { return hash_id(id) >> (32 - ID_PARTS_BITS); }     /* a table looks at the other end of the hash first */

static struct id id_at(struct items items, uint32_t place)
{
    struct id id;
    memcpy(&id, (const char *)items.base + (size_t)place * items.stride, sizeof id);
    return id;
}

/* The cell that holds `id`, or the empty one where it would go. */
static struct id_cell *cell_of(const struct id_table *table, struct items items, struct id id, uint32_t hash)
{
    size_t mask = table->size - 1, at = hash & mask;
    for (;; at = (at + 1) & mask) {
        struct id_cell *cell = &table->cells[at];
        if (cell->taken == 0 || (cell->hash == hash && id_eq(id_at(items, cell->taken - 1), id))) { return cell; }
    }
}

uint32_t id_table_find(const struct id_table *table, struct items items, struct id id)
{
    if (table->used == 0) { return NO_PLACE; }
    const struct id_cell *cell = cell_of(table, items, id, hash_id(id));
    return cell->taken == 0 ? NO_PLACE : cell->taken - 1;
}

static void put_cell(struct id_table *table, struct id_cell cell)
{
    size_t mask = table->size - 1, at = cell.hash & mask;
    while (table->cells[at].taken != 0) { at = (at + 1) & mask; }
    table->cells[at] = cell;
}

static size_t size_for(const struct id_table *table, size_t count)
{
    size_t size = table->size == 0 ? TABLE_SIZE_MIN : table->size;
    while (count * 4 > size * 3) { size *= 2; }
    return size;
}

void id_table_reserve(struct id_table *table, size_t count)
{
    struct id_table wider = { .size = size_for(table, count), .used = table->used };
    if (wider.size == table->size) { return; }
    wider.cells = array_zeroed(wider.size, sizeof *wider.cells);
    for (size_t c = 0; c < table->size; c++) {
        if (table->cells[c].taken != 0) { put_cell(&wider, table->cells[c]); }
    }
    free(table->cells);
    *table = wider;
}

void id_table_add(struct id_table *table, struct items items, struct id id, uint32_t place)
{
    id_table_reserve(table, table->used + 1);
    uint32_t hash = hash_id(id);
    struct id_cell *cell = cell_of(table, items, id, hash);
    ASSERT(cell->taken == 0);
    *cell = (struct id_cell){ place + 1, hash };
    table->used++;
}

void id_table_gather(struct id_table *table, struct id id, uint32_t place)
{
    table->cells = array_grow(table->cells, &table->size, table->used + 1, sizeof *table->cells);
    table->cells[table->used++] = (struct id_cell){ place + 1, hash_id(id) };
}

void id_table_settle(struct id_table *table)
{
    const struct id_table gathered = *table;
    if (gathered.used == 0) { return; }
    table->size = size_for(&gathered, gathered.used);
    table->cells = array_zeroed(table->size, sizeof *table->cells);
    for (size_t c = 0; c < gathered.used; c++) { put_cell(table, gathered.cells[c]); }
    free(gathered.cells);
}

void id_table_fetch(const struct id_table *table, struct id id)
{
    if (table->size > 0) { __builtin_prefetch(&table->cells[hash_id(id) & (table->size - 1)]); }
}

void id_table_fetch_item(const struct id_table *table, struct items items, struct id id)
{
    if (table->used == 0) { return; }
    uint32_t hash = hash_id(id);
    size_t mask = table->size - 1, at = hash & mask;
    while (table->cells[at].taken != 0 && table->cells[at].hash != hash) { at = (at + 1) & mask; }
    if (table->cells[at].taken != 0) { __builtin_prefetch((const char *)items.base + (size_t)(table->cells[at].taken - 1) * items.stride); }
}

/* True when an item whose home is `home` and that stands at `at` may move to the hole: its home is not between them. */
static bool may_move(size_t home, size_t hole, size_t at, size_t mask)
{
    return ((at - home) & mask) >= ((at - hole) & mask);
}

void id_table_remove(struct id_table *table, struct items items, struct id id)
{
    ASSERT(table->used > 0);
    size_t mask = table->size - 1, hole = (size_t)(cell_of(table, items, id, hash_id(id)) - table->cells);
    ASSERT(table->cells[hole].taken != 0);
    for (size_t at = (hole + 1) & mask; table->cells[at].taken != 0; at = (at + 1) & mask) {
        if (!may_move(table->cells[at].hash & mask, hole, at, mask)) { continue; }
        table->cells[hole] = table->cells[at];
        hole = at;
    }
    table->cells[hole] = (struct id_cell){ 0 };
    table->used--;
}

/* ---- tokens ---- */

static size_t token_cell(const struct token_table *table, uint64_t print)
{
    size_t mask = table->size - 1, cell = print & mask;
    while (table->cells[cell].count != 0 && table->cells[cell].print != print) { cell = (cell + 1) & mask; }
    return cell;
}

const struct token *token_table_find(const struct token_table *table, uint64_t print)
{
    if (table->used == 0) { return NULL; }
    const struct token *token = &table->cells[token_cell(table, print)];
    return token->count == 0 ? NULL : token;
}

static void token_table_widen(struct token_table *table)
{
    struct token_table wider = { .size = table->size == 0 ? TABLE_SIZE_MIN : table->size * 2, .used = table->used };
    wider.cells = array_zeroed(wider.size, sizeof *wider.cells);
    for (size_t c = 0; c < table->size; c++) {
        if (table->cells[c].count == 0) { continue; }
        wider.cells[token_cell(&wider, table->cells[c].print)] = table->cells[c];
    }
    free(table->cells);
    *table = wider;
}

void token_table_add(struct token_table *table, uint64_t print, struct id id)
{
    ASSERT(print != 0);
    if ((table->used + 1) * 4 > table->size * 3) { token_table_widen(table); }
    struct token *token = &table->cells[token_cell(table, print)];
    if (token->count == 0) {
        *token = (struct token){ .print = print, .first = id, .last = id };
        table->used++;
    }
    if (id_cmp(id, token->first) < 0) { token->first = id; }
    if (id_cmp(id, token->last) > 0) { token->last = id; }
    token->count++;
}

void token_table_remove(struct token_table *table, uint64_t print)
{
    ASSERT(table->used > 0);
    size_t mask = table->size - 1, hole = token_cell(table, print);
    ASSERT(table->cells[hole].count > 0);
    if (--table->cells[hole].count > 0) { return; }
    for (size_t at = (hole + 1) & mask; table->cells[at].count != 0; at = (at + 1) & mask) {
        if (!may_move(table->cells[at].print & mask, hole, at, mask)) { continue; }
        table->cells[hole] = table->cells[at];
        hole = at;
    }
    table->cells[hole] = (struct token){ 0 };
    table->used--;
}
