/* book.h: the images that the agent has pulled, on file. For images.c alone: guarded by its lock. */
#ifndef BERTH_AGENT_IMAGES_BOOK_H
#define BERTH_AGENT_IMAGES_BOOK_H

#include "agent/images/rules.h"
#include "base/arena.h"
#include "base/err.h"

struct image_record {
    char *name;                                  /* owned; empty: the name belongs to a newer image now */
    char *id;                                    /* owned */
    bool own;                                    /* was not here before the agent pulled it */
    int64_t pulled_ms, used_ms;                  /* wall clock */
};
struct image_book { struct image_record *records; size_t count, capacity; };

void image_book_finish(struct image_book *book);
struct image_record *image_book_find(struct image_book *book, struct str name);               /* NULL: not pulled by the agent */
/* A pull has brought `id`; `before`: the image that had the name then, absent: none. */
void image_book_pulled(struct image_book *book, struct str name, struct str id, struct str before, int64_t now_ms);
void image_book_used(struct image_book *book, struct str name, int64_t now_ms);
void image_book_forget(struct image_book *book, struct str name, struct str id);
bool image_book_read(struct image_book *book, struct str text, struct err *err);
struct str image_book_text(const struct image_book *book, struct arena *arena);

#endif
