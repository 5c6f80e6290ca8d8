/* join.c: a server's folder and the cluster's id. The file DATA/ha-id says which cluster the store belongs to, and whether the cluster began with it. A copy
 * of another member's store is fetched under another name, and takes the store's place when it is whole. */
#include "server/members/members_internal.h"

#include <curl/curl.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "base/rng.h"

enum { PATH_SIZE = 4096, ASK_MS = 5000, AGAIN_MS = 500, TOLD_MS = 10 * 1000, COPY_SILENCE_S = 60, KEY_FILE_MAX = 128,
       NEW_STORE = 1 };                      /* the revision of a store that has only its format */

static const struct str origin_word = STR_INIT("origin");

static void path_in(char path[PATH_SIZE], const char *dir, const char *name) { (void)snprintf(path, PATH_SIZE, "%s/%s", dir, name); }

/* ---- the file ha-id: the id, and " origin" ---- */

static bool read_id(const char *path, char id[HA_NAME_MAX + 1], bool *origin, struct err *err)
{
    char text[HA_NAME_MAX + 16] = "";
    struct str word, rest;
    id[0] = '\0';
    *origin = false;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) { return errno == ENOENT || err_set(err, ERR_SERVER, "%s: %s", path, strerror(errno)); }
    ssize_t size = read(fd, text, sizeof text - 1);
    close(fd);
    struct str line = { text, size > 0 ? (size_t)size : 0 };
    if (!str_ends_with(line, STR("\n"))) { return err_set(err, ERR_SERVER, "The file %s holds no id.", path); }
    line = str_slice(line, 0, line.len - 1);
    *origin = str_cut(line, ' ', &word, &rest) && str_eq(rest, origin_word);
    if (!*origin) { word = line; }
    if (word.len == 0 || word.len > HA_NAME_MAX) { return err_set(err, ERR_SERVER, "The file %s holds no id.", path); }
    memcpy(id, word.ptr, word.len);
    id[word.len] = '\0';
    return true;
}

static bool write_id(const char *path, const char *id, bool origin, struct err *err)
{
    char text[HA_NAME_MAX + 16];
    int len = snprintf(text, sizeof text, "%s%s\n", id, origin ? " origin" : "");
    return file_replace(path, (struct str){ text, (size_t)len }) || err_set(err, ERR_SERVER, "%s: %s", path, strerror(errno));
}

/* ---- from another member ---- */

struct download { int fd; size_t size, max; bool failed; };

static size_t take_bytes(char *bytes, size_t size, size_t count, void *context)
{
    struct download *download = context;
    size_t length = size * count;
    download->failed = length > download->max - download->size || !file_write_all(download->fd, (struct str){ bytes, length });
    download->size += length;
    return download->failed ? CURL_WRITEFUNC_ERROR : length;
}

static bool get(const struct members *members, const char *address, const char *path, struct download *download, struct err *err)
{
    char url[HA_ADDRESS_MAX + 64], member[HA_NAME_MAX + 32], word[HA_WORD_LEN + 32], why[CURL_ERROR_SIZE] = "";
    long status = 0;
    CURL *curl = curl_easy_init();
    if (curl == NULL) { return err_set(err, ERR_SERVER, "No memory is left."); }
    (void)snprintf(url, sizeof url, "%s%s", address, path);
    (void)snprintf(member, sizeof member, MEMBER_HEADER ": %s", members->self.name);
    (void)snprintf(word, sizeof word, WORD_HEADER ": %s", members->self.word);
    struct curl_slist *headers = curl_slist_append(curl_slist_append(NULL, member), word);
    curl_easy_setopt(curl, CURLOPT_URL, url);
    curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT_MS, (long)ASK_MS);
    curl_easy_setopt(curl, CURLOPT_LOW_SPEED_LIMIT, 1L);
    curl_easy_setopt(curl, CURLOPT_LOW_SPEED_TIME, (long)COPY_SILENCE_S);
    curl_easy_setopt(curl, CURLOPT_FAILONERROR, 1L);
    curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, take_bytes);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, download);
    curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, why);
    members_set_tls(members, curl);
    CURLcode code = curl_easy_perform(curl);
    curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
    curl_slist_free_all(headers);
    curl_easy_cleanup(curl);
    return code == CURLE_OK || err_set(err, ERR_SERVER, "%s%s: %s", address, path, why[0] != '\0' ? why : curl_easy_strerror(code));
}

