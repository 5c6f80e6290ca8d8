/* images.c: a pull is an object with a separate thread. Containers that need its image join it and wait; when the last of them does not need
 * it any more the pull is cancelled. The login is part of the wish: no container gets an image by another one's password. */
#include "agent/images/images.h"

#include <stdio.h>
#include <stdlib.h>

#include "agent/images/book.h"
#include "agent/core/state_file.h"
#include "base/array.h"
#include "base/clock.h"
#include "base/lock.h"
#include "base/log.h"
#include "base/num.h"

enum {
    PULLS_MAX = 4, THREAD_STACK = 512 * 1024, LOOK_MS = 500, SPEAK_MS = 10 * 1000, ARENA_MAX = 64 * 1024 * 1024, PATH_LEN_MAX = 4096,
    RESOLVE_ATTEMPTS = 10, RESOLVE_LIMIT_MS = 60 * 1000, PULL_ATTEMPTS = 5, BEGIN_MS = 5 * 60 * 1000, SILENCE_MS = 60 * 1000,
    PULL_LIMIT_MS = 2 * 3600 * 1000,
};

struct pull {
    struct pull *next;
    struct images *images;
    struct arena arena;                              /* of the texts, which are there before its thread is */
    struct str image, auth;
    bool patient;                                    /* nothing else helps: failures that may pass are tried again */
    atomic_bool cancelled;
    bool works, done, background;                    /* from here on: guarded by the images' lock. background: no container wants it */
    size_t wanters;
    bool good;
    struct err err;
    char digest[IMAGE_DIGEST_MAX];
    struct image_progress progress;
    int64_t speak_ms;                                /* monotonic: when the log next reports the progress */
};

struct images {
    struct runtime *runtime;                         /* lent */
    const struct agent_config *config;               /* lent */
    const struct image_rule *rule;
    atomic_int *threads;                             /* lent */
    struct arena arena;
    struct registry_login_list logins;               /* of the setting; those of the file are read for each pull */
    char path[PATH_LEN_MAX];
    struct lock saving;                              /* taken before `lock` */
    struct lock lock;
    struct lock_signal changed;
    struct pull *pulls;                              /* from here on: guarded by lock; those that are not done */
    struct image_book book;
    char **held; size_t held_count, held_capacity;   /* names, one for each hold */
    struct str leaving;                              /* is being removed; borrowed from images_clean */
    bool closing;
};

static void release_arena(struct arena *arena) { arena_finish(arena); }
#define SCRATCH(name) AUTO(release_arena) struct arena name = { .ceiling = ARENA_MAX }

static const struct image_ops *ops_of(const struct images *images) { return images->runtime->ops->images; }

/* ---- logins ---- */

static bool read_logins(struct images *images, struct registry_login_list *logins, struct arena *arena, struct err *err)
{
    const char *path = images->config->registry_auth;
    struct str text;
    bool helpers = false;
    *logins = (struct registry_login_list){ 0 };
    if (path == NULL) { return true; }
    if (!state_file_read(path, &text, arena, err)) { return false; }
    if (!str_is_set(text)) { return err_set(err, ERR_INVALID_PARAMETER, "The file %s with logins for registries is not there.", path); }
    bool good = registry_logins_read(text, logins, &helpers, arena, err);
    if (helpers) { log_line(LOG_WARN, "agent", "%s names helpers that know passwords; they are not run, only passwords in the file itself count", path); }
    return good;
}

/* The file's login, then the setting's; *auth stays absent when neither has one. */
static bool find_auth(struct images *images, struct str image, struct str *auth, struct arena *arena, struct err *err)
{
    struct registry_login_list logins;
    struct err cause = { 0 };
    if (!read_logins(images, &logins, arena, &cause)) { return err_set(err, cause.code, "CannotPullContainerAuthError: %s", cause.message); }
    const struct registry_login *login = registry_login_for(&logins, image);
    if (login == NULL) { login = registry_login_for(&images->logins, image); }
    if (login != NULL) { *auth = registry_header(login, arena); }
    return true;
}

