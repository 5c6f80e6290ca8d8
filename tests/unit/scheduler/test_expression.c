/* The cluster query language: what parses, what holds, and where a mistake is said to be. */
#include "scheduler/ask/expression.h"
#include "worlds.h"

static struct arena arena;
static struct world *world;

/* Instance 1 as most rows see it; instance 2 tells nothing of itself. */
static void build_world(void)
{
    static const struct sched_attribute attributes[] = {
        { STR_INIT("ecs.instance-type"), STR_INIT("t2.small") }, { STR_INIT("ecs.availability-zone"), STR_INIT("us-east-1a") },
        { STR_INIT("a"), STR_INIT("x") }, { STR_INIT("stack"), { NULL, 0 } }, { STR_INIT("berth.gpu-memory"), STR_INIT("40960") },
        { STR_INIT("rack"), STR_INIT("r 7") }, { STR_INIT("ratio"), STR_INIT("30.5") }, { STR_INIT("word"), STR_INIT("büro") },
    };
    world = sched_world_create(&arena);
    struct sched_instance instance = test_instance(1, 0);
    instance.attributes = attributes;
    instance.attribute_count = COUNT_OF(attributes);
    instance.ec2_instance_id = STR("i-abcd1234");
    instance.agent_version = STR("1.9.0");
    instance.registered_ms = 1529360908500;                      /* 2018-06-18T22:28:28.5Z */
    sched_put_instance(world, &instance);
    struct sched_instance bare = test_instance(2, 0);
    bare.connected = false;
    sched_put_instance(world, &bare);

    struct sched_task task = { .id = test_id(100), .instance = test_id(1), .group = STR("service:production"), .running = true };
    sched_put_task(world, &task);
    task = (struct sched_task){ .id = test_id(101), .instance = test_id(1), .group = STR("family:batch") };
    sched_put_task(world, &task);
}

