/* machine_pulls.c: each pull has a thread, as a container has: it gets one image after the other. A pull that a new message does not have is given up. */
#include "agent/machine_pulls.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/num.h"

enum { PULL_ARENA_MAX = 1024 * 1024, NAP_MS = 100 };

struct machine_pull {
    struct machine_pull *next;
    struct machine_pulls *pulls;
    struct arena arena;                          /* of its texts */
    struct wire_pull wire;
    size_t at;                                   /* which image; its thread's own */
    atomic_bool unwanted;
    bool ended;                                  /* the loop's thread has seen its end */
    struct err err;                              /* how it ended; its thread's own until then */
    struct post post;
};

static bool is_unwanted(void *owner)
{
    struct machine_pull *pull = owner;
    return atomic_load(&pull->unwanted) || task_host_stopping(pull->pulls->host);
}

/* ---- its thread ---- */

static bool rest(void *owner, int64_t ms)
{
    for (int64_t until_ms = clock_monotonic_ms() + ms; !is_unwanted(owner) && clock_monotonic_ms() < until_ms;) { clock_sleep_ms(min_i64(ms, NAP_MS)); }
    return is_unwanted(owner);
}

static bool find_login(void *owner, struct registry_login *login, bool *named, struct arena *arena, struct err *err)
{
    struct machine_pull *pull = owner;
    const struct wire_pull_image *image = &pull->wire.images.items[pull->at];
    const struct login_ask ask = { .host = pull->pulls->host, .auth = image->registry_authentication, .image = image->image, .rest = rest, .owner = pull };
    return login_find(&ask, login, named, arena, err);
}

static void begun(void *owner) { (void)owner; }

static bool get_image(struct machine_pull *pull)
{
    struct images *images = pull->pulls->host->images;
    struct str image = pull->wire.images.items[pull->at].image;
    const struct image_wish wish = { .image = image, .find_login = find_login, .unwanted = is_unwanted, .begun = begun, .owner = pull };
    struct image_got got;
    images_hold(images, image);
    bool good = images_get(images, &wish, &got, &pull->err);
    images_release(images, image);
    return good;
}

static void *run(void *arg)
{
    struct machine_pull *pull = arg;
    struct task_host *host = pull->pulls->host;
    bool good = true;
    for (pull->at = 0; good && pull->at < pull->wire.images.count; pull->at++) { good = get_image(pull); }
    (void)client_post(host->client, &pull->post);                 /* false: the agent ends, and frees it */
    return task_end_thread(host);
}

/* ---- the loop's thread ---- */

static void free_pull(struct machine_pull *pull)
{
    arena_finish(&pull->arena);
    free(pull);
}

static void report(struct machine_pulls *pulls)
{
    struct arena arena = { .ceiling = PULL_ARENA_MAX };
    struct pulled_report told = { .cluster = str_from(pulls->cluster), .container_instance = str_from(pulls->instance) };
    told.pulls.items = ARENA_NEW(&arena, struct pulled, WIRE_PULLS_MAX);
    for (const struct machine_pull *pull = pulls->pulls; pull != NULL; pull = pull->next) {
        if (!pull->ended || told.pulls.count == WIRE_PULLS_MAX) { continue; }
        struct str reason = pull->err.code == ERR_NONE ? (struct str){ NULL, 0 } : str_from(pull->err.message);
        told.pulls.items[told.pulls.count++] = (struct pulled){ pull->wire.service, pull->wire.revision, reason };
    }
    if (told.pulls.count > 0) { health_reporter_send(&pulls->reporter, pulled_body(&told, &arena)); }
    arena_finish(&arena);
}

static void drop(struct machine_pulls *pulls, struct machine_pull *pull)
{
    struct machine_pull **at = &pulls->pulls;
    while (*at != pull) { at = &(*at)->next; }
    *at = pull->next;
    free_pull(pull);
}

