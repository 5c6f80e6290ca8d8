#include "cli/words.h"

#include <stdio.h>
#include <time.h>

#include "base/id.h"

/* ---- asking ---- */

static bool read_reply(struct str text, const struct json **reply, struct arena *arena, struct err *err)
{
    struct err broken = { 0 };
    *reply = json_parse(text, arena, &broken);
    return *reply != NULL || err_set(err, ERR_SERVER, "the server's answer is not JSON: %s", broken.message);
}

bool cli_ask(const struct remote *remote, const char *path, struct str body, const struct json **reply, struct arena *arena, struct err *err)
{
    struct str text;
    bool good = str_is_set(body) ? remote_post(remote, path, body, &text, arena, err) : remote_get_text(remote, path, &text, arena, err);
    return good && read_reply(text, reply, arena, err);
}

bool cli_call(const struct remote *remote, const char *operation, struct str body, struct str *warning, const struct json **reply,
              struct arena *arena, struct err *err)
{
    struct str text;
    return remote_operation(remote, operation, body, &text, warning, arena, err) && read_reply(text, reply, arena, err);
}

bool cli_read_task(const char *text, const char **hex, struct arena *arena, struct err *err)
{
    struct str argument = str_from(text);
    struct id id;
    char digits[ID_HEX_LEN + 1];
    size_t slash = argument.len;
    while (slash > 0 && argument.ptr[slash - 1] != '/') {
        slash--;
    }
    if (!id_parse(str_slice(argument, slash, argument.len), &id)) {
        return err_set(err, ERR_INVALID_PARAMETER, "\"%s\" is not a task: it should be an id or an ARN.", text);
    }
    id_hex(id, digits);
    *hex = arena_cstr(arena, str_from(digits));
    return true;
}

/* ---- reading ---- */

double cli_number(const struct json *object, const char *name)
{
    const struct json *number = json_get(object, str_from(name));
    if (number == NULL) {
        return 0;
    }
    return number->type == JSON_REAL ? number->as.real : number->type == JSON_INT ? (double)number->as.integer : 0;
}

const struct json *cli_list(const struct json *object, const char *name)
{
    static const struct json nothing = { .type = JSON_ARRAY };
    const struct json *list = json_get(object, str_from(name));
    return list != NULL && list->type == JSON_ARRAY ? list : &nothing;
}

struct str cli_text(const struct json *object, const char *name)
{
    return cli_or_dash(json_get_str(object, str_from(name)));
}

/* ---- printing ---- */

void cli_print(struct str text, size_t width, bool fill)
{
    size_t len = text.len < width ? text.len : width;
    for (size_t c = 0; c < len; c++) {
        unsigned char byte = (unsigned char)text.ptr[c];
        putchar(byte < 0x20 || byte == 0x7F ? ' ' : byte);
    }
    for (; fill && len < width; len++) {
        putchar(' ');
    }
}

void cli_print_tasks(const struct json *tasks)
{
    printf("%-33s%-24s %5s %-20s %s\n", "TASK", "FAMILY", "GPUS", "SINCE (UTC)", "STARTED BY");
    for (size_t t = 0; t < tasks->count; t++) {
        const struct json *task = &tasks->as.items[t];
        char since[CLI_TIME_SIZE];
        cli_print(cli_text(task, "task"), 32, true);
        putchar(' ');
        cli_print(cli_text(task, "family"), 24, true);
        printf(" %5g %-20s ", cli_number(task, "gpus"), cli_time_text(json_get_i64(task, STR("created"), 0), false, since));
        cli_print(cli_text(task, "startedBy"), 128, false);
        putchar('\n');
    }
}

void cli_print_json(const struct json *value, struct arena *arena)
{
    struct buf text = buf_in(arena);
    struct json_out out = json_out_to(&text);
    json_dump(&out, value);
    fwrite(text.ptr, 1, text.len, stdout);
}

struct str cli_or_dash(struct str text)
{
    return text.len > 0 ? text : STR("-");
}

const char *cli_time_text(int64_t ms, bool with_ms, char out[CLI_TIME_SIZE])
{
    time_t seconds = (time_t)(ms / 1000);
    struct tm tm;
    if (ms == 0 || gmtime_r(&seconds, &tm) == NULL) {
        snprintf(out, CLI_TIME_SIZE, "-");
        return out;
    }
    size_t len = strftime(out, CLI_TIME_SIZE, "%Y-%m-%d %H:%M:%S", &tm);
    if (with_ms) {
        snprintf(out + len, CLI_TIME_SIZE - len, ".%03d", (int)(ms % 1000));
    }
    return out;
}
