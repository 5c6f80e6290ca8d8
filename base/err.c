/* err.c: filling an error, and access to the table. */
#include "base/err.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/assert.h"

#define X(name, wire, http) [name] = { wire, http },
static const struct { const char *wire; int http; } err_table[ERR_COUNT] = {
    [ERR_NONE] = { "ServerException", 500 },         /* an error without a code is ours */
    ERR_TABLE(X)
};
#undef X

/* How many bytes a UTF-8 sequence has that starts with `lead`; 0 for a byte that continues one. */
static size_t sequence_len(unsigned char lead)
{
    if (lead < 0x80) { return 1; }
    if (lead < 0xC0) { return 0; }
    if (lead < 0xE0) { return 2; }
    return lead < 0xF0 ? 3 : 4;
}

/* A message that was cut may end inside a character; that part is removed. */
static void drop_half_character(char *message, size_t len)
{
    for (size_t back = 1; back <= 4 && back <= len; back++) {
        size_t wanted = sequence_len((unsigned char)message[len - back]);
        if (wanted == 0) { continue; }
        if (wanted > back) { message[len - back] = '\0'; }
        return;
    }
}

bool err_set(struct err *err, enum err_code code, const char *format, ...)
{
    ASSERT(err != NULL);
    ASSERT(err->code == ERR_NONE);
    ASSERT(code > ERR_NONE && code < ERR_COUNT);

    va_list values;
    va_start(values, format);
    int len = vsnprintf(err->message, sizeof err->message, format, values);
    va_end(values);
    ASSERT(len >= 0);
    if ((size_t)len >= sizeof err->message) { drop_half_character(err->message, sizeof err->message - 1); }
    err->code = code;
    return false;
}

const char *err_wire_name(enum err_code code)
{
    ASSERT((int)code >= 0 && code < ERR_COUNT);
    return err_table[code].wire;
}

int err_http_status(enum err_code code)
{
    ASSERT((int)code >= 0 && code < ERR_COUNT);
    return err_table[code].http;
}
