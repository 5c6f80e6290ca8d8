#include "agent/images/pre_pull.h"

#include <stdlib.h>

#include "base/log.h"

enum { ASK_EVERY_MS = 60 * 1000, LOOK_ROUNDS = 5, TIMEOUT_MS = 30000, PRE_PULL_ARENA_MAX = 1024 * 1024 };

/* ---- the list ---- */

bool pre_pull_read(struct str answer, struct str *images, struct arena *arena)
{
    struct err unread = { 0 };
    const struct json *clusters = json_get(json_parse(answer, arena, &unread), STR("clusters"));
    if (clusters == NULL || clusters->type != JSON_ARRAY || clusters->count != 1) { return false; }
    const struct json *tags = json_get(&clusters->as.items[0], STR("tags"));
    size_t count = tags != NULL && tags->type == JSON_ARRAY ? tags->count : 0;
    struct buf text = buf_in(arena);
    for (size_t t = 0; t < count; t++) {
        struct str value = str_trim(json_get_str(&tags->as.items[t], STR("value")));
        if (!str_starts_with(json_get_str(&tags->as.items[t], STR("key")), STR("berth:pre-pull")) || value.len == 0) { continue; }
        if (text.len > 0) { buf_put_char(&text, ' '); }
        buf_put(&text, value);
    }
    *images = buf_str(&text);
    return true;
}

static void for_each(struct images *images, const char *list, char separator, void (*run)(struct images *images, struct str image))
{
    struct str image, rest = str_from(list == NULL ? "" : list);
    while (rest.len > 0) {
        (void)str_cut(rest, separator, &image, &rest);
        image = str_trim(image);
        if (image.len > 0) { run(images, image); }
    }
}

/* New ones are held before the old ones are released, so that an image in both lists stays. True: something changed. */
static bool take(struct pre_pull *pre_pull, struct str told)
{
    char *before = pre_pull->told;
    if (str_eq(told, str_from(before == NULL ? "" : before))) { return false; }
    pre_pull->told = told.len == 0 ? NULL : strndup(told.ptr, told.len);
    ASSERT(told.len == 0 || pre_pull->told != NULL);
    log_line(LOG_INFO, "agent", "images are wanted before tasks want them, by the cluster's tags images=" STR_FMT, STR_ARG(told));
    for_each(pre_pull->images, pre_pull->told, ' ', images_hold);
    for_each(pre_pull->images, before, ' ', images_release);
    free(before);
    return true;
}

/* An image that is here already costs a look. One that failed is tried again in a later round. */
static void prepare(struct pre_pull *pre_pull)
{
    for_each(pre_pull->images, pre_pull->setting, ',', images_prepare);
    for_each(pre_pull->images, pre_pull->told, ' ', images_prepare);
}

/* ---- asking ---- */

static void on_answer(void *owner, const struct reply *reply)
{
    struct pre_pull *pre_pull = owner;
    struct arena arena = { .ceiling = PRE_PULL_ARENA_MAX };
    struct str told;
    if (reply->closing) { return; }
    bool changed = false;
    if (reply->err.code != ERR_NONE) {           /* the last list stays valid */
        log_line(LOG_DEBUG, "agent", "the cluster's tags cannot be read: %s", reply->err.message);
    } else if (pre_pull_read(reply->body, &told, &arena)) {
        changed = take(pre_pull, told);
    }
    if (changed || pre_pull->round % LOOK_ROUNDS == 0) { prepare(pre_pull); }
    pre_pull->round++;
    arena_finish(&arena);
    timers_set(client_timers(pre_pull->client), &pre_pull->timer, client_now(pre_pull->client) + ASK_EVERY_MS);
}

static void on_timer(void *owner)
{
    struct pre_pull *pre_pull = owner;
    struct arena arena = { .ceiling = PRE_PULL_ARENA_MAX };
    struct buf body = buf_in(&arena);
    struct json_out out = json_out_to(&body);
    json_open(&out, '{');
    json_key(&out, STR("clusters"));
    json_open(&out, '[');
    json_str(&out, str_from(pre_pull->cluster));
    json_close(&out, ']');
    json_key(&out, STR("include"));
    json_open(&out, '[');
    json_str(&out, STR("TAGS"));
    json_close(&out, ']');
    json_close(&out, '}');
    client_start(pre_pull->client, &pre_pull->call, buf_str(&body));
    arena_finish(&arena);
}

void pre_pull_begin(struct pre_pull *pre_pull)
{
    pre_pull->timer = (struct timer){ .fire = on_timer, .owner = pre_pull };
    pre_pull->call = (struct call){
        .endpoint = pre_pull->server, .path = "/", .operation = "DescribeClusters", .kind = CALL_SHORT, .timeout_ms = TIMEOUT_MS, .done = on_answer,
        .owner = pre_pull,
    };
    for_each(pre_pull->images, pre_pull->setting, ',', images_hold);
    timers_set(client_timers(pre_pull->client), &pre_pull->timer, client_now(pre_pull->client));
}

void pre_pull_end(struct pre_pull *pre_pull)
{
    if (pre_pull->timer.fire == NULL) { return; }
    timers_cancel(client_timers(pre_pull->client), &pre_pull->timer);
    client_cancel(pre_pull->client, &pre_pull->call);
    free(pre_pull->told);
}
