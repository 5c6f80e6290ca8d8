/* checker.c: the thread alone uses libcurl and changes the list; the lock guards what checker_set leaves and checker_states reads. Each target has
 * its own timer, whose times are a whole number of intervals apart, so that slow answers do not move them. */
#include "wire/checker.h"

#include <curl/curl.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/lock.h"
#include "base/log.h"
#include "base/num.h"
#include "base/timers.h"

enum { LOOK_MS = 1000, BODY_READ_MAX = 64 * 1024, SEAT_CEILING = 64 * 1024, LIST_CEILING = 256 * 1024 * 1024 };

struct seat {                                        /* one target */
    struct checker *checker;
    struct target_check check;                       /* in the arena */
    struct arena arena;
    struct check_progress progress;
    int64_t number; enum target_state from;          /* of the last change */
    struct timer timer;
    CURL *easy;                                      /* NULL: no check is on its way */
    struct curl_slist *headers;
    size_t body_len;
    struct seat *next_waiting;
    bool waiting, kept;                              /* kept: the new list has it */
};

struct fresh { struct arena arena; struct target_check_list checks; int64_t number; };

struct checker {
    void (*news)(void *owner);
    void *owner;
    CURLM *multi;
    pthread_t thread;
    struct lock lock;
    bool stopping;                                   /* guarded by lock, as the next four */
    struct fresh *fresh;                             /* NULL: no new list */
    struct seat **seats; size_t count;
    int64_t last_number;
    struct timers timers;                            /* from here on the thread's own */
    struct seat *first, **last;                      /* those that wait for a place */
    size_t running;
    bool changed;
};

/* ---- one check ---- */

static size_t on_body(char *bytes, size_t size, size_t count, void *user)
{
    struct seat *seat = user;
    (void)bytes;
    seat->body_len += size * count;
    return seat->body_len > BODY_READ_MAX ? CURL_WRITEFUNC_ERROR : size * count;         /* the code is known by then */
}

static void set_url(struct seat *seat, CURL *easy)
{
    const struct target_check *check = &seat->check;
    bool six = str_find(check->address, ':') < check->address.len, tls = check->protocol == ELB_PROTOCOL_HTTPS;
    struct arena scratch = { .ceiling = SEAT_CEILING };
    struct str url = arena_printf(&scratch, six ? "%s://[" STR_FMT "]:%lld%s" STR_FMT : "%s://" STR_FMT ":%lld%s" STR_FMT, tls ? "https" : "http",
                                  STR_ARG(check->address), (long long)check->check_port.value, str_starts_with(check->path, STR("/")) ? "" : "/",
                                  STR_ARG(check->path));
    curl_easy_setopt(easy, CURLOPT_URL, url.ptr);                                        /* copied */
    arena_finish(&scratch);
}

static void set_version(struct seat *seat, CURL *easy)
{
    static const char empty_message[5] = { 0 };                                          /* of gRPC: not compressed, no bytes. Its answer is HTTP's 200 */
    bool tls = seat->check.protocol == ELB_PROTOCOL_HTTPS;
    if (seat->check.version == CHECK_HTTP1) { curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1); return; }
    curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, (long)(tls ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE));
    if (seat->check.version != CHECK_GRPC) { return; }
    seat->headers = curl_slist_append(NULL, "Content-Type: application/grpc");
    seat->headers = curl_slist_append(seat->headers, "TE: trailers");
    curl_easy_setopt(easy, CURLOPT_HTTPHEADER, seat->headers);
    curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE, (long)sizeof empty_message);
    curl_easy_setopt(easy, CURLOPT_POSTFIELDS, empty_message);
}

