/* Account settings: own before root before default; what may be set; lists and their pages; what CreateCluster makes of them. */
#include "api/tell/role_credentials.h"
#include "tests/unit/api/api_fixture.h"

#define ROOT   "arn:aws:iam::123456789012:root"
#define TESTER "arn:aws:iam::123456789012:user/tester"
#define OTHER  "arn:aws:iam::123456789012:user/other"
#define SHOWN(name, value, principal) \
    "{\"setting\":{\"name\":\"" name "\",\"value\":\"" value "\",\"principalArn\":\"" principal "\",\"type\":\"user\"}}"
#define PUT(name, value) "{\"name\":\"" name "\",\"value\":\"" value "\"}"

static struct str effective(struct api_fixture *f, const char *name)
{
    struct str body = arena_printf(&f->kept, "{\"name\":\"%s\",\"effectiveSettings\":true}", name);
    return fixture_at(f, fixture_call_str(f, "ListAccountSettings", body), "settings[0].value");
}

static void test_precedence(struct api_fixture *f)
{
    CHECK_STR("a default", effective(f, "containerInsights"), STR("disabled"));
    fixture_check(f, "the root sets it", "PutAccountSettingDefault", PUT("containerInsights", "enhanced"), SHOWN("containerInsights", "enhanced", ROOT));
    CHECK_STR("for everybody", effective(f, "containerInsights"), STR("enhanced"));
    fixture_check(f, "one's own", "PutAccountSetting", PUT("containerInsights", "enabled"), SHOWN("containerInsights", "enabled", TESTER));
    CHECK_STR("goes before", effective(f, "containerInsights"), STR("enabled"));
    fixture_check(f, "set again", "PutAccountSetting", PUT("containerInsights", "disabled"), SHOWN("containerInsights", "disabled", TESTER));
    CHECK_STR("the new one", effective(f, "containerInsights"), STR("disabled"));

    f->caller.user = STR("other");
    CHECK_STR("another user has the root's", effective(f, "containerInsights"), STR("enhanced"));
    f->caller.user = STR("tester");
    fixture_check(f, "for somebody else", "PutAccountSetting",
                  "{\"name\":\"awsvpcTrunking\",\"value\":\"enabled\",\"principalArn\":\"" OTHER "\"}", SHOWN("awsvpcTrunking", "enabled", OTHER));
    CHECK_STR("is not one's own", effective(f, "awsvpcTrunking"), STR("disabled"));
    fixture_check(f, "without it the root's holds", "DeleteAccountSetting", "{\"name\":\"containerInsights\"}",
                  SHOWN("containerInsights", "enhanced", TESTER));
    fixture_check(f, "deleting nothing", "DeleteAccountSetting", "{\"name\":\"containerInsights\"}", SHOWN("containerInsights", "enhanced", TESTER));
    fixture_check(f, "without the root's, the default", "DeleteAccountSetting", "{\"name\":\"containerInsights\",\"principalArn\":\"" ROOT "\"}",
                  SHOWN("containerInsights", "disabled", ROOT));
    (void)fixture_call(f, "DeleteAccountSetting", "{\"name\":\"awsvpcTrunking\",\"principalArn\":\"" OTHER "\"}");
}

/* A task gets the setting of its role, also of a role of another account or one too long for its own settings. */
static void test_role(struct api_fixture *f)
{
    static const struct { const char *name, *role; bool is_set; } rows[] = {
        { "a role with a setting",    "arn:aws:iam::123456789012:role/team/app", true },
        { "a role without one",       "arn:aws:iam::123456789012:role/other",    false },
        { "one of another account",   "arn:aws:iam::210987654321:role/team/app", false },
        { "one with a very long name", "arn:aws:iam::123456789012:role/"
          "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
          "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
          "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
          "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
          false },
    };
    const struct caller before = f->caller;
    (void)fixture_call(f, "PutAccountSetting", "{\"name\":\"awsvpcTrunking\",\"value\":\"enabled\",\"principalArn\":\"arn:aws:iam::123456789012:role/team/app\"}");
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct role_session session = { ROLE_TASK, { { 1 } }, INT64_MAX, str_from(rows[r].role) };
        f->caller = (struct caller){ .access_key = STR("ASIA"), .user = STR("app/task"), .role = ACCESS_TASK, .session = &session };
        struct str own = fixture_call(f, "ListAccountSettings", "{\"name\":\"awsvpcTrunking\"}");
        CHECK_EQ(rows[r].name, f->code, ERR_NONE);
        CHECK_EQ(rows[r].name, str_is_set(fixture_at(f, own, "settings[0].value")), rows[r].is_set);
        CHECK_STR(rows[r].name, effective(f, "awsvpcTrunking"), rows[r].is_set ? STR("enabled") : STR("disabled"));
    }
    f->caller = before;
    (void)fixture_call(f, "DeleteAccountSetting", "{\"name\":\"awsvpcTrunking\",\"principalArn\":\"arn:aws:iam::123456789012:role/team/app\"}");
}