/* The container's own login is stronger. */
static bool find_wish_auth(struct images *images, const struct image_wish *wish, struct str *auth, struct arena *arena, struct err *err)
{
    struct registry_login own;
    bool named = false;
    if (wish->find_login != NULL && !wish->find_login(wish->owner, &own, &named, arena, err)) { return false; }
    if (!named) { return find_auth(images, wish->image, auth, arena, err); }
    *auth = registry_header(&own, arena);
    return true;
}

/* ---- the file ---- */

static void save(struct images *images)
{
    struct arena arena = { .ceiling = ARENA_MAX };
    struct err err = { 0 };
    lock_take(&images->saving);
    lock_take(&images->lock);
    struct str text = image_book_text(&images->book, &arena);
    lock_drop(&images->lock);
    if (!state_file_write(images->path, text, &err)) { log_line(LOG_ERROR, "agent", "which images were pulled cannot be kept: %s", err.message); }
    lock_drop(&images->saving);
    arena_finish(&arena);
}

/* ---- one pull, on its thread ---- */

static bool is_off(const struct pull *pull) { return atomic_load(&pull->cancelled); }

static void tell_progress(void *owner, const struct image_progress *progress)
{
    struct pull *pull = owner;
    lock_take(&pull->images->lock);
    pull->progress = *progress;
    bool speak = clock_monotonic_ms() >= pull->speak_ms;
    if (speak) { pull->speak_ms = clock_monotonic_ms() + SPEAK_MS; }
    lock_drop(&pull->images->lock);
    if (!speak) { return; }
    log_line(LOG_INFO, "agent", "pulling %lld of %lld MiB that are known of, %lld of %lld layers are done image=" STR_FMT, (long long)(progress->bytes >> 20),
             (long long)(progress->bytes_known >> 20), (long long)progress->layers_done, (long long)progress->layers, STR_ARG(pull->image));
}

static void rest(struct pull *pull, int64_t ms)
{
    struct images *images = pull->images;
    int64_t until_ms = clock_monotonic_ms() + ms;
    lock_take(&images->lock);
    while (!is_off(pull) && lock_wait_until(&images->changed, &images->lock, until_ms)) { }
    lock_drop(&images->lock);
}

struct attempts { int most; int64_t limit_ms; bool (*attempt)(struct pull *pull, int64_t left_ms, struct str *digest, struct arena *arena, struct err *err); };

static bool resolve_once(struct pull *pull, int64_t left_ms, struct str *digest, struct arena *arena, struct err *err)
{
    struct image_request request = { .image = pull->image, .auth = pull->auth, .timeout_ms = left_ms, .cancelled = &pull->cancelled };
    return ops_of(pull->images)->resolve(pull->images->runtime, &request, digest, arena, err);
}

static bool pull_once(struct pull *pull, int64_t left_ms, struct str *digest, struct arena *arena, struct err *err)
{
    (void)arena;
    const struct agent_config *config = pull->images->config;
    struct image_request request = {
        .image = pull->image, .digest = *digest, .auth = pull->auth, .begin_ms = BEGIN_MS, .timeout_ms = left_ms, .cancelled = &pull->cancelled,
        .silence_ms = config->image_pull_silence_ms > 0 ? config->image_pull_silence_ms : SILENCE_MS, .tell = tell_progress, .owner = pull,
    };
    return ops_of(pull->images)->pull(pull->images->runtime, &request, err);
}

static bool try_often(struct pull *pull, const struct attempts *attempts, struct str *digest, struct arena *arena, struct err *err)
{
    int64_t until_ms = clock_monotonic_ms() + attempts->limit_ms;
    for (int number = 1;; number++) {
        *err = (struct err){ 0 };
        if (attempts->attempt(pull, max_i64(1, until_ms - clock_monotonic_ms()), digest, arena, err)) { return true; }
        int64_t pause_ms = image_pause_ms(number);
        bool again = pull->patient && number < attempts->most && !image_failure_is_final(err->message)
            && clock_monotonic_ms() + pause_ms < until_ms;
        if (!again || is_off(pull)) { return false; }
        log_line(LOG_INFO, "agent", "an image cannot be pulled, trying again image=" STR_FMT " attempt=%d: %s", STR_ARG(pull->image), number, err->message);
        rest(pull, pause_ms);
    }
}

