/* requirements.c: tables of the members, each with the fact of a type that it is compared with. */
#include "scheduler/capacity/requirements.h"

#include <stdlib.h>

#include "base/num.h"

enum { MIB_OF_GIB = 1024, MBPS_OF_GBPS = 1000, PERCENT = 100 };

/* ---- amounts ---- */
/* Compared as products, so that nothing is rounded: the fact with `unit` times the limit. */
struct fact { int64_t value, unit; bool known; };

static struct fact fact_vcpus(const struct instance_type *type) { return (struct fact){ type->vcpus, 1, true }; }
static struct fact fact_memory(const struct instance_type *type) { return (struct fact){ type->memory_mib, 1, true }; }
static struct fact fact_memory_per_vcpu(const struct instance_type *type)
{
    return (struct fact){ type->memory_mib * REQUIREMENT_MILLION, MIB_OF_GIB * type->vcpus, true };
}
static struct fact fact_interfaces(const struct instance_type *type) { return (struct fact){ type->interfaces, 1, type->interfaces > 0 }; }
static struct fact fact_storage(const struct instance_type *type) { return (struct fact){ type->storage_gb * REQUIREMENT_MILLION, 1, true }; }
static struct fact fact_ebs(const struct instance_type *type) { return (struct fact){ type->ebs_mbps, 1, type->ebs_mbps > 0 }; }
static struct fact fact_accelerators(const struct instance_type *type) { return (struct fact){ type->accelerators, 1, true }; }
static struct fact fact_accelerator_memory(const struct instance_type *type) { return (struct fact){ type->accelerator_mib_total, 1, true }; }
static struct fact fact_network(const struct instance_type *type)
{
    return (struct fact){ type->network_mbps * (REQUIREMENT_MILLION / MBPS_OF_GBPS), 1, type->network_mbps > 0 };
}

static const struct { struct str name; struct fact (*of)(const struct instance_type *); bool needs_min; } amounts[REQUIRED_AMOUNT_COUNT] = {
    [REQUIRED_VCPUS]              = { STR_INIT("vCpuCount"),                 fact_vcpus,              true },
    [REQUIRED_MEMORY]             = { STR_INIT("memoryMiB"),                 fact_memory,             true },
    [REQUIRED_MEMORY_PER_VCPU]    = { STR_INIT("memoryGiBPerVCpu"),          fact_memory_per_vcpu,    false },
    [REQUIRED_INTERFACES]         = { STR_INIT("networkInterfaceCount"),     fact_interfaces,         false },
    [REQUIRED_STORAGE]            = { STR_INIT("totalLocalStorageGB"),       fact_storage,            false },
    [REQUIRED_EBS]                = { STR_INIT("baselineEbsBandwidthMbps"),  fact_ebs,                false },
    [REQUIRED_ACCELERATORS]       = { STR_INIT("acceleratorCount"),          fact_accelerators,       false },
    [REQUIRED_ACCELERATOR_MEMORY] = { STR_INIT("acceleratorTotalMemoryMiB"), fact_accelerator_memory, false },
    [REQUIRED_NETWORK]            = { STR_INIT("networkBandwidthGbps"),      fact_network,            false },
};

static bool is_asked(const struct requirement_range *range) { return range->min.set || range->max.set; }

/* A limit that is too large for the product is above every fact. */
static bool is_below(const struct fact *fact, int64_t limit)
{
    int64_t product = 0;
    return !mul_i64(limit, fact->unit, &product) || fact->value < product;
}
static bool is_above(const struct fact *fact, int64_t limit)
{
    int64_t product = 0;
    return mul_i64(limit, fact->unit, &product) && fact->value > product;
}

static bool amount_holds(const struct requirement_range *range, const struct fact *fact)
{
    if (!is_asked(range)) { return true; }
    return fact->known && !(range->min.set && is_below(fact, range->min.value)) && !(range->max.set && is_above(fact, range->max.value));
}

/* ---- lists ---- */

static char lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c == ' ' ? '-' : c; }

/* "Radeon Pro V520" has the name radeon-pro-v520. */
static bool same_name(struct str wanted, struct str has)
{
    for (size_t i = 0; i < has.len && i < wanted.len; i++) {
        if (lower(has.ptr[i]) != lower(wanted.ptr[i])) { return false; }
    }
    return has.len == wanted.len;
}

/* Steps back to the last '*' alone: time grows with text times pattern at most. */
static bool pattern_fits(struct str pattern, struct str text)
{
    size_t p = 0, t = 0, star = pattern.len, from = 0;
    while (t < text.len) {
        if (p < pattern.len && pattern.ptr[p] == '*') {
            star = p++;
            from = t;
        } else if (p < pattern.len && pattern.ptr[p] == text.ptr[t]) {
            p++;
            t++;
        } else if (star < pattern.len) {
            p = star + 1;
            t = ++from;
        } else {
            return false;
        }
    }
    while (p < pattern.len && pattern.ptr[p] == '*') { p++; }
    return p == pattern.len;
}

