/* fuzz_form.c: values of a query and of a form. The input is "NAME FORM": the value is the one that a plain reader finds, and any bytes come back
 * from a form that was made of them. */
#include "server/net/http.h"

#include "tests/fuzz/fuzz.h"

enum { CEILING = 4 * 1024 * 1024 };

static int digit_of(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* Letter by letter: + is a blank, % and two digits a byte, everything else itself. */
static struct str decode(struct str text, struct arena *arena)
{
    struct buf out = buf_in(arena);
    for (size_t i = 0; i < text.len; i++) {
        bool is_byte = text.ptr[i] == '%' && i + 2 < text.len && digit_of(text.ptr[i + 1]) >= 0 && digit_of(text.ptr[i + 2]) >= 0;
        if (!is_byte) {
            buf_put_char(&out, text.ptr[i] == '+' ? ' ' : text.ptr[i]);
            continue;
        }
        buf_put_char(&out, (char)(digit_of(text.ptr[i + 1]) * 16 + digit_of(text.ptr[i + 2])));
        i += 2;
    }
    return buf_str(&out);
}

static struct str find(struct str form, struct str name, struct arena *arena)
{
    struct str pair, key, value;
    for (struct str rest = form; rest.len > 0;) {
        (void)str_cut(rest, '&', &pair, &rest);
        (void)str_cut(pair, '=', &key, &value);
        if (str_eq(key, name)) { return decode(value, arena); }
    }
    return (struct str){ NULL, 0 };
}

/* Twice among others, of which the first counts; each byte as itself where that is allowed, and else as digits. */
static struct str make_form(struct str value, struct arena *arena)
{
    struct buf form = buf_in(arena);
    buf_put(&form, STR("other=1&va=no&value="));
    for (size_t i = 0; i < value.len; i++) {
        char c = value.ptr[i];
        bool plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
        if (plain) {
            buf_put_char(&form, c);
        } else if (c == ' ' && i % 2 == 0) {
            buf_put_char(&form, '+');
        } else {
            buf_printf(&form, i % 2 == 0 ? "%%%02X" : "%%%02x", (unsigned)(unsigned char)c);
        }
    }
    buf_put(&form, STR("&value=second&"));
    return buf_str(&form);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct arena arena;
    if (arena.ceiling == 0) { arena_init(&arena, CEILING); }
    struct str name, form, bytes = fuzz_str(data, size);
    (void)str_cut(bytes, ' ', &name, &form);
    struct str want = find(form, name, &arena), got = http_form_value(form, name, &arena);
    ASSERT(str_is_set(got) == str_is_set(want) && str_eq(got, want));
    const struct http_request request = { .query = form, .arena = &arena };
    ASSERT(str_eq(http_parameter(&request, name), want));

    got = http_form_value(make_form(bytes, &arena), STR("value"), &arena);
    ASSERT(str_is_set(got) && str_eq(got, bytes));
    arena_reset(&arena);
    return 0;
}
