/* engine.h: the seam between the store and the engine that keeps its bytes. It knows tables of keys and values in the order of their bytes,
 * transactions and cursors. It knows nothing of records, of the parts of a key or of jobs. The engine is LMDB (lmdb.c): no other file of the
 * product names it.
 *
 * One writing transaction at a time, also among processes: the second waits. Any number of reading ones, on any thread. A read is borrowed memory
 * of the file's map: it ends with the next write of its transaction, or with the transaction.
 *
 * A function that can fail gives a code: ENGINE_OK, ENGINE_NONE when the entry is not there, or a failure, for which engine_problem has words.
 * txn.c turns a failure into a poisoned transaction. Only txn.c writes: tests/tidy asks for that. */
#ifndef BERTH_STORE_ENGINE_H
#define BERTH_STORE_ENGINE_H

#include "base/assert.h"
#include "base/str.h"

struct engine;                               /* one open file */
struct engine_txn { struct engine *engine; void *handle; };          /* handle NULL: it has not begun, or has ended */
struct engine_cursor { void *handle; };                              /* handle NULL: it was not opened */

enum { ENGINE_OK = 0, ENGINE_NONE = -1, ENGINE_DAMAGED = -2 };       /* other codes are the engine's own, or errno's */
enum { ENGINE_TABLES_MAX = 64, ENGINE_KEY_MAX = 511 };               /* ENGINE_KEY_MAX: bytes of a key, and of a value where a key has many */

/* ---- failures ---- */
const char *engine_problem(int code);        /* in words, for a person */
const char *engine_detail(int code);         /* as the engine itself says it */
bool        engine_ends_all(int code);       /* after it no transaction of this process can be trusted */
bool        engine_is_damage(int code);      /* the file is damaged, and will be after a restart too */

/* ---- the file ---- */
struct engine_config {
    const char *dir;                         /* it is there already */
    size_t map_size;                         /* bytes of address space; the engine takes half of it, and again half, where there is less */
    size_t tables;                           /* ENGINE_TABLES_MAX at most */
    bool sync;                               /* false: a commit is not durable */
};
MUST_USE int  engine_open(const struct engine_config *config, struct engine **engine);       /* *engine owned */
void          engine_close(struct engine *engine);                   /* accepts NULL; no transaction is open any more */
const char   *engine_dir(const struct engine *engine);               /* as it was opened; the engine's */
size_t        engine_pages(const struct engine *engine);             /* of 4 KiB usually, as the last commit says; 0: not known */
/* A whole file of the last commit, without free pages, while others read and write. `fd`: at its start, and left open. */
MUST_USE int  engine_copy(struct engine *engine, int fd);
/* Readers of processes that were killed pin pages for ever: their places are cleared. Any thread. */
MUST_USE int  engine_clear_dead_readers(struct engine *engine);
/* Is the file as long as it says? True also when there is no file, or it can't be read: then engine_open says why. */
MUST_USE bool engine_file_is_whole(const char *dir);

/* ---- transactions ---- */
/* A reading one that has ended keeps its place among the engine's readers: it begins again without a lock or new memory. */
MUST_USE int engine_read_begin(struct engine *engine, struct engine_txn *txn);       /* handle NULL: a new one; else one that has ended */
void         engine_read_end(struct engine_txn *txn);
MUST_USE int engine_write_begin(struct engine *engine, struct engine_txn *txn);
MUST_USE int engine_commit(struct engine_txn *txn);                  /* the transaction is gone, also when it failed */
void         engine_abort(struct engine_txn *txn);                   /* a writing one, or a reading one and its place; nothing when the handle is NULL */

/* ---- tables ---- */
/* A table is known by its number from the commit of `txn` on (engine_commit, also of a reading one). `many`: a key has many values, in the
 * order of their bytes and all of one size. `make`: it is made when missing; else that is ENGINE_NONE. */
MUST_USE int engine_open_table(struct engine_txn *txn, size_t table, const char *name, bool many, bool make);
struct engine_size { size_t entries, pages; };                       /* pages: those that hold entries */
MUST_USE int engine_size_of(const struct engine_txn *txn, size_t table, struct engine_size *size);

/* ---- entries ---- */
enum engine_place {
    PUT_ANYWHERE,
    PUT_LAST                                 /* behind all keys of the table, or all values of the key: not looked for, and a failure when untrue */
};
MUST_USE int engine_get(const struct engine_txn *txn, size_t table, struct str key, struct str *value);
MUST_USE int engine_put(struct engine_txn *txn, size_t table, struct str key, struct str value, enum engine_place place);
/* `count` values of one key, in order, side by side in `values`, all of one size. */
MUST_USE int engine_put_many(struct engine_txn *txn, size_t table, struct str key, struct str values, size_t count, enum engine_place place);
/* `value`: the one of many that goes; absent where a key has one value. */
MUST_USE int engine_delete(struct engine_txn *txn, size_t table, struct str key, struct str value);

/* ---- cursors ---- */
enum engine_move {
    MOVE_FIRST, MOVE_LAST, MOVE_NEXT, MOVE_PREVIOUS,
    MOVE_NEXT_KEY,                           /* past the other values of this key */
    MOVE_NEXT_VALUE,                         /* of this key */
    MOVE_FROM_KEY,                           /* the first that is not below *key */
    MOVE_FROM_VALUE,                         /* of *key, the first value that is not below *value: this and those below read *value too */
    MOVE_PAGE,                               /* stays; *value is all values of the key on this page, side by side, also those before */
    MOVE_NEXT_PAGE                           /* the same of the next page; *value stays as it is when the key has only one value */
};
/* A cursor of a reading transaction that has ended is used again. */
MUST_USE int engine_cursor_open(const struct engine_txn *txn, size_t table, struct engine_cursor *cursor);
MUST_USE int engine_cursor_move(struct engine_cursor *cursor, enum engine_move move, struct str *key, struct str *value);
/* engine_get by a cursor, which looks at its own page first: faster for neighbours. */
MUST_USE int engine_cursor_get(struct engine_cursor *cursor, struct str key, struct str *value);
void         engine_cursor_close(struct engine_cursor *cursor);      /* before its writing transaction ends; nothing when it was not opened */

#endif
