/* secret.h: a value that definitions refer to, as Berth remembers it: a secret of Secrets Manager or a parameter of SSM's Parameter
 * Store. The value itself is sealed (base/seal.h): a record shows what there is, never what it says. */
#ifndef BERTH_MODEL_SECRET_H
#define BERTH_MODEL_SECRET_H

#include "model/ecs/common.h"
#include "model/secret_ref.h"

enum { SECRET_NAME_MAX = 300, SECRET_SUFFIX_LEN = 6, SECRET_VERSIONS_MAX = 2 };       /* the current version and the one before */

enum parameter_type {
    PARAMETER_TYPE_UNSET, PARAMETER_TYPE_STRING, PARAMETER_TYPE_STRING_LIST, PARAMETER_TYPE_SECURE_STRING, PARAMETER_TYPE_COUNT
};
extern const struct enum_names parameter_type_names;
enum parameter_tier { PARAMETER_TIER_UNSET, PARAMETER_TIER_STANDARD, PARAMETER_TIER_ADVANCED, PARAMETER_TIER_INTELLIGENT, PARAMETER_TIER_COUNT };
extern const struct enum_names parameter_tier_names;

struct secret_version {
    struct str id;                           /* Secrets Manager's: a UUID or the client's own token; absent with SSM */
    int64_t number;                          /* SSM's, from 1; Secrets Manager's only counts */
    int64_t created_ms;
    struct str sealed;                       /* for the context that secret_context gives */
};
struct secret_version_list { struct secret_version *items; size_t count; };      /* newest first; SSM always has one */

struct kept_secret {
    enum secret_kind kind; struct str name;  /* the key */
    struct str suffix;                       /* of a secret's ARN: six letters and digits by chance; absent with SSM */
    struct str description, kms_key_id, data_type, user;         /* user: ARN of who changed it last */
    enum parameter_type type; enum parameter_tier tier;          /* SSM's */
    int64_t created_ms, changed_ms, deleted_ms, delete_on_ms;    /* deleted_ms not 0: marked for deletion, and when it goes */
    struct secret_version_list versions;
    struct tag_list tags;
};
extern const struct schema secret_record;    /* without kind and name, which are the key */
extern const struct schema secret_head_record;                   /* reads the same bytes, but not the sealed values */

/* What a version's value is sealed for, so that it opens nowhere else. */
struct str secret_context(const struct kept_secret *secret, const struct secret_version *version, struct arena *arena);

#endif
