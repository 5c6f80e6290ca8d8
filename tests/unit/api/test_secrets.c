/* Secrets Manager and Parameter Store: values and their versions, refusals, pages, deletion, tags, and who may read a value. */
#include "api/tell/role_credentials.h"
#include "tests/unit/api/machines.h"

#define SM "secretsmanager."
#define PS "AmazonSSM."
#define GONE "ResourceNotFoundException: Secrets Manager can't find the specified secret."
#define NAMES(name) "{\"Names\":[\"" name "\"],\"WithDecryption\":true}"

static const char *arn_of(struct api_fixture *f, const char *name)
{
    return at(f, fixture_call(f, SM "DescribeSecret", text(f, "{\"SecretId\":\"%s\"}", name)), "ARN");
}

static struct str value_of(struct api_fixture *f, const char *more)
{
    struct str reply = fixture_call(f, SM "GetSecretValue", text(f, "{%s}", more));
    return f->code == ERR_NONE ? fixture_at(f, reply, "SecretString") : reply;
}

static void create(struct api_fixture *f, const char *name, const char *value)
{
    (void)fixture_call(f, SM "CreateSecret", text(f, "{\"Name\":\"%s\",\"SecretString\":\"%s\"}", name, value));
    CHECK_EQ(name, f->code, ERR_NONE);
}

static void put(struct api_fixture *f, const char *name, const char *value, const char *more)
{
    (void)fixture_call(f, PS "PutParameter", text(f, "{\"Name\":\"%s\",\"Value\":\"%s\"%s}", name, value, more));
    CHECK_EQ(name, f->code, ERR_NONE);
}

/* ---- Secrets Manager ---- */

static void test_references(struct api_fixture *f)
{
    create(f, "db", "plain");
    create(f, "prod/db-abcdef", "tricky");
    const char *arn = arn_of(f, "db"), *tricky = arn_of(f, "prod/db-abcdef");
    const struct { const char *name, *id, *want; } rows[] = {
        { "by name", "db", "plain" },
        { "by ARN", arn, "plain" },
        { "by an ARN without the six", "arn:aws:secretsmanager:us-east-1:123456789012:secret:db", "plain" },
        { "by an ARN with another six", "arn:aws:secretsmanager:us-east-1:123456789012:secret:db-AAAAAA", GONE },
        { "a name that ends like an ARN", "prod/db-abcdef", "tricky" },
        { "its ARN", tricky, "tricky" },
        { "its ARN without the six", "arn:aws:secretsmanager:us-east-1:123456789012:secret:prod/db-abcdef", "tricky" },
        { "of another region", "arn:aws:secretsmanager:eu-west-1:123456789012:secret:db", GONE },
        { "of another account", "arn:aws:secretsmanager:us-east-1:210987654321:secret:db", GONE },
        { "of another service", "arn:aws:ssm:us-east-1:123456789012:parameter/db", GONE },
        { "another name", "d", GONE },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) { CHECK_STR(rows[r].name, value_of(f, text(f, "\"SecretId\":\"%s\"", rows[r].id)), str_from(rows[r].want)); }
}