/* NULL: no memory is left. */
static CURL *make_easy(struct seat *seat)
{
    CURL *easy = curl_easy_init();
    if (easy == NULL) { return NULL; }
    set_url(seat, easy);
    curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(easy, CURLOPT_PROXY, "");
    curl_easy_setopt(easy, CURLOPT_PATH_AS_IS, 1L);
    curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, (long)(seat->check.timeout.value * 1000));
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(easy, CURLOPT_FRESH_CONNECT, 1L);
    curl_easy_setopt(easy, CURLOPT_FORBID_REUSE, 1L);
    curl_easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, 0L);
    curl_easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, 0L);
    curl_easy_setopt(easy, CURLOPT_USERAGENT, "ELB-HealthChecker/2.0");
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_body);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, seat);
    curl_easy_setopt(easy, CURLOPT_PRIVATE, seat);
    if (seat->check.protocol == ELB_PROTOCOL_TCP) { curl_easy_setopt(easy, CURLOPT_CONNECT_ONLY, 1L); } else { set_version(seat, easy); }
    return easy;
}

static struct check_result read_result(const struct seat *seat, CURLcode code)
{
    long status = 0;
    if (seat->check.protocol == ELB_PROTOCOL_TCP && code == CURLE_OK) { return (struct check_result){ .cause = CHECK_GOOD }; }
    bool whole = code == CURLE_OK || (code == CURLE_WRITE_ERROR && seat->body_len > BODY_READ_MAX);
    if (!whole) { return (struct check_result){ .cause = code == CURLE_OPERATION_TIMEDOUT ? CHECK_TIMEOUT : CHECK_FAILED }; }
    curl_easy_getinfo(seat->easy, CURLINFO_RESPONSE_CODE, &status);
    if (status <= 0 || status > MATCHER_CODE_MAX) { return (struct check_result){ .cause = CHECK_FAILED }; }
    return matcher_fits(seat->check.matcher, status) ? (struct check_result){ .cause = CHECK_GOOD } : (struct check_result){ CHECK_CODE, status };
}

static void end_easy(struct seat *seat)
{
    struct checker *checker = seat->checker;
    if (seat->easy == NULL) { return; }
    curl_multi_remove_handle(checker->multi, seat->easy);
    curl_easy_cleanup(seat->easy);
    curl_slist_free_all(seat->headers);
    seat->easy = NULL;
    seat->headers = NULL;
    checker->running--;
}

static void take_result(struct seat *seat, struct check_result result)
{
    struct checker *checker = seat->checker;
    lock_take(&checker->lock);
    enum target_state before = seat->progress.state;
    if (check_take(&seat->progress, seat->check.healthy.value, seat->check.unhealthy.value, result)) {
        seat->number = ++checker->last_number;
        seat->from = before;
        checker->changed = true;
    }
    lock_drop(&checker->lock);
}

static void begin_check(struct seat *seat)
{
    struct checker *checker = seat->checker;
    seat->body_len = 0;
    seat->easy = make_easy(seat);
    checker->running++;
    if (seat->easy != NULL && curl_multi_add_handle(checker->multi, seat->easy) == CURLM_OK) { return; }
    if (seat->easy == NULL) { checker->running--; } else { end_easy(seat); }
    log_line(LOG_WARN, "checks", "a target can't be checked now: no memory is left");
}

/* ---- which check is next ---- */

static void leave_queue(struct seat *seat)
{
    struct checker *checker = seat->checker;
    if (!seat->waiting) { return; }
    struct seat **at = &checker->first;
    while (*at != seat) { at = &(*at)->next_waiting; }
    *at = seat->next_waiting;
    if (checker->last == &seat->next_waiting) { checker->last = at; }
    seat->waiting = false;
}

/* A check that is still on its way, or waits, counts for this time too. */
static void on_due(void *owner)
{
    struct seat *seat = owner;
    struct checker *checker = seat->checker;
    int64_t every_ms = seat->check.interval.value * 1000, late_ms = max_i64(0, clock_monotonic_ms() - seat->timer.due_ms);
    timers_set(&checker->timers, &seat->timer, seat->timer.due_ms + (late_ms / every_ms + 1) * every_ms);
    if (seat->easy != NULL || seat->waiting) { return; }
    seat->waiting = true;
    seat->next_waiting = NULL;
    *checker->last = seat;
    checker->last = &seat->next_waiting;
}

static void begin_waiting(struct checker *checker)
{
    while (checker->first != NULL && checker->running < CHECKS_AT_ONCE) {
        struct seat *seat = checker->first;
        leave_queue(seat);
        begin_check(seat);
    }
}

