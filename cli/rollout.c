#include "cli/rollout.h"

#include "base/num.h"
#include "cli/words.h"

/* ---- a task definition with other images ---- */

struct image { struct str container, image; };          /* container: absent if it is not named */

static bool cut_image(struct str *list, struct image *image)
{
    struct str item, left, right;
    if (list->len == 0) { return false; }
    (void)str_cut(*list, ',', &item, list);
    bool named = str_cut(item, '=', &left, &right);
    *image = named ? (struct image){ left, right } : (struct image){ { NULL, 0 }, item };
    return true;
}

static bool is_for(const struct image *image, const struct json *container)
{
    return !str_is_set(image->container) || str_eq(image->container, json_get_str(container, STR("name")));
}

/* Each item has an image and one container. */
static bool check_images(const struct json *containers, struct str images, struct err *err)
{
    struct image image;
    for (struct str list = images; cut_image(&list, &image);) {
        size_t matches = 0;
        for (size_t c = 0; c < containers->count; c++) { matches += is_for(&image, &containers->as.items[c]); }
        if (image.image.len == 0) {
            return err_set(err, ERR_INVALID_PARAMETER, "--image: an image is needed after \"" STR_FMT "=\".", STR_ARG(image.container));
        }
        if (matches == 0 && str_is_set(image.container)) {
            return err_set(err, ERR_INVALID_PARAMETER, "--image: the task definition has no container \"" STR_FMT "\".", STR_ARG(image.container));
        }
        if (matches != 1) {
            return err_set(err, ERR_INVALID_PARAMETER, "--image: the task definition has %zu containers: name one, as in web=" STR_FMT ".", matches,
                           STR_ARG(image.image));
        }
    }
    return true;
}

/* The new image of a container; absent: it keeps its own. */
static bool find_image(const struct json *container, struct str images, struct str *found, struct err *err)
{
    struct image image;
    *found = (struct str){ 0 };
    for (struct str list = images; cut_image(&list, &image);) {
        if (!is_for(&image, container)) { continue; }
        if (str_is_set(*found)) {
            return err_set(err, ERR_INVALID_PARAMETER, "--image: the container \"" STR_FMT "\" is given two images.",
                           STR_ARG(json_get_str(container, STR("name"))));
        }
        *found = image.image;
    }
    return true;
}

static void put_container(struct json_out *out, const struct json *container, struct str image)
{
    json_open(out, '{');
    for (size_t m = 0; m < container->count; m++) {
        const struct json_member *member = &container->as.members[m];
        if (str_is_set(image) && str_eq(member->key, STR("image"))) { continue; }
        json_key(out, member->key);
        json_dump(out, &member->value);
    }
    if (str_is_set(image)) {
        json_key(out, STR("image"));
        json_str(out, image);
    }
    json_close(out, '}');
}

static bool put_containers(struct json_out *out, const struct json *containers, struct str images, struct err *err)
{
    json_open(out, '[');
    for (size_t c = 0; c < containers->count; c++) {
        const struct json *container = &containers->as.items[c];
        struct str image;
        if (container->type != JSON_OBJECT) { return err_set(err, ERR_SERVER, "the server's answer has no list of containers."); }
        if (!find_image(container, images, &image, err)) { return false; }
        put_container(out, container, image);
    }
    json_close(out, ']');
    return true;
}

static bool is_of_server(struct str member)
{
    static const struct str names[] = {
        STR_INIT("taskDefinitionArn"), STR_INIT("revision"), STR_INIT("status"), STR_INIT("requiresAttributes"), STR_INIT("compatibilities"),
        STR_INIT("registeredAt"), STR_INIT("registeredBy"), STR_INIT("deregisteredAt"), STR_INIT("deleteRequestedAt"),
    };
    for (size_t n = 0; n < COUNT_OF(names); n++) {
        if (str_eq(member, names[n])) { return true; }
    }
    return false;
}

