/* Written by tools/shapes from api/schemas/settings.shapes. */
#include "api/schemas/settings.h"

#include "base/assert.h"

static const struct str setting_name_words[] = { STR_INIT("serviceLongArnFormat"), STR_INIT("taskLongArnFormat"),
    STR_INIT("containerInstanceLongArnFormat"), STR_INIT("awsvpcTrunking"), STR_INIT("containerInsights"),
    STR_INIT("dualStackIPv6"), STR_INIT("fargateFIPSMode"), STR_INIT("tagResourceAuthorization"),
    STR_INIT("fargateTaskRetirementWaitPeriod"), STR_INIT("guardDutyActivate"), STR_INIT("defaultLogDriverMode"),
    STR_INIT("fargateEventWindows") };
const struct enum_names setting_name_names = { setting_name_words, COUNT_OF(setting_name_words) };

#define AT(member) .offset = offsetof(struct put_account_setting_request, member)
static const struct field put_account_setting_request_schema_fields[] = {
    { STR_INIT("name"), 1, FIELD_ENUM, AT(name), .names = &setting_name_names, .required = true },
    { STR_INIT("value"), 2, FIELD_STR, AT(value), .required = true },
    { STR_INIT("principalArn"), 3, FIELD_STR, AT(principal_arn) },
};
#undef AT
const struct schema put_account_setting_request_schema = SCHEMA_OF("PutAccountSettingRequest", struct put_account_setting_request,
    put_account_setting_request_schema_fields);

static const struct str setting_type_words[] = { STR_INIT("user"), STR_INIT("aws_managed") };
const struct enum_names setting_type_names = { setting_type_words, COUNT_OF(setting_type_words) };

#define AT(member) .offset = offsetof(struct setting, member)
static const struct field setting_schema_fields[] = {
    { STR_INIT("name"), 1, FIELD_ENUM, AT(name), .names = &setting_name_names },
    { STR_INIT("value"), 2, FIELD_STR, AT(value) },
    { STR_INIT("principalArn"), 3, FIELD_STR, AT(principal_arn) },
    { STR_INIT("type"), 4, FIELD_ENUM, AT(type), .names = &setting_type_names },
};
#undef AT
const struct schema setting_schema = SCHEMA_OF("Setting", struct setting, setting_schema_fields);

#define AT(member) .offset = offsetof(struct put_account_setting_response, member)
static const struct field put_account_setting_response_schema_fields[] = {
    { STR_INIT("setting"), 1, FIELD_STRUCT, AT(setting), .schema = &setting_schema },
};
#undef AT
const struct schema put_account_setting_response_schema = SCHEMA_OF("PutAccountSettingResponse",
    struct put_account_setting_response, put_account_setting_response_schema_fields);

#define AT(member) .offset = offsetof(struct put_account_setting_default_request, member)
static const struct field put_account_setting_default_request_schema_fields[] = {
    { STR_INIT("name"), 1, FIELD_ENUM, AT(name), .names = &setting_name_names, .required = true },
    { STR_INIT("value"), 2, FIELD_STR, AT(value), .required = true },
};
#undef AT
const struct schema put_account_setting_default_request_schema = SCHEMA_OF("PutAccountSettingDefaultRequest",
    struct put_account_setting_default_request, put_account_setting_default_request_schema_fields);

#define AT(member) .offset = offsetof(struct put_account_setting_default_response, member)
static const struct field put_account_setting_default_response_schema_fields[] = {
    { STR_INIT("setting"), 1, FIELD_STRUCT, AT(setting), .schema = &setting_schema },
};
#undef AT
const struct schema put_account_setting_default_response_schema = SCHEMA_OF("PutAccountSettingDefaultResponse",
    struct put_account_setting_default_response, put_account_setting_default_response_schema_fields);

#define AT(member) .offset = offsetof(struct delete_account_setting_request, member)
static const struct field delete_account_setting_request_schema_fields[] = {
    { STR_INIT("name"), 1, FIELD_ENUM, AT(name), .names = &setting_name_names, .required = true },
    { STR_INIT("principalArn"), 2, FIELD_STR, AT(principal_arn) },
};
#undef AT
const struct schema delete_account_setting_request_schema = SCHEMA_OF("DeleteAccountSettingRequest",
    struct delete_account_setting_request, delete_account_setting_request_schema_fields);

#define AT(member) .offset = offsetof(struct delete_account_setting_response, member)
static const struct field delete_account_setting_response_schema_fields[] = {
    { STR_INIT("setting"), 1, FIELD_STRUCT, AT(setting), .schema = &setting_schema },
};
#undef AT
const struct schema delete_account_setting_response_schema = SCHEMA_OF("DeleteAccountSettingResponse",
    struct delete_account_setting_response, delete_account_setting_response_schema_fields);

#define AT(member) .offset = offsetof(struct list_account_settings_request, member)
static const struct field list_account_settings_request_schema_fields[] = {
    { STR_INIT("name"), 1, FIELD_ENUM, AT(name), .names = &setting_name_names },
    { STR_INIT("value"), 2, FIELD_STR, AT(value) },
    { STR_INIT("principalArn"), 3, FIELD_STR, AT(principal_arn) },
    { STR_INIT("effectiveSettings"), 4, FIELD_BOOL, AT(effective_settings) },
    { STR_INIT("nextToken"), 5, FIELD_STR, AT(next_token) },
    { STR_INIT("maxResults"), 6, FIELD_INT, AT(max_results), .min = 1, .max = 10 },
};
#undef AT
const struct schema list_account_settings_request_schema = SCHEMA_OF("ListAccountSettingsRequest",
    struct list_account_settings_request, list_account_settings_request_schema_fields);

#define AT(member) .offset = offsetof(struct list_account_settings_response, member)
static const struct field list_account_settings_response_schema_fields[] = {
    { STR_INIT("settings"), 1, FIELD_LIST, AT(settings), .element = FIELD_STRUCT, .schema = &setting_schema },
    { STR_INIT("nextToken"), 2, FIELD_STR, AT(next_token) },
};
#undef AT
const struct schema list_account_settings_response_schema = SCHEMA_OF("ListAccountSettingsResponse",
    struct list_account_settings_response, list_account_settings_response_schema_fields);