static void end_those_done(struct checker *checker)
{
    int left;
    for (CURLMsg *message = curl_multi_info_read(checker->multi, &left); message != NULL; message = curl_multi_info_read(checker->multi, &left)) {
        struct seat *seat = NULL;
        if (message->msg != CURLMSG_DONE) { continue; }
        CURLcode code = message->data.result;                                            /* the message dies with the handle's removal */
        curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &seat);
        struct check_result result = read_result(seat, code);
        end_easy(seat);
        take_result(seat, result);
    }
}

/* ---- a new list ---- */

static void free_seat(struct seat *seat)
{
    leave_queue(seat);
    timers_cancel(&seat->checker->timers, &seat->timer);
    end_easy(seat);
    arena_finish(&seat->arena);
    free(seat);
}

static bool is_same_target(const struct target_check *a, const struct target_check *b)
{
    return a->registration.value == b->registration.value && a->port.value == b->port.value && str_eq(a->name, b->name) && str_eq(a->group, b->group);
}

/* Both lists are in the same order, so the search begins behind the last find. */
static struct seat *find_seat(struct checker *checker, const struct target_check *check, size_t *from)
{
    for (size_t step = 0; step < checker->count; step++) {
        size_t at = (*from + step) % checker->count;
        if (!is_same_target(&checker->seats[at]->check, check)) { continue; }
        *from = at + 1;
        return checker->seats[at];
    }
    return NULL;
}

static void copy_check(struct target_check *to, const struct target_check *from, struct arena *arena)
{
    *to = *from;
    to->group = arena_str(arena, from->group);
    to->name = arena_str(arena, from->name);
    to->address = arena_str(arena, from->address);
    to->path = arena_str(arena, from->path);
    to->matcher = arena_str(arena, from->matcher);
}

static struct seat *make_seat(struct checker *checker)
{
    struct seat *seat = calloc(1, sizeof *seat);
    ASSERT(seat != NULL);
    seat->checker = checker;
    seat->timer = (struct timer){ .fire = on_due, .owner = seat };
    return seat;
}

/* Another interval begins now. */
static void set_rules(struct seat *seat, const struct target_check *check, int64_t now_ms)
{
    bool begins = seat->timer.place == 0 || seat->check.interval.value != check->interval.value;
    arena_finish(&seat->arena);
    arena_init(&seat->arena, SEAT_CEILING);
    copy_check(&seat->check, check, &seat->arena);
    if (begins) { timers_set(&seat->checker->timers, &seat->timer, now_ms); }
}

static void take_list(struct checker *checker, const struct fresh *fresh) REQUIRES(checker->lock)
{
    size_t from = 0, count = fresh->checks.count;
    struct seat **seats = calloc(count + 1, sizeof *seats);
    ASSERT(seats != NULL);
    for (size_t c = 0; c < count; c++) {
        struct seat *seat = find_seat(checker, &fresh->checks.items[c], &from);
        if (seat == NULL || seat->kept) { seat = make_seat(checker); }                   /* kept: listed twice */
        seat->kept = true;
        seats[c] = seat;
        set_rules(seat, &fresh->checks.items[c], clock_monotonic_ms());
    }
    for (size_t s = 0; s < checker->count; s++) {
        if (!checker->seats[s]->kept) { free_seat(checker->seats[s]); }
    }
    for (size_t c = 0; c < count; c++) { seats[c]->kept = false; }
    free(checker->seats);
    checker->seats = seats;
    checker->count = count;
    checker->last_number = max_i64(checker->last_number, fresh->number);
    checker->changed = true;
}

static void free_fresh(struct fresh *fresh)
{
    if (fresh == NULL) { return; }
    arena_finish(&fresh->arena);
    free(fresh);
}

/* False: the thread ends. */
static bool look_at_list(struct checker *checker)
{
    lock_take(&checker->lock);
    struct fresh *fresh = checker->fresh;
    bool go_on = !checker->stopping;
    checker->fresh = NULL;
    if (fresh != NULL && go_on) { take_list(checker, fresh); }
    lock_drop(&checker->lock);
    free_fresh(fresh);
    return go_on;
}