static const struct { const char *text; bool one, two; } holds[] = {       /* on instance 1, on instance 2 */
    /* the documented ones */
    { "attribute:ecs.instance-type == t2.small", true, false },
    { "attribute:ecs.availability-zone in [us-east-1a, us-east-1b]", true, false },
    { "attribute:ecs.instance-type =~ g2.* and attribute:ecs.availability-zone != us-east-1d", false, false },
    { "attribute:ecs.instance-type =~ t2.* and attribute:ecs.availability-zone != us-east-1d", true, false },
    { "task:group == service:production", true, false },
    { "not(task:group == database)", true, true },
    { "runningTasksCount == 1", true, false },
    { "agentVersion < 1.14.5", true, false },
    { "attribute:stack exists", true, false },
    { "attribute:gpu !exists", true, true },
    { "registeredAt >= 2018-06-18", true, false },
    { "agentConnected==false", false, true },
    { "(attribute:a == x or attribute:b == y) and runningTasksCount < 3", true, false },
    { "ec2InstanceId in ['i-abcd1234', 'i-wxyx7890']", true, false },
    /* words for symbols */
    { "attribute:a equals x", true, false },
    { "attribute:a not_equals x", false, true },
    { "runningTasksCount greater_than 0", true, false },
    { "runningTasksCount greater_than_equal 1", true, false },
    { "runningTasksCount less_than 1", false, true },
    { "runningTasksCount less_than_equal 0", false, true },
    { "attribute:a not_in [y,z]", true, true },
    { "attribute:a !in [x]", false, true },
    { "attribute:a matches [w-z]", true, false },
    { "attribute:a not_matches x", false, true },
    { "attribute:a !~ x", false, true },
    { "attribute:a not_exists", false, true },
    { "! attribute:a exists", false, true },
    { "!(attribute:a exists)", false, true },
    { "not not attribute:a exists", true, false },
    { "attribute:a==x&&attribute:stack exists", true, false },
    { "attribute:a==y||runningTasksCount>=0", true, true },
    /* not before and before or */
    { "attribute:a == x or attribute:a == y and attribute:a == z", true, false },
    { "(attribute:a == x or attribute:a == y) and attribute:a == z", false, false },
    { "not attribute:a == x or attribute:a == x", true, true },
    /* values */
    { "attribute:rack == 'r 7'", true, false },
    { "attribute:rack == \"r 7\"", true, false },
    { "attribute:a in[ x ]", true, false },
    { "attribute:a in [y,'x']", true, false },
    { "attribute:a == X", false, false },
    { "attribute:a == '='", false, false },
    { "attribute:a in ['=', x, \"(\"]", true, false },
    { "attribute:a =~ '=|x'", true, false },
    { "attribute:a =~ [=x]", true, false },
    { "attribute:stack == ''", false, false },
    { "attribute:stack != anything", true, true },
    /* order: numbers when both are, else texts */
    { "attribute:berth.gpu-memory > 9000", true, false },
    { "attribute:berth.gpu-memory >= 40960", true, false },
    { "attribute:berth.gpu-memory > 40960.0", false, false },
    { "attribute:berth.gpu-memory < 40960.5", true, false },
    { "attribute:ratio > 30.25", true, false },
    { "attribute:ratio <= 30.50", true, false },
    { "attribute:ratio > -31", true, false },
    { "attribute:a > w", true, false },
    { "attribute:a < x", false, false },
    /* versions, times, the rest */
    { "agentVersion >= 1.9", true, false },
    { "agentVersion == 1.9", true, false },
    { "agentVersion > 1.9.0", false, false },
    { "agentVersion != 1.9.0", false, true },
    { "registeredAt == 2018-06-18T22:28:28+00:00", true, false },
    { "registeredAt == 2018-06-18T22:28:28Z", true, false },
    { "registeredAt == 2018-06-18T22:28:28", true, false },
    { "registeredAt == 2018-06-19T00:28:28.250+02:00", true, false },
    { "registeredAt < 2018-06-18T22:28:29", true, true },
    { "registeredAt > 2018-06-18T22:28:28", false, false },
    { "registeredAt >= 1970-01-01", true, true },
    { "registeredAt < 2000-03-01", false, true },
    { "agentConnected in [true]", true, false },
    { "agentConnected =~ tr.*", true, false },
    { "agentConnected != true", false, true },
    { "ec2InstanceId == i-abcd1234", true, false },
    { "ec2InstanceId != i-abcd1234", false, true },
    { "task:group in [service:a, family:batch]", true, false },
    { "task:group =~ service:.*", true, false },
    { "task:group != family:batch", false, true },
    { "  attribute:a  ==  x  ", true, false },
    { "((((attribute:a == x))))", true, false },
    /* regular expressions: the whole value must match */
    { "attribute:ecs.instance-type =~ t2", false, false },
    { "attribute:ecs.instance-type =~ .*small", true, false },
    { "attribute:ecs.instance-type =~ (g2|t2).*", true, false },
    { "attribute:ecs.instance-type =~ (g2|p3)\\..*", false, false },
    { "not(attribute:ecs.instance-type =~ (g2|t2).*)", false, true },
    { "attribute:ecs.instance-type =~ [gt]\\d\\.\\w+", true, false },
    { "attribute:ecs.instance-type =~ [^t].*", false, false },
    { "attribute:ecs.instance-type =~ t2.smal{2}", true, false },
    { "attribute:ecs.instance-type =~ t2.smal{3}", false, false },
    { "attribute:ecs.instance-type =~ t2.smal{1,}", true, false },
    { "attribute:ecs.instance-type =~ t2.smal{0,1}", false, false },
    { "attribute:ecs.instance-type =~ (t2.small){1}", true, false },
    { "attribute:ecs.instance-type =~ ^t2.small$", true, false },
    { "attribute:ecs.instance-type =~ t2^.small", false, false },
    { "attribute:ecs.instance-type =~ t2.small$.", false, false },
    { "attribute:ecs.instance-type =~ (?:t|p)\\d.small", true, false },
    { "attribute:ecs.instance-type =~ t2.small|nothing", true, false },
    { "attribute:ecs.instance-type =~ |t2.small", true, false },
    { "attribute:ecs.instance-type =~ t+?2.*?", true, false },
    { "attribute:ecs.instance-type =~ ((t|t)*)*2.small", true, false },
    { "attribute:ecs.instance-type =~ \\D\\d\\W\\w{5}", true, false },
    { "attribute:rack =~ 'r\\s7'", true, false },
    { "attribute:rack =~ 'r\\S7'", false, false },
    { "attribute:rack =~ 'r [0-9-]'", true, false },
    { "attribute:word =~ b.ro", true, false },                   /* a character, not a byte */
    { "attribute:word =~ b[ä-ü]ro", true, false },
    { "attribute:a =~ [\\w.-]{1}", true, false },
    { "attribute:a =~ (a|b|c|x|y)", true, false },
    { "attribute:a =~ ''", false, false },
};

