/* The credentials file as AWS clients read it, and the order of places. */
#include "agent/link/credentials.h"

#include <stdlib.h>
#include <unistd.h>

#include "tests/unit/check.h"

static void test_parse(void)
{
    static const struct { const char *row, *text, *profile; bool good; const char *key, *secret, *token; } rows[] = {
        { "plain", "[default]\naws_access_key_id = A\naws_secret_access_key = S\n", "default", true, "A", "S", NULL },
        { "without blanks, CRLF", "[default]\r\naws_access_key_id=A\r\naws_secret_access_key=S\r\n", "default", true, "A", "S", NULL },
        { "token", "[p]\naws_access_key_id=A\naws_secret_access_key=S\naws_session_token=T==\n", "p", true, "A", "S", "T==" },
        { "second profile",
          "[a]\naws_access_key_id=1\naws_secret_access_key=2\n[ b ]\naws_access_key_id=3\naws_secret_access_key=4\n", "b", true, "3", "4", NULL },
        { "an equals sign inside", "[default]\naws_access_key_id=A\naws_secret_access_key=x=y/z+\n", "default", true, "A", "x=y/z+", NULL },
        { "comments",
          "# x\n[default]\naws_access_key_id=A\naws_secret_access_key=S\n#aws_secret_access_key=N\n;aws_secret_access_key=N", "default", true, "A", "S", NULL },
        { "a later line wins", "[default]\naws_access_key_id=A\naws_access_key_id=B\naws_secret_access_key=S\n", "default", true, "B", "S", NULL },
        { "other profile only", "[other]\naws_access_key_id=A\naws_secret_access_key=S\n", "default", false, NULL, NULL, NULL },
        { "no secret", "[default]\naws_access_key_id=A\n", "default", false, NULL, NULL, NULL },
        { "empty secret", "[default]\naws_access_key_id=A\naws_secret_access_key=\n", "default", false, NULL, NULL, NULL },
        { "an open bracket", "[default\naws_access_key_id=A\naws_secret_access_key=S\n", "default", true, "A", "S", NULL },
        { "nothing", "", "default", false, NULL, NULL, NULL },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct arena arena = { .ceiling = 1 << 20 };
        struct credentials found;
        bool good = credentials_parse(str_from(rows[r].text), str_from(rows[r].profile), &found, &arena);
        CHECK_EQ(rows[r].row, good, rows[r].good);
        if (rows[r].good) {
            CHECK_STR(rows[r].row, found.access_key_id, str_from(rows[r].key));
            CHECK_STR(rows[r].row, found.secret_access_key, str_from(rows[r].secret));
            CHECK_STR(rows[r].row, found.session_token, str_from(rows[r].token));
        }
        arena_finish(&arena);
    }
}

static void test_order(void)
{
    char path[] = "/tmp/berth-credentials-XXXXXX";
    static const char text[] = "[default]\naws_access_key_id=FILE\naws_secret_access_key=S\n[lab]\naws_access_key_id=LAB\naws_secret_access_key=S\n";
    int fd = mkstemp(path);
    CHECK("written", fd >= 0 && write(fd, text, sizeof text - 1) == (ssize_t)sizeof text - 1);
    close(fd);
    struct arena arena = { .ceiling = 4 << 20 };
    struct agent_config config = { .access_key_id = "CONFIG", .secret_access_key = "S" }, none = { 0 };
    struct credentials found;
    struct err err = { 0 };
    setenv("AWS_ACCESS_KEY_ID", "ENV", 1);
    setenv("AWS_SECRET_ACCESS_KEY", "S", 1);
    setenv("AWS_SESSION_TOKEN", "T", 1);
    setenv("AWS_SHARED_CREDENTIALS_FILE", path, 1);
    unsetenv("AWS_PROFILE");

    CHECK("configured", credentials_find(&config, &found, &arena, &err));
    CHECK_STR("configured", found.access_key_id, STR("CONFIG"));
    CHECK("the environment's token belongs to its key", !str_is_set(found.session_token));
    CHECK("environment", credentials_find(&none, &found, &arena, &err));
    CHECK_STR("environment", found.access_key_id, STR("ENV"));
    CHECK_STR("environment", found.session_token, STR("T"));
    unsetenv("AWS_ACCESS_KEY_ID");
    CHECK("file", credentials_find(&none, &found, &arena, &err));
    CHECK_STR("file", found.access_key_id, STR("FILE"));
    setenv("AWS_PROFILE", "lab", 1);
    CHECK("profile", credentials_find(&none, &found, &arena, &err));
    CHECK_STR("profile", found.access_key_id, STR("LAB"));
    setenv("AWS_PROFILE", "gone", 1);
    CHECK("nothing", !credentials_find(&none, &found, &arena, &err));
    CHECK("says where it looked", strstr(err.message, "\"gone\"") != NULL && strstr(err.message, path) != NULL);
    unlink(path);
    arena_finish(&arena);
}

static void test_hidden(void)
{
    static const struct { const char *name; bool hidden; } rows[] = {
        { "AWS_ACCESS_KEY_ID", true }, { "AWS_SECRET_ACCESS_KEY", true }, { "AWS_SESSION_TOKEN", true }, { "BERTH_ROOT_ACCESS_KEY_ID", true },
        { "BERTH_ROOT_SECRET_ACCESS_KEY", true }, { "BERTH_REGISTRY_AUTH_DATA", true }, { "ECS_ENGINE_AUTH_DATA", true }, { "AWS_PROFILE", false },
        { "BERTH_JOIN", false },
    };
    struct arena arena = { .ceiling = 1 << 20 };
    struct agent_config none = { 0 };
    struct credentials found;
    struct err err = { 0 };
    for (size_t r = 0; r < COUNT_OF(rows); r++) { setenv(rows[r].name, "word", 1); }
    CHECK("found", credentials_find(&none, &found, &arena, &err));
    credentials_hide();
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        CHECK_STR(rows[r].name, str_from(getenv(rows[r].name)), str_from(rows[r].hidden ? "" : "word"));
        unsetenv(rows[r].name);
    }
    CHECK_STR("its own copy is whole", found.secret_access_key, STR("word"));
    arena_finish(&arena);
}

int main(void)
{
    test_parse();
    test_order();
    test_hidden();
    return check_report();
}
