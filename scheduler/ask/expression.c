/* expression.c: reads a constraint of the cluster query language. A table says which operators each
 * subject allows. Each error names the position of the mistake. */
#include "scheduler/ask/expression.h"

enum { EXPRESSION_LEN_MAX = 2000, NESTED_MAX = 50 };

struct reader { struct str text; size_t at; unsigned depth; bool attributes_only; struct arena *arena; struct err *err; };

/* Returns NULL, so that a reader of nodes can say `return refuse(…)`. */
static struct node *refuse(struct reader *r, size_t at, const char *why)
{
    (void)err_set(r->err, ERR_INVALID_PARAMETER, "Invalid expression at position %zu: %s.", at + 1, why);
    return NULL;
}

/* ---- characters ---- */
static bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static bool is_name(char c) { return is_word(c) || c == ':' || c == '.' || c == '-' || c == '/' || c == '\\' || c == '@'; }

static void skip_blanks(struct reader *r)
{
    while (r->at < r->text.len && is_blank(r->text.ptr[r->at])) { r->at++; }
}

static bool sees(const struct reader *r, struct str wanted)
{
    return str_starts_with(str_slice(r->text, r->at, r->text.len), wanted);
}

/* A symbol, or a word that ends there. */
static bool take(struct reader *r, struct str wanted)
{
    if (!sees(r, wanted)) { return false; }
    size_t end = r->at + wanted.len;
    if (is_word(wanted.ptr[wanted.len - 1]) && end < r->text.len && is_word(r->text.ptr[end])) { return false; }
    r->at = end;
    return true;
}

/* ---- subjects and operators ---- */
#define BIT(compare) (1u << (compare))
#define EQUALITY (BIT(COMPARE_EQUAL))
#define ORDER    (BIT(COMPARE_LESS) | BIT(COMPARE_LESS_EQUAL) | BIT(COMPARE_GREATER) | BIT(COMPARE_GREATER_EQUAL))
#define CHOICE   (BIT(COMPARE_IN) | BIT(COMPARE_MATCH))

static const struct { struct str text; enum subject subject; unsigned may; const char *refused; } subjects[] = {
    { STR_INIT("agentConnected"),    SUBJECT_AGENT_CONNECTED, EQUALITY | CHOICE,
      "agentConnected can only be asked with ==, !=, in, !in, =~ and !~" },
    { STR_INIT("agentVersion"),      SUBJECT_AGENT_VERSION,   EQUALITY | ORDER,
      "agentVersion can only be asked with ==, !=, >, >=, < and <=" },
    { STR_INIT("ec2InstanceId"),     SUBJECT_EC2_INSTANCE_ID, EQUALITY | CHOICE,
      "ec2InstanceId can only be asked with ==, !=, in, !in, =~ and !~" },
    { STR_INIT("registeredAt"),      SUBJECT_REGISTERED_AT,   EQUALITY | ORDER,
      "registeredAt can only be asked with ==, !=, >, >=, < and <=" },
    { STR_INIT("runningTasksCount"), SUBJECT_RUNNING_TASKS,   EQUALITY | ORDER,
      "runningTasksCount can only be asked with ==, !=, >, >=, < and <=" },
    { STR_INIT("task:group"),        SUBJECT_TASK_GROUP,      EQUALITY | CHOICE,
      "task:group can only be asked with ==, !=, in, !in, =~ and !~" },
};
_Static_assert(COUNT_OF(subjects) == SUBJECT_COUNT - 1, "every subject but attributes, which may be asked everything");

static const struct { struct str text; enum compare compare; bool negated; } operators[] = {   /* >= before > */
    { STR_INIT("=="),                 COMPARE_EQUAL,         false }, { STR_INIT("equals"),       COMPARE_EQUAL,      false },
    { STR_INIT("!="),                 COMPARE_EQUAL,         true  }, { STR_INIT("not_equals"),   COMPARE_EQUAL,      true  },
    { STR_INIT(">="),                 COMPARE_GREATER_EQUAL, false }, { STR_INIT("<="),           COMPARE_LESS_EQUAL, false },
    { STR_INIT("greater_than_equal"), COMPARE_GREATER_EQUAL, false }, { STR_INIT("less_than_equal"), COMPARE_LESS_EQUAL, false },
    { STR_INIT(">"),                  COMPARE_GREATER,       false }, { STR_INIT("<"),            COMPARE_LESS,       false },
    { STR_INIT("greater_than"),       COMPARE_GREATER,       false }, { STR_INIT("less_than"),    COMPARE_LESS,       false },
    { STR_INIT("=~"),                 COMPARE_MATCH,         false }, { STR_INIT("matches"),      COMPARE_MATCH,      false },
    { STR_INIT("!~"),                 COMPARE_MATCH,         true  }, { STR_INIT("not_matches"),  COMPARE_MATCH,      true  },
    { STR_INIT("in"),                 COMPARE_IN,            false }, { STR_INIT("not_in"),       COMPARE_IN,         true  },
    { STR_INIT("!in"),                COMPARE_IN,            true  }, { STR_INIT("exists"),       COMPARE_EXISTS,     false },
    { STR_INIT("!exists"),            COMPARE_EXISTS,        true  }, { STR_INIT("not_exists"),   COMPARE_EXISTS,     true  },
};

