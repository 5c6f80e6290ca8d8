/* own_json.h: members of Berth's own JSON (the board, the history), where unknown values are null. ECS's replies are printed by
 * their schemas instead, which leave such members out. Private to api/. */
#ifndef BERTH_WIRE_OWN_JSON_H
#define BERTH_WIRE_OWN_JSON_H

#include "model/schema.h"

void own_json_str(struct json_out *out, struct str key, struct str value);       /* empty: null */
void own_json_i64(struct json_out *out, struct str key, int64_t value);
void own_json_thousandths(struct json_out *out, struct str key, int64_t thousandths);    /* 2000: 2, 500: 0.5 */
void own_json_ms(struct json_out *out, struct str key, int64_t ms);              /* 0: null */
void own_json_id(struct json_out *out, struct str key, struct id id);            /* all zero: null */
void own_json_opt_int(struct json_out *out, struct str key, struct opt_int value);
void own_json_strs(struct json_out *out, struct str key, const struct str_list *values);

#endif
