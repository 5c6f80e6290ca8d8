/* migrate.c: the tables' handles and the version of the format. A store that has all tables is opened without a write,
 * so a second process (`berth keys` beside a running server) does not wait for the writer. */
#include "store/store_internal.h"

static const struct str format_name = STR_INIT("format"), format_now = STR_INIT("1");

/* Opens every table. `make`: a missing table is made; else it is an error, and ends the loop. */
static int open_tables(struct engine_txn *txn, bool make)
{
    int code = ENGINE_OK;
    for (size_t t = 0; t < TABLE_COUNT && code == ENGINE_OK; t++) { code = engine_open_table(txn, t, layouts[t].name, layouts[t].many, make); }
    return code;
}

static bool refuse(int code, struct err *err)
{
    return err_set(err, ERR_SERVER, "The store's tables can not be opened: %s", engine_problem(code));
}

/* Tables stay open only when the transaction that opened them is committed, so a reading one is committed too. */
static int open_with(struct engine *engine, bool make)
{
    struct engine_txn txn = { NULL, NULL };
    int code = make ? engine_write_begin(engine, &txn) : engine_read_begin(engine, &txn);
    if (code != ENGINE_OK) { return code; }
    code = open_tables(&txn, make);
    ASSERT(txn.handle != NULL);                          /* a failure leaves it open */
    if (code == ENGINE_OK) { return engine_commit(&txn); }
    engine_abort(&txn);
    return code;
}

static bool write_format(struct store *store, struct err *err)
{
    int64_t revision;
    struct store_txn *txn = store_write_begin(store);
    store_put_meta(txn, format_name, format_now);
    return store_write_commit(txn, &revision) || err_set(err, ERR_SERVER, "The store's first commit failed.");
}

/* There is one format so far. A store of an older format would be changed to this one here, in one commit. A newer format is refused. */
static bool check_format(struct store *store, struct err *err)
{
    struct arena arena;
    arena_init(&arena, 4096);
    struct store_txn *txn = store_read_begin(store);
    struct str format = store_meta(txn, format_name, &arena);
    bool empty = !str_is_set(format) && store_revision(txn) == 0;
    bool known = str_is_set(format) && str_eq(format, format_now);
    if (!known && !empty) {
        (void)err_set(err, ERR_SERVER, "The store has format \"" STR_FMT "\"; this program knows \"" STR_FMT "\".",
                      STR_ARG(str_slice(format, 0, 20)), STR_ARG(format_now));
    }
    bool sound = store_read_end(txn);
    arena_finish(&arena);
    if (!sound) { return refuse(ENGINE_DAMAGED, err); }
    return known || (empty && write_format(store, err));
}

bool migrate_open_tables(struct store *store, struct err *err)
{
    int code = open_with(store->engine, false);
    if (code == ENGINE_NONE) { code = open_with(store->engine, true); }
    if (code != ENGINE_OK) { return refuse(code, err); }
    return check_format(store, err);
}
