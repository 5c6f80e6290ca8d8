/* images.c: images through the Docker Engine API, one attempt at a time. A pull's answer is 200 at once and then one JSON object a line while
 * the engine works; only these lines say whether it failed. */
#include "agent/docker/docker.h"

static struct str image_path(struct str image, const char *rest, struct arena *arena)
{
    struct buf path = buf_in(arena);
    buf_put(&path, STR("/images/"));
    docker_put_escaped(&path, image);
    buf_put(&path, str_from(rest));
    return buf_str(&path);
}

bool docker_image_find(struct docker_http *http, struct str image, struct image_facts *facts, struct arena *arena, struct err *err)
{
    *facts = (struct image_facts){ 0 };
    const struct json *tree = NULL;
    struct docker_call call = { .method = "GET", .path = image_path(image, "/json", arena) };
    if (!docker_step_json(http, DOCKER_INSPECT, call, 404, &tree, arena, err)) { return false; }
    if (tree == NULL) { return true; }
    *facts = (struct image_facts){ .exists = true, .id = json_get_str(tree, STR("Id")), .digest = docker_read_digest_of(tree, image) };
    return true;
}

bool docker_image_resolve(struct docker_http *http, const struct image_request *request, struct str *digest, struct arena *arena,
                          struct err *err)
{
    struct buf path = buf_in(arena);
    buf_put(&path, STR("/distribution/"));
    docker_put_escaped(&path, request->image);
    buf_put(&path, STR("/json"));
    const struct json *tree = NULL;
    struct docker_call call = {
        .method = "GET", .path = buf_str(&path), .registry_auth = request->auth, .cancelled = request->cancelled, .timeout_ms = request->timeout_ms,
    };
    if (!docker_step_json(http, DOCKER_RESOLVE, call, 0, &tree, arena, err)) { return false; }
    *digest = json_get_str(json_get(tree, STR("Descriptor")), STR("digest"));
    return digest->len > 0 || err_set(err, ERR_SERVER, "CannotPullImageManifestError: the registry told no digest");
}

/* ---- pull ---- */

struct pull { struct docker_pull_stream stream; const struct image_request *request; };

static bool feed(void *context, struct str bytes)
{
    struct pull *pull = context;
    if (docker_pull_feed(&pull->stream, bytes) && pull->request->tell != NULL) {
        struct image_progress progress = docker_pull_progress(&pull->stream);
        pull->request->tell(pull->request->owner, &progress);
    }
    return true;
}

/* Which of the pull's three times was over, in the ECS agent's words where it has some. */
static bool judge(const struct pull *pull, const struct docker_reply *reply, struct arena *arena, struct err *err)
{
    const struct image_request *request = pull->request;
    if (reply->outcome != DOCKER_SILENT) { return docker_step_judge(DOCKER_PULL, request->timeout_ms, reply, arena, err); }
    if (!pull->stream.begun) {
        return err_set(err, ERR_UNAVAILABLE, "DockerTimeoutError: Could not transition to pullBegin; timed out after waiting " STR_FMT,
                       STR_ARG(docker_duration_text(request->begin_ms, arena)));
    }
    return err_set(err, ERR_UNAVAILABLE, "CannotPullContainerError: the pull made no progress for " STR_FMT,
                   STR_ARG(docker_duration_text(request->silence_ms, arena)));
}

static bool pull_image(struct docker_http *http, const struct image_request *request, struct str name, struct str tag, struct arena *arena,
                       struct err *err)
{
    struct buf path = buf_in(arena);
    buf_put(&path, STR("/images/create?fromImage="));
    docker_put_escaped(&path, name);
    buf_put(&path, STR("&tag="));
    docker_put_escaped(&path, tag);

    struct pull *pull = ARENA_NEW(arena, struct pull, 1);
    pull->request = request;
    struct docker_reply reply;
    struct docker_call call = {
        .method = "POST", .path = buf_str(&path), .registry_auth = request->auth, .begin_ms = request->begin_ms, .silence_ms = request->silence_ms,
        .timeout_ms = request->timeout_ms, .cancelled = request->cancelled, .sink = feed, .sink_context = pull,
    };
    docker_http_call(http, &call, &reply, arena);
    if (!judge(pull, &reply, arena, err)) { return false; }
    docker_pull_end(&pull->stream);
    return pull->stream.error[0] == '\0' || err_set(err, ERR_SERVER, "CannotPullContainerError: %s", pull->stream.error);
}

static bool give_name(struct docker_http *http, struct str name, struct str tag, struct str digest, struct arena *arena, struct err *err)
{
    struct str source = arena_printf(arena, STR_FMT "@" STR_FMT, STR_ARG(name), STR_ARG(digest));
    struct buf path = buf_in(arena);
    buf_put(&path, image_path(source, "/tag?repo=", arena));
    docker_put_escaped(&path, name);
    buf_put(&path, STR("&tag="));
    docker_put_escaped(&path, tag);
    struct docker_reply reply;
    return docker_step_call(http, DOCKER_PULL, (struct docker_call){ .method = "POST", .path = buf_str(&path) }, 0, &reply, arena, err);
}

bool docker_image_pull(struct docker_http *http, const struct image_request *request, struct err *err)
{
    struct arena arena;
    arena_init(&arena, DOCKER_CALL_ARENA);
    struct str name = { NULL, 0 }, tag = { NULL, 0 };
    docker_split_image(request->image, &name, &tag);
    bool by_digest = str_is_set(request->digest), named_by_tag = str_find(request->image, '@') == request->image.len;
    bool good = pull_image(http, request, name, by_digest && named_by_tag ? request->digest : tag, &arena, err);
    good = good && (!by_digest || !named_by_tag || give_name(http, name, tag, request->digest, &arena, err));
    arena_finish(&arena);
    return good;
}

/* ---- images in use, and removal ---- */

bool docker_images_used(struct docker_http *http, struct str_list *ids, struct arena *arena, struct err *err)
{
    const struct json *list = NULL;
    struct docker_call call = { .method = "GET", .path = STR("/containers/json?all=1") };
    if (!docker_step_json(http, DOCKER_LIST, call, 0, &list, arena, err)) { return false; }
    if (list->type != JSON_ARRAY) { return err_set(err, ERR_SERVER, "CannotListContainersError: Docker's answer is not a list"); }
    *ids = (struct str_list){ ARENA_NEW(arena, struct str, list->count), 0 };
    for (size_t c = 0; c < list->count; c++) {
        struct str id = json_get_str(&list->as.items[c], STR("ImageID"));
        if (id.len > 0) { ids->items[ids->count++] = id; }
    }
    return true;
}

bool docker_image_remove(struct docker_http *http, struct str image, struct err *err)
{
    struct arena arena;
    arena_init(&arena, DOCKER_CALL_ARENA);
    struct docker_reply reply;
    struct docker_call call = { .method = "DELETE", .path = image_path(image, "", &arena) };
    bool good = docker_step_call(http, DOCKER_REMOVE_IMAGE, call, 404, &reply, &arena, err);
    arena_finish(&arena);
    return good;
}
