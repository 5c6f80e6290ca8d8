/* scripted_runtime.h: a runtime whose containers do what the test says, and that writes down what it was asked. */
#ifndef BERTH_TESTS_SCRIPTED_RUNTIME_H
#define BERTH_TESTS_SCRIPTED_RUNTIME_H

#include <stdio.h>

#include "agent/core/runtime.h"
#include "base/clock.h"
#include "base/lock.h"
#include "base/num.h"

enum { SCRIPTED_MAX = 8, SCRIPTED_NOTES_MAX = 4096 };

/* How one container behaves, by name. */
struct scripted_rule {
    const char *name;
    const char *pull_error, *create_error, *start_error, *hold_error;
    bool is_here;                                /* its image, however a pull ends */
    bool ends; int64_t exit_code;                /* by itself, as soon as it has started */
    bool killed_by_memory, vanishes;
    bool stays_once;                             /* its first removal fails */
    const char *output;
    enum health_status health;
};
/* looks: how often the agent has looked at it while it ran. wait_ms: how long its last wait for it was to take at most. */
struct scripted_container { char name[64], task[128]; bool made, started, ended, removed, kept; int64_t exit_code; size_t looks; int64_t wait_ms; const struct scripted_rule *rule; };

struct scripted {
    struct runtime base;
    const struct scripted_rule *rules; size_t rule_count;
    struct lock lock;
    struct lock_signal changed;
    struct scripted_container containers[SCRIPTED_MAX];          /* the id is the index; guarded by lock */
    size_t count;
    int64_t wait_most_ms;                                        /* no wait takes longer, even when a longer one was asked for; 0: as it was asked */
    bool held;                                                   /* guarded by lock */
    char notes[SCRIPTED_NOTES_MAX];                              /* guarded by lock */
};

static inline struct scripted *scripted_of(struct runtime *runtime) { return (struct scripted *)runtime; }

static inline void scripted_note(struct scripted *scripted, const char *what, struct str name)
{
    size_t len = strlen(scripted->notes);
    snprintf(scripted->notes + len, sizeof scripted->notes - len, "%s " STR_FMT ";", what, STR_ARG(name));
}

static inline const struct scripted_rule *scripted_rule(const struct scripted *scripted, struct str name)
{
    static const struct scripted_rule ordinary = { .name = "" };
    for (size_t r = 0; r < scripted->rule_count; r++) {
        if (str_eq(str_from(scripted->rules[r].name), name)) { return &scripted->rules[r]; }
    }
    return &ordinary;
}

/* NULL: no such container, or it is gone. Call with the lock held. */
static inline struct scripted_container *scripted_find(struct scripted *scripted, struct str id)
{
    int64_t index;
    if (!str_to_i64(id, &index) || index < 0 || (size_t)index >= scripted->count || scripted->containers[index].removed) { return NULL; }
    return &scripted->containers[index];
}

/* The image is the container's name in these tests. What was pulled is here from then on. */
static inline bool scripted_image_find(struct runtime *runtime, struct str image, struct image_facts *facts, struct arena *arena, struct err *err)
{
    (void)err;
    struct scripted *scripted = scripted_of(runtime);
    lock_take(&scripted->lock);
    struct str note = arena_printf(arena, "pull " STR_FMT ";", STR_ARG(image));
    const struct scripted_rule *rule = scripted_rule(scripted, image);
    *facts = (struct image_facts){ .exists = rule->is_here || (rule->pull_error == NULL && strstr(scripted->notes, note.ptr) != NULL) };
    if (facts->exists) { *facts = (struct image_facts){ true, STR("sha256:id"), STR("sha256:local") }; }
    lock_drop(&scripted->lock);
    return true;
}

static inline bool scripted_image_resolve(struct runtime *runtime, const struct image_request *request, struct str *digest, struct arena *arena,
                                          struct err *err)
{
    (void)runtime;
    (void)request;
    (void)arena;
    (void)err;
    *digest = STR("sha256:remote");
    return true;
}

static inline bool scripted_image_pull(struct runtime *runtime, const struct image_request *request, struct err *err)
{
    struct scripted *scripted = scripted_of(runtime);
    lock_take(&scripted->lock);
    scripted_note(scripted, "pull", request->image);
    const char *error = scripted_rule(scripted, request->image)->pull_error;
    lock_drop(&scripted->lock);
    return error == NULL || err_set(err, ERR_CLIENT, "%s", error);
}

static inline bool scripted_images_used(struct runtime *runtime, struct str_list *ids, struct arena *arena, struct err *err)
{
    (void)runtime;
    (void)arena;
    (void)err;
    *ids = (struct str_list){ 0 };
    return true;
}

static inline bool scripted_image_remove(struct runtime *runtime, struct str image, struct err *err)
{
    (void)err;
    struct scripted *scripted = scripted_of(runtime);
    lock_take(&scripted->lock);
    scripted_note(scripted, "unpull", image);
    lock_drop(&scripted->lock);
    return true;
}

