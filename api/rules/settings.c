#include "api/rules/settings.h"

#include "api/tasks/terms.h"
#include "api/tasks/waits.h"
#include "base/text/duration.h"
#include "scheduler/reconcile/reconcile.h"

enum { STOPS_FIRST_MAX = 100, HEALTHY_AFTER_MAX = 3600 };
static const int64_t PROGRESS_MIN_MS = MINUTE_MS, PROGRESS_MAX_MS = (int64_t)24 * 60 * MINUTE_MS;

static bool read_replace(struct str value, struct service_settings *settings)
{
    static const struct str stop_first = STR_INIT("stop-first:");
    int64_t stops = 1;
    if (str_eq(value, STR("one-first"))) {
        settings->replace = REPLACE_ONE_FIRST;
        return true;
    }
    bool good = str_eq(value, STR("stop-first"))
        || (str_starts_with(value, stop_first) && str_to_i64(str_slice(value, stop_first.len, value.len), &stops) && stops >= 1 && stops <= STOPS_FIRST_MAX);
    if (!good) { return false; }
    ASSERT(stops >= 1 && stops <= STOPS_FIRST_MAX);
    settings->replace = REPLACE_STOP_FIRST;
    settings->stops_first = stops;
    return true;
}

static bool read_failures(struct str value, struct service_settings *settings)
{
    settings->waits_for_room = str_eq(value, STR("wait"));
    return settings->waits_for_room;
}

static bool read_progress(struct str value, struct service_settings *settings)
{
    int64_t ms;
    if (!duration_parse(value, &ms) || ms < PROGRESS_MIN_MS || ms > PROGRESS_MAX_MS) { return false; }
    settings->progress_ms = ms;
    return true;
}

static bool read_healthy_after(struct str value, struct service_settings *settings)
{
    int64_t seconds;
    if (!str_to_i64(value, &seconds) || seconds < 0 || seconds > HEALTHY_AFTER_MAX) { return false; }
    settings->healthy_after_ms = seconds * 1000;
    return true;
}

/* Read where samples of its tasks are (model/task.h). */
static bool read_idle_ok(struct str value, struct service_settings *settings)
{
    (void)settings;
    return str_eq(value, STR("true"));
}

static const struct { struct str key; bool (*read)(struct str value, struct service_settings *settings); const char *want; } rows[] = {
    { STR_INIT("berth:replace"),            read_replace,       "stop-first, stop-first:K with K from 1 to 100, or one-first" },
    { STR_INIT("berth:placement-failures"), read_failures,      "wait" },
    { STR_INIT("berth:progress-deadline"),  read_progress,      "a time from 1m to 24h" },
    { STR_INIT("berth:healthy-after"),      read_healthy_after, "seconds, from 0 to 3600" },
    { STR_INIT("berth:idle-ok"),            read_idle_ok,       "true" },
};

bool service_settings(const struct tag_list *tags, struct service_settings *settings, struct err *err)
{
    bool good = true;
    *settings = (struct service_settings){ .healthy_after_ms = HEALTHY_AFTER_MS };
    for (size_t t = 0; t < tags->count; t++) {
        const struct tag *tag = &tags->items[t];
        for (size_t r = 0; r < COUNT_OF(rows); r++) {
            if (!str_eq(tag->key, rows[r].key) || rows[r].read(tag->value, settings) || !good) { continue; }
            good = err_set(err, ERR_INVALID_PARAMETER, "The tag " STR_FMT " can't be \"" STR_FMT "\": it should be %s.", STR_ARG(tag->key),
                           STR_ARG(str_shorten(tag->value, 100)), rows[r].want);
        }
    }
    return good;
}

bool service_check_tags(const struct tag_list *tags, struct err *err)
{
    struct service_settings unused;
    struct wait_wish wish;
    return support_check_tags(tags, TAGGED_SERVICE, err) && service_settings(tags, &unused, err) && waits_read(tags, &wish, err)
        && terms_check(tags, err);
}