static void test_holds(void)
{
    for (size_t r = 0; r < COUNT_OF(holds); r++) {
        struct err err = { 0 };
        const struct expression *expression = expression_compile(str_from(holds[r].text), &arena, &err);
        CHECK_STR(holds[r].text, str_from(err.message), STR(""));
        if (expression == NULL) { continue; }
        CHECK_EQ(holds[r].text, sched_matches(world, test_id(1), expression), holds[r].one);
        CHECK_EQ(holds[r].text, sched_matches(world, test_id(2), expression), holds[r].two);
        CHECK_EQ(holds[r].text, sched_matches(world, test_id(3), expression), false);
    }
}

static const struct { const char *text; size_t position; const char *why; } mistakes[] = {
    { "", 1, "the expression ends too early" },
    { "   ", 4, "the expression ends too early" },
    { "attribute:a", 12, "wanted an operator" },
    { "attribute: == x", 11, "the name of an attribute must follow" },
    { "registeredCpu > 5", 1, "wanted a subject" },
    { "attribute:a = x", 13, "wanted an operator" },
    { "attribute:a ===", 15, "a value with this character must be in quotes" },
    { "attribute:a === x", 15, "a value with this character must be in quotes" },
    { "attribute:a ==== x", 15, "a value with this character must be in quotes" },
    { "attribute:a == == x", 16, "a value with this character must be in quotes" },
    { "attribute:a equals= x", 19, "a value with this character must be in quotes" },
    { "attribute:a !== x", 15, "a value with this character must be in quotes" },
    { "attribute:a <> x", 14, "a value with this character must be in quotes" },
    { "attribute:a >== x", 15, "a value with this character must be in quotes" },
    { "attribute:a == x=y", 17, "a value with this character must be in quotes" },
    { "attribute:a == !x", 16, "a value with this character must be in quotes" },
    { "attribute:a == x|y", 17, "a value with this character must be in quotes" },
    { "attribute:a == (x)", 16, "a value with this character must be in quotes" },
    { "attribute:a == [x]", 16, "a value with this character must be in quotes" },
    { "attribute:a == x'y'", 17, "a value with this character must be in quotes" },
    { "attribute:a == x\"", 17, "a value with this character must be in quotes" },
    { "attribute:a in [=]", 17, "a value with this character must be in quotes" },
    { "attribute:a in [x, ~y]", 20, "a value with this character must be in quotes" },
    { "attribute:a in [[x]]", 17, "a value with this character must be in quotes" },
    { "attribute:a in == [x]", 16, "wanted a list" },
    { "attribute:a in= [x]", 15, "wanted a list" },
    { "attribute:a =~~ x", 15, "a regular expression that begins with this must be in quotes" },
    { "attribute:a =~= x", 15, "a regular expression that begins with this must be in quotes" },
    { "attribute:a !~ !x", 16, "a regular expression that begins with this must be in quotes" },
    { "attribute:a exists == x", 20, "wanted 'and', 'or' or the end" },
    { "attribute:a ! x", 13, "wanted an operator" },
    { "attribute:a == 'x'y", 19, "wanted 'and', 'or' or the end" },
    { "attribute:a == 'x\"", 16, "this quote is never closed" },
    { "attribute:a ==", 15, "a value is missing" },
    { "attribute:a == x y", 18, "wanted 'and', 'or' or the end" },
    { "attribute:a == x and", 21, "the expression ends too early" },
    { "attribute:a == x AND attribute:b == y", 18, "wanted 'and', 'or' or the end" },
    { "attribute:a == x or or attribute:b == y", 21, "wanted a subject" },
    { "(attribute:a == x", 18, "wanted 'and', 'or' or )" },
    { "attribute:a == x)", 17, "wanted 'and', 'or' or the end" },
    { "()", 2, "wanted a subject" },
    { "attribute:a == 'x", 16, "this quote is never closed" },
    { "attribute:a in x", 16, "wanted a list" },
    { "attribute:a in [", 17, "a value is missing" },
    { "attribute:a in []", 17, "a value is missing" },
    { "attribute:a in [x", 18, "wanted , or ]" },
    { "attribute:a in [x y]", 19, "wanted , or ]" },
    { "attribute:a in [x,]", 19, "a value is missing" },
    { "agentConnected exists", 16, "agentConnected can only be asked" },
    { "agentConnected > true", 16, "agentConnected can only be asked" },
    { "agentConnected == yes", 19, "wanted true or false" },
    { "agentConnected in [true, no]", 26, "wanted true or false" },
    { "agentVersion in [1.0]", 14, "agentVersion can only be asked" },
    { "agentVersion < new", 16, "wanted a version" },
    { "runningTasksCount =~ 1", 19, "runningTasksCount can only be asked" },
    { "runningTasksCount == many", 22, "wanted a whole number" },
    { "runningTasksCount == 1.5", 22, "wanted a whole number" },
    { "registeredAt > yesterday", 16, "wanted a time" },
    { "registeredAt > 2018-13-01", 16, "wanted a time" },
    { "registeredAt > 2018-06-18T25:00", 16, "wanted a time" },
    { "registeredAt > 2018-06-18T22:28:28+0", 16, "wanted a time" },
    { "registeredAt exists", 14, "registeredAt can only be asked" },
    { "task:group > a", 12, "task:group can only be asked" },
    { "ec2InstanceId < i", 15, "ec2InstanceId can only be asked" },
    { "attribute:a =~", 15, "a regular expression is missing" },
    { "attribute:a =~ (x", 16, "this ( has no )" },
    { "attribute:a =~ 'x)'", 18, "this ) has no (" },
    { "attribute:a =~ [x", 16, "this [ has no ]" },
    { "attribute:a =~ [z-a]", 18, "this range goes backwards" },
    { "attribute:a =~ *x", 16, "there is nothing to repeat" },
    { "attribute:a =~ x**", 18, "there is nothing to repeat" },
    { "attribute:a =~ x++", 18, "possessive" },
    { "attribute:a =~ x{2,1}", 17, "this repeat ends before it begins" },
    { "attribute:a =~ x{a}", 17, "a repeat is written" },
    { "attribute:a =~ (?i)x", 16, "only (?: ) is supported" },
    { "attribute:a =~ x\\b", 17, "this escape" },
    { "attribute:a =~ (x)\\1", 19, "this escape" },
    { "attribute:a =~ 'x\\'", 18, "nothing follows the backslash" },
    { "attribute:a =~ [a[b]]", 18, "a class inside a class" },
    { "attribute:a =~ [a&&b]", 18, "the cut of two classes" },
    { "attribute:a =~ ((x{100}){100}){100}", 30, "too big" },
};

