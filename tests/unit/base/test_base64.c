/* test_base64.c: RFC 4648's examples, both alphabets, and texts that are no base64. */
#include "base/text/base64.h"

#include "tests/unit/check.h"

int main(void)
{
    static const struct { const char *name, *plain, *encoded; } rows[] = {
        { "nothing", "", "" }, { "one", "f", "Zg==" }, { "two", "fo", "Zm8=" }, { "three", "foo", "Zm9v" },
        { "four", "foob", "Zm9vYg==" }, { "five", "fooba", "Zm9vYmE=" }, { "six", "foobar", "Zm9vYmFy" }, { "high bytes", "\xfb\xff\xfe", "+//+" },
    };
    struct arena arena;
    arena_init(&arena, 1 << 20);
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        CHECK_STR(rows[r].name, base64_encode(str_from(rows[r].plain), &arena), str_from(rows[r].encoded));
        CHECK_STR(rows[r].name, base64_decode(str_from(rows[r].encoded), &arena), str_from(rows[r].plain));
    }
    CHECK_STR("for URLs", base64_encode_url(STR("\xfb\xff\xfe"), &arena), STR("-__-"));
    CHECK_STR("either alphabet is read", base64_decode(STR("-__-"), &arena), STR("\xfb\xff\xfe"));
    CHECK_STR("without padding", base64_decode(STR("Zm8"), &arena), STR("fo"));
    CHECK("a blank is no letter", !str_is_set(base64_decode(STR("Zm 9"), &arena)));
    CHECK("nor is = in the middle", !str_is_set(base64_decode(STR("Zg==Zg=="), &arena)));
    arena_finish(&arena);
    return check_report();
}
