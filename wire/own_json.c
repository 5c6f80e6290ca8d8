#include "wire/own_json.h"

static void put_null(struct json_out *out) { json_raw(out, STR("null")); }

void own_json_str(struct json_out *out, struct str key, struct str value)
{
    json_key(out, key);
    if (value.len > 0) { json_str(out, value); } else { put_null(out); }
}

void own_json_i64(struct json_out *out, struct str key, int64_t value)
{
    json_key(out, key);
    json_i64(out, value);
}

void own_json_thousandths(struct json_out *out, struct str key, int64_t thousandths)
{
    json_key(out, key);
    if (thousandths % 1000 == 0) { json_i64(out, thousandths / 1000); } else { json_double(out, (double)thousandths / 1000); }
}

void own_json_ms(struct json_out *out, struct str key, int64_t ms)
{
    json_key(out, key);
    if (ms != 0) { json_i64(out, ms); } else { put_null(out); }
}

void own_json_id(struct json_out *out, struct str key, struct id id)
{
    char hex[ID_HEX_LEN + 1];
    id_hex(id, hex);
    own_json_str(out, key, id_is_zero(id) ? (struct str){ 0 } : (struct str){ hex, ID_HEX_LEN });
}

void own_json_opt_int(struct json_out *out, struct str key, struct opt_int value)
{
    json_key(out, key);
    if (value.set) { json_i64(out, value.value); } else { put_null(out); }
}

void own_json_strs(struct json_out *out, struct str key, const struct str_list *values)
{
    ASSERT(values->count == 0 || values->items != NULL);
    json_key(out, key);
    json_open(out, '[');
    for (size_t v = 0; v < values->count; v++) { json_str(out, values->items[v]); }
    json_close(out, ']');
}
