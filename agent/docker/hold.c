/* hold.c: the container that holds a task's name spaces. Docker gives each container separate name spaces. Containers of a task with its own
 * address (awsvpc), or with pidMode or ipcMode "task", join those of one more container, as with the ECS agent. It runs before the others and
 * is removed after them, so that the address stays when another container ends or restarts, in any order. It does nothing, and no report names
 * it.
 *
 * Its image is made here, from one small program inside Berth (pause_main.c): a private machine may have no registry to pull from. The
 * addresses are those of one bridge per machine, where tasks reach each other. */
#include "agent/docker/docker.h"

#define PAUSE_IMAGE "berth-pause:" BERTH_VERSION

enum { TAR_BLOCK = 512, TAR_NAME = 0, TAR_MODE = 100, TAR_OWNER = 108, TAR_GROUP = 116, TAR_SIZE = 124, TAR_TIME = 136, TAR_SUM = 148, TAR_TYPE = 156 };

struct docker_share docker_share_of(const struct wire_task *task, struct arena *arena)
{
    bool is_one = task->containers.count == 1;       /* a container alone has its own processes and IPC by itself */
    struct docker_share share = {
        .network = str_eq(task->network_mode, STR("awsvpc")), .pids = str_eq(task->pid_mode, STR("task")) && !is_one,
        .ipc = str_eq(task->ipc_mode, STR("task")) && !is_one,
    };
    if (share.network || share.pids || share.ipc) { share.holder = docker_holder_name(task->arn, arena); }
    return share;
}

struct str docker_holder_name(struct str task_arn, struct arena *arena)
{
    return docker_safe_name(arena_printf(arena, DOCKER_NAME_PREFIX "pause-" STR_FMT, STR_ARG(docker_task_id(task_arn))), arena);
}

/* `json` is printed already. */
static void put_raw(struct json_out *out, struct str key, struct str json)
{
    json_key(out, key);
    json_raw(out, json);
}

/* ---- the image ---- */

static void put_octal(char *field, size_t digits, size_t value)
{
    for (size_t d = digits; d > 0; d--, value /= 8) { field[d - 1] = (char)('0' + value % 8); }
}

/* One file "pause" as a tar archive. */
static struct str pause_archive(struct arena *arena)
{
    size_t blocks = (pause_program_size + TAR_BLOCK - 1) / TAR_BLOCK;
    size_t size = (1 + blocks + 2) * TAR_BLOCK;      /* head, contents, and two empty blocks for the end */
    char *archive = ARENA_NEW(arena, char, size);
    memset(archive, 0, size);
    memcpy(archive + TAR_NAME, "pause", sizeof "pause");
    put_octal(archive + TAR_MODE, 7, 0755);
    put_octal(archive + TAR_OWNER, 7, 0);
    put_octal(archive + TAR_GROUP, 7, 0);
    put_octal(archive + TAR_SIZE, 11, pause_program_size);
    put_octal(archive + TAR_TIME, 11, 0);
    archive[TAR_TYPE] = '0';
    size_t sum = 8 * ' ';                            /* its own field counts as spaces */
    for (size_t b = 0; b < TAR_BLOCK; b++) { sum += (unsigned char)archive[b]; }
    put_octal(archive + TAR_SUM, 6, sum);
    archive[TAR_SUM + 7] = ' ';
    memcpy(archive + TAR_BLOCK, pause_program, pause_program_size);
    return (struct str){ archive, size };
}

/* Somebody may have removed unused images, so it is looked for each time. */
static bool make_image(struct docker_http *http, struct arena *arena, struct err *err)
{
    struct docker_reply reply;
    struct docker_call look = { .method = "GET", .path = STR("/images/" PAUSE_IMAGE "/json") };
    if (!docker_step_call(http, DOCKER_CREATE, look, 404, &reply, arena, err)) { return false; }
    if (reply.status != 404) { return true; }
    struct docker_call make = {
        .method = "POST", .path = STR("/images/create?fromSrc=-&repo=berth-pause&tag=" BERTH_VERSION), .body = pause_archive(arena),
    };
    return docker_step_call(http, DOCKER_CREATE, make, 0, &reply, arena, err);
}

/* ---- the network ---- */

static bool make_network(const struct docker_hold *hold, struct arena *arena, struct err *err)
{
    enum { CONFLICT = 409 };                         /* another agent was faster */
    struct docker_reply reply;
    struct docker_call look = { .method = "GET", .path = STR("/networks/" DOCKER_TASK_NETWORK) };
    if (!docker_step_call(hold->http, DOCKER_NETWORK, look, 404, &reply, arena, err)) { return false; }
    if (reply.status != 404) { return true; }
    struct buf body = buf_in(arena);
    struct json_out out = json_out_to(&body);
    json_open(&out, '{');
    put_raw(&out, STR("Name"), STR("\"" DOCKER_TASK_NETWORK "\""));
    put_raw(&out, STR("CheckDuplicate"), STR("true"));
    put_raw(&out, STR("Driver"), STR("\"bridge\""));
    put_raw(&out, STR("Options"), STR("{\"com.docker.network.bridge.name\":\"" DOCKER_TASK_BRIDGE "\"}"));
    if (hold->task_subnet.len > 0) {
        json_key(&out, STR("IPAM"));
        json_open(&out, '{');
        json_key(&out, STR("Config"));
        json_open(&out, '[');
        json_open(&out, '{');
        json_key(&out, STR("Subnet"));
        json_str(&out, hold->task_subnet);
        json_close(&out, '}');
        json_close(&out, ']');
        json_close(&out, '}');
    }
    json_close(&out, '}');
    struct docker_call make = { .method = "POST", .path = STR("/networks/create"), .body = buf_str(&body) };
    return docker_step_call(hold->http, DOCKER_NETWORK, make, CONFLICT, &reply, arena, err);
}