/* The file is there, whole and on the disk, or not at all. */
static bool fetch(const struct members *members, const char *address, const char *path, const char *file, size_t max, struct err *err)
{
    char part[PATH_SIZE];
    (void)snprintf(part, sizeof part, "%s.new", file);
    struct download download = { .fd = open(part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600), .max = max };
    if (download.fd < 0) { return err_set(err, ERR_SERVER, "%s: %s", part, strerror(errno)); }
    bool good = get(members, address, path, &download, err);
    if (good && download.size == 0) { good = err_set(err, ERR_SERVER, "%s%s: nothing came", address, path); }
    if (good && fsync(download.fd) != 0) { good = err_set(err, ERR_SERVER, "%s: %s", part, strerror(errno)); }
    close(download.fd);
    if (good && rename(part, file) != 0) { good = err_set(err, ERR_SERVER, "%s: %s", file, strerror(errno)); }
    if (!good) { (void)unlink(part); }
    return good;
}

static bool is_private(const char *address)
{
    struct str url = str_from(address);
    return str_starts_with(url, STR("https://")) || str_starts_with(url, STR("http://127.")) || str_starts_with(url, STR("http://localhost"))
        || str_starts_with(url, STR("http://[::1]"));
}

static bool has_key(const struct members *members, char path[PATH_SIZE])
{
    path_in(path, members->config.data_dir, "secrets.key");
    return access(path, F_OK) == 0;
}

/* All members seal secrets with one key. */
static bool fetch_key(const struct members *members, const char *address, struct err *err)
{
    char path[PATH_SIZE];
    if (has_key(members, path)) { return true; }
    if (!is_private(address)) {
        return err_set(err, ERR_SERVER, "The key of the secrets does not cross the network in the clear: copy secrets.key from the folder of another member to"
                       " %s, or give the members TLS.", path);
    }
    return fetch(members, address, "/berth/v1/ha/key", path, KEY_FILE_MAX, err);
}

/* ---- join ---- */

/* The signals that end a server are held while it starts. */
static bool is_to_stop(struct err *err)
{
    sigset_t pending;
    bool stops = sigpending(&pending) == 0 && (sigismember(&pending, SIGTERM) == 1 || sigismember(&pending, SIGINT) == 1);
    return stops && !err_set(err, ERR_SERVER, "It was stopped while it waited for the others.");
}

/* *told_ms: when the log last said that this takes long. `engine`: the server waits for it; NULL: for a leader. */
static void tell_wait(int64_t *told_ms, struct ha_engine *engine)
{
    char why[HA_PROBLEM_SIZE] = "";
    int64_t now_ms = clock_monotonic_ms();
    if (now_ms - *told_ms < TOLD_MS) { return; }
    *told_ms = now_ms;
    if (engine == NULL) {
        log_line(LOG_WARN, "ha", "this server waits for a leader, to begin from its state");
        return;
    }
    engine->ops->problem(engine, why);
    log_line(LOG_WARN, "ha", "this server waits for etcd%s%s", why[0] != '\0' ? ": " : "", why);
}

static bool claim(struct members *members, const char *proposed, char id[HA_NAME_MAX + 1], struct err *err)
{
    struct ha_engine *engine = members->engine;
    struct arena arena;
    struct str found;
    int64_t told_ms = clock_monotonic_ms();
    arena_init(&arena, HA_ARENA);
    bool stops = false, claimed = false;
    while (!stops && !(claimed = engine->ops->claim_id(engine, str_from(proposed), &found, &arena, clock_monotonic_ms() + ASK_MS) == HA_DONE)) {
        tell_wait(&told_ms, engine);
        clock_sleep_ms(AGAIN_MS);
        arena_reset(&arena);
        stops = is_to_stop(err);
    }
    if (claimed) { memcpy(id, found.ptr, found.len); }
    id[claimed ? found.len : 0] = '\0';
    arena_finish(&arena);
    return claimed;
}

static bool leads_one(const struct ha_head *head) { return head->term != 0 && head->last > 0; }

/* The member is in the list of members, so that the log is not trimmed meanwhile and the others know its word. A folder that is empty begins from a copy; when
 * nobody leads, from the log, if that goes back to the beginning. */
static bool wait_for_head(struct members *members, bool is_empty, struct ha_head *head, struct err *err)
{
    struct ha_engine *engine = members->engine;
    int64_t told_ms = clock_monotonic_ms();
    char key[PATH_SIZE];
    for (;;) {
        int64_t now_ms = clock_monotonic_ms();
        bool good = engine->ops->announce(engine, &members->self, JOIN_LEASE_MS, now_ms + ASK_MS) == HA_DONE
            && engine->ops->head(engine, head, now_ms + ASK_MS) == HA_DONE;
        bool whole = head->last > 0 && head->first <= NEW_STORE + 1 && has_key(members, key);
        if (good && (!is_empty || leads_one(head) || whole)) { return true; }
        if (is_to_stop(err)) { return false; }
        tell_wait(&told_ms, good ? NULL : engine);
        clock_sleep_ms(AGAIN_MS);
    }
}

static int64_t revision_in(struct store *store)
{
    struct store_txn *txn = store_read_begin(store);
    int64_t revision = store_revision(txn);
    return store_read_end(txn) ? revision : -1;
}

