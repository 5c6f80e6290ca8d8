/* test_registry_auth.c: the three forms of logins, whose login an image gets, and what the engine is sent. */
#include "agent/images/registry_auth.h"

#include "base/text/base64.h"
#include "tests/unit/check.h"

static struct arena arena;

static bool read(const char *json, struct registry_login_list *logins, bool *helpers, struct err *err)
{
    *err = (struct err){ 0 };
    return registry_logins_read(str_from(json), logins, helpers, &arena, err);
}

#define BOB "Ym9iOnM6M2NyZXQ="                       /* bob:s:3cret */

static void test_forms(void)
{
    static const struct { const char *name, *json, *registry, *username, *password, *token; bool helpers; } rows[] = {
        { "dockercfg", "{\"https://index.docker.io/v1/\":{\"auth\":\"" BOB "\",\"email\":\"e\"}}", "docker.io", "bob", "s:3cret", "", false },
        { "docker", "{\"r.example:5000\":{\"username\":\"bob\",\"password\":\"s\",\"email\":\"e\"}}", "r.example:5000", "bob", "s", "", false },
        { "config.json", "{\"auths\":{\"https://r.example/v2/\":{\"auth\":\"" BOB "\"}},\"HttpHeaders\":{}}", "r.example", "bob", "s:3cret", "", false },
        { "a part of a registry", "{\"http://r.example/team/\":{\"username\":\"bob\",\"password\":\"s\"}}", "r.example/team", "bob", "s", "", false },
        { "an identity token", "{\"r.example\":{\"identitytoken\":\"t\"}}", "r.example", "", "", "t", false },
        { "helpers beside a login", "{\"auths\":{\"r.example\":{\"auth\":\"" BOB "\"}},\"credsStore\":\"pass\"}", "r.example", "bob", "s:3cret", "", true },
        { "the newest Hub", "{\"registry-1.docker.io\":{\"username\":\"bob\",\"password\":\"s\"}}", "docker.io", "bob", "s", "", false },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct registry_login_list logins;
        struct err err;
        bool helpers = false;
        CHECK(rows[r].name, read(rows[r].json, &logins, &helpers, &err));
        CHECK_STR(rows[r].name, str_from(err.message), STR(""));
        CHECK_EQ(rows[r].name, logins.count, 1);
        if (logins.count != 1) { continue; }
        CHECK_STR(rows[r].name, logins.items[0].registry, str_from(rows[r].registry));
        CHECK_STR(rows[r].name, logins.items[0].username, str_from(rows[r].username));
        CHECK_STR(rows[r].name, logins.items[0].password, str_from(rows[r].password));
        CHECK_STR(rows[r].name, logins.items[0].token, str_from(rows[r].token));
        CHECK_EQ(rows[r].name, helpers, rows[r].helpers);
    }
}

static void test_nobody(void)
{
    static const struct { const char *name, *json; } rows[] = {
        { "nothing", "{}" }, { "an empty config.json", "{\"auths\":{}}" }, { "helpers only", "{\"credHelpers\":{\"r\":\"ecr-login\"}}" },
        { "an entry that a helper fills", "{\"auths\":{\"r.example\":{}},\"credsStore\":\"pass\"}" },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct registry_login_list logins;
        struct err err;
        bool helpers;
        CHECK(rows[r].name, read(rows[r].json, &logins, &helpers, &err));
        CHECK_EQ(rows[r].name, logins.count, 0);
    }
}

/* Errors name the fault without a word of the text. */
static void test_refusals(void)
{
    static const struct { const char *name, *json, *want; } rows[] = {
        { "no JSON", "s3cret", "should be a JSON object" }, { "a list", "[]", "should be a JSON object" },
        { "cut short", "{\"r\":{\"password\":\"s3cret", "should be a JSON object" },
        { "no object inside", "{\"r.example\":\"s3cret\"}", "registry r.example should be a JSON object" },
        { "no base64", "{\"r.example\":{\"auth\":\"s3cret!\"}}", "\"auth\" of registry r.example is not" },
        { "no colon", "{\"r.example\":{\"auth\":\"czNjcmV0\"}}", "\"auth\" of registry r.example is not" },
        { "no registry", "{\"https://\":{\"username\":\"s3cret\"}}", "is not the name of a registry" },
        { "auths is a list", "{\"auths\":[\"s3cret\"]}", "should be a JSON object" },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct registry_login_list logins;
        struct err err;
        bool helpers;
        CHECK(rows[r].name, !read(rows[r].json, &logins, &helpers, &err));
        CHECK(rows[r].name, strstr(err.message, rows[r].want) != NULL);
        CHECK(rows[r].name, strstr(err.message, "s3cret") == NULL);
        CHECK(rows[r].name, strstr(err.message, "czNjcmV0") == NULL);
    }
}