static void test_versions(struct api_fixture *f)
{
    static const char first[] = "11111111-1111-1111-1111-111111111111", third[] = "33333333-3333-3333-3333-333333333333";
    (void)fixture_call(f, SM "CreateSecret", "{\"Name\":\"v\"}");
    fixture_check(f, "no value yet", SM "GetSecretValue", "{\"SecretId\":\"v\"}",
                  "ResourceNotFoundException: Secrets Manager can't find the specified secret value for staging label: AWSCURRENT");
    const char *one = text(f, "{\"SecretId\":\"v\",\"SecretString\":\"one\",\"ClientRequestToken\":\"%s\"}", first);
    CHECK_STR("the first", fixture_at(f, fixture_call(f, SM "PutSecretValue", one), "VersionStages[0]"), STR("AWSCURRENT"));
    CHECK_STR("nothing before it", value_of(f, "\"SecretId\":\"v\",\"VersionStage\":\"AWSPREVIOUS\""),
              STR("ResourceNotFoundException: Secrets Manager can't find the specified secret value for staging label: AWSPREVIOUS"));
    CHECK_STR("said twice", fixture_at(f, fixture_call(f, SM "PutSecretValue", one), "VersionId"), str_from(first));
    CHECK_STR("changes nothing", fixture_at(f, fixture_call(f, SM "DescribeSecret", "{\"SecretId\":\"v\"}"), "VersionIdsToStages"),
              STR("{\"11111111-1111-1111-1111-111111111111\":[\"AWSCURRENT\"]}"));
    fixture_check(f, "its token for another value", SM "PutSecretValue", text(f, "{\"SecretId\":\"v\",\"SecretString\":\"x\",\"ClientRequestToken\":\"%s\"}", first),
                  text(f, "ResourceExistsException: You can't use ClientRequestToken %s because that value is already in use for a version of secret %s.",
                       first, arn_of(f, "v")));
    (void)fixture_call(f, SM "UpdateSecret", "{\"SecretId\":\"v\",\"SecretString\":\"two\",\"Description\":\"words\"}");
    CHECK_STR("the second", value_of(f, "\"SecretId\":\"v\""), STR("two"));
    CHECK_STR("the one before", value_of(f, "\"SecretId\":\"v\",\"VersionStage\":\"AWSPREVIOUS\""), STR("one"));
    CHECK_STR("by its id", value_of(f, text(f, "\"SecretId\":\"v\",\"VersionId\":\"%s\"", first)), STR("one"));
    CHECK_STR("by both", value_of(f, text(f, "\"SecretId\":\"v\",\"VersionId\":\"%s\",\"VersionStage\":\"AWSPREVIOUS\"", first)), STR("one"));
    CHECK_STR("by both that do not fit", value_of(f, text(f, "\"SecretId\":\"v\",\"VersionId\":\"%s\",\"VersionStage\":\"AWSCURRENT\"", first)),
              str_from(text(f, "ResourceNotFoundException: Secrets Manager can't find the specified secret value for VersionId: %s", first)));
    (void)fixture_call(f, SM "PutSecretValue", text(f, "{\"SecretId\":\"v\",\"SecretString\":\"three\",\"ClientRequestToken\":\"%s\"}", third));
    CHECK_STR("the third", value_of(f, "\"SecretId\":\"v\""), STR("three"));
    CHECK_STR("the first is forgotten", value_of(f, text(f, "\"SecretId\":\"v\",\"VersionId\":\"%s\"", first)),
              str_from(text(f, "ResourceNotFoundException: Secrets Manager can't find the specified secret value for VersionId: %s", first)));
    struct str described = fixture_call(f, SM "DescribeSecret", "{\"SecretId\":\"v\"}");
    CHECK_STR("its words", fixture_at(f, described, "Description"), STR("words"));
    CHECK("and no value", memmem(described.ptr, described.len, "three", 5) == NULL);
}

#define IMAGE "/aws/service/ecs/optimized-ami/amazon-linux-2/gpu/recommended"
#define IMAGE_ID "ami-3e3f77dae32b0badd"
#define IMAGE_PARAMETER(end, value) \
    "{\"Name\":\"" IMAGE end "\",\"Type\":\"String\",\"Value\":\"" value "\",\"Version\":1,\"ARN\":\"arn:aws:ssm:us-east-1::parameter" IMAGE end "\"," \
    "\"DataType\":\"text\"}"

