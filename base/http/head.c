/* head.c: one request line and its headers. */
#include "base/http/head.h"

/* RFC 9110, 5.6.2. */
static bool is_token(struct str s)
{
    for (size_t i = 0; i < s.len; i++) {
        char c = s.ptr[i];
        bool usual = (c >= 'a' && c <= 'z') || c == '-' || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        if (!usual && (c == '\0' || strchr("!#$%&'*+.^_`|~", c) == NULL)) { return false; }
    }
    return s.len > 0;
}

static bool is_printable(struct str s, char from)
{
    bool good = true;
    for (size_t i = 0; i < s.len; i++) { good &= (unsigned char)s.ptr[i] >= (unsigned char)from || s.ptr[i] == '\t'; }
    return good;
}

/* Where the empty line ends; 0: not here yet. */
static size_t find_end(struct str bytes)
{
    const char *end = memmem(bytes.ptr, bytes.len, "\r\n\r\n", 4);
    return end == NULL ? 0 : (size_t)(end - bytes.ptr) + 4;
}

static struct str take_line(struct str *rest)
{
    const char *end = memmem(rest->ptr, rest->len, "\r\n", 2);
    size_t len = end == NULL ? rest->len : (size_t)(end - rest->ptr);
    struct str line = str_slice(*rest, 0, len);
    *rest = str_slice(*rest, len + 2, rest->len);
    return line;
}

bool head_begin(struct head *head, struct str method, struct str path, struct str query, struct str version)
{
    *head = (struct head){ .method = method, .path = path, .query = query, .newer = str_eq(version, STR("HTTP/1.1")) };
    head->keep_alive = head->newer;
    bool target = str_starts_with(path, STR("/")) && is_printable(path, '!') && is_printable(query, '!')
        && str_find(path, '\t') == path.len && str_find(query, '\t') == query.len;
    return is_token(method) && target && (head->newer || str_eq(version, STR("HTTP/1.0")));
}

static bool read_request_line(struct str line, struct head *head)
{
    struct str method, target, version, rest, path, query;
    if (!str_cut(line, ' ', &method, &rest) || !str_cut(rest, ' ', &target, &version)) { return false; }
    (void)str_cut(target, '?', &path, &query);
    return head_begin(head, method, path, query, version);
}

bool head_lists(struct str value, struct str word)
{
    struct str item, rest = value;
    for (bool more = true; more;) {
        more = str_cut(rest, ',', &item, &rest);
        if (str_eq_nocase(str_trim(item), word)) { return true; }
    }
    return false;
}

struct str head_header(const struct head *head, struct str name)
{
    for (size_t h = 0; h < head->header_count; h++) {
        if (str_eq_nocase(head->headers[h].name, name)) { return head->headers[h].value; }
    }
    return (struct str){ NULL, 0 };
}

static bool is_new(const struct head *head, struct str name) { return !str_is_set(head_header(head, name)); }

/* Digits alone: RFC 9110, 8.6. */
static bool read_length(struct str value, struct head *head)
{
    int64_t length;
    for (size_t i = 0; i < value.len; i++) {
        if (value.ptr[i] < '0' || value.ptr[i] > '9') { return false; }
    }
    if (head->chunked || !is_new(head, STR("Content-Length")) || !str_to_i64(value, &length)) { return false; }
    head->content_length = (size_t)length;
    return true;
}

/* RFC 9112, 6.1: chunks with a length are an attack; HTTP/1.0 does not know chunks. */
static bool read_coding(struct str value, struct head *head)
{
    head->chunked = head->newer && !head->chunked && str_eq_nocase(value, STR("chunked")) && is_new(head, STR("Content-Length"));
    return head->chunked;
}

bool head_add(struct head *head, struct str name, struct str value)
{
    if (head->header_count == SIGV4_HEADERS_MAX || !is_token(name) || !is_printable(value, ' ')) { return false; }
    if (str_eq_nocase(name, STR("Transfer-Encoding")) && !read_coding(value, head)) { return false; }
    if (str_eq_nocase(name, STR("Content-Length")) && !read_length(value, head)) { return false; }
    if (str_eq_nocase(name, STR("Host")) && !is_new(head, STR("Host"))) { return false; }
    if (str_eq_nocase(name, STR("Expect"))) { head->expects = str_eq_nocase(value, STR("100-continue")); }
    if (str_eq_nocase(name, STR("Connection")) && head_lists(value, STR("close"))) { head->keep_alive = false; }
    head->headers[head->header_count++] = (struct sigv4_header){ name, value };
    return true;
}

static bool read_header(struct str line, struct head *head)
{
    struct str name, value;
    return str_cut(line, ':', &name, &value) && head_add(head, name, str_trim(value));
}

enum head_read head_read(struct str bytes, struct head *head)
{
    size_t size = find_end(str_slice(bytes, 0, HEAD_MAX));
    if (size == 0) { return bytes.len >= HEAD_MAX ? HEAD_TOO_LARGE : HEAD_SHORT; }
    struct str rest = str_slice(bytes, 0, size - 2);
    if (!read_request_line(take_line(&rest), head)) { return HEAD_BROKEN; }
    head->size = size;
    while (rest.len > 0) {
        if (!read_header(take_line(&rest), head)) { return HEAD_BROKEN; }
    }
    return head->chunked ? HEAD_BROKEN : HEAD_WHOLE;
}
