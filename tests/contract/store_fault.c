/* store_fault: a library to be preloaded. While the file that STORE_FAULT names exists, LMDB reads and writes no table but that of
 * the access keys, so that requests are let in: the disk reports an error. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int mdb_dbi_open(void *txn, const char *name, unsigned flags, unsigned *dbi);
int mdb_get(void *txn, unsigned dbi, void *key, void *data);
int mdb_put(void *txn, unsigned dbi, void *key, void *data, unsigned flags);
int mdb_cursor_open(void *txn, unsigned dbi, void **cursor);

static atomic_uint keys;

static void *next(const char *name)
{
    void *found = dlsym(RTLD_NEXT, name);
    if (found == NULL) {
        _exit(2);
    }
    return found;
}

static int fails(unsigned dbi)
{
    const char *fault = getenv("STORE_FAULT");
    return dbi != keys && fault != NULL && access(fault, F_OK) == 0;
}

int mdb_dbi_open(void *txn, const char *name, unsigned flags, unsigned *dbi)
{
    int (*real)(void *, const char *, unsigned, unsigned *) = NULL;
    *(void **)&real = next("mdb_dbi_open");
    int code = real(txn, name, flags, dbi);
    if (code == 0 && strcmp(name, "access_keys") == 0) {
        keys = *dbi;
    }
    return code;
}

int mdb_get(void *txn, unsigned dbi, void *key, void *data)
{
    int (*real)(void *, unsigned, void *, void *) = NULL;
    *(void **)&real = next("mdb_get");
    return fails(dbi) ? EIO : real(txn, dbi, key, data);
}

int mdb_put(void *txn, unsigned dbi, void *key, void *data, unsigned flags)
{
    int (*real)(void *, unsigned, void *, void *, unsigned) = NULL;
    *(void **)&real = next("mdb_put");
    return fails(dbi) ? EIO : real(txn, dbi, key, data, flags);
}

int mdb_cursor_open(void *txn, unsigned dbi, void **cursor)
{
    int (*real)(void *, unsigned, void **) = NULL;
    *(void **)&real = next("mdb_cursor_open");
    return fails(dbi) ? EIO : real(txn, dbi, cursor);
}
