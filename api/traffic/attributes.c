/* attributes.c: attributes of target groups, load balancers and listeners: their values are checked, kept and shown. */
#include "api/traffic/elbv2.h"

static struct elb_pair *find_pair(const struct elb_pair_list *pairs, struct str key)
{
    for (size_t p = 0; p < pairs->count; p++) {
        if (str_eq(pairs->items[p].key, key)) { return &pairs->items[p]; }
    }
    return NULL;
}

/* NULL, and *other is whether the other type has it: this one has no such attribute. */
static const struct elb_attribute *find_row(const struct elb_attributes *known, struct str key, bool *other)
{
    *other = false;
    for (size_t row = 0; row < known->count; row++) {
        if (!str_eq(known->rows[row].key, key)) { continue; }
        if ((known->rows[row].types & known->type) != 0) { return &known->rows[row]; }
        *other = true;
    }
    return NULL;
}

static bool is_word(struct str words, struct str value)
{
    struct str word, rest = words;
    for (bool more = true; more;) {
        more = str_cut(rest, '|', &word, &rest);
        if (str_eq(word, value)) { return true; }
    }
    return false;
}

static bool check(const struct elb_attributes *known, const struct elb_pair *change, struct err *err)
{
    bool other;
    int64_t number = 0;
    struct str key = str_slice(change->key, 0, ELB_SHOWN_MAX), value = change->value;
    const struct elb_attribute *row = find_row(known, change->key, &other);
    if (row == NULL) {
        const char *why = !other ? "recognized" : known->type == ELB_OF_NETWORK ? "supported on load balancers with type 'network'"
            : "supported on load balancers with type 'application'";
        return err_set(err, ERR_VALIDATION, "%s attribute key '" STR_FMT "' is not %s", known->noun, STR_ARG(key), why);
    }
    bool any = row->most == 0 && !str_is_set(row->words);
    bool in_range = row->most != 0 && str_to_i64(value, &number) && number >= row->least && number <= row->most;
    if (any || in_range || str_eq(value, row->usual) || is_word(row->words, value)) { return true; }
    bool fixed = row->most == 0 && str_eq(row->words, row->usual);
    if (fixed) { return err_set(err, ERR_ELB_INVALID_CONFIGURATION, "'" STR_FMT "' can only be '" STR_FMT "'", STR_ARG(key), STR_ARG(row->usual)); }
    return err_set(err, ERR_VALIDATION, "'" STR_FMT "' is not a valid value of '" STR_FMT "'", STR_ARG(str_slice(value, 0, ELB_SHOWN_MAX)), STR_ARG(key));
}

bool elb_set_attributes(struct op_ctx *ctx, const struct elb_attributes *known, struct elb_pair_list *set, const struct elb_pair_list *changes, struct err *err)
{
    struct elb_pair_list all = { ARENA_NEW(ctx->arena, struct elb_pair, set->count + changes->count), set->count };
    for (size_t s = 0; s < set->count; s++) { all.items[s] = set->items[s]; }
    for (size_t c = 0; c < changes->count; c++) {
        const struct elb_pair *change = &changes->items[c];
        if (!check(known, change, err)) { return false; }
        struct elb_pair *there = find_pair(&all, change->key);
        if (there == NULL) { all.items[all.count++] = *change; } else { there->value = change->value; }
    }
    *set = all;
    return true;
}

void elb_show_attributes(struct op_ctx *ctx, const struct elb_attributes *known, const struct elb_pair_list *set, struct attributes_response *out)
{
    out->attributes = (struct elb_pair_list){ ARENA_NEW(ctx->arena, struct elb_pair, known->count), 0 };
    for (size_t row = 0; row < known->count; row++) {
        const struct elb_attribute *attribute = &known->rows[row];
        const struct elb_pair *there = find_pair(set, attribute->key);
        if ((attribute->types & known->type) == 0) { continue; }
        out->attributes.items[out->attributes.count++] = there == NULL ? (struct elb_pair){ attribute->key, attribute->usual } : *there;
    }
}
