/* settings.h: the file of --webhooks: a JSON object of webhooks by name. docs/events.md has its shape. */
#ifndef BERTH_SERVER_WEBHOOKS_SETTINGS_H
#define BERTH_SERVER_WEBHOOKS_SETTINGS_H

#include "base/arena.h"
#include "base/err.h"

enum { WEBHOOKS_MAX = 32, WEBHOOK_TYPES_MAX = 16 };

struct webhook_setting {                     /* texts in the arena of webhooks_read */
    struct str name, url;
    struct str secret;                       /* bytes, of "whsec_" and base64: 24 to 64 */
    struct str types[WEBHOOK_TYPES_MAX]; size_t type_count;      /* detail-types that it wants; none: all */
    int64_t timeout_ms;                      /* of one call */
};
struct webhook_settings { struct webhook_setting *items; size_t count; };

/* False and *err: the file can't be read, or says something that is not known. */
MUST_USE bool webhooks_read(const char *path, struct webhook_settings *settings, struct arena *arena, struct err *err);
MUST_USE bool webhooks_parse(struct str text, struct webhook_settings *settings, struct arena *arena, struct err *err);
bool webhook_wants(const struct webhook_setting *setting, struct str type);

#endif
