/* base64.h: bytes as RFC 4648's letters. */
#ifndef BERTH_BASE_TEXT_BASE64_H
#define BERTH_BASE_TEXT_BASE64_H

#include "base/arena.h"

/* Either alphabet, padded or not. The absent string when there is another character. Lives in `arena`. */
struct str base64_decode(struct str text, struct arena *arena);
struct str base64_encode(struct str bytes, struct arena *arena);         /* "+/", padded */
struct str base64_encode_url(struct str bytes, struct arena *arena);     /* "-_", padded */

#endif