static void test_refusals(struct api_fixture *f)
{
    static const struct { const char *name, *operation, *body, *want; } rows[] = {
        { "a name with a blank", SM "CreateSecret", "{\"Name\":\"a b\"}",
          "ValidationException: Invalid name. Must be a valid name containing alphanumeric characters, or any of the following: -/_+=.@!" },
        { "no name", SM "CreateSecret", "{}", "InvalidParameterException: Name can not be blank." },
        { "bytes", SM "CreateSecret", "{\"Name\":\"b\",\"SecretBinary\":\"AA==\"}",
          "InvalidParameterException: Berth keeps texts: give SecretString instead of SecretBinary (a container's environment is text)." },
        { "a name twice", SM "CreateSecret", "{\"Name\":\"db\",\"SecretString\":\"x\"}",
          "ResourceExistsException: The operation failed because the secret db already exists." },
        { "no value", SM "PutSecretValue", "{\"SecretId\":\"db\"}",
          "InvalidRequestException: You must provide either SecretString or SecretBinary." },
        { "a custom stage", SM "PutSecretValue", "{\"SecretId\":\"db\",\"SecretString\":\"x\",\"VersionStages\":[\"MINE\"]}",
          "InvalidParameterException: Berth keeps the stages AWSCURRENT and AWSPREVIOUS: a new value is AWSCURRENT." },
        { "nothing to put into", SM "PutSecretValue", "{\"SecretId\":\"nope\",\"SecretString\":\"x\"}", GONE },
        { "nothing to update", SM "UpdateSecret", "{\"SecretId\":\"nope\"}", GONE },
        { "nothing to describe", SM "DescribeSecret", "{\"SecretId\":\"nope\"}", GONE },
        { "nothing to delete", SM "DeleteSecret", "{\"SecretId\":\"nope\"}", GONE },
        { "both ways to delete", SM "DeleteSecret", "{\"SecretId\":\"db\",\"ForceDeleteWithoutRecovery\":true,\"RecoveryWindowInDays\":7}",
          "InvalidParameterException: You can't use ForceDeleteWithoutRecovery in conjunction with RecoveryWindowInDays." },
        { "too few days", SM "DeleteSecret", "{\"SecretId\":\"db\",\"RecoveryWindowInDays\":6}",
          "InvalidParameterException: The RecoveryWindowInDays value must be between 7 and 30 days (inclusive)." },
        { "a filter nobody knows", SM "ListSecrets", "{\"Filters\":[{\"Key\":\"primary-region\",\"Values\":[\"x\"]}]}",
          "InvalidParameterException: Berth knows no filter \"primary-region\" of secrets: name, description, tag-key, tag-value and all." },
        { "a token of nobody", SM "ListSecrets", "{\"NextToken\":\"zzz\"}",
          "InvalidNextTokenException: The NextToken must be the one that the page before gave." },
        { "no such operation", SM "RotateSecret", "{}", "UnknownOperationException: There is no operation \"RotateSecret\"." },
        { "a name in levels without the first slash", PS "PutParameter", "{\"Name\":\"a/b\",\"Value\":\"x\",\"Type\":\"String\"}",
          "ValidationException: Parameter name must be a fully qualified name." },
        { "a reserved name", PS "PutParameter", "{\"Name\":\"/aws/x\",\"Value\":\"x\",\"Type\":\"String\"}",
          "ValidationException: No access to reserved parameter name: /aws/x." },
        { "no type", PS "PutParameter", "{\"Name\":\"n\",\"Value\":\"x\"}",
          "ValidationException: A parameter type is required when you create a parameter." },
        { "a pattern", PS "PutParameter", "{\"Name\":\"n\",\"Value\":\"x\",\"Type\":\"String\",\"AllowedPattern\":\"x\"}",
          "ValidationException: AllowedPattern is not supported for parameters." },
        { "no such parameter", PS "GetParameter", "{\"Name\":\"n\"}", "ParameterNotFound: Parameter n not found." },
        { "an image", PS "GetParameters", "{\"Names\":[\"" IMAGE "/image_id\",\"" IMAGE "\",\"/aws/service/ecs/optimized-ami\"]}",
          "{\"Parameters\":[" IMAGE_PARAMETER("/image_id", IMAGE_ID) "," IMAGE_PARAMETER("", "{\\\"image_id\\\":\\\"" IMAGE_ID "\\\"}") "],"
          "\"InvalidParameters\":[\"/aws/service/ecs/optimized-ami\"]}" },
        { "a version of an image", PS "GetParameter", "{\"Name\":\"" IMAGE ":1\"}", "ParameterNotFound: Parameter " IMAGE " not found." },
        { "nothing to delete there", PS "DeleteParameter", "{\"Name\":\"n\"}", "ParameterNotFound: Parameter n not found." },
        { "a text that is no path", PS "GetParametersByPath", "{\"Path\":\"a\"}",
          "ValidationException: The parameter path must begin with a slash: a hierarchy is /a/b, and all of it is /." },
        { "a token of nobody there", PS "DescribeParameters", "{\"NextToken\":\"zzz\"}",
          "InvalidNextToken: The NextToken must be the one that the page before gave." },
        { "tags of something else", PS "ListTagsForResource", "{\"ResourceType\":\"Document\",\"ResourceId\":\"x\"}",
          "ValidationException: Berth supports only resources of type Parameter." },
        { "tags of nothing", PS "ListTagsForResource", "{\"ResourceType\":\"Parameter\",\"ResourceId\":\"x\"}",
          "InvalidResourceId: The resource ID is not valid. Verify that you entered the correct ID and try again." },
        { "too many names", PS "GetParameters", "{\"Names\":[\"1\",\"2\",\"3\",\"4\",\"5\",\"6\",\"7\",\"8\",\"9\",\"10\",\"11\"]}",
          "ValidationException: Names should have between 1 and 10 items, but had 11." },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) { fixture_check(f, rows[r].name, rows[r].operation, rows[r].body, rows[r].want); }
}

