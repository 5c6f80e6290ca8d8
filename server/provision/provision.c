#include "server/provision/provision.h"

#include <stdlib.h>

#include "base/json.h"
#include "base/lock.h"
#include "base/log.h"
#include "server/provision/kinds.h"

enum { ARENA_CEILING = 64 * 1024 * 1024, SETTINGS_CEILING = 16 * 1024 * 1024, SLOTS = PROVISIONERS_MAX + 1 };

struct entry { struct entry *next; struct arena arena; struct provision_call call; };        /* texts in the arena */

struct worker {
    struct provision *provision;
    struct provisioner provisioner;
    pthread_t thread;
    bool started;
    struct entry *first;                     /* guarded by the lock: the one that is on its way, then those that wait */
};

struct provision {
    struct arena arena;                      /* the settings */
    struct writer *writer;
    struct lock lock;
    struct lock_signal more;
    atomic_bool stopping;
    size_t count;                            /* the last one is for names that are not known */
    struct worker workers[SLOTS];
};

static const struct caller own_caller = { .access_key = STR_INIT(""), .user = STR_INIT("berth"), .role = ACCESS_ADMIN };

struct provision *provision_create(const struct provision_config *config, struct err *err)
{
    struct provision *provision = calloc(1, sizeof *provision);
    struct provisioner_settings settings = { NULL, 0 };
    ASSERT(provision != NULL && config->calls != NULL);
    arena_init(&provision->arena, SETTINGS_CEILING);
    lock_init(&provision->lock);
    lock_signal_init(&provision->more);
    if (config->file != NULL && !settings_read(config->file, &settings, &provision->arena, err)) {
        provision_free(provision);
        return NULL;
    }
    provision->count = settings.count + 1;
    for (size_t w = 0; w < provision->count; w++) {
        struct worker *worker = &provision->workers[w];
        worker->provision = provision;
        worker->provisioner = (struct provisioner){
            .setting = w < settings.count ? &settings.items[w] : NULL, .calls = config->calls, .stopping = &provision->stopping,
        };
        arena_init(&worker->provisioner.kept, ARENA_CEILING);
    }
    return provision;
}

/* ---- one call ---- */

/* The same when the call is made again without an end. A header of HTTP can have it: other bytes than these are %XX. */
static struct str request_of(const struct provision_call *call, struct arena *arena)
{
    struct buf buf = buf_in(arena);
    buf_printf(&buf, "req-");
    for (size_t c = 0; c < call->pool.len; c++) {
        unsigned char byte = (unsigned char)call->pool.ptr[c];
        bool plain = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || (byte >= '0' && byte <= '9') || byte == '-' || byte == '_' || byte == '.';
        buf_printf(&buf, plain ? "%c" : "%%%02X", byte);
    }
    buf_printf(&buf, "-%lld", (long long)call->number);
    return buf_str(&buf);
}

/* The call as the provisioner gets it. */
static struct str whole_body(const struct provisioner *provisioner, const struct entry *entry, struct str request, struct arena *arena)
{
    struct str body = entry->call.body;
    struct buf buf = buf_in(arena);
    struct json_out json = json_out_to(&buf);
    ASSERT(body.len > 2 && body.ptr[0] == '{');
    json_open(&json, '{');
    json_key(&json, STR("protocol"));
    json_str(&json, STR("berth-provisioner/1"));
    json_key(&json, STR("provisioner"));
    json_str(&json, provisioner->setting->name);
    json_key(&json, STR("request"));
    json_str(&json, request);
    json_key(&json, STR("deadline_s"));
    json_i64(&json, provisioner->setting->timeout_ms / 1000);
    json_raw(&json, str_slice(body, 1, body.len));                       /* its members and the end */
    return buf_str(&buf);
}

static struct kind_end run_call(struct provisioner *provisioner, const struct entry *entry, struct arena *arena)
{
    static kind_run *const runs[] = {
        [PROVISIONER_EXEC] = kind_exec, [PROVISIONER_HTTP] = kind_http, [PROVISIONER_STATIC] = kind_static, [PROVISIONER_FAKE] = kind_fake,
    };
    const struct provision_call *call = &entry->call;
    if (provisioner->setting == NULL) {
        struct str why = arena_printf(arena, "there is no provisioner \"" STR_FMT "\"; see --provisioners", STR_ARG(call->provisioner));
        return (struct kind_end){ PROVISIONED_REFUSED, str_is_set(call->provisioner) ? why : STR("there is no provisioner; see --provisioners") };
    }
    struct str request = request_of(call, arena);
    const struct kind_call given = { provisioner->setting->name, call->verb, whole_body(provisioner, entry, request, arena), request };
    return runs[provisioner->setting->kind](provisioner, &given, arena);
}

static void tell(struct provision *provision, const struct entry *entry, struct kind_end end, struct arena *arena)
{
    struct api_call prepared;
    struct err err = { 0 };
    const struct provisioned given = { entry->call.pool, entry->call.verb, entry->call.body, end.text, entry->call.number, end.end };
    struct job job = { .call = &prepared, .arena = arena, .caller = own_caller };
    api_prepare_provisioned(&given, arena, &prepared);
    if (writer_run(provision->writer, &job, &err)) { return; }
    log_line(LOG_WARN, "provision", "the answer of a provisioner could not be written: %s", err.message);
}

