/* account_settings.h: what one principal has set for itself, or the account's root for everybody. What nobody has set is not
 * here: its value is the default of its name. */
#ifndef BERTH_MODEL_ACCOUNT_SETTINGS_H
#define BERTH_MODEL_ACCOUNT_SETTINGS_H

#include "model/schema.h"

enum { PRINCIPAL_ARN_MAX = 300 };            /* bytes; a user's name has 128 at most */

struct account_settings {
    struct str principal;                    /* ARN, the record's key */
    struct pair_list values;                 /* by the name that the wire has for the setting */
};
extern const struct schema account_settings_record;

#endif