static void test_deletion(struct api_fixture *f)
{
    static const char marked[] =
        "InvalidRequestException: You can't perform this operation on the secret because it was marked for deletion.";
    create(f, "old", "x");
    (void)fixture_call(f, SM "DeleteSecret", "{\"SecretId\":\"old\",\"RecoveryWindowInDays\":7}");
    CHECK_EQ("marked", f->code, ERR_NONE);
    CHECK_STR("its value is not told", value_of(f, "\"SecretId\":\"old\""), str_from(marked));
    fixture_check(f, "nor changed", SM "PutSecretValue", "{\"SecretId\":\"old\",\"SecretString\":\"y\"}", marked);
    fixture_check(f, "its name is taken", SM "CreateSecret", "{\"Name\":\"old\"}",
                  "InvalidRequestException: You can't create this secret because a secret with this name is already scheduled for deletion.");
    CHECK_STR("it is not listed", fixture_at(f, fixture_call(f, SM "ListSecrets", "{\"Filters\":[{\"Key\":\"name\",\"Values\":[\"old\"]}]}"), "SecretList"),
              STR("[]"));
    (void)fixture_call(f, SM "RestoreSecret", "{\"SecretId\":\"old\"}");
    CHECK_STR("restored", value_of(f, "\"SecretId\":\"old\""), STR("x"));
    (void)fixture_call(f, SM "DeleteSecret", "{\"SecretId\":\"old\",\"RecoveryWindowInDays\":7}");
    f->now_ms += (int64_t)7 * 86400000 - 1;
    expire(f, 100);
    (void)fixture_call(f, SM "DescribeSecret", "{\"SecretId\":\"old\"}");
    CHECK_EQ("a moment before its time", f->code, ERR_NONE);
    f->now_ms++;
    fixture_check(f, "its time", SM "DescribeSecret", "{\"SecretId\":\"old\"}", GONE);
    expire(f, 100);
    struct store_txn *txn = store_read_begin(f->store);
    CHECK("it is forgotten", store_secret(txn, SECRET_OF_ASM, STR("old"), &f->kept) == NULL);
    CHECK("the others are not", store_secret(txn, SECRET_OF_ASM, STR("db"), &f->kept) != NULL);
    CHECK("read", store_read_end(txn));
    create(f, "old", "again");
    (void)fixture_call(f, SM "DeleteSecret", "{\"SecretId\":\"old\",\"ForceDeleteWithoutRecovery\":true}");
    fixture_check(f, "at once", SM "DescribeSecret", "{\"SecretId\":\"old\"}", GONE);
}

/* ---- Parameter Store ---- */