/* Only a task with something to share is noted. */
static inline bool scripted_hold(struct runtime *runtime, const struct container_spec *spec, struct task_held *held, struct arena *arena, struct err *err)
{
    struct scripted *scripted = scripted_of(runtime);
    (void)arena;
    *held = (struct task_held){ 0 };
    if (spec->task->interfaces.count == 0) { return true; }
    *held = (struct task_held){ STR("10.32.0.7"), STR("02:42:0a:20:00:07") };
    lock_take(&scripted->lock);
    scripted_note(scripted, "hold", spec->container->name);
    const char *error = scripted_rule(scripted, spec->container->name)->hold_error;
    scripted->held = error == NULL;
    lock_drop(&scripted->lock);
    return error == NULL || err_set(err, ERR_CLIENT, "%s", error);
}

static inline bool scripted_shares(const struct wire_task *task) { return task->interfaces.count > 0; }

static inline bool scripted_wait_held(struct runtime *runtime, struct str task_arn, int64_t wait_ms, bool *held, struct err *err)
{
    struct scripted *scripted = scripted_of(runtime);
    int64_t until_ms = clock_monotonic_ms() + wait_ms;
    (void)task_arn;
    (void)err;
    lock_take(&scripted->lock);
    while (scripted->held && clock_monotonic_ms() < until_ms) { lock_wait_until(&scripted->changed, &scripted->lock, until_ms); }
    *held = scripted->held;
    lock_drop(&scripted->lock);
    return true;
}

/* Somebody kills it by hand. */
static inline void scripted_kill_held(struct scripted *scripted)
{
    lock_take(&scripted->lock);
    scripted->held = false;
    lock_wake_all(&scripted->changed);
    lock_drop(&scripted->lock);
}

static inline bool scripted_let_go(struct runtime *runtime, struct str task_arn, struct err *err)
{
    struct scripted *scripted = scripted_of(runtime);
    (void)task_arn;
    (void)err;
    lock_take(&scripted->lock);
    if (scripted->held) { scripted_note(scripted, "release", STR("")); }
    scripted->held = false;
    lock_wake_all(&scripted->changed);
    lock_drop(&scripted->lock);
    return true;
}

static const struct image_ops scripted_images = {
    .find = scripted_image_find, .resolve = scripted_image_resolve, .pull = scripted_image_pull, .used = scripted_images_used,
    .remove = scripted_image_remove,
};

static inline bool scripted_create(struct runtime *runtime, const struct container_spec *spec, struct str *id, struct arena *arena, struct err *err)
{
    struct scripted *scripted = scripted_of(runtime);
    lock_take(&scripted->lock);
    const struct scripted_rule *rule = scripted_rule(scripted, spec->container->name);
    scripted_note(scripted, "create", spec->container->name);
    if (rule->create_error == NULL) {
        struct scripted_container *container = &scripted->containers[scripted->count];
        *container = (struct scripted_container){ .made = true, .rule = rule };
        str_to_cstr(spec->container->name, container->name, sizeof container->name);
        str_to_cstr(spec->task_arn, container->task, sizeof container->task);
        *id = arena_printf(arena, "%zu", scripted->count++);
    }
    lock_drop(&scripted->lock);
    return rule->create_error == NULL || err_set(err, ERR_CLIENT, "%s", rule->create_error);
}

static inline bool scripted_start(struct runtime *runtime, struct str id, struct err *err)
{
    struct scripted *scripted = scripted_of(runtime);
    lock_take(&scripted->lock);
    struct scripted_container *container = scripted_find(scripted, id);
    ASSERT(container != NULL);                   /* the agent made it */
    scripted_note(scripted, "start", str_from(container->name));
    const struct scripted_rule *rule = container->rule;
    if (rule->start_error == NULL) {
        container->started = true;
        container->ended = rule->ends;
        container->exit_code = rule->exit_code;
        container->removed = rule->vanishes;
    }
    lock_wake_all(&scripted->changed);
    lock_drop(&scripted->lock);
    return rule->start_error == NULL || err_set(err, ERR_CLIENT, "%s", rule->start_error);
}

static inline bool scripted_wait(struct runtime *runtime, struct str id, int64_t wait_ms, const atomic_bool *stop, struct container_state *state,
                                 struct arena *arena, struct err *err)
{
    enum { STOP_LOOK_MS = 20 };
    (void)arena;
    (void)err;
    struct scripted *scripted = scripted_of(runtime);
    int64_t until_ms = clock_monotonic_ms() + (scripted->wait_most_ms > 0 ? min_i64(wait_ms, scripted->wait_most_ms) : wait_ms);
    lock_take(&scripted->lock);
    struct scripted_container *container = scripted_find(scripted, id);
    if (container != NULL && wait_ms > 0) { container->wait_ms = wait_ms; }
    while (container != NULL && container->started && !container->ended && clock_monotonic_ms() < until_ms && (stop == NULL || !atomic_load(stop))) {
        (void)lock_wait_until(&scripted->changed, &scripted->lock, min_i64(until_ms, clock_monotonic_ms() + STOP_LOOK_MS));
        container = scripted_find(scripted, id);
    }
    *state = (struct container_state){ .exists = container != NULL };
    if (container != NULL && container->started) {
        state->running = !container->ended;
        container->looks++;
        state->health = container->ended ? HEALTH_STATUS_UNSET : container->rule->health;
        state->started_ms = 1735689600000;
        if (container->ended) { state->exit_code = opt_int_of(container->exit_code); }
        state->oom_killed = container->ended && container->rule->killed_by_memory;
    }
    lock_drop(&scripted->lock);
    return true;
}