static void test_mistakes(void)
{
    for (size_t r = 0; r < COUNT_OF(mistakes); r++) {
        struct err err = { 0 };
        const struct expression *expression = expression_compile(str_from(mistakes[r].text), &arena, &err);
        CHECK(mistakes[r].text, expression == NULL);
        CHECK_EQ(mistakes[r].text, err.code, ERR_INVALID_PARAMETER);
        char wanted[160];
        (void)snprintf(wanted, sizeof wanted, "Invalid expression at position %zu: ", mistakes[r].position);
        size_t head = strlen(wanted);
        CHECK_STR(mistakes[r].text, str_slice(str_from(err.message), 0, head), str_from(wanted));
        CHECK(err.message, strstr(err.message, mistakes[r].why) != NULL);
    }
}

/* A text of `count` times `piece` between a head and a tail. */
static struct str repeated(const char *head, const char *piece, size_t count, const char *tail)
{
    struct buf buf = buf_in(&arena);
    buf_put(&buf, str_from(head));
    for (size_t n = 0; n < count; n++) { buf_put(&buf, str_from(piece)); }
    buf_put(&buf, str_from(tail));
    return buf_str(&buf);
}

static void test_limits(void)
{
    struct { const char *name; struct str text; bool good; } rows[] = {
        { "2000 characters",               repeated("attribute:a == ", "x", 1985, ""), true },
        { "2001 characters",               repeated("attribute:a == ", "x", 1986, ""), false },
        { "50 parentheses",                repeated("", "(", 50, repeated("attribute:a exists", ")", 50, "").ptr), true },
        { "51 parentheses",                repeated("", "(", 51, repeated("attribute:a exists", ")", 51, "").ptr), false },
        { "1980 times not",                repeated("", "!", 1980, "attribute:a exists"), true },
        { "50 groups",                     repeated("attribute:a =~ ", "(", 50, repeated("x", ")", 50, "").ptr), true },
        { "51 groups",                     repeated("attribute:a =~ ", "(", 51, repeated("x", ")", 51, "").ptr), false },
        { "a regular expression of 999 steps", repeated("attribute:a =~ ", "x", 999, ""), true },
        { "a regular expression of 1000 steps", repeated("attribute:a =~ ", "x", 1000, ""), false },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct err err = { 0 };
        CHECK_EQ(rows[r].name, expression_compile(rows[r].text, &arena, &err) != NULL, rows[r].good);
    }
}