/* A container works without a digest. So where a failed pull stops no task, a digest that cannot be found is no failure. */
static bool fetch(struct pull *pull, struct str *digest, struct arena *arena, struct err *err)
{
    const struct agent_config *config = pull->images->config;
    const struct attempts resolving = { RESOLVE_ATTEMPTS, RESOLVE_LIMIT_MS, resolve_once };
    const struct attempts pulling = {
        PULL_ATTEMPTS, config->image_pull_limit_ms > 0 ? config->image_pull_limit_ms : PULL_LIMIT_MS, pull_once,
    };
    struct str name;
    bool resolved = str_cut(pull->image, '@', &name, digest) || try_often(pull, &resolving, digest, arena, err);
    if (!resolved) { *digest = (struct str){ NULL, 0 }; }
    if (!resolved && (is_off(pull) || !pull->patient || pull->images->rule->stops_task)) { return false; }
    return try_often(pull, &pulling, digest, arena, err);
}

/* ECR gives strangers one answer only: it does not know them. */
static void name_failure(const struct pull *pull, struct err *err)
{
    struct str name, text;
    if (!registry_is_ecr(pull->image) || str_is_set(pull->auth) || !image_failure_is_final(err->message)) { return; }
    struct err plain = *err;
    if (!str_cut(str_from(plain.message), ':', &name, &text)) { return; }
    *err = (struct err){ 0 };
    (void)err_set(err, plain.code, "CannotPullECRContainerError: the agent has no login for this registry:" STR_FMT, STR_ARG(text));
}

static bool fetch_and_note(struct pull *pull, char digest_text[IMAGE_DIGEST_MAX], struct err *err)
{
    struct images *images = pull->images;
    SCRATCH(arena);
    struct image_facts before = { 0 }, after = { 0 };
    struct str digest = { NULL, 0 };
    if (!ops_of(images)->find(images->runtime, pull->image, &before, &arena, err)) { return false; }
    lock_take(&images->lock);
    bool needless = pull->background && before.exists;
    lock_drop(&images->lock);
    if (needless) { return true; }
    int64_t began_ms = clock_monotonic_ms();
    if (!fetch(pull, &digest, &arena, err)) {
        name_failure(pull, err);
        return false;
    }
    *err = (struct err){ 0 };
    if (!ops_of(images)->find(images->runtime, pull->image, &after, &arena, err)) { return false; }
    if (!after.exists) { return err_set(err, ERR_SERVER, "CannotPullContainerError: the image was pulled and is gone again"); }
    (void)str_to_cstr(str_is_set(digest) ? digest : after.digest, digest_text, IMAGE_DIGEST_MAX);
    lock_take(&images->lock);
    image_book_pulled(&images->book, pull->image, after.id, before.id, clock_now_ms());
    lock_drop(&images->lock);
    save(images);
    log_line(LOG_INFO, "agent", "an image is here image=" STR_FMT " digest=%s ms=%lld", STR_ARG(pull->image), digest_text,
             (long long)(clock_monotonic_ms() - began_ms));
    return true;
}

/* A pull without waiting containers begins only when no container waits for any image. */
static bool may_work(const struct images *images, const struct pull *pull) REQUIRES(images->lock)
{
    size_t wanted = 0, working = 0, others = 0;
    for (const struct pull *one = images->pulls; one != NULL; one = one->next) {
        wanted += one->background ? 0 : 1;
        working += one->works && !one->background ? 1 : 0;
        others += one->works && one->background ? 1 : 0;
    }
    return pull->background ? wanted == 0 && others == 0 : working < PULLS_MAX;
}

static void destroy_pull(struct pull *pull)
{
    ASSERT(pull->wanters == 0);
    arena_finish(&pull->arena);
    free(pull);
}

static void end_pull(struct pull *pull, bool good, const struct err *err, const char *digest)
{
    struct images *images = pull->images;
    lock_take(&images->lock);
    struct pull **at = &images->pulls;
    while (*at != NULL && *at != pull) { at = &(*at)->next; }
    ASSERT(*at == pull && !pull->done);
    *at = pull->next;
    pull->good = good;
    pull->err = *err;
    memcpy(pull->digest, digest, sizeof pull->digest);
    pull->done = true;
    bool alone = pull->wanters == 0;
    lock_wake_all(&images->changed);
    lock_drop(&images->lock);
    if (alone) { destroy_pull(pull); }
}