static void test_parameters(struct api_fixture *f)
{
    put(f, "/p/db", "one", ",\"Type\":\"SecureString\",\"Description\":\"words\"");
    put(f, "plain", "text", ",\"Type\":\"String\"");
    fixture_check(f, "again", PS "PutParameter", "{\"Name\":\"/p/db\",\"Value\":\"two\",\"Type\":\"SecureString\"}",
                  "ParameterAlreadyExists: The parameter already exists. To overwrite this value, set the overwrite option in the request to true.");
    fixture_check(f, "over it", PS "PutParameter", "{\"Name\":\"/p/db\",\"Value\":\"two\",\"Overwrite\":true}", "{\"Version\":2,\"Tier\":\"Standard\"}");
    static const struct { const char *name, *asked, *value; } rows[] = {
        { "by name", "/p/db", "two" }, { "its version", "/p/db:2", "two" }, { "the one before", "/p/db:1", "one" },
        { "by ARN", "arn:aws:ssm:us-east-1:123456789012:parameter/p/db", "two" },
        { "by ARN and version", "arn:aws:ssm:us-east-1:123456789012:parameter/p/db:1", "one" },
        { "a plain name by ARN", "arn:aws:ssm:us-east-1:123456789012:parameter/plain", "text" },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct str reply = fixture_call(f, PS "GetParameters", text(f, NAMES("%s"), rows[r].asked));
        CHECK_STR(rows[r].name, fixture_at(f, reply, "Parameters[0].Value"), str_from(rows[r].value));
    }
    struct str both = fixture_call(f, PS "GetParameters", "{\"Names\":[\"/p/db\",\"/no\",\"/p/db:9\",\"/p/db:label\"],\"WithDecryption\":true}");
    CHECK_STR("what there is", fixture_at(f, both, "Parameters[0].Name"), STR("/p/db"));
    CHECK_STR("what there is not", fixture_at(f, both, "InvalidParameters"), STR("[\"/no\",\"/p/db:9\",\"/p/db:label\"]"));
    struct str closed = fixture_call(f, PS "GetParameter", "{\"Name\":\"/p/db\"}"), described = fixture_call(f, PS "DescribeParameters", "{}");
    CHECK("sealed unless asked", fixture_at(f, closed, "Parameter.Value").len == 2 * (3 + SEAL_OVERHEAD));
    CHECK("no value is described", memmem(described.ptr, described.len, "Value", 5) == NULL && fixture_at(f, described, "Parameters[1].Name").len > 0);
    (void)fixture_call(f, PS "GetParameter", "{\"Name\":\"/p/db:9\"}");
    CHECK_EQ("no such version", f->code, ERR_PARAMETER_VERSION_NOT_FOUND);
    fixture_check(f, "away with some", PS "DeleteParameters", "{\"Names\":[\"plain\",\"nope\"]}",
                  "{\"DeletedParameters\":[\"plain\"],\"InvalidParameters\":[\"nope\"]}");
}

static void test_lists(struct api_fixture *f)
{
    static const char *const names[] = { "/h/a", "/h/b", "/h/c/d", "/h/c/e", "/hx" };
    for (size_t n = 0; n < COUNT_OF(names); n++) { put(f, names[n], "v", ",\"Type\":\"String\""); }
    static const struct { const char *name, *body, *want; } rows[] = {
        { "right below", "{\"Path\":\"/h\"}", "/h/a /h/b" },
        { "with its slash", "{\"Path\":\"/h/\"}", "/h/a /h/b" },
        { "at any depth", "{\"Path\":\"/h\",\"Recursive\":true}", "/h/a /h/b /h/c/d /h/c/e" },
        { "deeper", "{\"Path\":\"/h/c\"}", "/h/c/d /h/c/e" },
        { "nothing there", "{\"Path\":\"/z\"}", "" },
        { "the first page", "{\"Path\":\"/h\",\"Recursive\":true,\"MaxResults\":3}", "/h/a /h/b /h/c/d +" },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct str reply = fixture_call(f, PS "GetParametersByPath", rows[r].body);
        struct buf got = buf_in(&f->kept);
        for (size_t p = 0; fixture_at(f, reply, text(f, "Parameters[%zu].Name", p)).len > 0; p++) {
            buf_printf(&got, "%s%s", p == 0 ? "" : " ", at(f, reply, text(f, "Parameters[%zu].Name", p)));
        }
        if (fixture_at(f, reply, "NextToken").len > 0) { buf_put(&got, STR(" +")); }
        CHECK_STR(rows[r].name, buf_str(&got), str_from(rows[r].want));
    }
    struct str page = fixture_call(f, PS "GetParametersByPath", "{\"Path\":\"/h\",\"Recursive\":true,\"MaxResults\":3}");
    struct str next = fixture_call(f, PS "GetParametersByPath",
                                   text(f, "{\"Path\":\"/h\",\"Recursive\":true,\"MaxResults\":3,\"NextToken\":\"%s\"}", at(f, page, "NextToken")));
    CHECK_STR("the second page", fixture_at(f, next, "Parameters[0].Name"), STR("/h/c/e"));
    CHECK("is the last", !str_is_set(fixture_at(f, next, "NextToken")));
    static const struct { const char *name, *filter, *first; } filters[] = {
        { "a name", "{\"Key\":\"Name\",\"Values\":[\"/h/b\"]}", "/h/b" },
        { "its beginning", "{\"Key\":\"Name\",\"Option\":\"BeginsWith\",\"Values\":[\"/h/c\"]}", "/h/c/d" },
        { "a part of it", "{\"Key\":\"Name\",\"Option\":\"Contains\",\"Values\":[\"x\"]}", "/hx" },
        { "a type", "{\"Key\":\"Type\",\"Values\":[\"SecureString\"]}", "/p/db" },
        { "a path", "{\"Key\":\"Path\",\"Option\":\"Recursive\",\"Values\":[\"/h/c\"]}", "/h/c/d" },
    };
    for (size_t r = 0; r < COUNT_OF(filters); r++) {
        struct str reply = fixture_call(f, PS "DescribeParameters", text(f, "{\"ParameterFilters\":[%s]}", filters[r].filter));
        CHECK_STR(filters[r].name, fixture_at(f, reply, "Parameters[0].Name"), str_from(filters[r].first));
    }
    (void)fixture_call(f, PS "DescribeParameters", "{\"ParameterFilters\":[{\"Key\":\"Name\",\"Option\":\"Near\",\"Values\":[\"x\"]}]}");
    CHECK_EQ("an option nobody knows", f->code, ERR_VALIDATION);
}

