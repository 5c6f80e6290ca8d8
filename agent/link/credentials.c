/* credentials.c: finding the access key. The file is read as botocore reads it: sections, `name = value`, whole-line
 * comments with # or ;, and a later line of the same name wins. */
#include "agent/link/credentials.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CREDENTIALS_FILE_MAX = 256 * 1024 };

static const char *environment(const char *name)
{
    const char *value = getenv(name);
    return value != NULL && value[0] != '\0' ? value : NULL;
}

static void take(struct credentials *credentials, struct str name, struct str value, struct arena *arena)
{
    if (str_eq(name, STR("aws_access_key_id"))) { credentials->access_key_id = arena_str(arena, value); }
    if (str_eq(name, STR("aws_secret_access_key"))) { credentials->secret_access_key = arena_str(arena, value); }
    if (str_eq(name, STR("aws_session_token"))) { credentials->session_token = arena_str(arena, value); }
}

static bool is_complete(const struct credentials *credentials)
{
    return credentials->access_key_id.len > 0 && credentials->secret_access_key.len > 0;
}

bool credentials_parse(struct str text, struct str profile, struct credentials *credentials, struct arena *arena)
{
    *credentials = (struct credentials){ 0 };
    bool inside = false;
    struct str line, rest = text;
    while (rest.len > 0) {
        str_cut(rest, '\n', &line, &rest);
        line = str_trim(line);
        if (line.len == 0 || line.ptr[0] == '#' || line.ptr[0] == ';') { continue; }
        if (line.ptr[0] == '[') {
            struct str name = str_trim(str_slice(line, 1, str_find(line, ']')));
            inside = str_eq(name, profile);
            continue;
        }
        struct str name, value;
        if (inside && str_cut(line, '=', &name, &value)) { take(credentials, str_trim(name), str_trim(value), arena); }
    }
    return is_complete(credentials);
}

static bool read_file(const char *path, struct str *text, struct arena *arena)
{
    FILE *file = fopen(path, "re");
    if (file == NULL) { return false; }
    char *bytes = arena_alloc(arena, CREDENTIALS_FILE_MAX, 1);
    *text = (struct str){ bytes, fread(bytes, 1, CREDENTIALS_FILE_MAX, file) };
    return fclose(file) == 0;
}

static const char *default_path(struct arena *arena)
{
    const char *path = environment("AWS_SHARED_CREDENTIALS_FILE");
    if (path != NULL) { return path; }
    const char *home = environment("HOME");
    return home == NULL ? NULL : arena_printf(arena, "%s/.aws/credentials", home).ptr;
}

bool credentials_of_profile(const char *profile, struct credentials *credentials, struct arena *arena, struct err *err)
{
    const char *path = default_path(arena);
    struct str text;
    bool good = path != NULL && read_file(path, &text, arena) && credentials_parse(text, str_from(profile), credentials, arena);
    return good || err_set(err, ERR_MISSING_TOKEN, "There is no profile \"%s\" with a key in %s.", profile,
                           path == NULL ? "AWS_SHARED_CREDENTIALS_FILE" : path);
}

bool credentials_find(const struct agent_config *config, struct credentials *credentials, struct arena *arena, struct err *err)
{
    *credentials = (struct credentials){
        .access_key_id = str_from(config->access_key_id), .secret_access_key = str_from(config->secret_access_key),
        .session_token = str_from(config->session_token),
    };
    if (is_complete(credentials)) { return true; }

    *credentials = (struct credentials){
        .access_key_id = arena_str(arena, str_from(environment("AWS_ACCESS_KEY_ID"))),
        .secret_access_key = arena_str(arena, str_from(environment("AWS_SECRET_ACCESS_KEY"))),
        .session_token = arena_str(arena, str_from(environment("AWS_SESSION_TOKEN"))),
    };
    if (is_complete(credentials)) { return true; }

    const char *path = default_path(arena);
    const char *profile = environment("AWS_PROFILE");
    profile = profile == NULL ? "default" : profile;
    struct str text;
    if (path != NULL && read_file(path, &text, arena) && credentials_parse(text, str_from(profile), credentials, arena)) { return true; }
    return err_set(err, ERR_MISSING_TOKEN, "There is no access key: give one in the settings, in AWS_ACCESS_KEY_ID and"
                   " AWS_SECRET_ACCESS_KEY, or as profile \"%s\" in %s. `berth keys create` makes one.", profile,
                   path == NULL ? "AWS_SHARED_CREDENTIALS_FILE" : path);
}

void credentials_hide(void)
{
    static const struct str names[] = {
        STR_INIT("AWS_ACCESS_KEY_ID"), STR_INIT("AWS_SECRET_ACCESS_KEY"), STR_INIT("AWS_SESSION_TOKEN"), STR_INIT("BERTH_ROOT_ACCESS_KEY_ID"),
        STR_INIT("BERTH_ROOT_SECRET_ACCESS_KEY"), STR_INIT("BERTH_REGISTRY_AUTH_DATA"), STR_INIT("ECS_ENGINE_AUTH_DATA"),
    };
    for (char **entry = environ; entry != NULL && *entry != NULL; entry++) {
        struct str name, value;
        str_cut(str_from(*entry), '=', &name, &value);
        for (size_t n = 0; n < COUNT_OF(names); n++) {
            if (str_eq(names[n], name)) { explicit_bzero(*entry + (value.ptr - *entry), value.len); }
        }
    }
}