/* ---- the threads ---- */

/* NULL: the thread ends. The entry stays in the list while it is worked on. */
static struct entry *wait_for_entry(struct worker *worker)
{
    struct provision *provision = worker->provision;
    lock_take(&provision->lock);
    while (worker->first == NULL && !atomic_load(&provision->stopping)) { lock_wait(&provision->more, &provision->lock); }
    struct entry *entry = atomic_load(&provision->stopping) ? NULL : worker->first;
    lock_drop(&provision->lock);
    return entry;
}

static void drop_first(struct worker *worker)
{
    lock_take(&worker->provision->lock);
    struct entry *entry = worker->first;
    worker->first = entry->next;
    lock_drop(&worker->provision->lock);
    arena_finish(&entry->arena);
    free(entry);
}

static void *work(void *context)
{
    struct worker *worker = context;
    for (struct entry *entry = wait_for_entry(worker); entry != NULL; entry = wait_for_entry(worker)) {
        struct arena arena;
        arena_init(&arena, ARENA_CEILING);
        struct kind_end end = run_call(&worker->provisioner, entry, &arena);
        struct str name = worker->provisioner.setting == NULL ? STR("-") : worker->provisioner.setting->name;
        if (end.end != PROVISIONED_ANSWERED) {
            log_line(LOG_WARN, "provision", "provisioner=" STR_FMT " pool=" STR_FMT " verb=" STR_FMT " number=%lld: " STR_FMT, STR_ARG(name),
                     STR_ARG(entry->call.pool), STR_ARG(entry->call.verb), (long long)entry->call.number, STR_ARG(str_shorten(end.text, 400)));
        }
        if (!atomic_load(&worker->provision->stopping)) { tell(worker->provision, entry, end, &arena); }
        drop_first(worker);
        arena_finish(&arena);
    }
    return NULL;
}

bool provision_start(struct provision *provision, struct writer *writer, struct err *err)
{
    provision->writer = writer;
    for (size_t w = 0; w < provision->count; w++) {
        struct worker *worker = &provision->workers[w];
        worker->started = pthread_create(&worker->thread, NULL, work, worker) == 0;
        if (!worker->started) { return err_set(err, ERR_SERVER, "There is no thread for a provisioner."); }
    }
    return true;
}

/* ---- new calls ---- */

/* An absent name: the first one, or the last, which has no setting. */
static struct worker *worker_of(struct provision *provision, struct str name)
{
    bool named = str_is_set(name) && name.len > 0;
    for (size_t w = 0; w + 1 < provision->count; w++) {
        if (!named || str_eq(provision->workers[w].provisioner.setting->name, name)) { return &provision->workers[w]; }
    }
    return &provision->workers[provision->count - 1];
}

static void add(struct provision *provision, const struct provision_call *call)
{
    struct entry **at = &worker_of(provision, call->provisioner)->first;
    while (*at != NULL && !((*at)->call.number == call->number && str_eq((*at)->call.pool, call->pool))) { at = &(*at)->next; }
    if (*at != NULL || atomic_load(&provision->stopping)) { return; }
    struct entry *entry = calloc(1, sizeof *entry);
    ASSERT(entry != NULL);
    arena_init(&entry->arena, ARENA_CEILING);
    entry->call = (struct provision_call){
        .provisioner = arena_str(&entry->arena, call->provisioner), .pool = arena_str(&entry->arena, call->pool), .number = call->number,
        .verb = arena_str(&entry->arena, call->verb), .body = arena_str(&entry->arena, call->body),
    };
    *at = entry;
}

void provision_make(struct provision *provision, const struct provision_call *first)
{
    if (first == NULL) { return; }
    lock_take(&provision->lock);
    for (const struct provision_call *call = first; call != NULL; call = call->next) { add(provision, call); }
    lock_wake_all(&provision->more);
    lock_drop(&provision->lock);
}

void provision_stop(struct provision *provision)
{
    if (provision == NULL) { return; }
    lock_take(&provision->lock);
    atomic_store(&provision->stopping, true);
    lock_wake_all(&provision->more);
    lock_drop(&provision->lock);
    for (size_t w = 0; w < provision->count; w++) {
        struct worker *worker = &provision->workers[w];
        if (!worker->started) { continue; }
        ASSERT(pthread_join(worker->thread, NULL) == 0);
        worker->started = false;
        kind_fake_stop(&worker->provisioner);
    }
}

void provision_free(struct provision *provision)
{
    if (provision == NULL) { return; }
    for (size_t w = 0; w < provision->count; w++) {
        while (provision->workers[w].first != NULL) { drop_first(&provision->workers[w]); }
        arena_finish(&provision->workers[w].provisioner.kept);
    }
    arena_finish(&provision->arena);
    lock_signal_finish(&provision->more);
    lock_finish(&provision->lock);
    free(provision);
}
