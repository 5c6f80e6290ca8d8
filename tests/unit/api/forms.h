/* forms.h: calls of form operations (query protocol) and their replies, in rows. */
#ifndef BERTH_TESTS_FORMS_H
#define BERTH_TESTS_FORMS_H

#include "tests/unit/api/traffic.h"

#define TEXT(...) arena_cstr(&f->kept, arena_printf(&f->kept, __VA_ARGS__))

/* A text of the reply to a call that must succeed. */
static inline const char *take(struct api_fixture *f, const char *operation, const char *form, const char *path)
{
    struct str reply = fixture_call(f, operation, form);
    CHECK_EQ(TEXT("%s: " STR_FMT, form, STR_ARG(reply)), f->code, ERR_NONE);
    return arena_cstr(&f->kept, fixture_at(f, reply, path));
}

struct row { const char *row, *operation, *form, *want; };

/* A reply must begin with the row's text; a text behind '*' may be anywhere in it. */
static inline void check_rows(struct api_fixture *f, const struct row *rows, size_t count)
{
    for (size_t r = 0; r < count; r++) {
        struct str reply = fixture_call(f, rows[r].operation, rows[r].form), want = str_from(rows[r].want);
        if (want.ptr[0] != '*') {
            CHECK_STR(rows[r].row, str_slice(reply, 0, want.len), want);
        } else if (!str_contains(reply, str_slice(want, 1, want.len))) {
            CHECK_STR(rows[r].row, reply, want);
        }
    }
}

#endif
