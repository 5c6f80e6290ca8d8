#include "model/scaling.h"

#include "base/assert.h"
#include "model/metric.h"

enum scaling_measure scaling_measure_of(const struct target_tracking *tracking)
{
    static const enum scaling_measure predefined[PREDEFINED_METRIC_COUNT] = {
        [PREDEFINED_METRIC_UNSET] = MEASURE_UNKNOWN, [PREDEFINED_CPU] = MEASURE_CPU, [PREDEFINED_MEMORY] = MEASURE_MEMORY,
        [PREDEFINED_REQUESTS] = MEASURE_REQUESTS,
    };
    if (tracking->predefined != NULL) { return predefined[tracking->predefined->type]; }
    const struct customized_metric_specification *custom = tracking->customized;
    if (custom == NULL || !str_is_set(custom->namespace) || str_starts_with(custom->namespace, STR("AWS/"))) { return MEASURE_UNKNOWN; }
    if (!metric_is_own(custom->namespace)) { return MEASURE_CLIENT; }
    if (str_eq(custom->metric_name, scaling_measure_name(MEASURE_GPU))) { return MEASURE_GPU; }
    return str_eq(custom->metric_name, scaling_measure_name(MEASURE_GPU_MEMORY)) ? MEASURE_GPU_MEMORY : MEASURE_UNKNOWN;
}

struct str scaling_client_key(const struct customized_metric_specification *metric, struct arena *arena)
{
    const struct scaling_dimension_list *given = &metric->dimensions;
    struct pair_list dimensions = { ARENA_NEW(arena, struct pair, given->count + 1), given->count };
    for (size_t d = 0; d < given->count; d++) { dimensions.items[d] = (struct pair){ given->items[d].name, given->items[d].value }; }
    return metric_key(metric->namespace, metric->metric_name, &dimensions, arena);
}

struct str scaling_group_in(struct str text)
{
    static const struct str head = STR_INIT("targetgroup/");
    struct str name, rest;
    for (size_t at = 0; at + head.len <= text.len; at++) {
        if (!str_starts_with(str_slice(text, at, text.len), head)) { continue; }
        bool whole = str_cut(str_slice(text, at + head.len, text.len), '/', &name, &rest) && name.len > 0;
        return whole ? name : (struct str){ NULL, 0 };
    }
    return (struct str){ NULL, 0 };
}

struct str scaling_measure_name(enum scaling_measure measure)
{
    static const struct str names[MEASURE_COUNT] = {
        STR_INIT("ECSServiceAverageCPUUtilization"), STR_INIT("ECSServiceAverageMemoryUtilization"), STR_INIT("GPUUtilization"),
        STR_INIT("GPUMemoryUtilization"), STR_INIT("ALBRequestCountPerTarget"),
    };
    ASSERT(measure < MEASURE_COUNT);
    return names[measure];
}

static struct kept_activity *find_going_on(const struct kept_scaling *target)
{
    for (size_t a = 0; a < target->activities.count; a++) {
        if (target->activities.items[a].status == SCALING_IN_PROGRESS) { return &target->activities.items[a]; }
    }
    return NULL;
}

const struct kept_activity *scaling_going_on(const struct kept_scaling *target) { return find_going_on(target); }

void scaling_settle(struct kept_scaling *target, enum scaling_status status, int64_t now_ms)
{
    struct kept_activity *activity = find_going_on(target);
    if (activity == NULL) { return; }
    activity->status = status;
    activity->end_ms = now_ms;
}

void scaling_add_activity(struct kept_scaling *target, int64_t desired, struct str cause, struct not_scaled_reason *reason, int64_t now_ms,
                          struct arena *arena)
{
    struct kept_activity_list *old = &target->activities, list = { ARENA_NEW(arena, struct kept_activity, SCALING_ACTIVITIES_MAX), 0 };
    if (reason == NULL) { scaling_settle(target, SCALING_OVERRIDDEN, now_ms); }
    list.items[list.count++] = (struct kept_activity){
        .number = ++target->count, .desired = desired, .cause = cause, .status = reason == NULL ? SCALING_IN_PROGRESS : SCALING_FAILED, .start_ms = now_ms,
        .end_ms = reason == NULL ? 0 : now_ms, .reason = reason,
    };
    for (size_t a = 0; a < old->count && list.count < SCALING_ACTIVITIES_MAX; a++) { list.items[list.count++] = old->items[a]; }
    *old = list;
}
