/* head.c: one request line and its headers. */
#include "base/head.h"

static bool is_token(struct str s)
{
    for (size_t i = 0; i < s.len; i++) {
        char c = s.ptr[i];
        bool plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        if (!plain && (c == '\0' || strchr("!#$%&'*+-.^_`|~", c) == NULL)) { return false; }
    }
    return s.len > 0;
}

static bool is_printable(struct str s, char from)
{
    for (size_t i = 0; i < s.len; i++) {
        if ((unsigned char)s.ptr[i] < (unsigned char)from && s.ptr[i] != '\t') { return false; }
    }
    return true;
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

static bool read_request_line(struct str line, struct head *head)
{
    struct str target, version, rest;
    if (!str_cut(line, ' ', &head->method, &rest) || !str_cut(rest, ' ', &target, &version)) { return false; }
    if (!is_token(head->method) || !str_starts_with(target, STR("/")) || !is_printable(target, '!') || str_find(target, '\t') < target.len) {
        return false;
    }
    (void)str_cut(target, '?', &head->path, &head->query);
    head->keep_alive = str_eq(version, STR("HTTP/1.1"));
    return head->keep_alive || str_eq(version, STR("HTTP/1.0"));
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

static bool read_length(struct str value, struct head *head)
{
    int64_t length;
    if (str_is_set(head_header(head, STR("Content-Length"))) || !str_to_i64(value, &length) || length < 0) { return false; }
    head->content_length = (size_t)length;
    return true;
}

/* Bodies in chunks are not taken: no agent sends them. */
static bool read_header(struct str line, struct head *head)
{
    struct str name, value;
    if (head->header_count == SIGV4_HEADERS_MAX || !str_cut(line, ':', &name, &value)) { return false; }
    value = str_trim(value);
    if (!is_token(name) || !is_printable(value, ' ')) { return false; }
    if (str_eq_nocase(name, STR("Transfer-Encoding"))) { return false; }
    if (str_eq_nocase(name, STR("Content-Length")) && !read_length(value, head)) { return false; }
    if (str_eq_nocase(name, STR("Expect"))) { head->expects = str_eq_nocase(value, STR("100-continue")); }
    if (str_eq_nocase(name, STR("Connection")) && head_lists(value, STR("close"))) { head->keep_alive = false; }
    head->headers[head->header_count++] = (struct sigv4_header){ name, value };
    return true;
}

enum head_read head_read(struct str bytes, struct head *head)
{
    size_t size = find_end(str_slice(bytes, 0, HEAD_MAX));
    if (size == 0) { return bytes.len >= HEAD_MAX ? HEAD_TOO_LARGE : HEAD_SHORT; }
    struct str rest = str_slice(bytes, 0, size - 2);
    *head = (struct head){ .size = size };
    if (!read_request_line(take_line(&rest), head)) { return HEAD_BROKEN; }
    while (rest.len > 0) {
        if (!read_header(take_line(&rest), head)) { return HEAD_BROKEN; }
    }
    return HEAD_WHOLE;
}
