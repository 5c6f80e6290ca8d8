/* cgroup.c: the limits of a task as a whole: a cgroup /berth/<task id>, under which Docker puts the cgroups of the task's containers. Only
 * where the engine manages its cgroups itself (driver cgroupfs). Otherwise systemd owns the tree, and the task's limits bound each of its
 * containers, as all limits do (docker/create.c). The same happens when this agent may not write there: the log says so once for each task,
 * and the task runs. */
#include "agent/docker/docker.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/num.h"

enum { PERIOD_US = 100 * 1000, QUOTA_MIN_US = 1000, SHARES_MIN = 2, SHARES_MAX = 262144, SHARES_OF_VCPU = 1024, WEIGHT_MAX = 10000, WORD_MAX = 48 };
static const int64_t mib = 1024 * 1024;

enum docker_cgroups docker_cgroups_of(const struct json *info)
{
    if (!str_eq(json_get_str(info, STR("CgroupDriver")), STR("cgroupfs"))) { return DOCKER_CGROUPS_FOREIGN; }
    return str_eq(json_get_str(info, STR("CgroupVersion")), STR("2")) ? DOCKER_CGROUPS_V2 : DOCKER_CGROUPS_V1;
}

static int64_t shares_of(const struct wire_task *task)
{
    int64_t shares = 0;
    for (size_t c = 0; c < task->containers.count; c++) { shares += max_i64(SHARES_MIN, task->containers.items[c].cpu.value); }
    if (task->cpu.value > 0) { shares = task->cpu.value > SHARES_MAX ? SHARES_MAX : (int64_t)(task->cpu.value * SHARES_OF_VCPU); }
    return max_i64(SHARES_MIN, min_i64(shares, SHARES_MAX));
}

static void add(struct docker_limits *limits, const char *controller, const char *file, const char *value)
{
    ASSERT(limits->count < COUNT_OF(limits->items));
    struct docker_limit *limit = &limits->items[limits->count++];
    *limit = (struct docker_limit){ .controller = controller, .file = file };
    ASSERT(str_to_cstr(str_from(value), limit->value, sizeof limit->value));
}

static void add_number(struct docker_limits *limits, const char *controller, const char *file, int64_t value)
{
    char text[WORD_MAX];
    (void)snprintf(text, sizeof text, "%lld", (long long)value);
    add(limits, controller, file, text);
}

/* Weights of version 2 go from 1 to 10000; the mapping is that of runc. */
void docker_limits_of(enum docker_cgroups kind, const struct wire_task *task, struct docker_limits *limits)
{
    *limits = (struct docker_limits){ 0 };
    bool has_cpu = task->cpu.set && task->cpu.value > 0, has_memory = task->memory.set && task->memory.value > 0;
    if (kind == DOCKER_CGROUPS_FOREIGN || (!has_cpu && !has_memory)) { return; }
    bool is_new = kind == DOCKER_CGROUPS_V2;
    int64_t shares = shares_of(task), bytes = has_memory ? min_i64(task->memory.value, INT64_MAX / mib) * mib : 0;
    if (has_cpu) {
        int64_t quota = max_i64(QUOTA_MIN_US, (int64_t)(task->cpu.value > 1e6 ? 1e11 : task->cpu.value * PERIOD_US));
        char text[WORD_MAX];
        (void)snprintf(text, sizeof text, "%lld %d", (long long)quota, (int)PERIOD_US);
        if (is_new) { add(limits, "", "cpu.max", text); }
        if (!is_new) { add_number(limits, "cpu", "cpu.cfs_period_us", PERIOD_US); }
        if (!is_new) { add_number(limits, "cpu", "cpu.cfs_quota_us", quota); }
    }
    if (is_new) {
        add_number(limits, "", "cpu.weight", 1 + (shares - SHARES_MIN) * (WEIGHT_MAX - 1) / (SHARES_MAX - SHARES_MIN));
    } else {
        add_number(limits, "cpu", "cpu.shares", shares);
    }
    if (has_memory) { add_number(limits, is_new ? "" : "memory", is_new ? "memory.max" : "memory.limit_in_bytes", bytes); }
}

/* ---- files ---- */

static bool write_file(const char *dir, const char *file, const char *text, struct arena *arena)
{
    int fd = open(arena_printf(arena, "%s/%s", dir, file).ptr, O_WRONLY | O_CLOEXEC);
    bool good = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);
    if (fd >= 0) { close(fd); }
    return good;
}