static void *pull_main(void *arg)
{
    struct pull *pull = arg;
    struct images *images = pull->images;
    atomic_int *threads = images->threads;
    lock_take(&images->lock);
    while (!is_off(pull) && !may_work(images, pull)) { lock_wait(&images->changed, &images->lock); }
    ASSERT(!pull->works && !pull->done);
    pull->works = true;
    bool background = pull->background;
    lock_drop(&images->lock);
    struct err err = { 0 };
    char digest[IMAGE_DIGEST_MAX] = "";
    bool good = !is_off(pull) && fetch_and_note(pull, digest, &err);
    if (!good && background && !is_off(pull)) {
        log_line(LOG_WARN, "agent", "an image cannot be prepared image=" STR_FMT ": %s", STR_ARG(pull->image), err.message);
    }
    end_pull(pull, good, &err, digest);
    ASSERT(atomic_fetch_sub(threads, 1) > 0);
    return NULL;
}

static bool start_thread(struct images *images, void *(*run)(void *), void *arg)
{
    pthread_attr_t attributes;
    pthread_t thread;
    ASSERT(pthread_attr_init(&attributes) == 0);
    ASSERT(pthread_attr_setstacksize(&attributes, THREAD_STACK) == 0);
    ASSERT(pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED) == 0);
    atomic_fetch_add(images->threads, 1);
    bool good = pthread_create(&thread, &attributes, run, arg) == 0;
    if (!good) { ASSERT(atomic_fetch_sub(images->threads, 1) > 0); }
    pthread_attr_destroy(&attributes);
    return good;
}

/* ---- asking for an image ---- */

static struct pull *find_pull(struct images *images, struct str image, struct str auth) REQUIRES(images->lock)
{
    struct pull *pull = images->pulls;
    while (pull != NULL && !(str_eq(pull->image, image) && str_eq(pull->auth, auth) && !is_off(pull))) { pull = pull->next; }
    return pull;
}

/* NULL: there is no thread for it. */
static struct pull *begin_pull(struct images *images, struct str image, struct str auth, bool patient, bool background) REQUIRES(images->lock)
{
    struct pull *pull = calloc(1, sizeof *pull);
    ASSERT(pull != NULL);
    arena_init(&pull->arena, ARENA_MAX);
    pull->images = images;
    pull->image = arena_str(&pull->arena, image);
    pull->auth = arena_str(&pull->arena, auth);
    pull->patient = patient;
    pull->background = background;
    pull->speak_ms = clock_monotonic_ms() + SPEAK_MS;
    pull->next = images->pulls;
    images->pulls = pull;
    if (start_thread(images, pull_main, pull)) { return pull; }
    ASSERT(images->pulls == pull);                   /* the lock was held since */
    images->pulls = pull->next;
    destroy_pull(pull);
    return NULL;
}

/* NULL without *err: the agent ends. */
static struct pull *join(struct images *images, struct str image, struct str auth, bool patient, struct err *err)
{
    lock_take(&images->lock);
    struct pull *pull = images->closing ? NULL : find_pull(images, image, auth);
    if (pull == NULL && !images->closing) {
        pull = begin_pull(images, image, auth, patient, false);
        if (pull == NULL) { err_set(err, ERR_UNAVAILABLE, "CannotPullContainerError: the agent has no thread for it"); }
    }
    if (pull != NULL) {
        ASSERT(!pull->done);
        pull->wanters++;
        pull->background = false;
        lock_wake_all(&images->changed);
    }
    lock_drop(&images->lock);
    return pull;
}

