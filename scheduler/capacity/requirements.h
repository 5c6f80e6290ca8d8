/* requirements.h: which types of machines fulfil instance requirements, in the order in which they are tried. Knows the members that ECS
 * (instanceRequirements) and EC2 (InstanceRequirements) have in common; refuses to know their texts on the wire. Pure.
 *
 * All members that are given must hold; of a list, one entry. Without any member about accelerators a type with accelerators does not match, except by an
 * allowed type that names it. A name that begins with a wildcard names no type. */
#ifndef BERTH_SCHEDULER_CAPACITY_REQUIREMENTS_H
#define BERTH_SCHEDULER_CAPACITY_REQUIREMENTS_H

#include "base/buf.h"
#include "base/err.h"
#include "model/catalogue/catalogue.h"
#include "model/schema.h"

enum { REQUIREMENT_NAMES_MAX = 400, REQUIREMENT_PATTERN_MAX = 64, REQUIREMENT_MILLION = 1000000, REQUIREMENT_ANY_PRICE = 999999 };

struct requirement_range { struct opt_int min, max; };           /* both included; not set: no limit */
enum requirement_amount {
    REQUIRED_VCPUS,                          /* min is required */
    REQUIRED_MEMORY,                         /* MiB; min is required */
    REQUIRED_MEMORY_PER_VCPU,                /* millionths of a GiB */
    REQUIRED_INTERFACES,
    REQUIRED_STORAGE,                        /* millionths of a GB */
    REQUIRED_EBS,                            /* Mbps */
    REQUIRED_ACCELERATORS,
    REQUIRED_ACCELERATOR_MEMORY,             /* MiB of all accelerators */
    REQUIRED_NETWORK,                        /* millionths of a Gbps */
    REQUIRED_AMOUNT_COUNT
};
enum requirement_list {
    REQUIRED_CPU_MANUFACTURERS, REQUIRED_GENERATIONS, REQUIRED_STORAGE_TYPES, REQUIRED_ACCELERATOR_TYPES, REQUIRED_ACCELERATOR_MANUFACTURERS,
    REQUIRED_ACCELERATOR_NAMES,              /* lower case, '-' for blanks: "radeon-pro-v520" */
    REQUIRED_ALLOWED, REQUIRED_EXCLUDED,     /* names of types; '*' is any text */
    REQUIRED_LIST_COUNT
};
enum requirement_choice { REQUIRED_BARE_METAL, REQUIRED_BURSTABLE, REQUIRED_LOCAL_STORAGE, REQUIRED_CHOICE_COUNT };
enum requirement_answer { ANSWER_UNSET, ANSWER_INCLUDED, ANSWER_REQUIRED, ANSWER_EXCLUDED };       /* unset: excluded; of local storage included */

struct requirements {
    struct requirement_range amounts[REQUIRED_AMOUNT_COUNT];
    struct str_list lists[REQUIRED_LIST_COUNT];
    enum requirement_answer choices[REQUIRED_CHOICE_COUNT];
    bool hibernates;                         /* the catalogue does not know it: no type matches */
    bool spot;                               /* spot capacity is asked for: its percentage counts, not that of on-demand */
    struct opt_int over_lowest, spot_over_lowest;        /* percent; counts only where it is given */
    struct opt_int spot_of_on_demand;        /* percent; kept, but not compared: the catalogue has no prices of spot capacity */
};
struct type_list { const struct instance_type **items; size_t count; };

/* Refuses contradictions and values out of range. ERR_INVALID_PARAMETER names ECS's member. */
bool requirements_check(const struct requirements *requirements, struct err *err);
/* The first member that the type fails, by ECS's name; absent: it matches. Prices are not looked at. */
struct str requirements_miss(const struct requirements *requirements, const struct instance_type *type);
/* The types that match and that are not too dear: by price, those without a price last; then fewer accelerators, less memory of them, fewer vCPUs, less
 * memory, by name. In `arena`. */
struct type_list requirements_match(const struct requirements *requirements, const struct catalogue *catalogue, struct arena *arena);
/* For a person: how many types each member leaves out, of those that the members before it left. */
void requirements_explain(const struct requirements *requirements, const struct catalogue *catalogue, struct buf *out);
/* Sorts types in that order; for lists that name their types. */
void types_sort(struct type_list types);

#endif
