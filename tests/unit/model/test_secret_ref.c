/* test_secret_ref.c: texts that valueFrom may hold, and the secrets that they name. */
#include "model/secret_ref.h"

#include "base/assert.h"
#include "tests/unit/check.h"

#define ASM "arn:aws:secretsmanager:us-east-1:123456789012:"
#define SSM "arn:aws:ssm:us-east-1:123456789012:"

static void test_forms(void)
{
    static const struct { const char *name, *text; enum secret_kind kind; const char *id, *key, *stage, *version; } rows[] = {
        { "a name is a parameter's", "db-password", SECRET_OF_SSM, "db-password", NULL, NULL, NULL },
        { "a path", "/prod/db/password", SECRET_OF_SSM, "/prod/db/password", NULL, NULL, NULL },
        { "a parameter's version", "/prod/db:3", SECRET_OF_SSM, "/prod/db:3", NULL, NULL, NULL },
        { "a parameter's ARN", SSM "parameter/prod/db", SECRET_OF_SSM, SSM "parameter/prod/db", NULL, NULL, NULL },
        { "a secret's ARN", ASM "secret:db-AbCdEf", SECRET_OF_ASM, ASM "secret:db-AbCdEf", NULL, NULL, NULL },
        { "a name with slashes", ASM "secret:prod/db-AbCdEf", SECRET_OF_ASM, ASM "secret:prod/db-AbCdEf", NULL, NULL, NULL },
        { "a key of it", ASM "secret:db-AbCdEf:password::", SECRET_OF_ASM, ASM "secret:db-AbCdEf", "password", NULL, NULL },
        { "a stage of it", ASM "secret:db-AbCdEf::AWSPREVIOUS:", SECRET_OF_ASM, ASM "secret:db-AbCdEf", NULL, "AWSPREVIOUS", NULL },
        { "a version of it", ASM "secret:db-AbCdEf:::9d4cb84b", SECRET_OF_ASM, ASM "secret:db-AbCdEf", NULL, NULL, "9d4cb84b" },
        { "all three", ASM "secret:db-AbCdEf:user:AWSCURRENT:9d4cb84b", SECRET_OF_ASM, ASM "secret:db-AbCdEf", "user", "AWSCURRENT", "9d4cb84b" },
        { "three that are empty", ASM "secret:db-AbCdEf:::", SECRET_OF_ASM, ASM "secret:db-AbCdEf", NULL, NULL, NULL },
        { "another partition", "arn:aws-cn:secretsmanager:cn-north-1:1:secret:a", SECRET_OF_ASM, "arn:aws-cn:secretsmanager:cn-north-1:1:secret:a",
          NULL, NULL, NULL },
        { "one part too few", ASM "secret:db-AbCdEf:password:", SECRET_KIND_UNSET, NULL, NULL, NULL, NULL },
        { "a key alone", ASM "secret:db-AbCdEf:password", SECRET_KIND_UNSET, NULL, NULL, NULL, NULL },
        { "one part too many", ASM "secret:db-AbCdEf:a:b:c:d", SECRET_KIND_UNSET, NULL, NULL, NULL, NULL },
        { "a secret without a name", ASM "secret:", SECRET_KIND_UNSET, NULL, NULL, NULL, NULL },
        { "no secret at all", ASM "policy:db", SECRET_KIND_UNSET, NULL, NULL, NULL, NULL },
        { "a parameter without a name", SSM "parameter/", SECRET_KIND_UNSET, NULL, NULL, NULL, NULL },
        { "another thing of SSM's", SSM "document/run", SECRET_KIND_UNSET, NULL, NULL, NULL, NULL },
        { "another service", "arn:aws:s3:::bucket/key", SECRET_KIND_UNSET, NULL, NULL, NULL, NULL },
        { "half an ARN", "arn:aws:ssm", SECRET_KIND_UNSET, NULL, NULL, NULL, NULL },
        { "nothing", "", SECRET_KIND_UNSET, NULL, NULL, NULL, NULL },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct secret_ref ref;
        struct err err = { 0 };
        bool good = secret_ref_parse(str_from(rows[r].text), SECRET_OF_SSM, &ref, &err);
        CHECK_EQ(rows[r].name, good, rows[r].kind != SECRET_KIND_UNSET);
        if (!good) {
            CHECK_EQ(rows[r].name, err.code, ERR_INVALID_PARAMETER);
            continue;
        }
        CHECK_EQ(rows[r].name, ref.kind, rows[r].kind);
        CHECK_STR(rows[r].name, ref.id, str_from(rows[r].id));
        CHECK_STR(rows[r].name, ref.json_key, str_from(rows[r].key));
        CHECK_STR(rows[r].name, ref.version_stage, str_from(rows[r].stage));
        CHECK_STR(rows[r].name, ref.version_id, str_from(rows[r].version));
    }
}

static void test_bare(void)
{
    char text[2050];
    struct secret_ref ref;
    struct err err = { 0 };
    CHECK("a registry's name", secret_ref_parse(STR("registry"), SECRET_OF_ASM, &ref, &err));
    CHECK_EQ("is a secret's", ref.kind, SECRET_OF_ASM);
    CHECK("an ARN says itself what it is", secret_ref_parse(STR(SSM "parameter/a"), SECRET_OF_ASM, &ref, &err));
    CHECK_EQ("a parameter", ref.kind, SECRET_OF_SSM);
    memset(text, 'a', sizeof text);
    CHECK("the longest", secret_ref_parse((struct str){ text, 2048 }, SECRET_OF_SSM, &ref, &err));
    CHECK("too long", !secret_ref_parse((struct str){ text, 2049 }, SECRET_OF_SSM, &ref, &err));
}

int main(void)
{
    test_forms();
    test_bare();
    return check_report();
}
