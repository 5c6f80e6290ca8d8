/* Which images the tags of a cluster order. */
#include "agent/images/pre_pull.h"
#include "tests/unit/check.h"

int main(void)
{
    static const struct { const char *name, *answer; bool good; const char *images; } rows[] = {
        { "one tag", "{\"clusters\":[{\"tags\":[{\"key\":\"berth:pre-pull\",\"value\":\" a:1  b@sha256:12 \"}]}]}", true, "a:1  b@sha256:12" },
        { "more than one", "{\"clusters\":[{\"tags\":[{\"key\":\"berth:pre-pull\",\"value\":\"a\"},{\"key\":\"x\",\"value\":\"no\"},"
          "{\"key\":\"berth:pre-pull-2\",\"value\":\"b c\"}]}]}", true, "a b c" },
        { "an empty one", "{\"clusters\":[{\"tags\":[{\"key\":\"berth:pre-pull\",\"value\":\" \"}]}]}", true, "" },
        { "no tags", "{\"clusters\":[{\"clusterName\":\"default\"}],\"failures\":[]}", true, "" },
        { "no cluster", "{\"clusters\":[],\"failures\":[{\"reason\":\"MISSING\"}]}", false, "" },
        { "no such list", "{\"clusters\":{}}", false, "" },
        { "no JSON", "<html>", false, "" },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct arena arena = { .ceiling = 1024 * 1024 };
        struct str images = { NULL, 0 };
        CHECK_EQ(rows[r].name, pre_pull_read(str_from(rows[r].answer), &images, &arena), rows[r].good);
        CHECK_STR(rows[r].name, images, str_from(rows[r].images));
        arena_finish(&arena);
    }
    return check_report();
}