static bool read_subject(struct reader *r, struct node *test, const char **refused, unsigned *may)
{
    static const struct str attribute = STR_INIT("attribute:");
    size_t from = r->at;
    while (r->at < r->text.len && is_name(r->text.ptr[r->at])) { r->at++; }
    struct str word = str_slice(r->text, from, r->at);
    if (str_starts_with(word, attribute)) {
        if (word.len == attribute.len) { return refuse(r, r->at, "the name of an attribute must follow 'attribute:'") != NULL; }
        test->subject = SUBJECT_ATTRIBUTE;
        test->name = str_slice(word, attribute.len, word.len);
        test->name_hash = hash_bytes(test->name.ptr, test->name.len);
        *may = ~0u;
        return true;
    }
    r->attributes_only = false;
    for (size_t s = 0; s < COUNT_OF(subjects); s++) {
        if (!str_eq(word, subjects[s].text)) { continue; }
        test->subject = subjects[s].subject;
        *may = subjects[s].may;
        *refused = subjects[s].refused;
        return true;
    }
    return refuse(r, from, "wanted a subject: attribute:NAME, agentConnected, agentVersion, ec2InstanceId, registeredAt, "
                           "runningTasksCount or task:group") != NULL;
}

static bool read_operator(struct reader *r, struct node *test)
{
    for (size_t o = 0; o < COUNT_OF(operators); o++) {
        if (!take(r, operators[o].text)) { continue; }
        test->compare = operators[o].compare;
        test->negated = operators[o].negated;
        return true;
    }
    return refuse(r, r->at, "wanted an operator: ==, !=, >, >=, <, <=, =~, !~, in, !in, exists or !exists") != NULL;
}

/* ---- values ---- */
static bool read_quoted(struct reader *r, struct str *value)
{
    size_t opened = r->at;
    char quote = r->text.ptr[opened];
    size_t len = str_find(str_slice(r->text, opened + 1, r->text.len), quote);
    if (opened + 1 + len >= r->text.len) { return refuse(r, opened, "this quote is never closed") != NULL; }
    *value = str_slice(r->text, opened + 1, opened + 1 + len);
    r->at = opened + len + 2;
    return true;
}

static bool ends_value(const struct reader *r)
{
    char c = r->text.ptr[r->at];
    return is_blank(c) || c == ',' || c == ']' || c == ')' || sees(r, STR("&&")) || sees(r, STR("||"));
}

/* Characters of the language itself: in a value they are more likely a mistake than meant. */
static bool is_among(struct str characters, char c) { return str_find(characters, c) < characters.len; }
static bool needs_quotes(char c) { return is_among(STR("=!<>~&|()[]{}'\""), c); }

static bool read_value(struct reader *r, struct str *value)
{
    skip_blanks(r);
    size_t from = r->at;
    if (from < r->text.len && (r->text.ptr[from] == '\'' || r->text.ptr[from] == '"')) { return read_quoted(r, value); }
    for (; r->at < r->text.len && !ends_value(r); r->at++) {
        if (needs_quotes(r->text.ptr[r->at])) { return refuse(r, r->at, "a value with this character must be in quotes") != NULL; }
    }
    *value = str_slice(r->text, from, r->at);
    return r->at > from || refuse(r, from, "a value is missing") != NULL;
}

/* A regular expression without quotes ends at a blank, or at a `)` that closes none of its own brackets. */
static size_t pattern_end(const struct reader *r)
{
    size_t at = r->at, depth = 0;
    bool in_class = false;
    for (; at < r->text.len && !is_blank(r->text.ptr[at]); at++) {
        char c = r->text.ptr[at];
        if (c == '\\' && at + 1 < r->text.len && !is_blank(r->text.ptr[at + 1])) {
            at++;
        } else if (in_class) {
            in_class = c != ']';
        } else if (c == '[') {
            in_class = true;
        } else if (c == '(') {
            depth++;
        } else if (c == ')' && depth-- == 0) {
            break;
        }
    }
    return at;
}

