/* expression_eval.c: asks a compiled constraint of an instance. A comparison with something that is not there is false, and
 * its opposite true: "everything but t2.micro" keeps instances that tell no type. */
#include "scheduler/ask/expression.h"

struct question { const struct world *world; uint32_t kind; const struct instance_slot *instance; bool when_empty; };

/* ---- comparing texts ---- */
struct decimal { bool negative; struct str whole, part; };

static struct str take_digits(struct str *text)
{
    size_t len = 0;
    while (len < text->len && text->ptr[len] >= '0' && text->ptr[len] <= '9') { len++; }
    struct str digits = str_slice(*text, 0, len);
    *text = str_slice(*text, len, text->len);
    return digits;
}

static bool decimal_parse(struct str text, struct decimal *decimal)
{
    *decimal = (struct decimal){ .negative = text.len > 0 && text.ptr[0] == '-' };
    if (text.len > 0 && (text.ptr[0] == '-' || text.ptr[0] == '+')) { text = str_slice(text, 1, text.len); }
    decimal->whole = take_digits(&text);
    if (decimal->whole.len == 0) { return false; }
    if (text.len > 0 && text.ptr[0] == '.') {
        text = str_slice(text, 1, text.len);
        decimal->part = take_digits(&text);
        if (decimal->part.len == 0) { return false; }
    }
    while (decimal->whole.len > 0 && decimal->whole.ptr[0] == '0') { decimal->whole = str_slice(decimal->whole, 1, decimal->whole.len); }
    while (decimal->part.len > 0 && decimal->part.ptr[decimal->part.len - 1] == '0') { decimal->part.len--; }
    if (decimal->whole.len == 0 && decimal->part.len == 0) { decimal->negative = false; }
    return text.len == 0;
}

static int decimal_cmp(const struct decimal *a, const struct decimal *b)
{
    if (a->negative != b->negative) { return a->negative ? -1 : 1; }
    int order = 0;
    if (a->whole.len != b->whole.len) {
        order = a->whole.len < b->whole.len ? -1 : 1;
    } else {
        order = str_cmp(a->whole, b->whole);
        if (order == 0) { order = str_cmp(a->part, b->part); }
    }
    return a->negative ? -order : order;
}

/* As numbers when both are, else as texts. */
static int value_cmp(struct str a, struct str b)
{
    struct decimal first, second;
    bool numbers = decimal_parse(a, &first) && decimal_parse(b, &second);
    return numbers ? decimal_cmp(&first, &second) : str_cmp(a, b);
}

/* Part by part between the dots; a part that is not there counts as 0, so that 1.9 equals 1.9.0. */
static int version_cmp(struct str a, struct str b)
{
    struct str *both[] = { &a, &b };
    for (size_t n = 0; n < COUNT_OF(both); n++) {
        if (both[n]->len > 0 && (both[n]->ptr[0] == 'v' || both[n]->ptr[0] == 'V')) { *both[n] = str_slice(*both[n], 1, both[n]->len); }
    }
    int order = 0;
    while (order == 0 && (a.len > 0 || b.len > 0)) {
        struct str first, second, rest;
        size_t dot = str_find(a, '.');
        first = str_slice(a, 0, dot);
        rest = str_slice(a, dot + 1, a.len);
        a = rest;
        dot = str_find(b, '.');
        second = str_slice(b, 0, dot);
        rest = str_slice(b, dot + 1, b.len);
        b = rest;
        order = value_cmp(first.len == 0 ? STR("0") : first, second.len == 0 ? STR("0") : second);
    }
    return order;
}

static bool order_holds(enum compare compare, int order)
{
    ASSERT(compare != COMPARE_EXISTS && compare != COMPARE_IN && compare != COMPARE_MATCH);
    switch (compare) {
    case COMPARE_EQUAL:         return order == 0;
    case COMPARE_LESS:          return order < 0;
    case COMPARE_LESS_EQUAL:    return order <= 0;
    case COMPARE_GREATER:       return order > 0;
    case COMPARE_GREATER_EQUAL: return order >= 0;
    case COMPARE_EXISTS:
    case COMPARE_IN:
    case COMPARE_MATCH:
        break;
    }
    return false;
}

/* A text against equality, a list or a regular expression. */
static bool text_holds(const struct node *test, struct str text)
{
    if (test->compare == COMPARE_MATCH) { return pattern_matches(test->pattern, text); }
    ASSERT(test->compare == COMPARE_EQUAL || test->compare == COMPARE_IN);
    for (size_t v = 0; v < test->value_count; v++) {
        if (str_eq(test->values[v], text)) { return true; }
    }
    return false;
}

static bool value_holds(const struct node *test, struct str value)
{
    if (test->compare == COMPARE_EXISTS) { return true; }
    if (!str_is_set(value)) { return false; }
    bool is_text = test->compare == COMPARE_EQUAL || test->compare == COMPARE_IN || test->compare == COMPARE_MATCH;
    ASSERT(is_text || test->value_count == 1);
    return is_text ? text_holds(test, value) : order_holds(test->compare, value_cmp(value, test->values[0]));
}