static bool one_fits(const struct str_list *patterns, struct str text, bool by_name)
{
    for (size_t i = 0; i < patterns->count; i++) {
        bool names = patterns->items[i].len > 0 && patterns->items[i].ptr[0] != '*';
        if ((names || !by_name) && pattern_fits(patterns->items[i], text)) { return true; }
    }
    return false;
}

static bool has_name(const struct str_list *list, struct str text)
{
    for (size_t i = 0; i < list->count; i++) {
        if (same_name(list->items[i], text)) { return true; }
    }
    return false;
}

static bool list_cpu(const struct str_list *list, const struct instance_type *type) { return str_list_has(list, type->cpu_manufacturer); }
static bool list_generation(const struct str_list *list, const struct instance_type *type)
{
    return str_list_has(list, type->previous ? STR("previous") : STR("current"));
}
static bool list_storage(const struct str_list *list, const struct instance_type *type)
{
    return type->storage_gb == 0 || str_list_has(list, type->storage_type);
}
static bool list_accelerator_type(const struct str_list *list, const struct instance_type *type)
{
    return type->accelerators > 0 && str_list_has(list, type->accelerator_type);
}
static bool list_accelerator_manufacturer(const struct str_list *list, const struct instance_type *type)
{
    return type->accelerators > 0 && str_list_has(list, type->accelerator_manufacturer);
}
static bool list_accelerator_name(const struct str_list *list, const struct instance_type *type)
{
    return type->accelerators > 0 && has_name(list, type->accelerator_name);
}
static bool list_allowed(const struct str_list *list, const struct instance_type *type) { return one_fits(list, type->name, false); }
static bool list_excluded(const struct str_list *list, const struct instance_type *type) { return !one_fits(list, type->name, false); }

static const struct { struct str name; bool (*holds)(const struct str_list *, const struct instance_type *); bool patterns; } lists[REQUIRED_LIST_COUNT] = {
    [REQUIRED_CPU_MANUFACTURERS]         = { STR_INIT("cpuManufacturers"),         list_cpu,                      false },
    [REQUIRED_GENERATIONS]               = { STR_INIT("instanceGenerations"),      list_generation,               false },
    [REQUIRED_STORAGE_TYPES]             = { STR_INIT("localStorageTypes"),        list_storage,                  false },
    [REQUIRED_ACCELERATOR_TYPES]         = { STR_INIT("acceleratorTypes"),         list_accelerator_type,         false },
    [REQUIRED_ACCELERATOR_MANUFACTURERS] = { STR_INIT("acceleratorManufacturers"), list_accelerator_manufacturer, false },
    [REQUIRED_ACCELERATOR_NAMES]         = { STR_INIT("acceleratorNames"),         list_accelerator_name,         false },
    [REQUIRED_ALLOWED]                   = { STR_INIT("allowedInstanceTypes"),     list_allowed,                  true },
    [REQUIRED_EXCLUDED]                  = { STR_INIT("excludedInstanceTypes"),    list_excluded,                 true },
};

/* ---- choices ---- */

static bool is_metal(const struct instance_type *type) { return type->bare_metal; }
static bool is_burstable(const struct instance_type *type) { return type->burstable; }
static bool has_storage(const struct instance_type *type) { return type->storage_gb > 0; }

static const struct { struct str name; bool (*has)(const struct instance_type *); enum requirement_answer usual; } choices[REQUIRED_CHOICE_COUNT] = {
    [REQUIRED_BARE_METAL]    = { STR_INIT("bareMetal"),            is_metal,     ANSWER_EXCLUDED },
    [REQUIRED_BURSTABLE]     = { STR_INIT("burstablePerformance"), is_burstable, ANSWER_EXCLUDED },
    [REQUIRED_LOCAL_STORAGE] = { STR_INIT("localStorage"),         has_storage,  ANSWER_INCLUDED },
};

static bool choice_holds(enum requirement_answer answer, enum requirement_answer usual, bool has)
{
    if (answer == ANSWER_UNSET) { answer = usual; }
    return answer == ANSWER_INCLUDED || (answer == ANSWER_REQUIRED) == has;
}

/* ---- a type ---- */

static bool asks_accelerators(const struct requirements *requirements)
{
    return is_asked(&requirements->amounts[REQUIRED_ACCELERATORS]) || is_asked(&requirements->amounts[REQUIRED_ACCELERATOR_MEMORY]) ||
        requirements->lists[REQUIRED_ACCELERATOR_TYPES].count > 0 || requirements->lists[REQUIRED_ACCELERATOR_MANUFACTURERS].count > 0 ||
        requirements->lists[REQUIRED_ACCELERATOR_NAMES].count > 0;
}