/* The leader may die meanwhile, or be one that has died: then the next one is asked. *fetched false: nobody leads, and the log has all. */
static bool fetch_copy(struct members *members, const char *file, struct ha_head *head, bool *fetched, struct err *err)
{
    *fetched = false;
    while (leads_one(head) && !*fetched) {
        struct err why = { 0 };
        log_line(LOG_INFO, "ha", "this server begins from a copy of %s", head->address);
        *fetched = fetch(members, head->address, "/berth/v1/ha/copy", file, SIZE_MAX, &why);
        if (*fetched) { return true; }
        log_line(LOG_WARN, "ha", "%s", why.message);
        clock_sleep_ms(AGAIN_MS);
        if (is_to_stop(err) || !wait_for_head(members, true, head, err)) { return false; }
    }
    return true;
}

static bool take_copy(struct members *members, const struct store_config *config, struct store **store, struct ha_head *head, struct err *err)
{
    char path[PATH_SIZE], lock[PATH_SIZE], copy[PATH_SIZE];
    path_in(path, config->dir, "data.mdb");
    path_in(copy, config->dir, "data.mdb.copy");
    path_in(lock, config->dir, "lock.mdb");
    bool fetched;
    if (!fetch_copy(members, copy, head, &fetched, err)) { return false; }
    if (!fetched) { return true; }
    store_close(*store);
    *store = NULL;
    (void)unlink(lock);
    if (rename(copy, path) != 0) { return err_set(err, ERR_SERVER, "%s: %s", path, strerror(errno)); }
    return store_open(config, store, err);
}

bool members_join(struct members *members, const struct store_config *config, struct store **store, struct err *err)
{
    char path[PATH_SIZE], known[HA_NAME_MAX + 1], id[HA_NAME_MAX + 1], proposed[HA_WORD_LEN + 1];
    uint8_t chance[HA_WORD_LEN / 2];
    bool origin;
    path_in(path, members->config.data_dir, "ha-id");
    if (!read_id(path, known, &origin, err)) { return false; }
    rng_secret(chance, sizeof chance);
    str_put_hex(proposed, chance, sizeof chance);
    proposed[HA_WORD_LEN] = '\0';
    if (known[0] == '\0' && !write_id(path, proposed, true, err)) { return false; }      /* before etcd has it: a crash in between asks for the same id again */
    const char *mine = known[0] == '\0' ? proposed : known;
    if (!claim(members, mine, id, err)) { return false; }
    bool same = strcmp(id, mine) == 0, is_new = known[0] == '\0' || origin;
    int64_t revision = revision_in(*store);
    if (!same && (!is_new || revision > NEW_STORE)) {
        if (known[0] == '\0') { (void)unlink(path); }
        return err_set(err, ERR_SERVER, "The folder %s holds another cluster's state than %s. Join with an empty folder, or give this cluster another name.",
                       members->config.data_dir, members->config.etcd.url);
    }
    if (!same) {
        origin = false;
        if (!write_id(path, id, false, err)) { return false; }
    } else if (known[0] == '\0') {
        origin = true;
    }
    struct ha_head head;
    bool is_empty = !origin && revision <= NEW_STORE;
    if (!wait_for_head(members, is_empty, &head, err)) { return false; }
    if (!origin && !fetch_key(members, head.address, err)) { return false; }
    bool reaches = head.last == 0 || revision + 1 >= head.first;
    bool copies = !reaches || (is_empty && leads_one(&head));
    if (copies && !take_copy(members, config, store, &head, err)) { return false; }
    member_use(members->member, *store, origin);
    return true;
}

void members_set_aside(const char *data_dir, struct err *err)
{
    char path[PATH_SIZE], kept[PATH_SIZE], lock[PATH_SIZE], id_file[PATH_SIZE], id[HA_NAME_MAX + 1];
    bool origin;
    struct err ignored = { 0 };
    path_in(path, data_dir, "server.lock");
    path_in(id_file, data_dir, "ha-id");
    int held = file_lock(path);
    if (held < 0) { return; }
    path_in(path, data_dir, "data.mdb");
    path_in(kept, data_dir, "data.mdb.damaged");
    path_in(lock, data_dir, "lock.mdb");
    /* An empty store is no origin: it must not lead a log that is empty, too. */
    bool done = read_id(id_file, id, &origin, &ignored) && id[0] != '\0' && write_id(id_file, id, false, &ignored) && rename(path, kept) == 0;
    if (done) {
        (void)unlink(lock);
        log_line(LOG_ERROR, "ha", "%s", err->message);
        *err = (struct err){ 0 };
        (void)err_set(err, ERR_STORE_DAMAGED, "The store in %s is damaged: it is kept as data.mdb.damaged. Start this server again: it begins from a copy of"
                      " another one's store.", data_dir);
    }
    close(held);
}