/* Patterns that take other engines years: each character costs at most one look at each step. */
static void test_no_exponential_time(void)
{
    struct sched_attribute attribute = { STR("evil"), repeated("", "a", 128, "!") };
    struct sched_instance instance = test_instance(9, 0);
    instance.attributes = &attribute;
    instance.attribute_count = 1;
    sched_put_instance(world, &instance);
    static const char *const patterns[] = { "(a+)+", "(a|a)*", "(a*)*b", "(a|aa)+", "(.*a){20}", "((a?){50}){2}b" };
    for (size_t p = 0; p < COUNT_OF(patterns); p++) {
        struct err err = { 0 };
        const struct expression *expression = expression_compile(repeated("attribute:evil =~ ", patterns[p], 1, ""), &arena, &err);
        CHECK(err.message, expression != NULL);
        if (expression != NULL) { CHECK(patterns[p], !sched_matches(world, test_id(9), expression)); }
    }
}

/* Two attributes are known: one has a value, the machine lacks the other. The rest may be there. */
static void test_may_hold(void)
{
    static const struct { const char *text; bool may; } rows[] = {
        { "attribute:type == g5", true },                           { "attribute:type == g4", false },
        { "attribute:type != g4", true },                           { "attribute:type != g5", false },
        { "attribute:type exists", true },                          { "attribute:gpu exists", false },
        { "attribute:gpu == x", false },                            { "attribute:gpu != x", true },
        { "attribute:rack == x", true },                            { "attribute:rack != x", true },
        { "not(attribute:type == g5)", false },                     { "not(attribute:rack == x)", true },
        { "attribute:type == g4 and attribute:rack == x", false },  { "attribute:type == g5 and attribute:rack == x", true },
        { "attribute:type == g4 or attribute:rack == x", true },    { "attribute:type == g4 or attribute:gpu == x", false },
        { "not(attribute:type == g5 or attribute:rack == x)", false }, { "not(attribute:type == g5 and attribute:rack == x)", true },
        { "runningTasksCount > 5", true },                          { "attribute:type =~ g[5-6]", true },
        { "attribute:type in [g4, g6]", false },                    { "attribute:type > g4", true },
    };
    static const struct sched_attribute known[] = { { STR_INIT("type"), STR_INIT("g5") }, { STR_INIT("gpu"), { NULL, 0 } } };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct err err = { 0 };
        const struct expression *expression = expression_compile(str_from(rows[r].text), &arena, &err);
        CHECK(rows[r].text, expression != NULL && expression_may_hold(expression, known, COUNT_OF(known)) == rows[r].may);
    }
}

int main(void)
{
    arena_init(&arena, (size_t)64 << 20);
    test_may_hold();
    build_world();
    test_holds();
    test_mistakes();
    test_limits();
    test_no_exponential_time();
    arena_finish(&arena);
    return check_report();
}
