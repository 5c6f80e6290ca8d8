/* state_file.c: write to a neighbour, sync it, rename it over the old one, sync the folder. */
#include "agent/core/state_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/json.h"

enum { STATE_PATH_MAX = 4096, IDENTITY_ARENA_MAX = 64 * 1024 };

static bool fail(const char *what, const char *path, struct err *err)
{
    return err_set(err, ERR_SERVER, "%s %s: %s", what, path, strerror(errno));
}

static bool make_one(const char *path) { return mkdir(path, 0700) == 0 || errno == EEXIST; }

bool state_file_make_dir(const char *path, struct err *err)
{
    char head[STATE_PATH_MAX];
    if (!str_to_cstr(str_from(path), head, sizeof head)) {
        return err_set(err, ERR_INVALID_PARAMETER, "The folder's name is too long: %s", path);
    }
    for (char *at = head + 1; *at != '\0'; at++) {
        if (*at != '/') { continue; }
        *at = '\0';
        if (!make_one(head)) { return fail("A folder cannot be made:", head, err); }
        *at = '/';
    }
    struct stat info;
    if (!make_one(head) || stat(head, &info) != 0) { return fail("A folder cannot be made:", head, err); }
    if (S_ISDIR(info.st_mode)) { return true; }
    return err_set(err, ERR_INVALID_PARAMETER, "%s is not a folder.", head);
}

bool state_file_write(const char *path, struct str text, struct err *err)
{
    return file_replace(path, text) || fail("A file cannot be written:", path, err);
}

bool state_file_read(const char *path, struct str *text, struct arena *arena, struct err *err)
{
    *text = (struct str){ 0 };
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) { return errno == ENOENT || fail("A file cannot be read:", path, err); }
    struct stat info;
    if (fstat(fd, &info) != 0 || info.st_size > STATE_FILE_MAX) {
        close(fd);
        return err_set(err, ERR_SERVER, "A file cannot be read, or it is too big: %s", path);
    }
    size_t size = (size_t)info.st_size, len = 0;
    char *bytes = arena_alloc(arena, size + 1, 1);
    while (len < size) {
        ssize_t got = read(fd, bytes + len, size - len);
        if (got < 0 && errno == EINTR) { continue; }
        if (got <= 0) { break; }
        len += (size_t)got;
    }
    close(fd);
    ASSERT(len <= size);
    *text = (struct str){ bytes, len };
    return true;
}

void state_file_remove(const char *path) { unlink(path); }

/* ---- the registration ---- */

static bool identity_path(const char *dir, char path[STATE_PATH_MAX], struct err *err)
{
    int len = snprintf(path, STATE_PATH_MAX, "%s/agent.json", dir);
    if (len > 0 && len < STATE_PATH_MAX) { return true; }
    return err_set(err, ERR_INVALID_PARAMETER, "The folder's name is too long: %s", dir);
}

bool identity_load(const char *dir, struct identity *identity, struct arena *arena, struct err *err)
{
    *identity = (struct identity){ 0 };
    char path[STATE_PATH_MAX];
    struct str text;
    if (!identity_path(dir, path, err) || !state_file_read(path, &text, arena, err)) { return false; }
    if (!str_is_set(text)) { return true; }
    struct err parse = { 0 };
    const struct json *tree = json_parse(text, arena, &parse);
    if (tree == NULL) {
        return err_set(err, ERR_SERVER, "%s is damaged (%s). Remove it to register this machine as a new one.", path, parse.message);
    }
    identity->arn = json_get_str(tree, STR("containerInstanceArn"));
    identity->cluster = json_get_str(tree, STR("cluster"));
    identity->client_token = json_get_str(tree, STR("clientToken"));
    return true;
}

static void put(struct json_out *out, struct str name, struct str value)
{
    if (!str_is_set(value)) { return; }
    json_key(out, name);
    json_str(out, value);
}

bool identity_save(const char *dir, const struct identity *identity, struct err *err)
{
    char path[STATE_PATH_MAX];
    if (!identity_path(dir, path, err)) { return false; }
    ASSERT(str_is_set(identity->client_token) || str_is_set(identity->arn));      /* without one the next run would be a second machine */
    struct arena arena = { .ceiling = IDENTITY_ARENA_MAX };
    struct buf text = buf_in(&arena);
    struct json_out out = json_out_to(&text);
    json_open(&out, '{');
    put(&out, STR("cluster"), identity->cluster);
    put(&out, STR("containerInstanceArn"), identity->arn);
    put(&out, STR("clientToken"), identity->client_token);
    json_close(&out, '}');
    bool good = state_file_write(path, buf_str(&text), err);
    arena_finish(&arena);
    return good;
}