struct str requirements_miss(const struct requirements *requirements, const struct instance_type *type)
{
    for (size_t l = 0; l < REQUIRED_LIST_COUNT; l++) {
        if (requirements->lists[l].count > 0 && !lists[l].holds(&requirements->lists[l], type)) { return lists[l].name; }
    }
    for (size_t a = 0; a < REQUIRED_AMOUNT_COUNT; a++) {
        struct fact fact = amounts[a].of(type);
        if (!amount_holds(&requirements->amounts[a], &fact)) { return amounts[a].name; }
    }
    for (size_t c = 0; c < REQUIRED_CHOICE_COUNT; c++) {
        if (!choice_holds(requirements->choices[c], choices[c].usual, choices[c].has(type))) { return choices[c].name; }
    }
    if (requirements->hibernates) { return STR("requireHibernateSupport"); }
    bool unasked = type->accelerators > 0 && !asks_accelerators(requirements) && !one_fits(&requirements->lists[REQUIRED_ALLOWED], type->name, true);
    return unasked ? amounts[REQUIRED_ACCELERATORS].name : (struct str){ NULL, 0 };
}

void requirements_explain(const struct requirements *requirements, const struct catalogue *catalogue, struct buf *out)
{
    struct { struct str name; size_t count; } misses[REQUIRED_AMOUNT_COUNT + REQUIRED_LIST_COUNT + REQUIRED_CHOICE_COUNT + 1];
    size_t members = 0, left = catalogue->count;
    for (size_t t = 0; t < catalogue->count; t++) {
        struct str miss = requirements_miss(requirements, &catalogue->types[t]);
        size_t m = 0;
        if (!str_is_set(miss)) { continue; }
        while (m < members && !str_eq(misses[m].name, miss)) { m++; }
        if (m == members) {
            ASSERT(members < COUNT_OF(misses));
            misses[members].name = miss;
            misses[members++].count = 0;
        }
        misses[m].count++;
        left--;
    }
    buf_printf(out, "%zu of %zu instance types match", left, catalogue->count);
    for (size_t m = 0; m < members; m++) { buf_printf(out, "%s" STR_FMT " leaves out %zu", m == 0 ? ": " : ", ", STR_ARG(misses[m].name), misses[m].count); }
}

/* ---- prices and order ---- */

static bool is_general(struct str name)
{
    return name.len > 1 && (name.ptr[0] == 'c' || name.ptr[0] == 'm' || name.ptr[0] == 'r') && name.ptr[1] >= '0' && name.ptr[1] <= '9';
}

/* The cheapest current C, M or R type; else the cheapest current one; else the cheapest. PRICE_UNKNOWN: none has a price. */
static int64_t lowest_price(struct type_list types)
{
    int64_t lowest[3] = { PRICE_UNKNOWN, PRICE_UNKNOWN, PRICE_UNKNOWN };
    for (size_t t = 0; t < types.count; t++) {
        const struct instance_type *type = types.items[t];
        int64_t *best = &lowest[type->previous ? 2 : is_general(type->name) ? 0 : 1];
        if (type->price != PRICE_UNKNOWN && (*best == PRICE_UNKNOWN || type->price < *best)) { *best = type->price; }
    }
    return lowest[0] != PRICE_UNKNOWN ? lowest[0] : lowest[1] != PRICE_UNKNOWN ? lowest[1] : lowest[2];
}

static void drop_dear(struct type_list *types, struct opt_int percent)
{
    int64_t lowest = lowest_price(*types);
    if (!percent.set || percent.value >= REQUIREMENT_ANY_PRICE || lowest == PRICE_UNKNOWN) { return; }
    size_t kept = 0;
    for (size_t t = 0; t < types->count; t++) {
        int64_t price = types->items[t]->price;
        if (price == PRICE_UNKNOWN || price * PERCENT <= lowest * (PERCENT + percent.value)) { types->items[kept++] = types->items[t]; }
    }
    types->count = kept;
}

static int compare_i64(int64_t a, int64_t b) { return (a > b) - (a < b); }

static int compare_types(const void *a, const void *b)
{
    const struct instance_type *one = *(const struct instance_type *const *)a, *other = *(const struct instance_type *const *)b;
    int order = (one->price == PRICE_UNKNOWN) - (other->price == PRICE_UNKNOWN);
    if (order == 0) { order = compare_i64(one->price, other->price); }
    if (order == 0) { order = compare_i64(one->accelerators, other->accelerators); }
    if (order == 0) { order = compare_i64(one->accelerator_mib_total, other->accelerator_mib_total); }
    if (order == 0) { order = compare_i64(one->vcpus, other->vcpus); }
    if (order == 0) { order = compare_i64(one->memory_mib, other->memory_mib); }
    return order != 0 ? order : str_cmp(one->name, other->name);
}