/* True: it has ended, and was not cancelled. */
static bool await(struct pull *pull, const struct image_wish *wish, struct image_got *got, struct err *err)
{
    struct images *images = pull->images;
    bool wanted = true;
    lock_take(&images->lock);
    while (!pull->done && wanted) {
        lock_wait_until(&images->changed, &images->lock, clock_monotonic_ms() + LOOK_MS);
        lock_drop(&images->lock);
        wanted = !wish->unwanted(wish->owner);
        lock_take(&images->lock);
    }
    bool ended = pull->done && !is_off(pull), good = ended && pull->good;
    if (good) { memcpy(got->digest, pull->digest, sizeof got->digest); }
    if (ended && !good) { *err = pull->err; }
    ASSERT(pull->wanters > 0);
    bool last = --pull->wanters == 0;
    if (last && !pull->done) {
        atomic_store(&pull->cancelled, true);
        lock_wake_all(&images->changed);
    }
    bool over = last && pull->done;
    lock_drop(&images->lock);
    if (over) { destroy_pull(pull); }
    return good;
}

static bool get_by_pull(struct images *images, const struct image_wish *wish, bool can_do_without, struct image_got *got, struct arena *arena,
                        struct err *err)
{
    struct str auth = { NULL, 0 };
    if (!find_wish_auth(images, wish, &auth, arena, err)) { return false; }
    struct pull *pull = join(images, wish->image, auth, !can_do_without, err);
    return pull != NULL && await(pull, wish, got, err);
}

bool images_get(struct images *images, const struct image_wish *wish, struct image_got *got, struct err *err)
{
    *got = (struct image_got){ 0 };
    if (ops_of(images) == NULL) { return true; }
    SCRATCH(arena);
    struct image_facts facts = { 0 };
    got->stops_task = images->rule->stops_task;
    if (!ops_of(images)->find(images->runtime, wish->image, &facts, &arena, err)) { return false; }
    lock_take(&images->lock);
    bool was_pulled = image_book_find(&images->book, wish->image) != NULL;
    lock_drop(&images->lock);
    struct str digest = str_slice(facts.digest, 0, IMAGE_DIGEST_MAX - 1);
    if (image_must_be_pulled(images->rule, facts.exists, was_pulled)) {
        wish->begun(wish->owner);
        bool can_do_without = images->rule->falls_back && facts.exists;
        if (get_by_pull(images, wish, can_do_without, got, &arena, err)) { return true; }
        if (!can_do_without || err->code == ERR_NONE) { return false; }
        log_line(LOG_INFO, "agent", "%s; going on with the copy on this machine image=" STR_FMT, err->message, STR_ARG(wish->image));
        (void)snprintf(got->trouble, sizeof got->trouble, "%s", err->message);
        *err = (struct err){ 0 };
    }
    (void)str_to_cstr(digest, got->digest, sizeof got->digest);
    return true;
}

void images_prepare(struct images *images, struct str image)
{
    struct arena arena = { .ceiling = ARENA_MAX };
    struct str auth = { NULL, 0 };
    struct err err = { 0 };
    if (ops_of(images) != NULL && !find_auth(images, image, &auth, &arena, &err)) {
        log_line(LOG_WARN, "agent", "an image cannot be prepared image=" STR_FMT ": %s", STR_ARG(image), err.message);
    } else if (ops_of(images) != NULL) {
        lock_take(&images->lock);
        if (!images->closing && find_pull(images, image, auth) == NULL) { (void)begin_pull(images, image, auth, true, true); }
        lock_drop(&images->lock);
    }
    arena_finish(&arena);
}

struct pull_news_list images_pulls(struct images *images, struct arena *arena)
{
    struct pull_news_list list = { ARENA_NEW(arena, struct pull_news, PULLS_TOLD_MAX), 0 };
    lock_take(&images->lock);
    for (const struct pull *pull = images->pulls; pull != NULL && list.count < PULLS_TOLD_MAX; pull = pull->next) {
        const struct image_progress *progress = &pull->progress;
        if (!pull->works || is_off(pull)) { continue; }
        list.items[list.count++] = (struct pull_news){
            arena_str(arena, pull->image), { progress->layers, true }, { progress->layers_done, true }, { progress->bytes, true },
            { progress->bytes_known, true },
        };
    }
    lock_drop(&images->lock);
    return list;
}

/* ---- holding and cleaning ---- */

static bool is_held(const struct images *images, struct str image) REQUIRES(images->lock)
{
    for (size_t h = 0; h < images->held_count; h++) {
        if (str_eq(str_from(images->held[h]), image)) { return true; }
    }
    return false;
}

