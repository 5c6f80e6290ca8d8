/* memory_registry.h: a runtime whose images come from memory, and whose pulls end when the test says so. */
#ifndef BERTH_TESTS_MEMORY_REGISTRY_H
#define BERTH_TESTS_MEMORY_REGISTRY_H

#include "agent/core/runtime.h"
#include "base/clock.h"
#include "base/lock.h"

enum { IMAGES_MAX = 8 };

struct registry {
    struct runtime base;
    struct lock lock;
    struct lock_signal changed;
    bool open;                                       /* pulls may end */
    size_t working, most, pulls, resolves, failures;         /* failures: this many attempts fail from now on */
    const char *failure;
    char here[IMAGES_MAX][64];                       /* names; the id is the name with "id-" before it */
    char used[64], auth[256];                        /* the id that a container has; what the last pull was sent */
};

static inline struct registry *registry_of(struct runtime *runtime) { return (struct registry *)runtime; }

static inline char *registry_place_of(struct registry *registry, struct str image)
{
    for (size_t i = 0; i < IMAGES_MAX; i++) {
        if (str_eq(str_from(registry->here[i]), image)) { return registry->here[i]; }
    }
    return NULL;
}

static inline bool registry_find(struct runtime *runtime, struct str image, struct image_facts *facts, struct arena *arena, struct err *err)
{
    (void)err;
    struct registry *registry = registry_of(runtime);
    lock_take(&registry->lock);
    *facts = (struct image_facts){ .exists = registry_place_of(registry, image) != NULL };
    if (facts->exists) { facts->id = arena_printf(arena, "id-" STR_FMT, STR_ARG(image)); }
    if (facts->exists) { facts->digest = STR("sha256:local"); }
    lock_drop(&registry->lock);
    return true;
}

static inline bool registry_fails(struct registry *registry, struct err *err) REQUIRES(registry->lock)
{
    if (registry->failures == 0) { return false; }
    registry->failures--;
    return err_set(err, ERR_SERVER, "%s", registry->failure) || true;
}

static inline bool registry_resolve(struct runtime *runtime, const struct image_request *request, struct str *digest, struct arena *arena, struct err *err)
{
    (void)arena;
    (void)request;
    struct registry *registry = registry_of(runtime);
    lock_take(&registry->lock);
    registry->resolves++;
    bool good = !registry_fails(registry, err);
    lock_drop(&registry->lock);
    *digest = STR("sha256:remote");
    return good;
}

static inline bool registry_pull(struct runtime *runtime, const struct image_request *request, struct err *err)
{
    struct registry *registry = registry_of(runtime);
    lock_take(&registry->lock);
    registry->pulls++;
    registry->working++;
    registry->most = registry->working > registry->most ? registry->working : registry->most;
    (void)str_to_cstr(request->auth, registry->auth, sizeof registry->auth);
    lock_wake_all(&registry->changed);
    while (!registry->open && !atomic_load(request->cancelled)) { lock_wait_until(&registry->changed, &registry->lock, clock_monotonic_ms() + 20); }
    registry->working--;
    bool good = !atomic_load(request->cancelled) && !registry_fails(registry, err);
    char *place = registry_place_of(registry, request->image);
    if (good && place == NULL) { (void)str_to_cstr(request->image, registry_place_of(registry, STR("")), 64); }
    lock_wake_all(&registry->changed);
    lock_drop(&registry->lock);
    return good;
}

static inline bool registry_used(struct runtime *runtime, struct str_list *ids, struct arena *arena, struct err *err)
{
    (void)err;
    *ids = (struct str_list){ ARENA_NEW(arena, struct str, 1), 1 };
    ids->items[0] = str_from(registry_of(runtime)->used);
    return true;
}

static inline bool registry_take_off(struct runtime *runtime, struct str image, struct err *err)
{
    (void)err;
    struct registry *registry = registry_of(runtime);
    lock_take(&registry->lock);
    char *place = registry_place_of(registry, image);
    if (place != NULL) { place[0] = '\0'; }
    lock_drop(&registry->lock);
    return true;
}

static const struct image_ops registry_image_ops = { .find = registry_find, .resolve = registry_resolve, .pull = registry_pull, .used = registry_used, .remove = registry_take_off };
static const struct runtime_ops registry_ops = { .name = "registry", .images = &registry_image_ops };

#endif
