#include "api/capacity/requirements.h"

enum { MOST_UNITS = 1000000000 };            /* above it a limit is one that no type reaches */

/* NULL: the member is not given. */
#define RANGE(member) ((member) == NULL ? (struct requirement_range){ 0 } : (struct requirement_range){ (member)->min, (member)->max })
#define RANGE_OF_MILLIONTHS(member) \
    ((member) == NULL ? (struct requirement_range){ 0 } : (struct requirement_range){ millionths((member)->min), millionths((member)->max) })

static struct opt_int millionths(struct opt_double value)
{
    if (!value.set) { return (struct opt_int){ 0, false }; }
    if (value.value < 0) { return opt_int_of(-1); }
    return opt_int_of(value.value > MOST_UNITS ? (int64_t)MOST_UNITS * REQUIREMENT_MILLION : (int64_t)(value.value * REQUIREMENT_MILLION + 0.5));
}

static struct str_list words_of(const struct enum_list *values, const struct enum_names *names, struct arena *arena)
{
    struct str_list words = { ARENA_NEW(arena, struct str, values->count), values->count };
    for (size_t v = 0; v < values->count; v++) { words.items[v] = enum_word(names, values->items[v]); }
    return words;
}

#define SAME_ORDER(name) \
    _Static_assert((int)name##_INCLUDED == (int)ANSWER_INCLUDED && (int)name##_REQUIRED == (int)ANSWER_REQUIRED && \
                   (int)name##_EXCLUDED == (int)ANSWER_EXCLUDED, "answers have the same numbers")
SAME_ORDER(BARE_METAL);
SAME_ORDER(BURSTABLE_PERFORMANCE);
SAME_ORDER(LOCAL_STORAGE);

struct requirements requirements_read(const struct instance_requirements_request *request, bool spot, struct arena *arena)
{
    return (struct requirements){
        .amounts = {
            [REQUIRED_VCPUS] = RANGE(request->v_cpu_count), [REQUIRED_MEMORY] = RANGE(request->memory_mi_b),
            [REQUIRED_MEMORY_PER_VCPU] = RANGE_OF_MILLIONTHS(request->memory_gib_per_v_cpu), [REQUIRED_INTERFACES] = RANGE(request->network_interface_count),
            [REQUIRED_STORAGE] = RANGE_OF_MILLIONTHS(request->total_local_storage_gb), [REQUIRED_EBS] = RANGE(request->baseline_ebs_bandwidth_mbps),
            [REQUIRED_ACCELERATORS] = RANGE(request->accelerator_count),
            [REQUIRED_ACCELERATOR_MEMORY] = RANGE(request->accelerator_total_memory_mi_b),
            [REQUIRED_NETWORK] = RANGE_OF_MILLIONTHS(request->network_bandwidth_gbps),
        },
        .lists = {
            [REQUIRED_CPU_MANUFACTURERS] = words_of(&request->cpu_manufacturers, &cpu_manufacturer_names, arena),
            [REQUIRED_GENERATIONS] = words_of(&request->instance_generations, &instance_generation_names, arena),
            [REQUIRED_STORAGE_TYPES] = words_of(&request->local_storage_types, &local_storage_type_names, arena),
            [REQUIRED_ACCELERATOR_TYPES] = words_of(&request->accelerator_types, &accelerator_type_names, arena),
            [REQUIRED_ACCELERATOR_MANUFACTURERS] = words_of(&request->accelerator_manufacturers, &accelerator_manufacturer_names, arena),
            [REQUIRED_ACCELERATOR_NAMES] = request->accelerator_names, [REQUIRED_ALLOWED] = request->allowed_instance_types,
            [REQUIRED_EXCLUDED] = request->excluded_instance_types,
        },
        .choices = {
            [REQUIRED_BARE_METAL] = (enum requirement_answer)request->bare_metal,
            [REQUIRED_BURSTABLE] = (enum requirement_answer)request->burstable_performance,
            [REQUIRED_LOCAL_STORAGE] = (enum requirement_answer)request->local_storage,
        },
        .hibernates = request->require_hibernate_support == OPT_TRUE, .spot = spot,
        .over_lowest = request->on_demand_max_price_percentage_over_lowest_price,
        .spot_over_lowest = request->spot_max_price_percentage_over_lowest_price,
        .spot_of_on_demand = request->max_spot_price_as_percentage_of_optimal_on_demand_price,
    };
}
