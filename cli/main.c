/* main.c: one program, many commands (cli/commands.c). */
#include <stdio.h>
#include <string.h>

#include "agent/core/runtime.h"
#include "base/assert.h"
#include "base/log.h"
#include "cli/help/help.h"

extern char **environ;

enum { SETTINGS_ARENA_SIZE = 16 * 1024 * 1024 };

/* Prints a text of the program about itself. */
static void print(FILE *out, const struct buf *text)
{
    fwrite(text->ptr, 1, text->len, out);
}

static int run_command(enum command command, int argc, char **argv)
{
    struct arena arena = { 0 };
    struct err err = { 0 };
    struct config config;
    ASSERT(command < COMMAND_COUNT);
    struct config_sources sources = { .argc = argc, .argv = argv, .environment = environ, .default_ecs_config = "/etc/ecs/ecs.config" };
    arena_init(&arena, SETTINGS_ARENA_SIZE);
    int status = 2;
    if (config_read(command, &sources, &config, &arena, &err)) {
        if (config.help != HELP_NONE) {
            struct buf help = buf_in(&arena);
            help_command(command, config.help == HELP_ALL, &help);
            print(stdout, &help);
            status = 0;
        } else if (config.argument_count > cli_commands[command].arguments_max) {
            err_set(&err, ERR_INVALID_PARAMETER, "\"%s\" is one word too many; see --help.", config.arguments[cli_commands[command].arguments_max]);
        } else {
            enum log_level level = LOG_INFO;
            bool known = log_level_from(config_text(&config, SETTING_LOG_LEVEL), &level);
            ASSERT(known);
            log_set_level(level);
            status = cli_commands[command].run(&config, &arena, &err);
        }
    }
    if (status != 0 && err.code != ERR_NONE) {
        fprintf(stderr, "berth %s: %s\n", cli_commands[command].name, err.message);
    }
    arena_finish(&arena);
    return status;
}

/* `berth help`, and `berth help --write DIR`. Without a command: the same as `berth help`, and a failure. */
static int run_help(int argc, char **argv)
{
    struct arena arena = { 0 };
    struct err err = { 0 };
    arena_init(&arena, SETTINGS_ARENA_SIZE);
    int status = argc < 2 ? 2 : 0;
    if (argc == 4 && strcmp(argv[1], "help") == 0 && strcmp(argv[2], "--write") == 0) {
        if (!help_write(argv[3], &arena, &err)) {
            fprintf(stderr, "berth help: %s\n", err.message);
            status = 1;
        }
    } else {
        struct buf text = buf_in(&arena);
        help_overview(&text);
        print(status == 0 ? stdout : stderr, &text);
    }
    arena_finish(&arena);
    return status;
}

int main(int argc, char **argv)
{
    static const char *const help_words[] = { "help", "--help", "-h", "--help-all" };
    if (argc >= 2 && strcmp(argv[1], "__shim") == 0) {
        return runtime_process_shim(argc, argv);
    }
    if (argc < 2) {
        return run_help(argc, argv);
    }
    for (size_t w = 0; w < COUNT_OF(help_words); w++) {
        if (strcmp(argv[1], help_words[w]) == 0) {
            return run_help(argc, argv);
        }
    }
    for (enum command c = 0; c < COMMAND_COUNT; c++) {
        if (strcmp(argv[1], cli_commands[c].name) == 0 || (c == COMMAND_VERSION && strcmp(argv[1], "--version") == 0)) {
            return run_command(c, argc - 2, argv + 2);
        }
    }
    fprintf(stderr, "berth: there is no command \"%s\".\n\n", argv[1]);
    (void)run_help(1, argv);
    return 2;
}
