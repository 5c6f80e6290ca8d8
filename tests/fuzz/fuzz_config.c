/* fuzz_config.c: settings from the environment, from a file and from the ECS agent's file: a value that is taken fits its kind, and given as a flag it is
 * taken as the same. An input is a letter for the command, and three parts with a zero byte between them: lines of NAME=value for the
 * environment, the file of --config, and that of --ecs-config. */
#include "cli/settings/config_internal.h"

#include <sys/mman.h>
#include <unistd.h>

#include "base/assert.h"
#include "base/log.h"
#include "tests/fuzz/fuzz.h"

enum { CEILING = 64 * 1024 * 1024, WORDS_MAX = SETTING_COUNT, ENTRIES_MAX = 256 };

static struct arena arena;

static const char *path_of(int fd) { return arena_printf(&arena, "/proc/self/fd/%d", fd).ptr; }

static void fill(int fd, struct str text)
{
    ASSERT(ftruncate(fd, 0) == 0 && pwrite(fd, text.ptr, text.len, 0) == (ssize_t)text.len);
}

static bool read_words(enum command command, char **argv, int argc, char **environment, struct config *config, struct err *err)
{
    const struct config_sources sources = { .argc = argc, .argv = argv, .environment = environment };
    bool good = config_read(command, &sources, config, &arena, err);
    ASSERT(good == (err->code == ERR_NONE) && (good || (err->code == ERR_INVALID_PARAMETER && err->message[0] != '\0')));
    return good;
}

/* The getters end the program for a value that they can't read. */
static void check_value(const struct config *config, enum setting setting)
{
    struct str value = str_from(config->values[setting]);
    ASSERT(config_check(config_rows[setting].kind, value));
    if (config_rows[setting].kind == KIND_FLAG) { (void)config_flag(config, setting); }
    if (config_rows[setting].kind == KIND_NUMBER) { ASSERT(config_number(config, setting) >= 0); }
    if (config_rows[setting].kind == KIND_DURATION) { ASSERT(config_duration_ms(config, setting) >= 0); }
}

static void check_again(const struct config *config)
{
    char *words[WORDS_MAX + 1] = { 0 }, *nothing[] = { NULL };
    int count = 0;
    struct config again;
    struct err err = { 0 };
    for (enum setting s = 0; s < SETTING_COUNT; s++) {
        bool is_file = s == SETTING_CONFIG || s == SETTING_ECS_CONFIG, is_flag = config_rows[s].kind == KIND_FLAG;
        if (config->values[s] == NULL || is_file || (is_flag && !config_flag(config, s))) { continue; }
        struct str word = is_flag ? arena_printf(&arena, "--%s", config_rows[s].name) : arena_printf(&arena, "--%s=%s", config_rows[s].name, config->values[s]);
        words[count++] = arena_copy(&arena, word.ptr, word.len + 1);
    }
    bool good = read_words(config->command, words, count, nothing, &again, &err);
    ASSERT(good);
    for (enum setting s = 0; s < SETTING_COUNT; s++) {
        bool is_file = s == SETTING_CONFIG || s == SETTING_ECS_CONFIG, is_flag = config_rows[s].kind == KIND_FLAG;
        if (is_file || is_flag || config->values[s] == NULL) { continue; }
        ASSERT(again.values[s] != NULL && strcmp(again.values[s], config->values[s]) == 0);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static int files[2] = { -1, -1 };
    if (arena.ceiling == 0) {
        arena_init(&arena, CEILING);
        log_set_level(LOG_ERROR);
        for (size_t f = 0; f < COUNT_OF(files); f++) { files[f] = memfd_create("settings", MFD_CLOEXEC); }
    }
    struct str text = fuzz_str(data, size), variables, rest, file, ecs_file;
    enum command command = size == 0 ? COMMAND_DEV : (enum command)(data[0] % COMMAND_COUNT);
    (void)str_cut(str_slice(text, 1, text.len), '\0', &variables, &rest);
    (void)str_cut(rest, '\0', &file, &ecs_file);
    fill(files[0], file);
    fill(files[1], ecs_file);

    char *environment[ENTRIES_MAX + 1] = { 0 }, *words[4];
    for (size_t e = 0; e < ENTRIES_MAX && variables.len > 0; e++) {
        struct str entry;
        (void)str_cut(variables, '\n', &entry, &variables);
        environment[e] = arena_copy(&arena, arena_cstr(&arena, entry), entry.len + 1);
    }
    const char *given[] = { "--config", path_of(files[0]), "--ecs-config", path_of(files[1]) };
    for (size_t w = 0; w < COUNT_OF(given); w++) { words[w] = arena_copy(&arena, given[w], strlen(given[w]) + 1); }

    struct config config;
    struct err err = { 0 };
    if (read_words(command, words, command == COMMAND_AGENT ? 4 : 2, environment, &config, &err)) {
        for (enum setting s = 0; s < SETTING_COUNT; s++) {
            if (config.values[s] != NULL) { check_value(&config, s); }
        }
        check_again(&config);
    }
    arena_reset(&arena);
    return 0;
}
