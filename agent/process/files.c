/* files.c: reads and writes the files that process.h lists. */
#include "agent/process/process.h"

#include <stdio.h>
#include <string.h>

#include "agent/core/state_file.h"

bool process_path(const char *dir, const char *file, char path[PROCESS_PATH_MAX])
{
    int len = snprintf(path, PROCESS_PATH_MAX, "%s/%s", dir, file);
    return len > 0 && len < PROCESS_PATH_MAX;
}

static bool read_line(const char *path, char *line, size_t size)
{
    FILE *file = fopen(path, "re");
    if (file == NULL) { return false; }
    bool good = fgets(line, (int)size, file) != NULL;
    fclose(file);
    return good;
}

/* The 22nd word of /proc/PID/stat; the second one, a name in brackets, may hold anything, so counting begins behind it. */
int64_t process_start_time(pid_t pid)
{
    char path[64], line[1024];
    (void)snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    if (!read_line(path, line, sizeof line)) { return -1; }
    const char *behind = strrchr(line, ')');
    if (behind == NULL || strlen(behind) < 2) { return -1; }
    if (behind[2] == 'Z' || behind[2] == 'X') { return -1; }              /* dead, and not reaped yet */
    struct str word, rest = str_from(behind + 2);
    for (int w = 0; w < 19; w++) { str_cut(rest, ' ', &word, &rest); }
    str_cut(rest, ' ', &word, &rest);
    int64_t start;
    return str_to_i64(word, &start) ? start : -1;
}

void process_boot(char boot[PROCESS_BOOT_MAX])
{
    if (!read_line("/proc/sys/kernel/random/boot_id", boot, PROCESS_BOOT_MAX)) { boot[0] = '\0'; }
    boot[strcspn(boot, "\n")] = '\0';
}

bool process_is_alive(const struct process_name *name)
{
    return name->pid > 0 && process_start_time(name->pid) == name->start;
}

static bool write_json(const char *dir, const char *file, const struct buf *text, struct err *err)
{
    char path[PROCESS_PATH_MAX];
    if (!process_path(dir, file, path)) { return err_set(err, ERR_SERVER, "The folder's name is too long: %s", dir); }
    return state_file_write(path, buf_str(text), err);
}

static const struct json *read_json(const char *dir, const char *file, struct arena *arena)
{
    char path[PROCESS_PATH_MAX];
    struct str text = { 0 };
    struct err err = { 0 };
    if (!process_path(dir, file, path) || !state_file_read(path, &text, arena, &err) || !str_is_set(text)) { return NULL; }
    return json_parse(text, arena, &err);
}

const struct json *process_read_spec(const char *dir, struct arena *arena) { return read_json(dir, "spec.json", arena); }

static void put_number(struct json_out *out, struct str name, int64_t value)
{
    json_key(out, name);
    json_i64(out, value);
}

bool process_write_pids(const char *dir, const struct process_pids *pids, struct err *err)
{
    struct arena arena = { .ceiling = PROCESS_ARENA_MAX };
    struct buf text = buf_in(&arena);
    struct json_out out = json_out_to(&text);
    json_open(&out, '{');
    put_number(&out, STR("shim"), pids->shim.pid);
    put_number(&out, STR("shimStart"), pids->shim.start);
    put_number(&out, STR("command"), pids->command.pid);
    put_number(&out, STR("commandStart"), pids->command.start);
    put_number(&out, STR("startedMs"), pids->started_ms);
    json_key(&out, STR("boot"));
    json_str(&out, str_from(pids->boot));
    json_close(&out, '}');
    bool good = write_json(dir, "pid", &text, err);
    arena_finish(&arena);
    return good;
}

bool process_read_pids(const char *dir, struct process_pids *pids)
{
    struct arena arena = { .ceiling = PROCESS_ARENA_MAX };
    const struct json *tree = read_json(dir, "pid", &arena);
    *pids = (struct process_pids){
        .shim = { (pid_t)json_get_i64(tree, STR("shim"), 0), json_get_i64(tree, STR("shimStart"), 0) },
        .command = { (pid_t)json_get_i64(tree, STR("command"), 0), json_get_i64(tree, STR("commandStart"), 0) },
        .started_ms = json_get_i64(tree, STR("startedMs"), 0),
    };
    bool good = tree != NULL && str_to_cstr(json_get_str(tree, STR("boot")), pids->boot, sizeof pids->boot);
    arena_finish(&arena);
    return good;
}

bool process_write_exit(const char *dir, const struct process_exit *exit, struct err *err)
{
    struct arena arena = { .ceiling = PROCESS_ARENA_MAX };
    struct buf text = buf_in(&arena);
    struct json_out out = json_out_to(&text);
    json_open(&out, '{');
    put_number(&out, STR("code"), exit->code);
    put_number(&out, STR("finishedMs"), exit->finished_ms);
    json_close(&out, '}');
    bool good = write_json(dir, "exit", &text, err);
    arena_finish(&arena);
    return good;
}

bool process_read_exit(const char *dir, struct process_exit *exit)
{
    struct arena arena = { .ceiling = PROCESS_ARENA_MAX };
    const struct json *tree = read_json(dir, "exit", &arena);
    *exit = (struct process_exit){ json_get_i64(tree, STR("code"), 0), json_get_i64(tree, STR("finishedMs"), 0) };
    arena_finish(&arena);
    return tree != NULL;
}
