/* terms.c: see terms.h. */
#include "api/tasks/terms.h"

#include "api/core/run_facts.h"
#include "base/text/duration.h"
#include "scheduler/queue/queue.h"
#include "scheduler/queue/runs.h"

enum { RETRIES_MAX = 100 };

/* ---- tags ---- */

static bool read_priority(struct str value, struct task_terms *terms, struct err *err)
{
    bool good = str_to_i64(value, &terms->priority) && terms->priority >= -QUEUE_PRIORITY_MAX && terms->priority <= QUEUE_PRIORITY_MAX;
    return good || err_set(err, ERR_INVALID_PARAMETER, "The tag berth:priority can't be \"" STR_FMT "\": it should be a number from -%d to %d.",
                           STR_ARG(value), (int)QUEUE_PRIORITY_MAX, (int)QUEUE_PRIORITY_MAX);
}

static bool read_most(struct str value, struct task_terms *terms, struct err *err)
{
    static const int64_t most_ms = (int64_t)30 * 24 * 3600 * 1000;
    bool good = duration_parse(value, &terms->most_ms) && terms->most_ms >= 1000 && terms->most_ms <= most_ms;
    return good || err_set(err, ERR_INVALID_PARAMETER, "The tag berth:max-runtime can't be \"" STR_FMT "\": it should be a time from 1s to 720h, for "
                           "example 2h.", STR_ARG(value));
}

static bool read_flag(const struct tag *tag, enum opt_bool *flag, struct err *err)
{
    *flag = opt_bool_of(str_eq(tag->value, STR("true")));
    return *flag == OPT_TRUE || str_eq(tag->value, STR("false"))
        || err_set(err, ERR_INVALID_PARAMETER, "The tag " STR_FMT " can't be \"" STR_FMT "\": it should be true or false.", STR_ARG(tag->key),
                   STR_ARG(tag->value));
}

static bool read_retry(const struct tag *tag, struct task_terms *terms, struct err *err)
{
    bool good = str_to_i64(tag->value, &terms->retry) && terms->retry >= 0 && terms->retry <= RETRIES_MAX;
    return good || err_set(err, ERR_INVALID_PARAMETER, "The tag " TERMS_RETRY " can't be \"" STR_FMT "\": it should be a number from 0 to %d.",
                           STR_ARG(tag->value), (int)RETRIES_MAX);
}

static bool read_preemptible(const struct tag *tag, struct task_terms *terms, struct err *err) { return read_flag(tag, &terms->preemptible, err); }
static bool read_reserve(const struct tag *tag, struct task_terms *terms, struct err *err) { return read_flag(tag, &terms->reserve, err); }
static bool read_priority_tag(const struct tag *tag, struct task_terms *terms, struct err *err) { return read_priority(tag->value, terms, err); }
static bool read_most_tag(const struct tag *tag, struct task_terms *terms, struct err *err) { return read_most(tag->value, terms, err); }

static const struct { struct str key; bool (*read)(const struct tag *, struct task_terms *, struct err *); } rows[] = {
    { STR_INIT("berth:priority"), read_priority_tag }, { STR_INIT("berth:preemptible"), read_preemptible },
    { STR_INIT("berth:max-runtime"), read_most_tag },  { STR_INIT("berth:reserve"), read_reserve }, { STR_INIT(TERMS_RETRY), read_retry },
};

static bool read_all(const struct tag_list *tags, struct task_terms *terms, struct err *err)
{
    for (size_t t = 0; t < tags->count; t++) {
        for (size_t r = 0; r < COUNT_OF(rows); r++) {
            if (str_eq(tags->items[t].key, rows[r].key) && !rows[r].read(&tags->items[t], terms, err)) { return false; }
        }
    }
    return true;
}

bool terms_check(const struct tag_list *tags, struct err *err)
{
    struct task_terms unread = { 0 };
    return read_all(tags, &unread, err);
}

bool terms_read(const struct tag_list *tags, struct task_terms **terms, struct arena *arena, struct err *err)
{
    struct task_terms read = { 0 };
    *terms = NULL;
    if (!read_all(tags, &read, err)) { return false; }
    bool says = read.priority != 0 || read.preemptible == OPT_TRUE || read.most_ms != 0 || read.reserve == OPT_TRUE || read.retry != 0;
    if (says) { *terms = arena_copy(arena, &read, sizeof read); }
    return true;
}

struct tag_list terms_retry_less(const struct tag_list *tags, struct arena *arena)
{
    struct tag_list less = { arena_copy(arena, tags->items, tags->count * sizeof *tags->items), 0 };
    for (size_t t = 0; t < tags->count; t++) {
        struct tag tag = tags->items[t];
        int64_t left = 0;
        bool is_it = str_eq(tag.key, STR(TERMS_RETRY)) && str_to_i64(tag.value, &left);
        if (is_it) { tag.value = arena_printf(arena, "%lld", (long long)(left > 0 ? left - 1 : 0)); }
        less.items[less.count++] = tag;
    }
    return less;
}

/* ---- who asks ---- */

/* A new task comes after those that wait with the same rank: those have come before. */
struct asker terms_asker(struct op_ctx *ctx, const struct task *task)
{
    const struct run run = {
        .family = run_facts_family(task->cluster_number, task->family), .most_ms = task->terms == NULL ? 0 : task->terms->most_ms,
        .guessed = task->service == 0,
    };
    return (struct asker){
        .now_ms = ctx->now_ms, .ends_ms = runs_end_ms(sched_runs(ctx->world), &run, ctx->now_ms, RUNS_MOST, RUNS_LEAST),
        .rank = task->terms == NULL ? 0 : task->terms->priority, .of_service = task->service != 0,
    };
}

struct asker terms_asker_waiting(struct op_ctx *ctx, const struct task *task, const struct waiting *waiting)
{
    struct asker asker = terms_asker(ctx, task);
    asker.first = waiting->tasks[0];
    asker.rank = queue_rank(waiting, ctx->now_ms);
    return asker;
}
