/* --help, the manual pages and the completion: they fit, and each setting is in them where it should be. */
#include "cli/help/help.h"
#include "tests/unit/check.h"

static struct arena arena;

struct shape { size_t lines, widest; };

static struct shape shape_of(struct str text)
{
    struct shape shape = { 0 };
    struct str line, rest;
    for (; text.len > 0; text = rest) {
        str_cut(text, '\n', &line, &rest);
        shape.lines++;
        shape.widest = line.len > shape.widest ? line.len : shape.widest;
    }
    return shape;
}

static size_t count_in(struct str text, struct str wanted)
{
    size_t count = 0;
    for (size_t at = 0; at + wanted.len <= text.len; at++) {
        count += memcmp(text.ptr + at, wanted.ptr, wanted.len) == 0;
    }
    return count;
}

static struct str help_of(enum command command, bool all)
{
    struct buf out = buf_in(&arena);
    help_command(command, all, &out);
    return buf_str(&out);
}

/* The number of lines that begin with the setting. */
static size_t shown(struct str help, enum setting setting)
{
    const char *name = config_rows[setting].name;
    return count_in(help, arena_printf(&arena, "\n  --%s ", name)) + count_in(help, arena_printf(&arena, "\n  --%s\n", name));
}

static void test_fits(void)
{
    enum { SCREEN_LINES = 40 };
    for (enum command c = 0; c < COMMAND_COUNT; c++) {
        const char *name = cli_commands[c].name;
        struct shape common = shape_of(help_of(c, false)), all = shape_of(help_of(c, true));
        CHECK(name, common.lines <= SCREEN_LINES && common.lines <= all.lines);
        CHECK(name, common.widest <= HELP_COLUMNS && all.widest <= HELP_COLUMNS);
        CHECK(name, str_starts_with(help_of(c, false), arena_printf(&arena, "Usage: berth %s", name)));
        CHECK(name, !str_contains(help_of(c, true), STR("more settings")));
    }
    struct buf overview = buf_in(&arena);
    help_overview(&overview);
    CHECK("overview", shape_of(buf_str(&overview)).widest <= HELP_COLUMNS && shape_of(buf_str(&overview)).lines <= SCREEN_LINES);
}

/* --help-all has each setting of the command once, and no other; --help has the common ones, and says how many it left out. */
static void test_settings(void)
{
    for (enum command c = 0; c < COMMAND_COUNT; c++) {
        struct str common = help_of(c, false), all = help_of(c, true);
        struct buf page = buf_in(&arena);
        man_command(c, &page);
        size_t hidden = 0, entries = 0;
        for (enum setting s = 0; s < SETTING_COUNT; s++) {
            if (!config_row_is_for(s, c)) { continue; }
            const struct setting_row *row = &config_rows[s];
            CHECK_EQ(row->name, shown(all, s), 1);
            CHECK(row->name, shown(common, s) == 1 || (shown(common, s) == 0 && row->use == RARE));
            CHECK(row->name, row->group < GROUP_COUNT && count_in(all, arena_printf(&arena, "\n%s:\n", help_group_title(row->group))) == 1);
            hidden += shown(common, s) == 0;
            entries++;
        }
        CHECK_EQ(cli_commands[c].name, count_in(buf_str(&page), STR("\n.TP\n\\fB\\-\\-")), entries);
        CHECK_EQ("no other setting", count_in(all, STR("\n  --")), entries);
        CHECK_EQ("no other common setting", count_in(common, STR("\n  --")), entries - hidden);
        struct str said = arena_printf(&arena, "\n%zu more settings: berth %s --help-all\n", hidden, cli_commands[c].name);
        CHECK_EQ("hidden settings are mentioned", str_ends_with(common, said), hidden > 0);
    }
}

/* A setting with a row for each command has one of them in each. */
static void test_one_row_a_command(void)
{
    for (enum setting s = 0; s < SETTING_COUNT; s++) {
        CHECK(config_rows[s].name, config_rows[s].commands != 0 && config_rows[s].help[0] != '\0');
        for (enum setting other = s + 1; other < SETTING_COUNT; other++) {
            bool same = str_eq(str_from(config_rows[s].name), str_from(config_rows[other].name));
            CHECK(config_rows[s].name, !same || (config_rows[s].commands & config_rows[other].commands) == 0);
        }
    }
}

/* Bash has one row for a name and all commands: rows of one name must take the same. */
static void test_same_values(void)
{
    for (enum setting s = 0; s < SETTING_COUNT; s++) {
        for (enum setting other = s + 1; other < SETTING_COUNT; other++) {
            if (str_eq(str_from(config_rows[s].name), str_from(config_rows[other].name))) {
                CHECK_STR(config_rows[s].name, str_from(config_rows[s].metavar), str_from(config_rows[other].metavar));
            }
        }
    }
}

static void test_help_words(void)
{
    static const struct { const char *name; char word[16]; enum config_help want; } rows[] = {
        { "common", "--help", HELP_COMMON }, { "short", "-h", HELP_COMMON }, { "all", "--help-all", HELP_ALL }, { "none", "--strict-aws", HELP_NONE },
    };
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        char word[sizeof rows[r].word], *argv[] = { word }, *environment[] = { NULL };
        memcpy(word, rows[r].word, sizeof word);
        struct config config;
        struct err err = { 0 };
        CHECK(rows[r].name, config_read(COMMAND_SERVER, &(struct config_sources){ .argc = 1, .argv = argv, .environment = environment }, &config, &arena, &err));
        CHECK_EQ(rows[r].name, config.help, rows[r].want);
    }
}

int main(void)
{
    arena_init(&arena, 256 * 1024 * 1024);
    test_fits();
    test_settings();
    test_one_row_a_command();
    test_same_values();
    test_help_words();
    arena_finish(&arena);
    return check_report();
}