static bool read_pattern(struct reader *r, struct node *test)
{
    skip_blanks(r);
    size_t from = r->at;
    struct str text = { NULL, 0 };
    if (from < r->text.len && (r->text.ptr[from] == '\'' || r->text.ptr[from] == '"')) {
        if (!read_quoted(r, &text)) { return false; }
        from++;
    } else {
        r->at = pattern_end(r);
        text = str_slice(r->text, from, r->at);
        if (text.len == 0) { return refuse(r, from, "a regular expression is missing") != NULL; }
        if (is_among(STR("=~!<>"), text.ptr[0])) { return refuse(r, from, "a regular expression that begins with this must be in quotes") != NULL; }
    }
    const char *why = NULL;
    size_t at = 0;
    test->pattern = pattern_compile(text, r->arena, &why, &at);
    return test->pattern != NULL || refuse(r, from + at, why) != NULL;
}

static void value_add(struct reader *r, struct node *test, struct str value)
{
    size_t size = test->value_count * sizeof value;
    test->values = arena_grow(r->arena, test->values, size, size + sizeof value);
    test->values[test->value_count++] = value;
}

static bool value_is_sound(struct reader *r, struct node *test, size_t at, struct str value);

static bool read_list(struct reader *r, struct node *test)
{
    skip_blanks(r);
    if (!take(r, STR("["))) { return refuse(r, r->at, "wanted a list such as [a, b]") != NULL; }
    do {
        struct str value = { NULL, 0 };
        skip_blanks(r);
        size_t at = r->at;
        if (!read_value(r, &value) || !value_is_sound(r, test, at, value)) { return false; }
        value_add(r, test, value);
        skip_blanks(r);
    } while (take(r, STR(",")));
    return take(r, STR("]")) || refuse(r, r->at, "wanted , or ] in this list") != NULL;
}

/* ---- values that must be of a kind ---- */
static bool read_digits(struct str *text, size_t count, int64_t *number)
{
    struct str digits = str_slice(*text, 0, count);
    if (digits.len != count || digits.ptr[0] == '-' || !str_to_i64(digits, number)) { return false; }
    *text = str_slice(*text, count, text->len);
    return true;
}

static bool read_char(struct str *text, char c)
{
    if (text->len == 0 || text->ptr[0] != c) { return false; }
    *text = str_slice(*text, 1, text->len);
    return true;
}

/* Days since 1970-01-01 in the Gregorian calendar: whole eras of 400 years, with years that begin in March. */
static int64_t days_of(int64_t year, int64_t month, int64_t day)
{
    int64_t y = month <= 2 ? year - 1 : year;
    int64_t era = y / 400, in_era = y % 400;
    int64_t in_year = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;
    return era * 146097 + in_era * 365 + in_era / 4 - in_era / 100 + in_year - 719468;
}

static bool read_zone(struct str *text, int64_t *seconds)
{
    if (text->len == 0 || read_char(text, 'Z')) { return true; }
    bool west = text->ptr[0] == '-';
    int64_t hours = 0, minutes = 0;
    if (!read_char(text, west ? '-' : '+') || !read_digits(text, 2, &hours)) { return false; }
    (void)read_char(text, ':');
    if (!read_digits(text, 2, &minutes) || hours > 23 || minutes > 59) { return false; }
    *seconds = (west ? 1 : -1) * (hours * 3600 + minutes * 60);
    return true;
}

static bool read_clock(struct str *text, int64_t *seconds)
{
    int64_t hour = 0, minute = 0, second = 0, zone = 0;
    if (!read_digits(text, 2, &hour) || !read_char(text, ':') || !read_digits(text, 2, &minute)) { return false; }
    if (read_char(text, ':')) {
        if (!read_digits(text, 2, &second)) { return false; }
        if (read_char(text, '.')) {
            int64_t digit = 0;
            while (text->len > 0 && read_digits(text, 1, &digit)) { }
        }
    }
    if (hour > 23 || minute > 59 || second > 60 || !read_zone(text, &zone)) { return false; }
    *seconds = hour * 3600 + minute * 60 + second + zone;
    return true;
}

/* Seconds since 1970; parts of a second are read and dropped. */
static bool time_parse(struct str text, int64_t *seconds)
{
    int64_t year = 0, month = 0, day = 0, clock = 0;
    if (!read_digits(&text, 4, &year) || !read_char(&text, '-') || !read_digits(&text, 2, &month) || !read_char(&text, '-')
        || !read_digits(&text, 2, &day) || month < 1 || month > 12 || day < 1 || day > 31) {
        return false;
    }
    if (read_char(&text, 'T') && !read_clock(&text, &clock)) { return false; }
    *seconds = days_of(year, month, day) * 86400 + clock;
    return text.len == 0;
}

static bool is_version(struct str value)
{
    size_t digit = value.len > 0 && (value.ptr[0] == 'v' || value.ptr[0] == 'V') ? 1 : 0;
    return digit < value.len && value.ptr[digit] >= '0' && value.ptr[digit] <= '9';
}

