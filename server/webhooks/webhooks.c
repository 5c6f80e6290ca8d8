#include "server/webhooks/webhooks.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/lock.h"
#include "base/log.h"
#include "base/num.h"
#include "base/sigv4.h"
#include "base/text/base64.h"
#include "server/webhooks/settings.h"

_Static_assert((int)WEBHOOKS_MAX <= (int)WEBHOOKS_COUNTED, "all are counted");
enum { BATCH = 32, ARENA_CEILING = 32 * 1024 * 1024, SETTINGS_CEILING = 4 * 1024 * 1024, LOOK_MS = 10 * 1000, WAIT_LEAD_MS = 500, RETRY_FIRST_MS = 1000,
       RETRY_MOST_MS = 5 * 60 * 1000, MAC_LEN = 32 };

struct hook {
    struct webhooks *own;
    const struct webhook_setting *setting;
    pthread_t thread;
    bool started;
    int64_t at, kept;                        /* the thread's: the last event that the webhook took, and the one that the store knows; -1: not known yet */
    int64_t told, failures, behind;          /* guarded by the lock */
};

struct webhooks {
    struct webhooks_config config;
    struct arena arena;                      /* the settings */
    struct writer *writer;
    struct lock lock;
    struct lock_signal stops;
    bool stopping;                           /* guarded by the lock */
    struct hook hooks[WEBHOOKS_MAX]; size_t count;
};

static const struct caller own_caller = { .access_key = STR_INIT(""), .user = STR_INIT("berth"), .role = ACCESS_ADMIN };

struct webhooks *webhooks_create(const struct webhooks_config *config, struct err *err)
{
    struct webhooks *own = calloc(1, sizeof *own);
    struct webhook_settings settings = { NULL, 0 };
    ASSERT(own != NULL && config->calls != NULL && config->store != NULL && config->stream != NULL);
    own->config = *config;
    arena_init(&own->arena, SETTINGS_CEILING);
    lock_init(&own->lock);
    lock_signal_init(&own->stops);
    if (config->file != NULL && !webhooks_read(config->file, &settings, &own->arena, err)) {
        webhooks_free(own);
        return NULL;
    }
    for (; own->count < settings.count; own->count++) {
        own->hooks[own->count] = (struct hook){ .own = own, .setting = &settings.items[own->count], .at = -1, .kept = -1 };
    }
    return own;
}

bool webhooks_any(const struct webhooks *webhooks) { return webhooks->count > 0; }

/* ---- waiting ---- */

static bool is_stopping(struct webhooks *own)
{
    lock_take(&own->lock);
    bool stopping = own->stopping;
    lock_drop(&own->lock);
    return stopping;
}

/* False: it stops. */
static bool rest(struct webhooks *own, int64_t ms)
{
    int64_t until_ms = clock_monotonic_ms() + ms;
    lock_take(&own->lock);
    while (!own->stopping && lock_wait_until(&own->stops, &own->lock, until_ms)) { }
    bool goes_on = !own->stopping;
    lock_drop(&own->lock);
    return goes_on;
}

/* ---- one call ---- */

struct str webhook_signature(struct str secret, struct str id, int64_t at_s, struct str body, struct arena *arena)
{
    uint8_t mac[MAC_LEN];
    struct str text = arena_printf(arena, STR_FMT ".%lld." STR_FMT, STR_ARG(id), (long long)at_s, STR_ARG(body));
    hmac_sha256(secret, text, mac);
    return arena_printf(arena, "v1," STR_FMT, STR_ARG(base64_encode((struct str){ (const char *)mac, MAC_LEN }, arena)));
}

struct waiting { sem_t done; char problem[sizeof((struct err *)0)->message]; };       /* problem empty: it was taken */

/* On the thread of the calls. */
static void on_ended(void *context, const struct call_outcome *outcome)
{
    struct waiting *waiting = context;
    bool good = outcome->problem == NULL && outcome->http_status >= 200 && outcome->http_status < 300;
    if (outcome->problem != NULL) { (void)snprintf(waiting->problem, sizeof waiting->problem, "%s", outcome->problem); }
    if (outcome->problem == NULL && !good) { (void)snprintf(waiting->problem, sizeof waiting->problem, "HTTP status %d", outcome->http_status); }
    ASSERT(sem_post(&waiting->done) == 0);
}