static void on_end(void *owner)
{
    struct machine_pull *pull = owner;
    struct machine_pulls *pulls = pull->pulls;
    if (is_unwanted(pull)) {
        drop(pulls, pull);
        return;
    }
    pull->ended = true;
    if (pull->err.code != ERR_NONE) { log_line(LOG_WARN, "agent", "images cannot be pulled before a task stops here: %s", pull->err.message); }
    report(pulls);
}

static struct wire_registry_auth *copy_auth(const struct wire_registry_auth *from, struct arena *arena)
{
    if (from == NULL || from->asm_auth == NULL) { return NULL; }
    struct wire_registry_auth *to = ARENA_NEW(arena, struct wire_registry_auth, 1);
    to->type = arena_str(arena, from->type);
    to->asm_auth = ARENA_NEW(arena, struct wire_asm_auth, 1);
    to->asm_auth->credentials_parameter = arena_str(arena, from->asm_auth->credentials_parameter);
    to->asm_auth->region = arena_str(arena, from->asm_auth->region);
    return to;
}

static void begin(struct machine_pulls *pulls, const struct wire_pull *wire)
{
    struct machine_pull *pull = calloc(1, sizeof *pull);
    pthread_t thread;
    ASSERT(pull != NULL);
    arena_init(&pull->arena, PULL_ARENA_MAX);
    pull->pulls = pulls;
    pull->post = (struct post){ .run = on_end, .owner = pull };
    pull->wire = *wire;
    pull->wire.images.items = ARENA_NEW(&pull->arena, struct wire_pull_image, wire->images.count);
    for (size_t i = 0; i < wire->images.count; i++) {
        const struct wire_pull_image *image = &wire->images.items[i];
        pull->wire.images.items[i] = (struct wire_pull_image){ arena_str(&pull->arena, image->image), copy_auth(image->registry_authentication, &pull->arena) };
    }
    pull->next = pulls->pulls;
    pulls->pulls = pull;
    if (task_start_thread(pulls->host, &thread, run, pull)) {
        pthread_detach(thread);
    } else {
        err_set(&pull->err, ERR_UNAVAILABLE, "the agent has no thread for it");
        pull->ended = true;
    }
}

static bool is_same(const struct wire_pull *a, const struct wire_pull *b)
{
    return a->service.value == b->service.value && a->revision.value == b->revision.value;
}

static struct machine_pull *find(struct machine_pulls *pulls, const struct wire_pull *wire)
{
    struct machine_pull *pull = pulls->pulls;
    while (pull != NULL && (atomic_load(&pull->unwanted) || !is_same(&pull->wire, wire))) { pull = pull->next; }
    return pull;
}

static bool has(const struct wire_pull_list *list, const struct wire_pull *wire)
{
    for (size_t p = 0; p < list->count; p++) {
        if (is_same(&list->items[p], wire)) { return true; }
    }
    return false;
}

void machine_pulls_set(struct machine_pulls *pulls, const struct wire_pulls *message)
{
    if (pulls->host->images == NULL) { return; }
    for (struct machine_pull *pull = pulls->pulls, *next; pull != NULL; pull = next) {
        next = pull->next;
        if (has(&message->pulls, &pull->wire)) { continue; }
        atomic_store(&pull->unwanted, true);
        if (pull->ended) { drop(pulls, pull); }
    }
    for (size_t p = 0; p < message->pulls.count; p++) {
        if (find(pulls, &message->pulls.items[p]) == NULL) { begin(pulls, &message->pulls.items[p]); }
    }
    report(pulls);
}

void machine_pulls_begin(struct machine_pulls *pulls, struct task_host *host, const char *cluster, const char *instance)
{
    *pulls = (struct machine_pulls){ .host = host, .cluster = cluster, .instance = instance };
    health_reporter_init(&pulls->reporter, host->client, host->server, PULLED_PATH);
}

void machine_pulls_end(struct machine_pulls *pulls)
{
    while (pulls->pulls != NULL) { drop(pulls, pulls->pulls); }
    health_reporter_finish(&pulls->reporter);
}