/* ---- the subjects: what holds before `negated` is applied ---- */
static bool attribute_holds(const struct question *q, const struct node *test)
{
    uint32_t name = interned_find_hashed(&q->world->interned, test->name, test->name_hash);
    const struct kind_attribute *attribute = kind_attribute(q->world, q->kind, name);
    return attribute != NULL && value_holds(test, interned_str(&q->world->interned, attribute->value));
}

static bool agent_connected_holds(const struct question *q, const struct node *test)
{
    return text_holds(test, q->instance->connected || q->when_empty ? STR("true") : STR("false"));
}

static bool agent_version_holds(const struct question *q, const struct node *test)
{
    ASSERT(test->value_count == 1);
    struct str version = interned_str(&q->world->interned, q->instance->agent_version);
    return version.len > 0 && order_holds(test->compare, version_cmp(version, test->values[0]));
}

static bool ec2_instance_id_holds(const struct question *q, const struct node *test)
{
    struct str id = interned_str(&q->world->interned, q->instance->ec2_instance_id);
    return str_is_set(id) && text_holds(test, id);
}

static int i64_cmp(int64_t a, int64_t b) { return (a > b) - (a < b); }

static bool registered_at_holds(const struct question *q, const struct node *test)
{
    int64_t seconds = q->instance->registered_ms / 1000;         /* users see and write whole seconds */
    return order_holds(test->compare, i64_cmp(seconds, test->number));
}

static bool running_tasks_holds(const struct question *q, const struct node *test)
{
    int64_t count = q->when_empty ? 0 : q->instance->running_count;
    return order_holds(test->compare, i64_cmp(count, test->number));
}

/* True when any live task there has that group. */
static bool task_group_holds(const struct question *q, const struct node *test)
{
    if (q->when_empty) { return false; }
    for (uint32_t n = q->instance->group_counts; n != NONE; n = group_count_at(q->world, n)->next_here) {
        if (text_holds(test, interned_str(&q->world->interned, group_count_at(q->world, n)->group))) { return true; }
    }
    return false;
}

static bool (*const subject_holds[SUBJECT_COUNT])(const struct question *, const struct node *) = {
    [SUBJECT_ATTRIBUTE] = attribute_holds,             [SUBJECT_AGENT_CONNECTED] = agent_connected_holds,
    [SUBJECT_AGENT_VERSION] = agent_version_holds,     [SUBJECT_EC2_INSTANCE_ID] = ec2_instance_id_holds,
    [SUBJECT_REGISTERED_AT] = registered_at_holds,     [SUBJECT_RUNNING_TASKS] = running_tasks_holds,
    [SUBJECT_TASK_GROUP] = task_group_holds,
};

/* As deep as the parentheses of the text, which the reader has bounded. */
static bool node_holds(const struct question *q, const struct node *node)
{
    ASSERT(node->kind != NODE_TEST || node->subject < SUBJECT_COUNT);
    if (node->kind == NODE_TEST) { return subject_holds[node->subject](q, node) != node->negated; }
    if (node->kind == NODE_NOT) { return !node_holds(q, node->first); }
    ASSERT(node->first != NULL);
    bool decisive = node->kind == NODE_OR;                       /* one such part decides */
    for (const struct node *part = node->first; part != NULL; part = part->next) {
        if (node_holds(q, part) == decisive) { return decisive; }
    }
    return !decisive;
}

bool expression_holds(const struct expression *expression, const struct world *world, uint32_t kind,
                      const struct instance_slot *instance, bool when_empty)
{
    ASSERT(instance != NULL || expression->attributes_only);
    const struct question question = { world, kind, instance, when_empty };
    return node_holds(&question, expression->root);
}

/* ---- of a machine that does not exist yet ---- */
enum answer { ANSWER_NO, ANSWER_MAYBE, ANSWER_YES };

static enum answer test_answer(const struct node *test, const struct sched_attribute *known, size_t count)
{
    for (size_t k = 0; k < count && test->subject == SUBJECT_ATTRIBUTE; k++) {
        if (!str_eq(known[k].name, test->name)) { continue; }
        bool holds = str_is_set(known[k].value) && value_holds(test, known[k].value);
        return holds != test->negated ? ANSWER_YES : ANSWER_NO;
    }
    return ANSWER_MAYBE;
}

static enum answer node_answer(const struct node *node, const struct sched_attribute *known, size_t count)
{
    if (node->kind == NODE_TEST) { return test_answer(node, known, count); }
    if (node->kind == NODE_NOT) { return ANSWER_YES - node_answer(node->first, known, count); }
    bool or = node->kind == NODE_OR;
    enum answer all = or ? ANSWER_NO : ANSWER_YES;               /* the best of the parts, or the worst */
    for (const struct node *part = node->first; part != NULL; part = part->next) {
        enum answer answer = node_answer(part, known, count);
        if (or ? answer > all : answer < all) { all = answer; }
    }
    return all;
}

bool expression_may_hold(const struct expression *expression, const struct sched_attribute *known, size_t count)
{
    return node_answer(expression->root, known, count) != ANSWER_NO;
}

bool sched_matches(const struct world *world, struct id id, const struct expression *expression)
{
    uint32_t number = instance_find(world, id);
    if (number == NONE) { return false; }
    const struct instance_slot *instance = instance_at(world, number);
    return expression_holds(expression, world, instance->kind, instance, false);
}