/* False and *problem. */
static bool call_once(struct hook *hook, struct str id, struct str body, struct str *problem, struct arena *arena)
{
    const struct webhook_setting *setting = hook->setting;
    int64_t now_s = clock_now_ms() / 1000;
    struct waiting waiting = { .problem = "" };
    struct err err = { 0 };
    const struct call_request request = {
        .url = setting->url, .body = body, .timeout_ms = setting->timeout_ms, .done = on_ended, .context = &waiting,
        .headers = arena_printf(arena, "webhook-id: " STR_FMT "\nwebhook-timestamp: %lld\nwebhook-signature: " STR_FMT, STR_ARG(id), (long long)now_s,
                                STR_ARG(webhook_signature(setting->secret, id, now_s, body, arena))),
    };
    ASSERT(sem_init(&waiting.done, 0, 0) == 0);
    if (calls_submit(hook->own->config.calls, &request, &err)) {
        while (sem_wait(&waiting.done) != 0) { }                 /* calls_stop ends it, too */
    } else {
        (void)snprintf(waiting.problem, sizeof waiting.problem, "%s", err.message);
    }
    (void)sem_destroy(&waiting.done);
    *problem = arena_str(arena, str_from(waiting.problem));
    return waiting.problem[0] == '\0';
}

static void count(struct hook *hook, int64_t *counter)
{
    lock_take(&hook->own->lock);
    (*counter)++;
    lock_drop(&hook->own->lock);
}

static bool leads(const struct webhooks *own) { return own->config.leads == NULL || own->config.leads(own->config.context); }

static bool still_kept(struct hook *hook, int64_t number)
{
    struct store_txn *txn = store_read_begin(hook->own->config.store);
    int64_t first = store_first_event(txn);
    bool sound = store_read_end(txn);
    return !sound || (first != 0 && first <= number);
}

/* Until the webhook has taken it, or it is no longer kept. False: this server stops, or leads no more. */
static bool tell(struct hook *hook, const struct kept_event *event, struct arena *arena)
{
    struct err err = { 0 };
    struct str id = json_get_str(json_parse(event->text, arena, &err), STR("id")), problem;
    if (!str_is_set(id)) { return true; }                        /* a disk may have changed it */
    for (int64_t wait_ms = RETRY_FIRST_MS;; wait_ms = min_i64(2 * wait_ms, RETRY_MOST_MS)) {
        struct arena one;
        arena_init(&one, ARENA_CEILING);
        bool good = call_once(hook, id, event->text, &problem, &one);
        if (!good && !is_stopping(hook->own)) {
            log_line(LOG_WARN, "webhooks", "webhook=" STR_FMT " event=%lld: " STR_FMT "; again in %lld s", STR_ARG(hook->setting->name),
                     (long long)event->number, STR_ARG(problem), (long long)(wait_ms / 1000));
        }
        arena_finish(&one);
        count(hook, good ? &hook->told : &hook->failures);
        if (good) { return true; }
        if (!rest(hook->own, wait_ms) || !leads(hook->own)) { return false; }
        if (!still_kept(hook, event->number)) { return true; }
    }
}

/* ---- how far it is ---- */

static void keep(struct hook *hook)
{
    struct api_call prepared;
    struct err err = { 0 };
    struct arena arena;
    arena_init(&arena, ARENA_CEILING);
    struct job job = { .call = &prepared, .arena = &arena, .caller = own_caller };
    api_prepare_events_told(&(struct events_told){ hook->setting->name, hook->at }, &arena, &prepared);
    if (writer_run(hook->own->writer, &job, &err)) {
        hook->kept = hook->at;
    } else {
        log_line(LOG_WARN, "webhooks", "webhook=" STR_FMT ": how far it is could not be written: %s", STR_ARG(hook->setting->name), err.message);
    }
    arena_finish(&arena);
}

/* A webhook that is new gets what happens from now on. */
static void begin(struct hook *hook, struct store_txn *txn, struct arena *arena)
{
    if (hook->at >= 0) { return; }
    hook->at = hook->kept = api_events_told(txn, hook->setting->name, arena);
    if (hook->at < 0) { hook->at = store_last_event(txn, arena); }
}

