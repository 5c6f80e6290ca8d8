/* paging.c: the tokens of lists: base64url of "LIST POSITION", so that a token says nothing to a reader and differs from
 * the token of another list. */
#include "api/core/support.h"

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/* The value of a digit, or -1. */
static int digit_value(char c)
{
    const char *found = memchr(digits, c, sizeof digits - 1);
    return found == NULL ? -1 : (int)(found - digits);
}

static void encode(struct str bytes, struct buf *out)
{
    uint32_t bits = 0;
    unsigned count = 0;
    for (size_t i = 0; i < bytes.len; i++) {
        bits = (bits << 8 | (unsigned char)bytes.ptr[i]) & 0xFFFF;
        count += 8;
        while (count >= 6) {
            count -= 6;
            buf_put_char(out, digits[bits >> count & 0x3F]);
        }
    }
    if (count > 0) { buf_put_char(out, digits[bits << (6 - count) & 0x3F]); }
}

/* False for a foreign digit, and for bits left over that `encode` would not have written: each position has one token. */
static bool decode(struct str text, struct buf *out)
{
    uint32_t bits = 0;
    unsigned count = 0;
    for (size_t i = 0; i < text.len; i++) {
        int value = digit_value(text.ptr[i]);
        if (value < 0) { return false; }
        bits = (bits << 6 | (uint32_t)value) & 0xFFFF;
        count += 6;
        if (count >= 8) {
            count -= 8;
            buf_put_char(out, (char)(unsigned char)(bits >> count & 0xFF));
        }
    }
    return count < 6 && (bits & ((1u << count) - 1)) == 0;
}

struct str paging_token(struct op_ctx *ctx, struct str list, struct str position)
{
    ASSERT(str_find(list, ' ') == list.len);                    /* a name of ours */
    struct buf out = buf_in(ctx->arena);
    struct buf text = buf_in(ctx->arena);
    buf_put(&text, list);
    buf_put_char(&text, ' ');
    buf_put(&text, position);
    encode(buf_str(&text), &out);
    return buf_str(&out);
}

bool paging_position(struct op_ctx *ctx, struct str list, struct str token, struct str *position, struct err *err)
{
    *position = (struct str){ 0 };
    if (!str_is_set(token)) { return true; }
    struct buf out = buf_in(ctx->arena);
    struct str head, tail;
    if (!decode(token, &out) || !str_cut(buf_str(&out), ' ', &head, &tail) || !str_eq(head, list)) {
        return err_set(err, ERR_INVALID_PARAMETER, "Invalid token: nextToken must be the one that the page before gave.");
    }
    *position = tail;
    return true;
}

bool paging_id(struct op_ctx *ctx, struct str list, struct str token, struct id *position, struct err *err)
{
    struct str text;
    *position = (struct id){ { 0 } };
    if (!paging_position(ctx, list, token, &text, err)) { return false; }
    return !str_is_set(text) || id_parse(text, position)
        || err_set(err, ERR_INVALID_PARAMETER, "Invalid token: nextToken must be the one that the page before gave.");
}
