/* secret.h: the record of a secret or a parameter. model/secret.h says more. Written by tools/shapes from
 * model/records/secret.shapes. */
#ifndef BERTH_MODEL_RECORDS_SECRET_H
#define BERTH_MODEL_RECORDS_SECRET_H

#include "model/ecs/common.h"
#include "model/secret_ref.h"

enum parameter_type { PARAMETER_TYPE_UNSET, PARAMETER_TYPE_STRING, PARAMETER_TYPE_STRING_LIST, PARAMETER_TYPE_SECURE_STRING,
    PARAMETER_TYPE_COUNT };
extern const struct enum_names parameter_type_names;

enum parameter_tier { PARAMETER_TIER_UNSET, PARAMETER_TIER_STANDARD, PARAMETER_TIER_ADVANCED, PARAMETER_TIER_INTELLIGENT,
    PARAMETER_TIER_COUNT };
extern const struct enum_names parameter_tier_names;

struct secret_version {
    struct str id;                           /* Secrets Manager's: a UUID or the client's own token; absent with SSM */
    int64_t number;                          /* SSM's, from 1; Secrets Manager's only counts */
    int64_t created_ms;
    struct str sealed;                       /* for the context that secret_context gives */
};
struct secret_version_list { struct secret_version *items; size_t count; };
extern const struct schema secret_version_record;

struct kept_secret {
    enum secret_kind kind;                   /* with name: the record's key */
    struct str name;
    struct str suffix;                       /* of a secret's ARN: six letters and digits by chance; absent with SSM */
    struct str description;
    struct str kms_key_id;
    struct str data_type;
    struct str user;                         /* ARN of who changed it last */
    enum parameter_type type;                /* SSM's, as tier */
    enum parameter_tier tier;
    int64_t created_ms;
    int64_t changed_ms;
    int64_t deleted_ms;                      /* not 0: marked for deletion */
    int64_t delete_on_ms;                    /* and when it goes */
    struct secret_version_list versions;     /* newest first; SSM always has one */
    struct tag_list tags;
};
struct kept_secret_list { struct kept_secret *items; size_t count; };
extern const struct schema kept_secret_record;

/* Reads the same bytes, but not the sealed values. */
extern const struct schema secret_head_record;

extern const struct schema secret_version_head_record;

#endif
