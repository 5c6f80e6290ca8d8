/* write.c: manual pages and completion, as files at the places where man and the shells look. */
#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>

#include "cli/help/help.h"

/* Makes the folders above `path`. A folder that can't be made shows when the file is opened. */
static void make_folders(char *path)
{
    for (char *slash = path + 1; *slash != '\0'; slash++) {
        if (*slash != '/') { continue; }
        *slash = '\0';
        (void)mkdir(path, 0777);
        *slash = '/';
    }
}

static bool write_file(const char *share, const char *name, struct str text, struct arena *arena, struct err *err)
{
    struct buf path = buf_in(arena);
    buf_printf(&path, "%s/%s%c", share, name, '\0');
    make_folders(path.ptr);
    FILE *file = fopen(path.ptr, "we");
    bool whole = file != NULL && fwrite(text.ptr, 1, text.len, file) == text.len;
    if (file != NULL && fclose(file) != 0) { whole = false; }
    return whole || err_set(err, ERR_INVALID_PARAMETER, "%s can't be written: %s.", path.ptr, strerror(errno));
}

bool help_write(const char *share, struct arena *arena, struct err *err)
{
    static const struct { const char *name; void (*put)(struct buf *out); } files[] = {
        { "man/man1/berth.1",                          man_overview    },
        { "bash-completion/completions/berth",         completion_bash },
        { "zsh/site-functions/_berth",                 completion_zsh  },
        { "fish/vendor_completions.d/berth.fish",      completion_fish },
    };
    for (size_t f = 0; f < sizeof files / sizeof files[0]; f++) {
        struct buf text = buf_in(arena);
        files[f].put(&text);
        if (!write_file(share, files[f].name, buf_str(&text), arena, err)) { return false; }
    }
    for (enum command c = 0; c < COMMAND_COUNT; c++) {
        struct buf name = buf_in(arena), text = buf_in(arena);
        buf_printf(&name, "man/man1/berth-%s.1%c", cli_commands[c].name, '\0');
        man_command(c, &text);
        if (!write_file(share, name.ptr, buf_str(&text), arena, err)) { return false; }
    }
    return true;
}