static void test_many(struct api_fixture *f)
{
    enum { MANY = 150 };
    size_t seen = 0;
    const char *token = "";
    for (size_t n = 0; n < MANY; n++) { create(f, text(f, "many/%03zu", n), "x"); }
    for (size_t pages = 0; pages < 5 && token != NULL; pages++) {
        struct str reply = fixture_call(f, SM "ListSecrets", text(f, "{\"MaxResults\":60,\"Filters\":[{\"Key\":\"name\",\"Values\":[\"many/\"]}]%s}", token));
        size_t here = 0;
        while (fixture_at(f, reply, text(f, "SecretList[%zu].Name", here)).len > 0) { here++; }
        CHECK_EQ("a full page but the last", here, seen + 60 <= MANY ? 60 : MANY - seen);
        CHECK_STR("goes on behind the one before", fixture_at(f, reply, "SecretList[0].Name"), str_from(text(f, "many/%03zu", seen)));
        seen += here;
        token = str_is_set(fixture_at(f, reply, "NextToken")) ? text(f, ",\"NextToken\":\"%s\"", at(f, reply, "NextToken")) : NULL;
    }
    CHECK_EQ("all of them", seen, MANY);
}

static void test_tags(struct api_fixture *f)
{
    fixture_check(f, "tagged", SM "TagResource", "{\"SecretId\":\"db\",\"Tags\":[{\"Key\":\"a\",\"Value\":\"1\"},{\"Key\":\"b\",\"Value\":\"2\"}]}", "{}");
    fixture_check(f, "one again", SM "TagResource", "{\"SecretId\":\"db\",\"Tags\":[{\"Key\":\"a\",\"Value\":\"3\"}]}", "{}");
    fixture_check(f, "one away", SM "UntagResource", "{\"SecretId\":\"db\",\"TagKeys\":[\"b\",\"c\"]}", "{}");
    CHECK_STR("the tag left", fixture_at(f, fixture_call(f, SM "DescribeSecret", "{\"SecretId\":\"db\"}"), "Tags"), STR("[{\"Key\":\"a\",\"Value\":\"3\"}]"));
    fixture_check(f, "a parameter", PS "AddTagsToResource", "{\"ResourceType\":\"Parameter\",\"ResourceId\":\"/p/db\",\"Tags\":[{\"Key\":\"k\",\"Value\":\"v\"}]}", "{}");
    fixture_check(f, "its tags", PS "ListTagsForResource", "{\"ResourceType\":\"Parameter\",\"ResourceId\":\"/p/db\"}",
                  "{\"TagList\":[{\"Key\":\"k\",\"Value\":\"v\"}]}");
    fixture_check(f, "and none", PS "RemoveTagsFromResource", "{\"ResourceType\":\"Parameter\",\"ResourceId\":\"/p/db\",\"TagKeys\":[\"k\"]}", "{}");
    fixture_check(f, "without", PS "ListTagsForResource", "{\"ResourceType\":\"Parameter\",\"ResourceId\":\"/p/db\"}", "{\"TagList\":[]}");
}

/* ---- who may read ---- */

static enum err_code told(struct api_fixture *f, const char *operation, const char *body)
{
    (void)fixture_call(f, operation, body);
    return f->code;
}