/* ---- the container ---- */

static struct str holder_body(const struct docker_hold *hold, const struct docker_share *share, struct arena *arena)
{
    struct buf body = buf_in(arena);
    struct json_out out = json_out_to(&body);
    json_open(&out, '{');
    put_raw(&out, STR("Image"), STR("\"" PAUSE_IMAGE "\""));
    put_raw(&out, STR("Entrypoint"), STR("[\"/pause\"]"));
    put_raw(&out, STR("Env"), STR("[\"NVIDIA_VISIBLE_DEVICES=void\"]"));
    json_key(&out, STR("Labels"));
    docker_put_labels(&out, hold->spec, STR(DOCKER_HOLDER_NAME), arena);
    json_key(&out, STR("HostConfig"));
    json_open(&out, '{');
    put_raw(&out, STR("NetworkMode"), share->network ? STR("\"" DOCKER_TASK_NETWORK "\"") : STR("\"none\""));
    if (share->ipc) { put_raw(&out, STR("IpcMode"), STR("\"shareable\"")); }
    if (hold->nvidia_default) { put_raw(&out, STR("Runtime"), STR("\"runc\"")); }
    put_raw(&out, STR("LogConfig"), STR("{\"Type\":\"none\"}"));
    json_close(&out, '}');
    json_close(&out, '}');
    return buf_str(&body);
}

static bool make_holder(const struct docker_hold *hold, const struct docker_share *share, struct arena *arena, struct err *err)
{
    if (share->network) {
        lock_take(hold->network_lock);               /* without it the second of two at once would fail: their addresses overlap */
        bool made = make_network(hold, arena, err);
        lock_drop(hold->network_lock);
        if (!made) { return false; }
    }
    if (!make_image(hold->http, arena, err)) { return false; }
    struct docker_reply reply;
    struct docker_call create = {
        .method = "POST", .path = arena_printf(arena, "/containers/create?name=" STR_FMT, STR_ARG(share->holder)),
        .body = holder_body(hold, share, arena),
    };
    return docker_step_call(hold->http, DOCKER_CREATE, create, 0, &reply, arena, err);
}

static bool look_at_holder(const struct docker_hold *hold, struct str holder, const struct json **tree, struct arena *arena, struct err *err)
{
    struct docker_call look = { .method = "GET", .path = docker_container_path(holder, "/json", arena) };
    return docker_step_json(hold->http, DOCKER_INSPECT, look, 404, tree, arena, err);
}

static struct str status_of(const struct json *tree) { return json_get_str(json_get(tree, STR("State")), STR("Status")); }

bool docker_hold(const struct docker_hold *hold, struct task_held *held, struct arena *arena, struct err *err)
{
    *held = (struct task_held){ 0 };
    struct docker_share share = docker_share_of(hold->spec->task, arena);
    if (!str_is_set(share.holder)) { return true; }
    const struct json *tree = NULL;
    if (!look_at_holder(hold, share.holder, &tree, arena, err)) { return false; }
    if (tree == NULL && !make_holder(hold, &share, arena, err)) { return false; }
    if (tree == NULL || str_eq(status_of(tree), STR("created"))) {
        struct docker_reply reply;
        struct docker_call start = { .method = "POST", .path = docker_container_path(share.holder, "/start", arena) };
        if (!docker_step_call(hold->http, DOCKER_NETWORK, start, 0, &reply, arena, err)) { return false; }
        if (!look_at_holder(hold, share.holder, &tree, arena, err)) { return false; }
    }
    if (tree == NULL || !str_eq(status_of(tree), STR("running"))) {
        return err_set(err, ERR_SERVER, "ContainerNetworkingError: the container that holds the task's name spaces does not run any more");
    }
    const struct json *networks = json_get(json_get(tree, STR("NetworkSettings")), STR("Networks"));
    const struct json *network = json_get(networks, STR(DOCKER_TASK_NETWORK));
    held->address = json_get_str(network, STR("IPAddress"));
    held->mac_address = json_get_str(network, STR("MacAddress"));
    return !share.network || held->address.len > 0 || err_set(err, ERR_SERVER, "ContainerNetworkingError: Docker gave the task no address");
}

bool docker_wait_held(struct docker_http *http, struct str task_arn, int64_t wait_ms, bool *held, struct arena *arena, struct err *err)
{
    enum { GONE = 404 };
    struct docker_reply reply;
    struct docker_call call = {
        .method = "POST", .path = docker_container_path(docker_holder_name(task_arn, arena), "/wait?condition=not-running", arena), .timeout_ms = wait_ms,
    };
    docker_http_call(http, &call, &reply, arena);
    *held = reply.outcome == DOCKER_TIMED_OUT;
    bool known = *held || (reply.outcome == DOCKER_ANSWERED && reply.status == GONE);
    return known || docker_step_judge(DOCKER_INSPECT, wait_ms, &reply, arena, err);
}

bool docker_let_go(struct docker_http *http, struct str task_arn, struct arena *arena, struct err *err)
{
    struct docker_reply reply;
    struct docker_call call = { .method = "DELETE", .path = docker_container_path(docker_holder_name(task_arn, arena), "?force=1&v=1", arena) };
    return docker_step_call(http, DOCKER_REMOVE, call, 404, &reply, arena, err);
}
