#include "server/calls/target_checks.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/log.h"
#include "wire/checker.h"

struct target_checks {
    struct store *store;
    const struct api_config *api;
    struct checker *checker;                     /* NULL: there was never such a target */
    int64_t traffic;                             /* the revision of the traffic that the list was made of */
    atomic_bool news;
    bool telling;                                /* a job that tells the news may have failed */
};

static void on_news(void *owner)
{
    struct target_checks *checks = owner;
    atomic_store(&checks->news, true);
}

static void take_list(struct target_checks *checks, const struct target_check_list *list, int64_t traffic)
{
    struct err err = { 0 };
    checks->traffic = traffic;
    if (checks->checker == NULL && list->count > 0) {
        checks->checker = checker_start(on_news, checks, &err);
        if (checks->checker == NULL) { log_line(LOG_ERROR, "checks", "%s", err.message); }
    }
    if (checks->checker != NULL) { checker_set(checks->checker, list, checks_number(traffic), false); }
}

struct target_checks *target_checks_create(struct store *store, const struct api_config *api)
{
    struct target_checks *checks = calloc(1, sizeof *checks);
    ASSERT(checks != NULL);
    checks->store = store;
    checks->api = api;
    return checks;
}

bool target_checks_look(struct target_checks *checks, struct arena *arena, struct api_call *call)
{
    struct target_check_list list = { NULL, 0 };
    struct op_ctx ctx = { .config = checks->api, .arena = arena, .now_ms = clock_now_ms(), .txn = store_read_begin(checks->store) };
    int64_t traffic = store_traffic_revision(ctx.txn);
    if (traffic != checks->traffic) { list = api_server_checks(&ctx); }
    if (store_read_end(ctx.txn) && traffic != checks->traffic) { take_list(checks, &list, traffic); }
    bool has_news = atomic_exchange(&checks->news, false);
    checks->telling = checks->telling || has_news;
    if (!checks->telling || checks->checker == NULL) { return false; }
    struct check_told_list told = checker_states(checks->checker, arena);
    api_prepare_server_checks(&told, arena, call);
    return told.count > 0;
}

void target_checks_told(struct target_checks *checks) { checks->telling = false; }

void target_checks_free(struct target_checks *checks)
{
    if (checks == NULL) { return; }
    checker_stop(checks->checker);
    free(checks);
}