static void test_values(struct api_fixture *f)
{
    static const struct { const char *name, *good[3], *bad; } rows[] = {
        { "serviceLongArnFormat",           { "enabled" }, "disabled" },
        { "taskLongArnFormat",              { "enabled" }, "disabled" },
        { "containerInstanceLongArnFormat", { "enabled" }, "disabled" },
        { "awsvpcTrunking",                 { "enabled", "disabled" }, "enhanced" },
        { "containerInsights",              { "enabled", "disabled", "enhanced" }, "on" },
        { "dualStackIPv6",                  { "enabled", "disabled" }, "on" },
        { "fargateFIPSMode",                { "enabled", "disabled" }, "" },
        { "tagResourceAuthorization",       { "on", "off" }, "enabled" },
        { "fargateTaskRetirementWaitPeriod", { "0", "7", "14" }, "1" },
        { "guardDutyActivate",              { 0 }, "on" },
        { "defaultLogDriverMode",           { "blocking", "non-blocking" }, "enabled" },
        { "fargateEventWindows",            { "enabled", "disabled" }, "Enabled" },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        for (size_t v = 0; v < COUNT_OF(rows[r].good) && rows[r].good[v] != NULL; v++) {
            struct str body = arena_printf(&f->kept, "{\"name\":\"%s\",\"value\":\"%s\"}", rows[r].name, rows[r].good[v]);
            (void)fixture_call_str(f, "PutAccountSettingDefault", body);
            CHECK_EQ(rows[r].name, f->code, ERR_NONE);
            CHECK_STR(rows[r].name, effective(f, rows[r].name), str_from(rows[r].good[v]));
        }
        struct str body = arena_printf(&f->kept, "{\"name\":\"%s\",\"value\":\"%s\"}", rows[r].name, rows[r].bad);
        (void)fixture_call_str(f, "PutAccountSettingDefault", body);
        CHECK_EQ(rows[r].name, f->code, ERR_INVALID_PARAMETER);
        body = arena_printf(&f->kept, "{\"name\":\"%s\",\"principalArn\":\"" ROOT "\"}", rows[r].name);
        (void)fixture_call_str(f, "DeleteAccountSetting", body);
        CHECK_EQ(rows[r].name, f->code, ERR_NONE);
    }
}

static void test_refusals(struct api_fixture *f)
{
#define PRINCIPAL "InvalidParameterException: The principal ARN is invalid: it must name the root, a user or a role of the account 123456789012."
    static const struct { const char *row, *operation, *body, *want; } rows[] = {
        { "the root's alone", "PutAccountSetting", PUT("fargateTaskRetirementWaitPeriod", "7"),
          "InvalidParameterException: The account setting fargateTaskRetirementWaitPeriod can be set for the root user only." },
        { "nobody's", "PutAccountSetting", PUT("guardDutyActivate", "on"),
          "InvalidParameterException: The account setting guardDutyActivate can not be changed." },
        { "what Terraform takes for a no when it destroys one", "PutAccountSettingDefault", PUT("taskLongArnFormat", "disabled"),
          "InvalidParameterException: You can no longer disable Long Arn settings" },
        { "neither on nor off", "PutAccountSettingDefault", PUT("taskLongArnFormat", "maybe"),
          "InvalidParameterException: The value \"maybe\" is not valid for the account setting taskLongArnFormat." },
        { "a wrong value", "PutAccountSetting", PUT("awsvpcTrunking", "maybe"),
          "InvalidParameterException: The value \"maybe\" is not valid for the account setting awsvpcTrunking." },
        { "no value", "PutAccountSetting", "{\"name\":\"awsvpcTrunking\"}", "InvalidParameterException: value can not be blank." },
        { "no name", "DeleteAccountSetting", "{}", "InvalidParameterException: name can not be blank." },
        { "another account", "PutAccountSetting",
          "{\"name\":\"awsvpcTrunking\",\"value\":\"enabled\",\"principalArn\":\"arn:aws:iam::210987654321:root\"}", PRINCIPAL },
        { "no ARN", "DeleteAccountSetting", "{\"name\":\"awsvpcTrunking\",\"principalArn\":\"tester\"}", PRINCIPAL },
        { "a user without a name", "ListAccountSettings", "{\"principalArn\":\"arn:aws:iam::123456789012:user/\"}", PRINCIPAL },
        { "a value without a name", "ListAccountSettings", "{\"value\":\"enabled\"}",
          "InvalidParameterException: To filter by value, give the name of the account setting too." },
        { "a foreign token", "ListAccountSettings", "{\"nextToken\":\"x\"}",
          "InvalidParameterException: Invalid token: nextToken must be the one that the page before gave." },
        { "no items", "ListAccountSettings", "{\"maxResults\":0}", "InvalidParameterException: maxResults should be between 1 and 10, but was 0." },
        { "too many items", "ListAccountSettings", "{\"maxResults\":11}", "InvalidParameterException: maxResults should be between 1 and 10, but was 11." },
    };
#undef PRINCIPAL
    for (size_t r = 0; r < COUNT_OF(rows); r++) { fixture_check(f, rows[r].row, rows[r].operation, rows[r].body, rows[r].want); }
    struct str got = fixture_call(f, "PutAccountSetting", PUT("unknown", "x"));
    CHECK("an unknown name", str_starts_with(got, STR("InvalidParameterException: name should be one of [serviceLongArnFormat,taskLongArnFormat,")));

    struct buf longest = buf_in(&f->kept);
    for (size_t i = strlen("arn:aws:iam::123456789012:user/"); i < 300; i++) { buf_put_char(&longest, 'u'); }
    struct str name = buf_str(&longest);
    (void)fixture_call_str(f, "ListAccountSettings", arena_printf(&f->kept, "{\"principalArn\":\"arn:aws:iam::123456789012:user/" STR_FMT "\"}", STR_ARG(name)));
    CHECK_EQ("the longest principal", f->code, ERR_NONE);
    (void)fixture_call_str(f, "ListAccountSettings", arena_printf(&f->kept, "{\"principalArn\":\"arn:aws:iam::123456789012:user/" STR_FMT "u\"}", STR_ARG(name)));
    CHECK_EQ("one letter more", f->code, ERR_INVALID_PARAMETER);
}

