/* form.h: forms as HTML has them, "a=1&b.c=two+words": of queries in paths, and of AWS's query protocol. Pure. */
#ifndef BERTH_BASE_TEXT_FORM_H
#define BERTH_BASE_TEXT_FORM_H

#include "base/buf.h"
#include "base/err.h"

enum { FORM_PAIRS_MAX = 2048 };

struct form_pair { struct str name, value; };
struct form { struct form_pair *pairs; size_t count; };          /* by name; of equal names the first of the text comes first */

/* + is a blank, % and two hex digits are a byte, everything else is itself. In `arena`; never absent. */
struct str form_decode(struct str text, struct arena *arena);
/* Names and values are decoded, in `arena`. False and ERR_REQUEST_TOO_LARGE: more than FORM_PAIRS_MAX pairs. */
bool form_read(struct str text, struct form *form, struct arena *arena, struct err *err);
size_t     form_find(const struct form *form, struct str name);  /* where the pair is, of several the first; form->count: there is no such pair */
struct str form_get(const struct form *form, struct str name);   /* its value; absent: there is no such pair */
bool form_has_below(const struct form *form, struct str prefix); /* is there a name that begins with it? */

#endif
