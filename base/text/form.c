/* form.c: pairs are sorted once, and then found by binary search: a reader with a table asks for many names. */
#include "base/text/form.h"

#include <stdlib.h>

static int digit_of(char c)
{
    if (c >= '0' && c <= '9') { return c - '0'; }
    if (c >= 'a' && c <= 'f') { return c - 'a' + 10; }
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

struct str form_decode(struct str text, struct arena *arena)
{
    char *out = arena_alloc(arena, text.len + 1, 1);
    size_t len = 0;
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        int high = c == '%' && i + 2 < text.len ? digit_of(text.ptr[i + 1]) : -1;
        int low = high >= 0 ? digit_of(text.ptr[i + 2]) : -1;
        if (low >= 0) {
            c = (char)(high * 16 + low);
            i += 2;
        } else if (c == '+') {
            c = ' ';
        }
        out[len++] = c;
    }
    return (struct str){ out, len };
}

/* Decoded texts lie in the arena in any order, so the text's order is kept in `place`. */
struct placed { struct form_pair pair; size_t place; };

static int by_name(const void *a, const void *b)
{
    const struct placed *left = a, *right = b;
    int order = str_cmp(left->pair.name, right->pair.name);
    return order != 0 ? order : (left->place > right->place) - (left->place < right->place);
}

bool form_read(struct str text, struct form *form, struct arena *arena, struct err *err)
{
    size_t count = 1;
    for (size_t i = 0; i < text.len; i++) { count += text.ptr[i] == '&'; }
    if (count > FORM_PAIRS_MAX) { return err_set(err, ERR_REQUEST_TOO_LARGE, "The form has more than %d members.", FORM_PAIRS_MAX); }
    struct placed *placed = ARENA_NEW(arena, struct placed, count);
    struct str pair, name, value, rest = text;
    for (count = 0; rest.len > 0;) {
        (void)str_cut(rest, '&', &pair, &rest);
        if (pair.len == 0) { continue; }
        (void)str_cut(pair, '=', &name, &value);
        placed[count] = (struct placed){ { form_decode(name, arena), form_decode(value, arena) }, count };
        count++;
    }
    if (count > 0) { qsort(placed, count, sizeof *placed, by_name); }
    *form = (struct form){ ARENA_NEW(arena, struct form_pair, count), count };
    for (size_t p = 0; p < count; p++) { form->pairs[p] = placed[p].pair; }
    return true;
}

/* The first pair whose name is not before `name`. */
static size_t lower_bound(const struct form *form, struct str name)
{
    size_t low = 0, high = form->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (str_cmp(form->pairs[middle].name, name) < 0) { low = middle + 1; } else { high = middle; }
    }
    return low;
}

size_t form_find(const struct form *form, struct str name)
{
    size_t at = lower_bound(form, name);
    return at < form->count && str_eq(form->pairs[at].name, name) ? at : form->count;
}

struct str form_get(const struct form *form, struct str name)
{
    size_t at = form_find(form, name);
    return at < form->count ? form->pairs[at].value : (struct str){ NULL, 0 };
}

bool form_has_below(const struct form *form, struct str prefix)
{
    size_t at = lower_bound(form, prefix);
    return at < form->count && str_starts_with(form->pairs[at].name, prefix);
}