static int64_t count_of(struct api_fixture *f, struct str reply)
{
    struct err err = { 0 };
    const struct json *list = json_get(json_parse(reply, &f->kept, &err), STR("settings"));
    return list == NULL ? -1 : (int64_t)list->count;
}

static void test_lists(struct api_fixture *f)
{
    fixture_check(f, "nothing is set", "ListAccountSettings", "{}", "{\"settings\":[]}");
    (void)fixture_call(f, "PutAccountSetting", PUT("awsvpcTrunking", "enabled"));
    (void)fixture_call(f, "PutAccountSetting", PUT("containerInsights", "enhanced"));
    struct str own = fixture_call(f, "ListAccountSettings", "{}");
    CHECK_EQ("one's own", count_of(f, own), 2);
    CHECK_STR("in the order of the names", fixture_at(f, own, "settings[0].name"), STR("awsvpcTrunking"));
    CHECK("on one page", !str_is_set(fixture_at(f, own, "nextToken")));
    CHECK_EQ("the value that it has", count_of(f, fixture_call(f, "ListAccountSettings", PUT("awsvpcTrunking", "enabled"))), 1);
    CHECK_EQ("the value that it has not", count_of(f, fixture_call(f, "ListAccountSettings", PUT("awsvpcTrunking", "disabled"))), 0);
    CHECK_EQ("of the root", count_of(f, fixture_call(f, "ListAccountSettings", "{\"principalArn\":\"" ROOT "\"}")), 0);

    struct str page = fixture_call(f, "ListAccountSettings", "{\"effectiveSettings\":true}");
    CHECK_EQ("ten on a page", count_of(f, page), 10);
    CHECK_STR("a default is the root's", fixture_at(f, page, "settings[0].principalArn"), STR(ROOT));
    CHECK_STR("what nobody may change", fixture_at(f, page, "settings[9].type"), STR("aws_managed"));
    struct str token = fixture_at(f, page, "nextToken");
    page = fixture_call_str(f, "ListAccountSettings", arena_printf(&f->kept, "{\"effectiveSettings\":true,\"nextToken\":\"" STR_FMT "\"}", STR_ARG(token)));
    CHECK_EQ("the last two", count_of(f, page), 2);
    CHECK_STR("by name", fixture_at(f, page, "settings[1].name"), STR("fargateEventWindows"));
    CHECK("and no token", !str_is_set(fixture_at(f, page, "nextToken")));
    CHECK_EQ("one on a page", count_of(f, fixture_call(f, "ListAccountSettings", "{\"maxResults\":1}")), 1);
}

static void test_cluster(struct api_fixture *f)
{
    struct str made = fixture_call(f, "CreateCluster", "{\"clusterName\":\"mine\"}");
    CHECK_STR("a new cluster takes the caller's value", fixture_at(f, made, "cluster.settings[0].value"), STR("enhanced"));
    f->caller.user = STR("other");
    made = fixture_call(f, "CreateCluster", "{\"clusterName\":\"theirs\"}");
    CHECK_STR("another's the default", fixture_at(f, made, "cluster.settings[0].value"), STR("disabled"));
    f->caller.user = STR("tester");
    made = fixture_call(f, "CreateCluster", "{\"clusterName\":\"told\",\"settings\":[{\"name\":\"containerInsights\",\"value\":\"disabled\"}]}");
    CHECK_STR("a given setting wins", fixture_at(f, made, "cluster.settings[0].value"), STR("disabled"));
    (void)fixture_call(f, "CreateCluster", "{\"clusterName\":\"told\"}");
    CHECK_EQ("made again without a word", f->code, ERR_NONE);
}

int main(void)
{
    struct api_fixture f;
    fixture_open(&f);
    test_precedence(&f);
    test_role(&f);
    test_values(&f);
    test_refusals(&f);
    test_lists(&f);
    test_cluster(&f);
    fixture_close(&f);
    return check_report();
}
