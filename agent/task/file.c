/* file.c: the file of a task, which must outlive the agent: its payload, the ids of the containers that were made, and, once it has ended, the
 * last report, word for word. A task whose end is on file is never run again: it is only reported and removed. */
#include "agent/task/task.h"

#include <stdio.h>

#include "agent/core/state_file.h"

enum { PATH_LEN_MAX = 4096 };

bool task_id_of(struct str arn, char id[TASK_ID_MAX])
{
    struct str name, rest = arn;
    while (str_cut(rest, '/', &name, &rest)) { }
    bool good = name.len > 0 && name.len < TASK_ID_MAX && name.len < arn.len;
    for (size_t i = 0; good && i < name.len; i++) {
        char c = name.ptr[i];
        good = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '_';
    }
    return good && str_to_cstr(name, id, TASK_ID_MAX);
}

static bool path_of(const struct task *task, char path[PATH_LEN_MAX], struct err *err)
{
    int len = snprintf(path, PATH_LEN_MAX, "%s/%s.json", task->host->dir, task->id);
    if (len > 0 && len < PATH_LEN_MAX) { return true; }
    return err_set(err, ERR_INVALID_PARAMETER, "The folder's name is too long: %s", task->host->dir);
}

bool task_save(const struct task *task, struct str final_report, struct err *err)
{
    char path[PATH_LEN_MAX];
    if (!path_of(task, path, err)) { return false; }
    ASSERT(task->id[0] != '\0' && task->payload.len > 0);        /* task_create has checked the one and printed the other */
    struct arena arena = { .ceiling = TASK_ARENA_MAX };
    struct buf text = buf_in(&arena);
    struct json_out out = json_out_to(&text);
    json_open(&out, '{');
    json_key(&out, STR("payload"));
    json_raw(&out, task->payload);
    json_key(&out, STR("metadata"));
    json_str(&out, str_from(task->metadata_id));
    json_key(&out, STR("containers"));
    json_open(&out, '{');
    for (size_t c = 0; c < task->count; c++) {
        if (task->containers[c].id[0] == '\0') { continue; }
        json_key(&out, task->containers[c].wire->name);
        json_str(&out, str_from(task->containers[c].id));
    }
    json_close(&out, '}');
    json_key(&out, STR("restarts"));
    json_open(&out, '{');
    for (size_t c = 0; c < task->count; c++) {
        if (task->containers[c].restarts == 0) { continue; }
        json_key(&out, task->containers[c].wire->name);
        json_i64(&out, task->containers[c].restarts);
    }
    json_close(&out, '}');
    if (str_is_set(final_report)) {
        json_key(&out, STR("finalReport"));
        json_str(&out, final_report);
    }
    json_close(&out, '}');
    bool good = state_file_write(path, buf_str(&text), err);
    arena_finish(&arena);
    return good;
}

void task_forget(const struct task *task)
{
    char path[PATH_LEN_MAX];
    struct err err = { 0 };
    if (path_of(task, path, &err)) { state_file_remove(path); }
}

bool task_load(const char *path, struct saved_task *saved, struct arena *arena, struct err *err)
{
    struct str text;
    if (!state_file_read(path, &text, arena, err)) { return false; }
    const struct json *tree = json_parse(str_is_set(text) ? text : STR(""), arena, err);
    if (tree == NULL) { return false; }
    *saved = (struct saved_task){
        .payload = json_get(tree, STR("payload")), .containers = json_get(tree, STR("containers")),
        .restarts = json_get(tree, STR("restarts")),
        .final_report = json_get_str(tree, STR("finalReport")), .metadata_id = json_get_str(tree, STR("metadata")),
    };
    if (saved->payload != NULL) { return true; }
    return err_set(err, ERR_SERIALIZATION, "It holds no payload.");
}
