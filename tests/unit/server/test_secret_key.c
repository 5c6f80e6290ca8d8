/* test_secret_key.c: the key file is made once, kept to its owner, and asked whether it is the one of this store. */
#include "server/secret_key.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/store/store_fixture.h"

static const char *path_of(struct store_fixture *f) { return arena_printf(&f->arena, "%s/secrets.key", f->dir).ptr; }

static void write_text(const char *path, const char *text, mode_t mode)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    ASSERT(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text) && fchmod(fd, mode) == 0);
    close(fd);
}

static void put_secret(struct store_fixture *f, const struct seal_key *key)
{
    struct secret_version version = { .number = 1, .created_ms = 5 };
    struct kept_secret bare = { .kind = SECRET_OF_ASM, .name = STR("a"), .suffix = STR("AbCdEf") };
    struct kept_secret secret = { .kind = SECRET_OF_ASM, .name = STR("b"), .suffix = STR("AbCdEf"), .versions = { &version, 1 } };
    version.sealed = seal_close(key, secret_context(&secret, &version, &f->arena), STR("value"), &f->arena);
    struct store_txn *txn = store_write_begin(f->store);
    store_put_secret(txn, &bare);
    store_put_secret(txn, &secret);
    fixture_commit("a secret", txn);
}

static void check_refused(const char *row, struct store_fixture *f, const char *words)
{
    struct seal_key key;
    struct err err = { 0 };
    CHECK(row, !secret_key_load(f->dir, f->store, &key, &err));
    bool said = strstr(err.message, words) != NULL;
    CHECK(row, said);
    if (!said) { fprintf(stderr, "it said: %s\n", err.message); }
}

static void test_opens(struct store_fixture *f, const struct seal_key *key)
{
    struct seal_key other = *key, read;
    struct err err = { 0 };
    bool found = false;
    struct store_txn *txn = store_read_begin(f->store);
    const struct kept_secret *bare = store_secret(txn, SECRET_OF_ASM, STR("a"), &f->arena), *secret = store_secret(txn, SECRET_OF_ASM, STR("b"), &f->arena);
    other.bytes[0] ^= 1;
    CHECK("its own key opens it", secret != NULL && secret_key_opens(key, secret));
    CHECK("another does not", secret != NULL && !secret_key_opens(&other, secret));
    CHECK("nothing is to be opened", bare != NULL && secret_key_opens(&other, bare));
    CHECK("the store is read", store_read_end(txn));
    CHECK("the key is read", secret_key_read(f->dir, &read, &found, &err) && found && memcmp(&read, key, sizeof read) == 0);
    CHECK("none is there, and none is made", secret_key_read("/nowhere/at/all", &read, &found, &err) && !found);
}

int main(void)
{
    struct store_fixture f;
    struct seal_key key, again;
    struct err err = { 0 };
    struct stat about;
    fixture_begin(&f, 0);
    const char *path = path_of(&f);
    CHECK("made", secret_key_load(f.dir, f.store, &key, &err));
    CHECK("for its owner alone", stat(path, &about) == 0 && (about.st_mode & 0777) == 0600);
    CHECK("read", secret_key_load(f.dir, f.store, &again, &err) && memcmp(&key, &again, sizeof key) == 0);
    put_secret(&f, &key);
    CHECK("it fits the store", secret_key_load(f.dir, f.store, &again, &err) && memcmp(&key, &again, sizeof key) == 0);
    test_opens(&f, &key);

    chmod(path, 0640);
    check_refused("others may read it", &f, "chmod 600");
    write_text(path, "0123\n", 0600);
    check_refused("half a key", &f, "holds no key");
    write_text(path, "00000000000000000000000000000000000000000000000000000000000000zz\n", 0600);
    check_refused("no hex", &f, "holds no key");
    write_text(path, "0000000000000000000000000000000000000000000000000000000000000000\n", 0600);
    check_refused("another key", &f, "is not the one");
    unlink(path);
    check_refused("no key", &f, "missing");
    CHECK("and none is made then", access(path, F_OK) != 0);
    fixture_end(&f);
    return check_report();
}