static const char *dir_of(struct str root, const char *controller, struct str task_arn, struct arena *arena)
{
    return arena_printf(arena, STR_FMT "%s%s" DOCKER_CGROUP "/" STR_FMT, STR_ARG(root), controller[0] == '\0' ? "" : "/", controller,
                        STR_ARG(docker_task_id(task_arn))).ptr;
}

static bool make_dir(const char *path) { return mkdir(path, 0755) == 0 || errno == EEXIST; }

/* All tasks share the folder above it. Older kernels count memory for each cgroup alone, unless use_hierarchy is written before it has
 * children; newer ones always count together, and refuse or ignore the write. */
static bool make_cgroup(enum docker_cgroups kind, struct str root, const char *controller, struct str task_arn, struct arena *arena)
{
    const char *top = arena_printf(arena, STR_FMT, STR_ARG(root)).ptr, *dir = dir_of(root, controller, task_arn, arena);
    const char *above = arena_printf(arena, STR_FMT "%s%s" DOCKER_CGROUP, STR_ARG(root), controller[0] == '\0' ? "" : "/", controller).ptr;
    if (kind == DOCKER_CGROUPS_V2) { (void)write_file(top, "cgroup.subtree_control", "+cpu +memory", arena); }
    if (!make_dir(above)) { return false; }
    if (kind == DOCKER_CGROUPS_V2) { (void)write_file(above, "cgroup.subtree_control", "+cpu +memory", arena); }
    (void)write_file(above, "memory.use_hierarchy", "1", arena);
    if (!make_dir(dir)) { return false; }
    (void)write_file(dir, "memory.use_hierarchy", "1", arena);
    return true;
}

void docker_cgroup_make(enum docker_cgroups kind, struct str root, const struct wire_task *task, struct arena *arena)
{
    struct docker_limits limits;
    docker_limits_of(kind, task, &limits);
    for (size_t l = 0; l < limits.count; l++) {
        const struct docker_limit *limit = &limits.items[l];
        const char *dir = dir_of(root, limit->controller, task->arn, arena);
        bool good = make_cgroup(kind, root, limit->controller, task->arn, arena) && write_file(dir, limit->file, limit->value, arena);
        if (good) { continue; }
        log_line(LOG_WARN, "agent", "the limits of a task bound each of its containers, not their sum: %s/%s: %s", dir, limit->file, strerror(errno));
        docker_cgroup_remove(kind, root, task->arn, arena);
        return;
    }
}

struct str docker_cgroup_parent(enum docker_cgroups kind, struct str root, struct str task_arn, struct arena *arena)
{
    bool made = false;
    switch (kind) {
    case DOCKER_CGROUPS_FOREIGN:
        break;
    case DOCKER_CGROUPS_V1:                          /* cpu is made for every task that has a limit */
        made = access(dir_of(root, "cpu", task_arn, arena), F_OK) == 0;
        break;
    case DOCKER_CGROUPS_V2:
        made = access(dir_of(root, "", task_arn, arena), F_OK) == 0;
        break;
    }
    if (!made) { return (struct str){ NULL, 0 }; }
    return arena_printf(arena, DOCKER_CGROUP "/" STR_FMT, STR_ARG(docker_task_id(task_arn)));
}

static void remove_cgroup(struct str root, const char *controller, struct str task_arn, struct arena *arena)
{
    const char *dir = dir_of(root, controller, task_arn, arena);
    if (rmdir(dir) == 0 || errno == ENOENT || errno == ENOTDIR) { return; }
    log_line(LOG_WARN, "agent", "a cgroup cannot be removed: %s: %s", dir, strerror(errno));
}

/* The engine makes folders of this name for every controller of version 1, also for those that we do not use. */
void docker_cgroup_remove(enum docker_cgroups kind, struct str root, struct str task_arn, struct arena *arena)
{
    if (kind == DOCKER_CGROUPS_V2) { remove_cgroup(root, "", task_arn, arena); }
    DIR *listing = kind == DOCKER_CGROUPS_V1 ? opendir(arena_cstr(arena, root)) : NULL;
    if (listing == NULL) { return; }
    for (const struct dirent *entry = readdir(listing); entry != NULL; entry = readdir(listing)) {
        if (entry->d_name[0] != '.') { remove_cgroup(root, entry->d_name, task_arn, arena); }
    }
    closedir(listing);
}