static void test_choice(void)
{
    static struct registry_login items[] = {
        { .registry = STR_INIT("docker.io"), .username = STR_INIT("hub") },
        { .registry = STR_INIT("r.example"), .username = STR_INIT("host") },
        { .registry = STR_INIT("r.example/team"), .username = STR_INIT("team") },
        { .registry = STR_INIT("r.example:5000"), .username = STR_INIT("port") },
    };
    static const struct { const char *image, *username; } rows[] = {
        { "busybox", "hub" }, { "busybox:1.36", "hub" }, { "library/busybox", "hub" }, { "docker.io/me/app", "hub" }, { "team/app", "hub" },
        { "index.docker.io/me/app", "hub" }, { "r.example/app", "host" }, { "r.example/app@sha256:00", "host" }, { "r.example/teamwork/app", "host" },
        { "r.example/team/app:1", "team" }, { "r.example/team", "host" }, { "r.example:5000/team/app", "port" }, { "r.example:5001/app", NULL },
        { "other.example/app", NULL }, { "localhost/app", NULL },
    };
    const struct registry_login_list logins = { items, COUNT_OF(items) };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        const struct registry_login *login = registry_login_for(&logins, str_from(rows[r].image));
        struct str username = login == NULL ? str_from(NULL) : login->username;
        CHECK_STR(rows[r].image, username, str_from(rows[r].username));
    }
}

static void test_header(void)
{
    static const struct { const char *name; struct registry_login login; const char *want; } rows[] = {
        { "a password", { STR_INIT("r.example:5000/team"), STR_INIT("bob"), STR_INIT("s\"3"), { NULL, 0 } },
          "{\"username\":\"bob\",\"password\":\"s\\\"3\",\"serveraddress\":\"r.example:5000\"}" },
        { "a token", { STR_INIT("docker.io"), { NULL, 0 }, { NULL, 0 }, STR_INIT("t") },
          "{\"identitytoken\":\"t\",\"serveraddress\":\"https://index.docker.io/v1/\"}" },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct str header = registry_header(&rows[r].login, &arena);
        CHECK_STR(rows[r].name, base64_decode(header, &arena), str_from(rows[r].want));
        CHECK(rows[r].name, str_find(header, '+') == header.len && str_find(header, '/') == header.len);
    }
}

static void test_secret(void)
{
    static const struct { const char *name, *json; bool good; } rows[] = {
        { "both", "{\"username\":\"bob\",\"password\":\"s3cret\"}", true }, { "no password", "{\"username\":\"s3cret\"}", false },
        { "no JSON", "s3cret", false }, { "numbers", "{\"username\":1,\"password\":2}", false },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct registry_login login;
        struct err err = { 0 };
        CHECK_EQ(rows[r].name, registry_login_of_secret(str_from(rows[r].json), STR("r.example/app"), &login, &arena, &err), rows[r].good);
        CHECK(rows[r].name, strstr(err.message, "s3cret") == NULL);
        if (rows[r].good) { CHECK_STR(rows[r].name, login.registry, STR("r.example")); }
    }
}

static void test_ecr(void)
{
    static const struct { const char *image; bool is; } rows[] = {
        { "123456789012.dkr.ecr.eu-west-1.amazonaws.com/app:1", true }, { "123456789012.dkr.ecr.cn-north-1.amazonaws.com.cn/app", true },
        { "12345678901.dkr.ecr.eu-west-1.amazonaws.com/app", false }, { "public.ecr.aws/nginx/nginx", false }, { "busybox", false },
        { "123456789012.dkr.ecr.eu-west-1.example.com/app", false }, { "123456789012.s3.amazonaws.com/app", false },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) { CHECK_EQ(rows[r].image, registry_is_ecr(str_from(rows[r].image)), rows[r].is); }
}

int main(void)
{
    arena_init(&arena, 4 << 20);
    test_forms();
    test_nobody();
    test_refusals();
    test_choice();
    test_header();
    test_secret();
    test_ecr();
    arena_finish(&arena);
    return check_report();
}
