/* secret_ref.h: references to secret values in a definition: the `valueFrom` of a secret, the
 * `credentialsParameter` of a registry. Knows the forms that ECS takes; refuses to know whether the secret exists.
 *
 *   arn:aws:secretsmanager:REGION:ACCOUNT:secret:NAME-SUFFIX[:JSON-KEY:VERSION-STAGE:VERSION-ID]   each of the three may be empty
 *   arn:aws:ssm:REGION:ACCOUNT:parameter/NAME
 *   NAME */
#ifndef BERTH_MODEL_SECRET_REF_H
#define BERTH_MODEL_SECRET_REF_H

#include "base/err.h"

enum secret_kind { SECRET_KIND_UNSET, SECRET_OF_SSM, SECRET_OF_ASM, SECRET_KIND_COUNT };    /* Parameter Store; Secrets Manager */

struct secret_ref {                          /* borrowed from the text */
    enum secret_kind kind;
    struct str id;                           /* for the service: a name, or an ARN without the three parts */
    struct str json_key, version_stage, version_id;              /* Secrets Manager's only; absent when empty */
};

/* `bare` is the kind of a text that is not an ARN. ERR_INVALID_PARAMETER when it can be neither. */
bool secret_ref_parse(struct str text, enum secret_kind bare, struct secret_ref *ref, struct err *err);

#endif
