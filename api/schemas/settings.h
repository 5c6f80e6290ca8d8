/* settings.h: inputs and outputs of the operations on settings, in the order of the API model. Written by tools/shapes from
 * api/schemas/settings.shapes. */
#ifndef BERTH_API_SCHEMAS_SETTINGS_H
#define BERTH_API_SCHEMAS_SETTINGS_H

#include "model/ecs/common.h"

enum setting_name { SETTING_NAME_UNSET, SETTING_NAME_SERVICELONGARNFORMAT, SETTING_NAME_TASKLONGARNFORMAT,
    SETTING_NAME_CONTAINERINSTANCELONGARNFORMAT, SETTING_NAME_AWSVPCTRUNKING, SETTING_NAME_CONTAINERINSIGHTS,
    SETTING_NAME_DUALSTACKIPV6, SETTING_NAME_FARGATEFIPSMODE, SETTING_NAME_TAGRESOURCEAUTHORIZATION,
    SETTING_NAME_FARGATETASKRETIREMENTWAITPERIOD, SETTING_NAME_GUARDDUTYACTIVATE, SETTING_NAME_DEFAULTLOGDRIVERMODE,
    SETTING_NAME_FARGATEEVENTWINDOWS, SETTING_NAME_COUNT };
extern const struct enum_names setting_name_names;

struct put_account_setting_request {
    enum setting_name name;
    struct str value;
    struct str principal_arn;
};
struct put_account_setting_request_list { struct put_account_setting_request *items; size_t count; };
extern const struct schema put_account_setting_request_schema;

enum setting_type { SETTING_TYPE_UNSET, SETTING_TYPE_USER, SETTING_TYPE_AWS_MANAGED, SETTING_TYPE_COUNT };
extern const struct enum_names setting_type_names;

struct setting {
    enum setting_name name;
    struct str value;
    struct str principal_arn;
    enum setting_type type;
};
struct setting_list { struct setting *items; size_t count; };
extern const struct schema setting_schema;

struct put_account_setting_response {
    struct setting *setting;
};
struct put_account_setting_response_list { struct put_account_setting_response *items; size_t count; };
extern const struct schema put_account_setting_response_schema;

struct put_account_setting_default_request {
    enum setting_name name;
    struct str value;
};
struct put_account_setting_default_request_list { struct put_account_setting_default_request *items; size_t count; };
extern const struct schema put_account_setting_default_request_schema;

struct put_account_setting_default_response {
    struct setting *setting;
};
struct put_account_setting_default_response_list { struct put_account_setting_default_response *items; size_t count; };
extern const struct schema put_account_setting_default_response_schema;

struct delete_account_setting_request {
    enum setting_name name;
    struct str principal_arn;
};
struct delete_account_setting_request_list { struct delete_account_setting_request *items; size_t count; };
extern const struct schema delete_account_setting_request_schema;

struct delete_account_setting_response {
    struct setting *setting;
};
struct delete_account_setting_response_list { struct delete_account_setting_response *items; size_t count; };
extern const struct schema delete_account_setting_response_schema;

struct list_account_settings_request {
    enum setting_name name;
    struct str value;
    struct str principal_arn;
    enum opt_bool effective_settings;
    struct str next_token;
    struct opt_int max_results;
};
struct list_account_settings_request_list { struct list_account_settings_request *items; size_t count; };
extern const struct schema list_account_settings_request_schema;

struct list_account_settings_response {
    struct setting_list settings;
    struct str next_token;
};
struct list_account_settings_response_list { struct list_account_settings_response *items; size_t count; };
extern const struct schema list_account_settings_response_schema;

#endif
