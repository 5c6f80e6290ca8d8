#include "agent/images/book.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/json.h"

static char *text_of(struct str text)
{
    char *copy = calloc(1, text.len + 1);
    ASSERT(copy != NULL);
    if (text.len > 0) { memcpy(copy, text.ptr, text.len); }
    return copy;
}

static struct image_record *add(struct image_book *book, struct str name, struct str id)
{
    book->records = array_grow(book->records, &book->capacity, book->count + 1, sizeof *book->records);
    ASSERT(book->count < book->capacity);
    book->records[book->count] = (struct image_record){ .name = text_of(name), .id = text_of(id) };
    return &book->records[book->count++];
}

static void drop(struct image_book *book, size_t at)
{
    ASSERT(at < book->count);
    free(book->records[at].name);
    free(book->records[at].id);
    book->records[at] = book->records[--book->count];
}

void image_book_finish(struct image_book *book)
{
    while (book->count > 0) { drop(book, book->count - 1); }
    free(book->records);
    *book = (struct image_book){ 0 };
}

struct image_record *image_book_find(struct image_book *book, struct str name)
{
    for (size_t r = 0; name.len > 0 && r < book->count; r++) {
        if (str_eq(str_from(book->records[r].name), name)) { return &book->records[r]; }
    }
    return NULL;
}

void image_book_pulled(struct image_book *book, struct str name, struct str id, struct str before, int64_t now_ms)
{
    struct image_record *record = image_book_find(book, name);
    if (record != NULL && !str_eq(str_from(record->id), id)) {
        record->name[0] = '\0';                      /* the older image has no name any more */
        record = NULL;
    }
    if (record == NULL) {
        record = add(book, name, id);
        record->own = !str_eq(before, id);
    }
    record->pulled_ms = record->used_ms = now_ms;
}

void image_book_used(struct image_book *book, struct str name, int64_t now_ms)
{
    struct image_record *record = image_book_find(book, name);
    if (record != NULL) { record->used_ms = now_ms; }
}

void image_book_forget(struct image_book *book, struct str name, struct str id)
{
    for (size_t r = book->count; r > 0; r--) {
        const struct image_record *record = &book->records[r - 1];
        if (str_eq(str_from(record->name), name) && str_eq(str_from(record->id), id)) { drop(book, r - 1); }
    }
}

/* ---- the file ---- */

static bool is_true(const struct json *object, struct str key)
{
    const struct json *value = json_get(object, key);
    return value != NULL && value->type == JSON_TRUE;
}

bool image_book_read(struct image_book *book, struct str text, struct err *err)
{
    struct arena arena = { .ceiling = (size_t)64 << 20 };
    const struct json *tree = json_parse(text, &arena, err);
    const struct json *images = json_get(tree, STR("images"));
    for (size_t i = 0; images != NULL && images->type == JSON_ARRAY && i < images->count; i++) {
        const struct json *image = &images->as.items[i];
        struct image_record *record = add(book, json_get_str(image, STR("image")), json_get_str(image, STR("id")));
        record->own = is_true(image, STR("own"));
        record->pulled_ms = json_get_i64(image, STR("pulledAt"), 0);
        record->used_ms = json_get_i64(image, STR("usedAt"), 0);
    }
    arena_finish(&arena);
    return tree != NULL;
}

struct str image_book_text(const struct image_book *book, struct arena *arena)
{
    struct buf text = buf_in(arena);
    struct json_out out = json_out_to(&text);
    json_open(&out, '{');
    json_key(&out, STR("images"));
    json_open(&out, '[');
    for (size_t r = 0; r < book->count; r++) {
        const struct image_record *record = &book->records[r];
        json_open(&out, '{');
        json_key(&out, STR("image"));
        json_str(&out, str_from(record->name));
        json_key(&out, STR("id"));
        json_str(&out, str_from(record->id));
        json_key(&out, STR("own"));
        json_bool(&out, record->own);
        json_key(&out, STR("pulledAt"));
        json_i64(&out, record->pulled_ms);
        json_key(&out, STR("usedAt"));
        json_i64(&out, record->used_ms);
        json_close(&out, '}');
    }
    json_close(&out, ']');
    json_close(&out, '}');
    return buf_str(&text);
}