void images_hold(struct images *images, struct str image)
{
    lock_take(&images->lock);
    while (str_is_set(images->leaving) && str_eq(images->leaving, image)) { lock_wait(&images->changed, &images->lock); }
    images->held = array_grow(images->held, &images->held_capacity, images->held_count + 1, sizeof *images->held);
    char *name = calloc(1, image.len + 1);
    ASSERT(name != NULL);
    if (image.len > 0) { memcpy(name, image.ptr, image.len); }
    images->held[images->held_count++] = name;
    lock_drop(&images->lock);
}

void images_release(struct images *images, struct str image)
{
    lock_take(&images->lock);
    size_t at = 0;
    while (at < images->held_count && !str_eq(str_from(images->held[at]), image)) { at++; }
    ASSERT(at < images->held_count);
    free(images->held[at]);
    images->held[at] = images->held[--images->held_count];
    image_book_used(&images->book, image, clock_now_ms());
    lock_drop(&images->lock);
}

void images_note_use(struct images *images, struct str image)
{
    lock_take(&images->lock);
    image_book_used(&images->book, image, clock_now_ms());
    lock_drop(&images->lock);
}

struct leaving_list { struct { struct str name, id; } *items; size_t count; };

static void choose(struct images *images, const struct str_list *used, struct leaving_list *list, struct arena *arena)
{
    const struct agent_config *config = images->config;
    lock_take(&images->lock);
    size_t count = images->book.count;
    struct image_candidate *candidates = ARENA_NEW(arena, struct image_candidate, count);
    size_t *chosen = ARENA_NEW(arena, size_t, count);
    for (size_t r = 0; r < count; r++) {
        const struct image_record *record = &images->book.records[r];
        candidates[r] = (struct image_candidate){
            .image = str_from(record->name), .own = record->own, .pulled_ms = record->pulled_ms, .used_ms = record->used_ms,
            .in_use = str_list_has(used, str_from(record->id)) || is_held(images, str_from(record->name)),
        };
    }
    list->count = image_choose(candidates, count, clock_now_ms(), config->image_minimum_age_ms, (size_t)config->images_per_cleanup, chosen);
    ASSERT(list->count <= count);
    list->items = arena_alloc(arena, list->count, sizeof *list->items);
    for (size_t c = 0; c < list->count; c++) {
        ASSERT(chosen[c] < count);
        const struct image_record *record = &images->book.records[chosen[c]];
        list->items[c].name = arena_str(arena, str_from(record->name));
        list->items[c].id = arena_str(arena, str_from(record->id));
    }
    lock_drop(&images->lock);
}

/* False: a container wants it now. */
static bool begin_leaving(struct images *images, struct str name)
{
    lock_take(&images->lock);
    bool free_to_go = name.len == 0 || !is_held(images, name);
    ASSERT(!str_is_set(images->leaving));            /* one round at a time */
    if (free_to_go) { images->leaving = name; }
    lock_drop(&images->lock);
    return free_to_go;
}

static void end_leaving(struct images *images, struct str name, struct str id, bool gone)
{
    lock_take(&images->lock);
    images->leaving = (struct str){ NULL, 0 };
    if (gone) { image_book_forget(&images->book, name, id); }
    lock_wake_all(&images->changed);
    lock_drop(&images->lock);
}

/* Somebody else gave this name to another image. */
static void remove_one(struct images *images, struct str name, struct str id, struct arena *arena)
{
    if (!begin_leaving(images, name)) { return; }
    struct image_facts facts = { 0 };
    struct err err = { 0 };
    struct str what = name.len > 0 ? name : id;
    bool good = ops_of(images)->find(images->runtime, what, &facts, arena, &err);
    bool ours = good && facts.exists && str_eq(facts.id, id);
    good = good && (!ours || ops_of(images)->remove(images->runtime, what, &err));
    end_leaving(images, name, id, good);
    if (!good) {
        log_line(LOG_WARN, "agent", "an unused image cannot be removed image=" STR_FMT ": %s", STR_ARG(what), err.message);
    } else if (ours) {
        log_line(LOG_INFO, "agent", "an unused image was removed image=" STR_FMT, STR_ARG(what));
    }
}