/* As it is now; all zero: there is none of that name. */
static inline struct scripted_container scripted_named(struct scripted *scripted, const char *name)
{
    struct scripted_container found = { .made = false };
    lock_take(&scripted->lock);
    for (size_t c = 0; c < scripted->count; c++) {
        if (strcmp(scripted->containers[c].name, name) == 0) { found = scripted->containers[c]; }
    }
    lock_drop(&scripted->lock);
    return found;
}

static inline void scripted_end(struct scripted *scripted, const char *name, int64_t exit_code)
{
    lock_take(&scripted->lock);
    for (size_t c = 0; c < scripted->count; c++) {
        struct scripted_container *container = &scripted->containers[c];
        if (strcmp(container->name, name) != 0 || container->ended) { continue; }
        container->ended = true;
        container->exit_code = exit_code;
    }
    lock_wake_all(&scripted->changed);
    lock_drop(&scripted->lock);
}

static inline bool scripted_stop(struct runtime *runtime, struct str id, int64_t timeout_s, struct err *err)
{
    (void)err;
    struct scripted *scripted = scripted_of(runtime);
    char text[96] = "gone";
    lock_take(&scripted->lock);
    struct scripted_container *container = scripted_find(scripted, id);
    if (container != NULL) {
        snprintf(text, sizeof text, "%s/%lld", container->name, (long long)timeout_s);
        if (!container->ended) { container->exit_code = 143; }
        container->ended = true;
    }
    scripted_note(scripted, "stop", str_from(text));
    lock_wake_all(&scripted->changed);
    lock_drop(&scripted->lock);
    return true;
}

static inline bool scripted_remove(struct runtime *runtime, struct str id, struct err *err)
{
    struct scripted *scripted = scripted_of(runtime);
    lock_take(&scripted->lock);
    struct scripted_container *container = scripted_find(scripted, id);
    bool stays = container != NULL && container->rule->stays_once && !container->kept;
    if (container != NULL) {
        scripted_note(scripted, stays ? "keep" : "remove", str_from(container->name));
        container->kept = stays;
        container->removed = !stays;
    }
    lock_drop(&scripted->lock);
    return !stays || err_set(err, ERR_SERVER, "CannotRemoveContainerError: device or resource busy");
}

static inline bool scripted_logs(struct runtime *runtime, struct str id, int64_t offset, size_t limit, struct container_output *out, struct arena *arena,
                                 struct err *err)
{
    (void)err;
    struct scripted *scripted = scripted_of(runtime);
    lock_take(&scripted->lock);
    struct scripted_container *container = scripted_find(scripted, id);
    const char *output = container == NULL || container->rule->output == NULL ? "" : container->rule->output;
    *out = (struct container_output){ .text = arena_str(arena, str_slice(str_slice(str_from(output), (size_t)offset, SIZE_MAX), 0, limit)) };
    lock_drop(&scripted->lock);
    return true;
}

static inline bool scripted_list(struct runtime *runtime, struct container_found_list *found, struct arena *arena, struct err *err)
{
    (void)err;
    struct scripted *scripted = scripted_of(runtime);
    lock_take(&scripted->lock);
    *found = (struct container_found_list){ ARENA_NEW(arena, struct container_found, scripted->count), 0 };
    for (size_t c = 0; c < scripted->count; c++) {
        if (scripted->containers[c].removed) { continue; }
        found->items[found->count++] = (struct container_found){
            .id = arena_printf(arena, "%zu", c), .task_arn = str_from(scripted->containers[c].task),
            .container_name = str_from(scripted->containers[c].name),
        };
    }
    lock_drop(&scripted->lock);
    return true;
}

static inline struct str scripted_version(struct runtime *runtime)
{
    (void)runtime;
    return STR("scripted");
}
static inline void scripted_destroy(struct runtime *runtime) { (void)runtime; }

static const struct runtime_ops scripted_ops = {
    .name = "scripted", .images = &scripted_images, .hold = scripted_hold, .shares = scripted_shares, .wait_held = scripted_wait_held, .let_go = scripted_let_go, .create = scripted_create,
    .start = scripted_start, .wait = scripted_wait, .stop = scripted_stop,
    .remove = scripted_remove, .logs = scripted_logs, .list = scripted_list, .version = scripted_version, .destroy = scripted_destroy,
};

static inline void scripted_open(struct scripted *scripted, const struct scripted_rule *rules, size_t count)
{
    *scripted = (struct scripted){ .base = { &scripted_ops }, .rules = rules, .rule_count = count };
    lock_init(&scripted->lock);
    lock_signal_init(&scripted->changed);
}

static inline void scripted_close(struct scripted *scripted)
{
    lock_signal_finish(&scripted->changed);
    lock_finish(&scripted->lock);
}

#endif