/* The next events, in *events. Those that are gone already are skipped, with a line in the log. */
static size_t next(struct hook *hook, struct kept_event **events, int64_t *revision, struct arena *arena)
{
    struct store_txn *txn = store_read_begin(hook->own->config.store);
    *revision = store_revision(txn);
    begin(hook, txn, arena);
    size_t found = store_list_events(txn, hook->at, events, BATCH, arena);
    int64_t last = store_last_event(txn, arena), first = found > 0 ? (*events)[0].number : last + 1, lost = first - hook->at - 1;
    if (!store_read_end(txn)) { return 0; }
    if (lost > 0) {
        log_line(LOG_WARN, "webhooks", "webhook=" STR_FMT ": %lld events went before it took them", STR_ARG(hook->setting->name), (long long)lost);
        hook->at += lost;
    }
    lock_take(&hook->own->lock);
    hook->behind = last - hook->at;
    lock_drop(&hook->own->lock);
    return found;
}

/* False: it stops. */
static bool tell_some(struct hook *hook, int64_t *revision)
{
    struct arena arena;
    struct kept_event *events;
    bool goes_on = true;
    arena_init(&arena, ARENA_CEILING);
    size_t found = next(hook, &events, revision, &arena);
    for (size_t e = 0; e < found && goes_on; e++) {
        goes_on = !webhook_wants(hook->setting, events[e].type) || tell(hook, &events[e], &arena);
        if (goes_on) { hook->at = events[e].number; }
    }
    arena_finish(&arena);
    if (hook->at != hook->kept && !is_stopping(hook->own)) { keep(hook); }
    if (found == BATCH) { *revision = -1; }                      /* there may be more */
    return !is_stopping(hook->own);
}

static void *work(void *context)
{
    struct hook *hook = context;
    struct webhooks *own = hook->own;
    int64_t seen = -1;
    stream_listen(own->config.stream);
    for (bool goes_on = !is_stopping(own); goes_on;) {
        if (!leads(own)) {
            hook->at = -1;                                       /* the one that leads goes on */
            goes_on = rest(own, WAIT_LEAD_MS);
            continue;
        }
        enum stream_event event = seen < 0 ? STREAM_NEWS : stream_wait(own->config.stream, seen, 0, clock_monotonic_ms() + LOOK_MS);
        goes_on = event != STREAM_STOPPED && tell_some(hook, &seen);
    }
    stream_unlisten(own->config.stream);
    if (hook->at != hook->kept && hook->at >= 0 && leads(own)) { keep(hook); }
    return NULL;
}

/* ---- life ---- */

bool webhooks_start(struct webhooks *webhooks, struct writer *writer, struct err *err)
{
    webhooks->writer = writer;
    for (size_t h = 0; h < webhooks->count; h++) {
        struct hook *hook = &webhooks->hooks[h];
        hook->started = pthread_create(&hook->thread, NULL, work, hook) == 0;
        if (!hook->started) { return err_set(err, ERR_SERVER, "There is no thread for a webhook."); }
    }
    return true;
}

void webhooks_stop(struct webhooks *webhooks)
{
    if (webhooks == NULL) { return; }
    lock_take(&webhooks->lock);
    webhooks->stopping = true;
    lock_wake_all(&webhooks->stops);
    lock_drop(&webhooks->lock);
    for (size_t h = 0; h < webhooks->count; h++) {
        if (!webhooks->hooks[h].started) { continue; }
        ASSERT(pthread_join(webhooks->hooks[h].thread, NULL) == 0);
        webhooks->hooks[h].started = false;
    }
}

void webhooks_free(struct webhooks *webhooks)
{
    if (webhooks == NULL) { return; }
    arena_finish(&webhooks->arena);
    lock_signal_finish(&webhooks->stops);
    lock_finish(&webhooks->lock);
    free(webhooks);
}

size_t webhooks_count(struct webhooks *webhooks, struct webhook_count *counts, size_t limit)
{
    size_t count = webhooks->count < limit ? webhooks->count : limit;
    lock_take(&webhooks->lock);
    for (size_t h = 0; h < count; h++) {
        const struct hook *hook = &webhooks->hooks[h];
        counts[h] = (struct webhook_count){ hook->setting->name, hook->told, hook->failures, hook->behind };
    }
    lock_drop(&webhooks->lock);
    return count;
}
