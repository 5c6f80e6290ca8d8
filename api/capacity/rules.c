/* rules.c: see rules.h. */
#include "api/capacity/rules.h"

#include "base/num.h"
#include "base/text/duration.h"
#include "model/catalogue/catalogue.h"

enum { DECIMALS = 6, PRICE_DIGITS_MAX = 9 };
#define MINUTE_MS ((int64_t)60 * 1000)
#define DAY_MS (24 * 60 * MINUTE_MS)

bool rules_read_price(struct str text, int64_t *price)
{
    int64_t value = 0;
    size_t digits = 0, decimals = 0;
    bool point = false;
    for (size_t c = 0; c < text.len; c++) {
        char sign = text.ptr[c];
        if (sign == '.' && !point) {
            point = true;
            continue;
        }
        if (sign < '0' || sign > '9') { return false; }
        if (point && decimals == DECIMALS) { continue; }
        decimals += point;
        digits += !point;
        if (digits > PRICE_DIGITS_MAX) { return false; }
        value = value * 10 + (sign - '0');
    }
    if (digits == 0) { return false; }
    for (; decimals < DECIMALS; decimals++) { value *= 10; }
    *price = value;
    return true;
}

/* ---- one tag ---- */

static bool read_time(struct str value, int64_t *ms) { return duration_parse(value, ms) && *ms >= MINUTE_MS && *ms <= 365 * DAY_MS; }
static bool read_after(struct str value, struct pool_rules *rules) { return read_time(value, &rules->replace.patch_after_ms); }
static bool read_by(struct str value, struct pool_rules *rules) { return read_time(value, &rules->replace.patch_by_ms); }
static bool read_price(struct str value, struct pool_rules *rules) { return rules_read_price(value, &rules->price_max) && rules->price_max > 0; }

static bool read_truth(struct str value, bool *truth)
{
    *truth = str_eq(value, STR("true"));
    return *truth || str_eq(value, STR("false"));
}

static bool read_asks(struct str value, struct pool_rules *rules) { return read_truth(value, &rules->asks); }
static bool read_proves(struct str value, struct pool_rules *rules) { return read_truth(value, &rules->proves); }

static bool read_adopts(struct str value, struct pool_rules *rules) { return read_truth(value, &rules->adopts); }
static bool read_sleeps(struct str value, struct pool_rules *rules) { return read_truth(value, &rules->sleeps); }

static const struct { struct str key; bool (*read)(struct str value, struct pool_rules *rules); const char *form; } readers[] = {
    { STR_INIT("berth:patch-after"), read_after,  "a time from 1m to 365d, for example 14d" },
    { STR_INIT("berth:patch-by"),    read_by,     "a time from 1m to 365d, for example 21d" },
    { STR_INIT("berth:max-price"),   read_price,  "US dollars an hour for all machines, for example 12.50" },
    { STR_INIT("berth:approve"),     read_asks,   "true or false" },
    { STR_INIT("berth:token"),       read_proves, "true or false" },
    { STR_INIT("berth:adopt"),       read_adopts, "true or false" },
    { STR_INIT("berth:suspend"),     read_sleeps, "true or false" },
};

static bool read_tag(const struct tag *tag, struct pool_rules *rules, struct err *err)
{
    for (size_t r = 0; r < COUNT_OF(readers); r++) {
        if (!str_eq(tag->key, readers[r].key) || readers[r].read(tag->value, rules)) { continue; }
        return err_set(err, ERR_INVALID_PARAMETER, "The tag " STR_FMT " can't be \"" STR_FMT "\": it should be %s.", STR_ARG(tag->key), STR_ARG(tag->value),
                       readers[r].form);
    }
    return true;
}

/* ---- all ---- */

static bool read_all(const struct tag_list *tags, struct pool_rules *rules, struct err *err)
{
    bool good = true;
    *rules = (struct pool_rules){ .price_max = 0 };
    for (size_t t = 0; t < tags->count && good; t++) { good = read_tag(&tags->items[t], rules, err); }
    return good;
}

static bool check_patch(const struct replace_rules *replace, struct err *err)
{
    if (replace->patch_by_ms == 0) { return true; }
    if (replace->patch_after_ms == 0) { return err_set(err, ERR_INVALID_PARAMETER, "The tag berth:patch-by needs berth:patch-after."); }
    return replace->patch_by_ms >= replace->patch_after_ms
        || err_set(err, ERR_INVALID_PARAMETER, "The time of berth:patch-by can't be less than that of berth:patch-after.");
}

bool rules_check_tags(const struct tag_list *given, const struct tag_list *all, struct err *err)
{
    struct pool_rules rules;
    return support_check_tags(given, TAGGED_PROVIDER, err) && read_all(all, &rules, err) && check_patch(&rules.replace, err);
}

struct pool_rules rules_of(const struct kept_provider *provider)
{
    static const int64_t patch_days = 7;
    struct pool_rules rules = { .price_max = 0 };
    struct err ignored = { 0 };
    if (provider == NULL) { return rules; }
    for (size_t t = 0; t < provider->tags.count; t++) { (void)read_tag(&provider->tags.items[t], &rules, &ignored); }
    struct replace_rules *replace = &rules.replace;
    if (replace->patch_by_ms == 0) { replace->patch_by_ms = replace->patch_after_ms + patch_days * DAY_MS; }
    replace->patch_by_ms = max_i64(replace->patch_by_ms, replace->patch_after_ms);
    const struct auto_repair_configuration *repair = provider->managed == NULL ? NULL : provider->managed->auto_repair_configuration;
    replace->repairs = repair != NULL && repair->actions_status == AUTO_REPAIR_ACTIONS_STATUS_ENABLED;
    return rules;
}