static bool value_is_sound(struct reader *r, struct node *test, size_t at, struct str value)
{
    switch (test->subject) {
    case SUBJECT_AGENT_CONNECTED:
        return str_eq(value, STR("true")) || str_eq(value, STR("false")) || refuse(r, at, "wanted true or false") != NULL;
    case SUBJECT_AGENT_VERSION:
        return is_version(value) || refuse(r, at, "wanted a version such as 1.14.5") != NULL;
    case SUBJECT_REGISTERED_AT:
        return time_parse(value, &test->number) || refuse(r, at, "wanted a time such as 2018-06-18T22:28:28+00:00") != NULL;
    case SUBJECT_RUNNING_TASKS:
        return str_to_i64(value, &test->number) || refuse(r, at, "wanted a whole number") != NULL;
    case SUBJECT_ATTRIBUTE:
    case SUBJECT_EC2_INSTANCE_ID:
    case SUBJECT_TASK_GROUP:
    case SUBJECT_COUNT:
        break;
    }
    return true;
}

/* ---- comparisons, and what joins them ---- */
static struct node *node_new(struct reader *r, enum node_kind kind)
{
    struct node *node = ARENA_NEW(r->arena, struct node, 1);
    node->kind = kind;
    return node;
}

static struct node *read_comparison(struct reader *r)
{
    struct node *test = node_new(r, NODE_TEST);
    const char *refused = NULL;
    unsigned may = 0;
    if (!read_subject(r, test, &refused, &may)) { return NULL; }
    skip_blanks(r);
    size_t at = r->at;
    if (!read_operator(r, test)) { return NULL; }
    if ((may & BIT(test->compare)) == 0) { return refuse(r, at, refused); }
    if (test->compare == COMPARE_EXISTS) { return test; }
    if (test->compare == COMPARE_IN) { return read_list(r, test) ? test : NULL; }
    if (test->compare == COMPARE_MATCH) { return read_pattern(r, test) ? test : NULL; }

    struct str value = { NULL, 0 };
    skip_blanks(r);
    at = r->at;
    if (!read_value(r, &value) || !value_is_sound(r, test, at, value)) { return NULL; }
    value_add(r, test, value);
    return test;
}

static struct node *read_or(struct reader *r);

static struct node *read_group(struct reader *r)
{
    size_t opened = r->at - 1;
    if (++r->depth > NESTED_MAX) { return refuse(r, opened, "parentheses are nested too deep"); }
    struct node *inner = read_or(r);
    if (inner == NULL) { return NULL; }
    r->depth--;
    return take(r, STR(")")) ? inner : refuse(r, r->at, "wanted 'and', 'or' or )");
}

static struct node *read_not(struct reader *r)
{
    bool negated = false;
    for (skip_blanks(r); take(r, STR("!")) || take(r, STR("not")); skip_blanks(r)) { negated = !negated; }
    if (r->at == r->text.len) { return refuse(r, r->at, "the expression ends too early"); }
    struct node *inner = take(r, STR("(")) ? read_group(r) : read_comparison(r);
    if (inner == NULL || !negated) { return inner; }
    struct node *node = node_new(r, NODE_NOT);
    node->first = inner;
    return node;
}

/* One or more parts with the same word or symbol between them. */
static struct node *read_joined(struct reader *r, enum node_kind kind, struct str symbol, struct str word,
                                struct node *(*read_part)(struct reader *))
{
    struct node *first = read_part(r), *last = first;
    if (first == NULL) { return NULL; }
    for (skip_blanks(r); take(r, symbol) || take(r, word); skip_blanks(r)) {
        last->next = read_part(r);
        last = last->next;
        if (last == NULL) { return NULL; }
    }
    if (first == last) { return first; }
    struct node *joined = node_new(r, kind);
    joined->first = first;
    return joined;
}

static struct node *read_and(struct reader *r) { return read_joined(r, NODE_AND, STR("&&"), STR("and"), read_not); }
static struct node *read_or(struct reader *r)  { return read_joined(r, NODE_OR, STR("||"), STR("or"), read_and); }

const struct expression *expression_compile(struct str text, struct arena *arena, struct err *err)
{
    struct expression *expression = ARENA_NEW(arena, struct expression, 1);
    expression->text = arena_str(arena, text.len == 0 ? STR("") : text);
    struct reader r = { .text = expression->text, .attributes_only = true, .arena = arena, .err = err };
    if (text.len > EXPRESSION_LEN_MAX) {
        (void)refuse(&r, EXPRESSION_LEN_MAX, "an expression has at most 2000 characters");
        return NULL;
    }
    struct node *root = read_or(&r);
    if (root == NULL) { return NULL; }
    if (r.at < r.text.len) {
        (void)refuse(&r, r.at, "wanted 'and', 'or' or the end");
        return NULL;
    }
    expression->root = root;
    expression->attributes_only = r.attributes_only;
    return expression;
}