bool rollout_definition(const struct json *reply, struct str images, struct buf *body, struct err *err)
{
    const struct json *definition = json_get(reply, STR("taskDefinition")), *tags = cli_list(reply, "tags");
    const struct json *containers = cli_list(definition, "containerDefinitions");
    struct json_out out = json_out_to(body);
    if (containers->count == 0) { return err_set(err, ERR_SERVER, "the server's answer has no task definition."); }
    if (!check_images(containers, images, err)) { return false; }
    json_open(&out, '{');
    for (size_t m = 0; m < definition->count; m++) {
        const struct json_member *member = &definition->as.members[m];
        if (is_of_server(member->key)) { continue; }
        json_key(&out, member->key);
        if (&member->value != containers) {
            json_dump(&out, &member->value);
        } else if (!put_containers(&out, containers, images, err)) {
            return false;
        }
    }
    if (tags->count > 0) {
        json_key(&out, STR("tags"));
        json_dump(&out, tags);
    }
    json_close(&out, '}');
    return true;
}

/* ---- how far, and how it ended ---- */

int64_t rollout_count(const struct json *object, const char *name)
{
    return min_i64(max_i64(json_get_i64(object, str_from(name), 0), 0), INT32_MAX);
}

struct progress rollout_progress(const struct json *service)
{
    const struct json *deployments = cli_list(service, "deployments");
    struct progress progress = { 0 };
    for (size_t d = 0; d < deployments->count; d++) {
        const struct json *deployment = &deployments->as.items[d];
        int64_t running = rollout_count(deployment, "runningCount");
        if (!str_eq(json_get_str(deployment, STR("status")), STR("PRIMARY"))) {
            progress.old += running;
            continue;
        }
        progress.running = running;
        progress.desired = rollout_count(deployment, "desiredCount");
        progress.pending = rollout_count(deployment, "pendingCount");
        progress.failed = rollout_count(deployment, "failedTasks");
    }
    return progress;
}

bool rollout_is_settled(const struct json *service)
{
    return rollout_count(service, "runningCount") == rollout_count(service, "desiredCount") && rollout_count(service, "pendingCount") == 0;
}

int rollout_percent(int64_t running, int64_t desired)
{
    enum { ALL = 100 };
    if (running >= desired) { return ALL; }
    return running <= 0 ? 0 : (int)(running * ALL / desired);
}

enum rollout_end rollout_end(struct str status)
{
    static const struct { struct str status; enum rollout_end end; } ends[] = {
        { STR_INIT("SUCCESSFUL"), ROLLOUT_SUCCEEDED },       { STR_INIT("STOPPED"), ROLLOUT_FAILED },
        { STR_INIT("ROLLBACK_SUCCESSFUL"), ROLLOUT_FAILED }, { STR_INIT("ROLLBACK_FAILED"), ROLLOUT_FAILED },
    };
    for (size_t e = 0; e < COUNT_OF(ends); e++) {
        if (str_eq(status, ends[e].status)) { return ends[e].end; }
    }
    return ROLLOUT_GOES_ON;
}

size_t rollout_new_events(const struct json *events, struct str seen)
{
    size_t count = 0;
    while (count < events->count && !str_eq(json_get_str(&events->as.items[count], STR("id")), seen)) { count++; }
    return count;
}

/* ---- lines ---- */

void rollout_line(struct str status, const struct progress *progress, struct buf *out)
{
    const struct { int64_t count; const char *word; } others[] = {
        { progress->pending, "pending" }, { progress->old, "old" }, { progress->failed, "failed" },
    };
    buf_printf(out, STR_FMT ": %lld of %lld running", STR_ARG(status), (long long)progress->running, (long long)progress->desired);
    for (size_t o = 0; o < COUNT_OF(others); o++) {
        if (others[o].count > 0) { buf_printf(out, ", %lld %s", (long long)others[o].count, others[o].word); }
    }
}

void rollout_put_bar(struct buf *out, int percent)
{
    enum { PERCENT_EACH = 5 };
    buf_put_char(out, '[');
    for (int p = PERCENT_EACH; p <= 100; p += PERCENT_EACH) { buf_put_char(out, p <= percent ? '#' : '.'); }
    buf_printf(out, "] %3d%%  ", percent);
}

void rollout_bar(struct str status, const struct progress *progress, struct buf *out)
{
    rollout_put_bar(out, rollout_percent(progress->running, progress->desired));
    rollout_line(status, progress, out);
}

struct str rollout_name(struct str arn)
{
    size_t from = arn.len;
    while (from > 0 && arn.ptr[from - 1] != '/') { from--; }
    return str_slice(arn, from, arn.len);
}