static void *checker_thread(void *context)
{
    struct checker *checker = context;
    int running;
    while (look_at_list(checker)) {
        timers_run(&checker->timers, clock_monotonic_ms());
        begin_waiting(checker);
        curl_multi_perform(checker->multi, &running);
        end_those_done(checker);
        begin_waiting(checker);
        bool changed = checker->changed;
        checker->changed = false;
        if (changed) { checker->news(checker->owner); }
        int64_t wait_ms = min_i64(max_i64(timers_next(&checker->timers) - clock_monotonic_ms(), 0), LOOK_MS);
        curl_multi_poll(checker->multi, NULL, 0, (int)wait_ms, NULL);
    }
    return NULL;
}

/* ---- doors ---- */

static void free_checker(struct checker *checker)
{
    for (size_t s = 0; s < checker->count; s++) { free_seat(checker->seats[s]); }
    free_fresh(checker->fresh);
    free(checker->seats);
    timers_finish(&checker->timers);
    curl_multi_cleanup(checker->multi);
    lock_finish(&checker->lock);
    free(checker);
}

struct checker *checker_start(void (*news)(void *owner), void *owner, struct err *err)
{
    struct checker *checker = calloc(1, sizeof *checker);
    ASSERT(checker != NULL);
    *checker = (struct checker){ .news = news, .owner = owner, .last = &checker->first };
    lock_init(&checker->lock);
    bool good = curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK && (checker->multi = curl_multi_init()) != NULL;
    if (good && pthread_create(&checker->thread, NULL, checker_thread, checker) == 0) { return checker; }
    err_set(err, ERR_SERVER, "There is no thread for the health checks of targets.");
    free_checker(checker);
    return NULL;
}

void checker_stop(struct checker *checker)
{
    if (checker == NULL) { return; }
    lock_take(&checker->lock);
    checker->stopping = true;
    lock_drop(&checker->lock);
    curl_multi_wakeup(checker->multi);
    ASSERT(pthread_join(checker->thread, NULL) == 0);
    free_checker(checker);
}

void checker_set(struct checker *checker, const struct target_check_list *checks, int64_t number, bool bounded)
{
    size_t count = bounded && checks->count > CHECKS_MAX ? CHECKS_MAX : checks->count;
    struct fresh *fresh = calloc(1, sizeof *fresh);
    ASSERT(fresh != NULL);
    arena_init(&fresh->arena, LIST_CEILING);
    fresh->number = number;
    fresh->checks = (struct target_check_list){ ARENA_NEW(&fresh->arena, struct target_check, count), count };
    for (size_t c = 0; c < count; c++) { copy_check(&fresh->checks.items[c], &checks->items[c], &fresh->arena); }
    if (count < checks->count) {
        log_line(LOG_WARN, "checks", "%d targets are checked, and the others are not left-out=%zu", CHECKS_MAX, checks->count - count);
    }
    lock_take(&checker->lock);
    struct fresh *before = checker->fresh;
    checker->fresh = fresh;
    lock_drop(&checker->lock);
    free_fresh(before);
    curl_multi_wakeup(checker->multi);
}

struct check_told_list checker_states(struct checker *checker, struct arena *arena)
{
    lock_take(&checker->lock);
    struct check_told_list told = { ARENA_NEW(arena, struct check_told, checker->count), 0 };
    for (size_t s = 0; s < checker->count; s++) {
        const struct seat *seat = checker->seats[s];
        if (seat->progress.state == TARGET_STATE_UNSET) { continue; }
        struct check_told *one = &told.items[told.count++];
        *one = (struct check_told){
            .group = arena_str(arena, seat->check.group), .name = arena_str(arena, seat->check.name), .port = seat->check.port,
            .registration = seat->check.registration, .number = opt_int_of(seat->number), .state = seat->progress.state, .from = seat->from,
            .cause = seat->progress.last.cause,
        };
        if (one->cause == CHECK_CODE) { one->code = opt_int_of(seat->progress.last.code); }
    }
    lock_drop(&checker->lock);
    return told;
}