static void test_access(struct api_fixture *f)
{
    static const struct { const char *name, *operation, *body; enum err_code running, stopped; } rows[] = {
        { "a secret of the definition", SM "GetSecretValue", "{\"SecretId\":\"used\"}", ERR_NONE, ERR_ACCESS_DENIED },
        { "a parameter of it", PS "GetParameters", NAMES("/used/by-arn"), ERR_NONE, ERR_ACCESS_DENIED },
        { "a parameter by its version", PS "GetParameters", NAMES("/used/versioned"), ERR_NONE, ERR_ACCESS_DENIED },
        { "of its log driver", PS "GetParameter", "{\"Name\":\"/used/log\",\"WithDecryption\":true}", ERR_NONE, ERR_ACCESS_DENIED },
        { "the login of its registry", SM "GetSecretValue", "{\"SecretId\":\"used-registry\"}", ERR_NONE, ERR_ACCESS_DENIED },
        { "a parameter of that name", PS "GetParameters", NAMES("used-registry"), ERR_ACCESS_DENIED, ERR_ACCESS_DENIED },
        { "an ARN in its environment", PS "GetParameters", NAMES("/used/env"), ERR_NONE, ERR_ACCESS_DENIED },
        { "an ARN in the task's own environment", PS "GetParameters", NAMES("/used/override"), ERR_NONE, ERR_ACCESS_DENIED },
        { "a name in the environment is only a word", PS "GetParameters", NAMES("word"), ERR_ACCESS_DENIED, ERR_ACCESS_DENIED },
        { "what nobody refers to", SM "GetSecretValue", "{\"SecretId\":\"other\"}", ERR_ACCESS_DENIED, ERR_ACCESS_DENIED },
        { "some that are used and one that is not", PS "GetParameters", "{\"Names\":[\"/used/log\",\"word\"]}", ERR_ACCESS_DENIED, ERR_ACCESS_DENIED },
        { "a whole path", PS "GetParametersByPath", "{\"Path\":\"/\",\"Recursive\":true}", ERR_ACCESS_DENIED, ERR_ACCESS_DENIED },
        { "what there is", SM "ListSecrets", "{}", ERR_ACCESS_DENIED, ERR_ACCESS_DENIED },
        { "what there is of parameters", PS "DescribeParameters", "{}", ERR_ACCESS_DENIED, ERR_ACCESS_DENIED },
        { "a change", SM "PutSecretValue", "{\"SecretId\":\"used\",\"SecretString\":\"x\"}", ERR_ACCESS_DENIED, ERR_ACCESS_DENIED },
        { "a secret that does not exist", SM "GetSecretValue", "{\"SecretId\":\"nope\"}", ERR_RESOURCE_NOT_FOUND, ERR_RESOURCE_NOT_FOUND },
    };
    static const char *const parameters[] = { "/used/by-arn", "/used/versioned", "/used/log", "/used/env", "/used/override", "word", "used-registry" };
    for (size_t p = 0; p < COUNT_OF(parameters); p++) { put(f, parameters[p], "v", ",\"Type\":\"SecureString\""); }
    create(f, "used", "v");
    create(f, "used-registry", "v");
    create(f, "other", "v");
    (void)fixture_call(f, "CreateCluster", "{}");
    struct str registered = fixture_call(f, "RegisterContainerInstance",
        "{\"totalResources\":[{\"name\":\"CPU\",\"type\":\"INTEGER\",\"integerValue\":4096},{\"name\":\"MEMORY\",\"type\":\"INTEGER\",\"integerValue\":8192}],"
        "\"attributes\":[{\"name\":\"ecs.capability.secrets.ssm.environment-variables\"},{\"name\":\"ecs.capability.secrets.asm.environment-variables\"},"
        "{\"name\":\"ecs.capability.secrets.ssm.bootstrap.log-driver\"},{\"name\":\"com.amazonaws.ecs.capability.logging-driver.json-file\"},"
        "{\"name\":\"ecs.capability.private-registry-authentication.secretsmanager\"},{\"name\":\"berth.name\",\"value\":\"secretive\"}]}");
    machine_presence(f, id_at(f, registered, "containerInstance.containerInstanceArn"), true);
    define(f, "uses", text(f, ",\"secrets\":[{\"name\":\"A\",\"valueFrom\":\"%s:key::\"},{\"name\":\"B\",\"valueFrom\":\"arn:aws:ssm:us-east-1:123456789012:parameter/used/by-arn\"},"
           "{\"name\":\"C\",\"valueFrom\":\"/used/versioned:1\"}],\"logConfiguration\":{\"logDriver\":\"json-file\",\"secretOptions\":[{\"name\":\"o\",\"valueFrom\":\"/used/log\"}]},"
           "\"repositoryCredentials\":{\"credentialsParameter\":\"used-registry\"},"
           "\"environment\":[{\"name\":\"REF\",\"value\":\"arn:aws:ssm:us-east-1:123456789012:parameter/used/env\"},{\"name\":\"W\",\"value\":\"word\"}]",
           arn_of(f, "used")), ",\"executionRoleArn\":\"arn:aws:iam::123456789012:role/x\"");
    CHECK_EQ("the definition", f->code, ERR_NONE);
    struct str run = fixture_call(f, "StartTask", text(f, "{\"taskDefinition\":\"uses\",\"containerInstances\":[\"%s\"],\"overrides\":{\"containerOverrides\":["
                                  "{\"name\":\"%s\",\"environment\":[{\"name\":\"X\",\"value\":\"arn:aws:ssm:us-east-1:123456789012:parameter/used/override\"}]}]}}",
                                  at(f, fixture_call(f, "ListContainerInstances", "{}"), "containerInstanceArns[0]"),
                                  at(f, fixture_call(f, "DescribeTaskDefinition", "{\"taskDefinition\":\"uses\"}"), "taskDefinition.containerDefinitions[0].name")));
    const char *task = at(f, run, "tasks[0].taskArn");
    CHECK("a task", f->code == ERR_NONE && task[0] != '\0');
    if (f->code != ERR_NONE || fixture_at(f, run, "tasks[0].taskArn").len == 0) { fprintf(stderr, STR_FMT "\n", STR_ARG(run)); return; }
    struct role_session session = { .kind = ROLE_EXECUTION, .task = id_at(f, run, "tasks[0].taskArn") };
    const struct caller admin = f->caller;
    const struct { const char *name; struct caller caller; bool never; } callers[] = {
        { "an agent", { .user = STR("agent"), .role = ACCESS_AGENT }, false },
        { "its machine's agent", { .user = STR("agent"), .role = ACCESS_AGENT, .binding = { STR("default"), STR("secretive") } }, false },
        { "its cluster's agent", { .user = STR("agent"), .role = ACCESS_AGENT, .binding = { STR("default"), STR("") } }, false },
        { "another machine's agent", { .user = STR("agent"), .role = ACCESS_AGENT, .binding = { STR("default"), STR("other") } }, true },
        { "another cluster's agent", { .user = STR("agent"), .role = ACCESS_AGENT, .binding = { STR("other"), STR("") } }, true },
        { "the task", { .user = STR("task"), .role = ACCESS_TASK, .session = &session }, false },
        { "a viewer", { .user = STR("viewer"), .role = ACCESS_VIEWER }, true },
    };
    for (int stopped = 0; stopped < 2; stopped++) {
        for (size_t c = 0; c < COUNT_OF(callers); c++) {
            f->caller = callers[c].caller;
            for (size_t r = 0; r < COUNT_OF(rows); r++) {
                enum err_code want = stopped ? rows[r].stopped : rows[r].running;
                if (callers[c].never && want == ERR_NONE) { want = ERR_ACCESS_DENIED; }
                CHECK_EQ(text(f, "%s: %s%s", callers[c].name, rows[r].name, stopped ? ", stopped" : ""), told(f, rows[r].operation, rows[r].body), want);
            }
        }
        f->caller = admin;
        CHECK_EQ("an admin", told(f, SM "GetSecretValue", "{\"SecretId\":\"other\"}"), ERR_NONE);
        report(f, task, "STOPPED", "");
    }
}

static void test_other_key(struct api_fixture *f)
{
    static const struct seal_key other = { { 8 } };
    f->config.secret_key = &other;
    CHECK_STR("another key opens nothing", value_of(f, "\"SecretId\":\"db\""), STR("InternalServiceError: The value can't be decrypted with this server's key."));
    CHECK_EQ("as a server's fault", f->code, ERR_SERVER);
    f->config.secret_key = &fixture_secret_key;
}

int main(void)
{
    struct api_fixture f;
    fixture_open(&f);
    test_references(&f);
    test_versions(&f);
    test_refusals(&f);
    test_deletion(&f);
    test_parameters(&f);
    test_lists(&f);
    test_many(&f);
    test_tags(&f);
    test_access(&f);
    test_other_key(&f);
    fixture_close(&f);
    return check_report();
}
