/* account_settings.h: the settings that one principal has set for itself, or the account's root for everybody. A setting that
 * nobody has set is not here: its value is the default of its name. Written by tools/shapes from
 * model/records/account_settings.shapes. */
#ifndef BERTH_MODEL_RECORDS_ACCOUNT_SETTINGS_H
#define BERTH_MODEL_RECORDS_ACCOUNT_SETTINGS_H

#include "model/schema.h"

struct account_settings {
    struct str principal;                    /* ARN, the record's key */
    struct pair_list values;                 /* by the setting's name on the wire */
};
struct account_settings_list { struct account_settings *items; size_t count; };
extern const struct schema account_settings_record;

#endif
