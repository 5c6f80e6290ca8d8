#include "server/front/rest.h"

#include "base/text/form.h"
#include "server/front/services.h"

const struct api_service *rest_service_of(const struct http_request *request)
{
    struct sigv4_authorization authorization;
    struct err unread = { 0 };
    struct str header = http_header(request, STR("Authorization"));
    if (!str_is_set(header) || !sigv4_parse_authorization(header, &authorization, &unread)) { return NULL; }
    for (size_t s = 0; services_table[s] != NULL; s++) {
        if (services_table[s]->protocol == API_REST && str_eq(authorization.service, services_table[s]->name)) { return services_table[s]; }
    }
    return NULL;
}

/* "/schedules/{Name}": *label is "Name" and *value the rest of the path, still encoded; both absent when the row has none. */
static bool path_fits(struct str row, struct str path, struct str *label, struct str *value)
{
    size_t at = str_find(row, '{');
    *label = *value = (struct str){ NULL, 0 };
    if (at == row.len) { return str_eq(row, path); }
    *value = str_slice(path, at, path.len);
    *label = str_slice(row, at + 1, row.len - 1);
    return str_starts_with(path, str_slice(row, 0, at)) && value->len > 0 && str_find(*value, '/') == value->len;
}

static bool is_number(struct str text)
{
    int64_t number;
    return str_to_i64(text, &number);
}

/* The query writes some members with a small first letter. Numbers are written as such where the member is one. */
static void put_member(struct json_out *out, struct str name, struct str value, struct arena *arena)
{
    char *member = arena_copy(arena, name.ptr, name.len);
    if (member[0] >= 'a' && member[0] <= 'z') { member[0] = (char)(member[0] - 'a' + 'A'); }
    json_key(out, (struct str){ member, name.len });
    if (str_eq((struct str){ member, name.len }, STR("MaxResults")) && is_number(value)) {
        json_raw(out, value);
    } else {
        json_str(out, value);
    }
}

static void put_query(struct json_out *out, const struct http_request *request)
{
    struct form form;
    struct err unread = { 0 };
    if (!form_read(request->query, &form, request->arena, &unread)) { return; }
    for (size_t p = 0; p < form.count; p++) {
        if (form.pairs[p].name.len > 0) { put_member(out, form.pairs[p].name, form.pairs[p].value, request->arena); }
    }
}

/* The members come before those of the body. A body that is no object is left as it is, and refused later. */
static struct str join(const struct http_request *request, struct str label, struct str value)
{
    struct str body = str_trim(request->body);
    struct buf text = buf_in(request->arena);
    struct json_out out = json_out_to(&text);
    if (body.len > 0 && body.ptr[0] != '{') { return body; }
    json_open(&out, '{');
    if (str_is_set(label)) { put_member(&out, label, form_decode(value, request->arena), request->arena); }
    put_query(&out, request);
    struct str rest = str_trim(str_slice(body, 1, body.len));
    if (rest.len == 0 && body.len == 0) {
        json_close(&out, '}');
    } else {
        if (out.comma && rest.len > 0 && rest.ptr[0] != '}') { buf_put_char(&text, ','); }
        buf_put(&text, rest);
    }
    return buf_str(&text);
}

void rest_read(const struct http_request *request, const struct api_service *service, struct str *operation, struct str *body)
{
    struct str label, value;
    for (size_t p = 0; p < service->path_count; p++) {
        const struct api_path *row = &service->paths[p];
        if (!str_eq(row->method, request->method) || !path_fits(row->path, request->path, &label, &value)) { continue; }
        *operation = row->operation;
        *body = join(request, label, value);
        return;
    }
    *operation = arena_printf(request->arena, STR_FMT " " STR_FMT, STR_ARG(str_slice(request->method, 0, 16)), STR_ARG(str_slice(request->path, 0, 48)));
    *body = request->body;
}