void types_sort(struct type_list types)
{
    if (types.count > 0) { qsort(types.items, types.count, sizeof *types.items, compare_types); }
}

struct type_list requirements_match(const struct requirements *requirements, const struct catalogue *catalogue, struct arena *arena)
{
    struct type_list list = { (const struct instance_type **)arena_alloc(arena, catalogue->count, sizeof *list.items), 0 };
    for (size_t t = 0; t < catalogue->count; t++) {
        if (!str_is_set(requirements_miss(requirements, &catalogue->types[t]))) { list.items[list.count++] = &catalogue->types[t]; }
    }
    drop_dear(&list, requirements->spot ? requirements->spot_over_lowest : requirements->over_lowest);
    types_sort(list);
    return list;
}

/* ---- contradictions ---- */

static bool check_range(const struct requirement_range *range, struct str name, bool needs_min, struct err *err)
{
    if (needs_min && !range->min.set) { return err_set(err, ERR_INVALID_PARAMETER, STR_FMT " needs min.", STR_ARG(name)); }
    if ((range->min.set && range->min.value < 0) || (range->max.set && range->max.value < 0)) {
        return err_set(err, ERR_INVALID_PARAMETER, STR_FMT " must not be below 0.", STR_ARG(name));
    }
    if (range->min.set && range->max.set && range->min.value > range->max.value) {
        return err_set(err, ERR_INVALID_PARAMETER, STR_FMT ": min is above max.", STR_ARG(name));
    }
    return true;
}

static bool is_pattern(struct str text)
{
    char plain[REQUIREMENT_PATTERN_MAX];
    if (text.len == 0 || text.len > sizeof plain) { return false; }
    for (size_t i = 0; i < text.len; i++) { plain[i] = text.ptr[i] == '*' ? '-' : text.ptr[i]; }
    return instance_type_name_is_valid((struct str){ plain, text.len });
}

static bool check_list(const struct str_list *list, struct str name, bool patterns, struct err *err)
{
    if (list->count > REQUIREMENT_NAMES_MAX) {
        return err_set(err, ERR_INVALID_PARAMETER, STR_FMT " can have at most %d entries.", STR_ARG(name), REQUIREMENT_NAMES_MAX);
    }
    for (size_t i = 0; i < list->count && patterns; i++) {
        if (is_pattern(list->items[i])) { continue; }
        return err_set(err, ERR_INVALID_PARAMETER, STR_FMT ": \"" STR_FMT "\" is no name of an instance type, with or without '*'.", STR_ARG(name),
                       STR_ARG(str_shorten(list->items[i], REQUIREMENT_PATTERN_MAX)));
    }
    return true;
}

static bool check_percent(struct opt_int percent, const char *name, struct err *err)
{
    if (!percent.set || (percent.value >= 0 && percent.value <= INT32_MAX)) { return true; }
    return err_set(err, ERR_INVALID_PARAMETER, "%s must not be below 0.", name);
}

bool requirements_check(const struct requirements *requirements, struct err *err)
{
    for (size_t a = 0; a < REQUIRED_AMOUNT_COUNT; a++) {
        if (!check_range(&requirements->amounts[a], amounts[a].name, amounts[a].needs_min, err)) { return false; }
    }
    for (size_t l = 0; l < REQUIRED_LIST_COUNT; l++) {
        if (!check_list(&requirements->lists[l], lists[l].name, lists[l].patterns, err)) { return false; }
    }
    if (requirements->lists[REQUIRED_ALLOWED].count > 0 && requirements->lists[REQUIRED_EXCLUDED].count > 0) {
        return err_set(err, ERR_INVALID_PARAMETER, "allowedInstanceTypes and excludedInstanceTypes can't both be specified.");
    }
    if (requirements->spot_over_lowest.set && requirements->spot_of_on_demand.set) {
        return err_set(err, ERR_INVALID_PARAMETER,
                       "spotMaxPricePercentageOverLowestPrice and maxSpotPriceAsPercentageOfOptimalOnDemandPrice can't both be specified.");
    }
    return check_percent(requirements->over_lowest, "onDemandMaxPricePercentageOverLowestPrice", err) &&
        check_percent(requirements->spot_over_lowest, "spotMaxPricePercentageOverLowestPrice", err) &&
        check_percent(requirements->spot_of_on_demand, "maxSpotPriceAsPercentageOfOptimalOnDemandPrice", err);
}
