/* fuzz_command_line.c: the words of a command, quoted and put together again, are the same words. */
#include "base/text/command_line.h"

#include "base/buf.h"
#include "tests/fuzz/fuzz.h"

enum { CEILING = 16 * 1024 * 1024 };

/* In single quotes all bytes mean themselves, but the quote. */
static void put_quoted(struct buf *out, struct str word)
{
    buf_put_char(out, '\'');
    for (size_t c = 0; c < word.len; c++) {
        if (word.ptr[c] == '\'') { buf_put(out, STR("'\\'")); }
        buf_put_char(out, word.ptr[c]);
    }
    buf_put(out, STR("' "));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct arena arena;
    if (arena.ceiling == 0) { arena_init(&arena, CEILING); }
    struct str text = fuzz_str(data, size);
    struct command_line line, again;
    struct err err = { 0 };
    if (command_line_split(text, &line, &arena, &err)) {
        struct buf written = buf_in(&arena);
        ASSERT(line.count > 0 && line.count <= text.len);
        for (size_t w = 0; w < line.count; w++) {
            ASSERT(line.words[w].len <= text.len && str_find(line.words[w], '\0') == line.words[w].len);
            put_quoted(&written, line.words[w]);
        }
        bool good = command_line_split(buf_str(&written), &again, &arena, &err);
        ASSERT(good && again.count == line.count);
        for (size_t w = 0; w < line.count; w++) { ASSERT(str_eq(again.words[w], line.words[w])); }
    } else {
        ASSERT(err.code == ERR_INVALID_PARAMETER);
    }
    arena_reset(&arena);
    return 0;
}
