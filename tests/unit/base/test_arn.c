/* test_arn.c: texts that are ARNs or none, and their parts. */
#include "base/text/arn.h"

#include "base/assert.h"
#include "tests/unit/check.h"

static void test_parse(void)
{
    static const struct { const char *name, *text; bool good; const char *parts[5]; } rows[] = {
        { "a cluster", "arn:aws:ecs:us-east-1:123456789012:cluster/demo", true,
          { "aws", "ecs", "us-east-1", "123456789012", "cluster/demo" } },
        { "colons in the resource", "arn:aws:ecs:us-east-1:123456789012:task-definition/web:7", true,
          { "aws", "ecs", "us-east-1", "123456789012", "task-definition/web:7" } },
        { "no region, no account", "arn:aws:s3:::bucket/key", true, { "aws", "s3", "", "", "bucket/key" } },
        { "another partition", "arn:aws-cn:iam::1:role/r", true, { "aws-cn", "iam", "", "1", "role/r" } },
        { "empty resource", "arn:aws:ecs:us-east-1:123456789012:", false, { NULL } },
        { "empty partition", "arn::ecs:us-east-1:123456789012:cluster/a", false, { NULL } },
        { "empty service", "arn:aws::us-east-1:123456789012:cluster/a", false, { NULL } },
        { "five parts", "arn:aws:ecs:us-east-1:123456789012", false, { NULL } },
        { "another prefix", "urn:aws:ecs:us-east-1:123456789012:cluster/a", false, { NULL } },
        { "upper-case prefix", "ARN:aws:ecs:us-east-1:123456789012:cluster/a", false, { NULL } },
        { "a name", "demo", false, { NULL } },
        { "nothing", "", false, { NULL } },
        { "absent", NULL, false, { NULL } },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct arn arn = { .partition = { NULL, 0 } };
        CHECK_EQ(rows[r].name, arn_parse(str_from(rows[r].text), &arn), rows[r].good);
        const struct str got[5] = { arn.partition, arn.service, arn.region, arn.account, arn.resource };
        for (size_t p = 0; p < COUNT_OF(got); p++) {
            CHECK_STR(rows[r].name, got[p], str_from(rows[r].parts[p]));
        }
    }
}

int main(void)
{
    test_parse();
    CHECK("looks like one", arn_looks_like(STR("arn:")));
    CHECK("does not look like one", !arn_looks_like(STR("arn")));
    CHECK("a name does not", !arn_looks_like(STR("default")));
    return check_report();
}
