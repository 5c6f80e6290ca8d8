#include "server/secret_key.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/rng.h"

enum { TEXT_LEN = 2 * SEAL_KEY_LEN, PATH_LEN_MAX = 4096, ARENA_BYTES = 1024 * 1024 };

/* ---- the file: 64 hex digits and a line's end ---- */

static int hex_value(char c)
{
    if (c >= '0' && c <= '9') { return c - '0'; }
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool parse(const char *text, struct seal_key *key)
{
    for (size_t b = 0; b < SEAL_KEY_LEN; b++) {
        int high = hex_value(text[2 * b]), low = high < 0 ? -1 : hex_value(text[2 * b + 1]);
        if (low < 0) { return false; }
        key->bytes[b] = (uint8_t)(high * 16 + low);
    }
    return text[TEXT_LEN] == '\n';
}

static bool failed(const char *path, const char *what, struct err *err)
{
    return err_set(err, ERR_SERVER, "The key file %s can't be %s: %s", path, what, strerror(errno));
}

/* *found is false when there is no such file. */
static bool read_file(const char *path, struct seal_key *key, bool *found, struct err *err)
{
    char text[TEXT_LEN + 2] = "";
    struct stat about;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    *found = fd >= 0 || errno != ENOENT;
    if (fd < 0) { return *found ? failed(path, "read", err) : true; }
    bool whole = fstat(fd, &about) == 0 && read(fd, text, sizeof text) == TEXT_LEN + 1;
    close(fd);
    if (whole && (about.st_mode & 077) != 0) {
        return err_set(err, ERR_SERVER, "Others may read the key file %s. Say: chmod 600 %s", path, path);
    }
    return (whole && parse(text, key)) || err_set(err, ERR_SERVER, "The file %s holds no key: 64 hex digits and the end of the line.", path);
}

static bool write_file(const char *path, const struct seal_key *key, struct err *err)
{
    char text[TEXT_LEN + 2];
    for (size_t b = 0; b < SEAL_KEY_LEN; b++) { (void)snprintf(text + 2 * b, 3, "%02x", key->bytes[b]); }
    text[TEXT_LEN] = '\n';
    return file_replace(path, (struct str){ text, TEXT_LEN + 1 }) || failed(path, "written", err);
}

/* ---- the store ---- */

bool secret_key_opens(const struct seal_key *key, const struct kept_secret *secret)
{
    struct arena arena = { .ceiling = ARENA_BYTES };
    bool good = true;
    for (size_t v = 0; v < secret->versions.count && good; v++) {
        const struct secret_version *version = &secret->versions.items[v];
        struct str value;
        good = version->sealed.len <= ARENA_BYTES && seal_open(key, secret_context(secret, version, &arena), version->sealed, &value, &arena);
    }
    arena_finish(&arena);
    return good;
}

/* The first secret that has a value; NULL: there is none. */
static const struct kept_secret *first_sealed(struct store_txn *txn, struct arena *arena)
{
    static const enum secret_kind kinds[] = { SECRET_OF_SSM, SECRET_OF_ASM };
    struct kept_secret page[16];
    for (size_t k = 0; k < COUNT_OF(kinds); k++) {
        struct str after = { NULL, 0 };
        for (size_t count = COUNT_OF(page); count == COUNT_OF(page);) {
            count = store_list_secrets(txn, kinds[k], after, page, COUNT_OF(page), arena);
            for (size_t s = 0; s < count; s++) {
                after = page[s].name;
                if (page[s].versions.count == 0) { continue; }
                const struct kept_secret *whole = store_secret(txn, kinds[k], page[s].name, arena);
                if (whole != NULL && whole->versions.count > 0) { return whole; }
            }
        }
    }
    return NULL;
}

static bool check_key(struct store *store, const char *path, const struct seal_key *key, bool found, bool *needed, struct err *err)
{
    struct arena arena = { .ceiling = ARENA_BYTES };
    struct store_txn *txn = store_read_begin(store);
    const struct kept_secret *secret = first_sealed(txn, &arena);
    *needed = secret != NULL;
    bool good = true;
    if (*needed && !found) {
        good = err_set(err, ERR_SERVER, "The store holds secrets, but their key file %s is missing: put it back from the backup. Without it their"
                       " values can't be read.", path);
    } else if (*needed && !secret_key_opens(key, secret)) {
        good = err_set(err, ERR_SERVER, "The key file %s is not the one that the secrets of this store were sealed with.", path);
    }
    if (!store_read_end(txn) && good) { good = err_set(err, ERR_SERVER, "The secrets can't be read."); }
    arena_finish(&arena);
    return good;
}

static bool path_of(const char *dir, char path[PATH_LEN_MAX], struct err *err)
{
    return snprintf(path, PATH_LEN_MAX, "%s/secrets.key", dir) < PATH_LEN_MAX
        || err_set(err, ERR_INVALID_PARAMETER, "The data folder's name is too long.");
}

bool secret_key_read(const char *dir, struct seal_key *key, bool *found, struct err *err)
{
    char path[PATH_LEN_MAX];
    return path_of(dir, path, err) && read_file(path, key, found, err);
}

bool secret_key_load(const char *dir, struct store *store, struct seal_key *key, struct err *err)
{
    char path[PATH_LEN_MAX];
    bool found, needed;
    if (!path_of(dir, path, err) || !read_file(path, key, &found, err) || !check_key(store, path, key, found, &needed, err)) { return false; }
    if (found) { return true; }
    rng_secret(key->bytes, sizeof key->bytes);
    return write_file(path, key, err);
}
