/* base64.h: bytes as text and back (RFC 4648, the alphabet with + and /). */
#ifndef BERTH_BASE_BASE64_H
#define BERTH_BASE_BASE64_H

#include "base/arena.h"

struct str base64_encode(struct str bytes, struct arena *arena);     /* with its padding */
struct str base64_decode(struct str text, struct arena *arena);      /* padding may be missing; absent: this is no base64 */

#endif
