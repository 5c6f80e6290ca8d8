#include "model/access_key.h"

#include "base/assert.h"

static const struct str access_role_words[] = { STR_INIT("admin"), STR_INIT("agent"), STR_INIT("viewer") };
const struct enum_names access_role_names = { access_role_words, COUNT_OF(access_role_words) };
_Static_assert(COUNT_OF(access_role_words) == ACCESS_TASK - 1, "one word per value of a kept key");