void images_clean(struct images *images)
{
    ASSERT(ops_of(images) != NULL);
    SCRATCH(arena);
    struct str_list used = { 0 };
    struct err err = { 0 };
    struct leaving_list list = { 0 };
    if (!ops_of(images)->used(images->runtime, &used, &arena, &err)) {
        log_line(LOG_WARN, "agent", "the images in use cannot be listed: %s", err.message);
        return;
    }
    choose(images, &used, &list, &arena);
    for (size_t i = 0; i < list.count; i++) { remove_one(images, list.items[i].name, list.items[i].id, &arena); }
    save(images);
}

static void *tidy_main(void *arg)
{
    struct images *images = arg;
    atomic_int *threads = images->threads;
    int64_t every_ms = images->config->image_cleanup_every_ms, due_ms = clock_monotonic_ms() + every_ms;
    lock_take(&images->lock);
    while (!images->closing) {
        if (clock_monotonic_ms() < due_ms) {
            lock_wait_until(&images->changed, &images->lock, due_ms);
            continue;
        }
        lock_drop(&images->lock);
        images_clean(images);
        due_ms = clock_monotonic_ms() + every_ms;
        lock_take(&images->lock);
    }
    lock_drop(&images->lock);
    atomic_fetch_sub(threads, 1);
    return NULL;
}

static bool is_tidied(const struct images *images)
{
    const struct agent_config *config = images->config;
    return ops_of(images) != NULL && images->rule->cleans && !config->image_cleanup_off && config->image_cleanup_every_ms > 0;
}

/* ---- beginning and end ---- */

static bool open_images(struct images *images, struct err *err)
{
    const struct agent_config *config = images->config;
    struct registry_login_list logins;
    struct str text;
    bool helpers = false;
    if (snprintf(images->path, sizeof images->path, "%s/images.json", config->data_dir) >= (int)sizeof images->path) {
        return err_set(err, ERR_INVALID_PARAMETER, "The folder's name is too long: %s", config->data_dir);
    }
    if (!read_logins(images, &logins, &images->arena, err)) { return false; }          /* a mistake is reported at the start */
    struct str data = str_from(config->registry_auth_data);
    if (str_is_set(data) && !registry_logins_read(data, &images->logins, &helpers, &images->arena, err)) { return false; }
    if (!state_file_read(images->path, &text, &images->arena, err)) { return false; }
    struct err parse = { 0 };
    return !str_is_set(text) || image_book_read(&images->book, text, &parse)
        || err_set(err, ERR_SERVER, "%s is damaged (%s). Remove it: the agent then forgets which images it pulled.", images->path, parse.message);
}

struct images *images_create(struct runtime *runtime, const struct agent_config *config, atomic_int *threads, struct err *err)
{
    struct images *images = calloc(1, sizeof *images);
    ASSERT(images != NULL);
    images->runtime = runtime;
    images->config = config;
    images->rule = image_rule(config->image_pull);
    images->threads = threads;
    arena_init(&images->arena, ARENA_MAX);
    lock_init(&images->saving);
    lock_init(&images->lock);
    lock_signal_init(&images->changed);
    bool good = open_images(images, err);
    if (good && is_tidied(images)) { good = start_thread(images, tidy_main, images) || err_set(err, ERR_SERVER, "A thread cannot be started."); }
    if (good) { return images; }
    images_destroy(images);
    return NULL;
}

void images_leave(struct images *images)
{
    if (images == NULL) { return; }
    lock_take(&images->lock);
    images->closing = true;
    for (struct pull *pull = images->pulls; pull != NULL; pull = pull->next) { atomic_store(&pull->cancelled, true); }
    lock_wake_all(&images->changed);
    lock_drop(&images->lock);
}

void images_destroy(struct images *images)
{
    if (images == NULL) { return; }
    ASSERT(images->pulls == NULL && !str_is_set(images->leaving));
    for (size_t h = 0; h < images->held_count; h++) { free(images->held[h]); }
    free(images->held);
    image_book_finish(&images->book);
    lock_signal_finish(&images->changed);
    lock_finish(&images->lock);
    lock_finish(&images->saving);
    arena_finish(&images->arena);
    free(images);
}
