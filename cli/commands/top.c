/* top.c: `berth top`: machines with the use of their GPUs and containers, or GPUs one by one. On a terminal as many as fit, with keys to scroll;
 * otherwise all, once. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "base/assert.h"
#include "base/clock.h"
#include "cli/cli.h"
#include "cli/words.h"

enum {
    NAME_WIDTH = 28, CLUSTER_WIDTH = 14, AGAIN_MS = 2000, SCREEN_ARENA_MAX = 64 * 1024 * 1024, ROWS_USUAL = 24,
    LINES_BESIDE = 2,                        /* of a screen: the head, and the last line, which names the keys */
};

/* Sums over a machine's GPUs and containers; a figure that none of them reported is unknown. */
struct sum { double value; size_t count; };
struct totals { size_t held; struct sum busy, used, total, hottest, power, cores, ram; };

static void add(struct sum *sum, const struct json *figures, const char *name)
{
    if (json_get(figures, str_from(name)) == NULL) { return; }
    sum->value += cli_number(figures, name);
    sum->count++;
}

static struct totals add_up(const struct json *gpus, const struct json *containers)
{
    struct totals totals = { 0 };
    for (size_t g = 0; g < gpus->count; g++) {
        const struct json *gpu = &gpus->as.items[g];
        totals.held += cli_list(gpu, "tasks")->count > 0;
        add(&totals.busy, gpu, "utilization");
        add(&totals.used, gpu, "memoryUsedBytes");
        add(&totals.total, gpu, "memoryTotalBytes");
        add(&totals.power, gpu, "powerWatts");
        double celsius = cli_number(gpu, "temperatureCelsius");
        if (json_get(gpu, STR("temperatureCelsius")) != NULL && (totals.hottest.count == 0 || celsius > totals.hottest.value)) {
            totals.hottest = (struct sum){ celsius, 1 };
        }
    }
    for (size_t c = 0; c < containers->count; c++) {
        add(&totals.cores, &containers->as.items[c], "cpuCores");
        add(&totals.ram, &containers->as.items[c], "memoryBytes");
    }
    return totals;
}

static void print_figure(struct sum sum, double factor, int decimals, const char *unit)
{
    char text[32] = "-";
    if (sum.count > 0) { (void)snprintf(text, sizeof text, "%.*f%s%s", decimals, sum.value * factor, unit[0] == '\0' ? "" : " ", unit); }
    printf(" %9s", text);
}

static void print_machine(const struct json *machine, int64_t now_ms)
{
    static const double gib = (double)(1 << 30);
    const struct json *gpus = cli_list(machine, "gpus"), *containers = cli_list(machine, "containers");
    const struct json *simulated = json_get(machine, STR("simulated"));
    struct totals totals = add_up(gpus, containers);
    double at_ms = cli_number(machine, "at");
    cli_print(cli_text(machine, "name"), NAME_WIDTH, true);
    putchar(' ');
    cli_print(cli_text(machine, "cluster"), CLUSTER_WIDTH, true);
    printf(" %4zu %4zu %5.0f", gpus->count, totals.held, cli_number(machine, "taskCount"));
    print_figure(totals.busy, totals.busy.count > 0 ? 100 / (double)totals.busy.count : 0, 0, "%");
    print_figure(totals.used, 1 / gib, 1, "GiB");
    print_figure(totals.total, 1 / gib, 1, "GiB");
    print_figure(totals.hottest, 1, 0, "C");
    print_figure(totals.power, 1, 0, "W");
    print_figure(totals.cores, 1, 2, "");
    print_figure(totals.ram, 1 / gib, 1, "GiB");
    if (at_ms > 0) { printf("  %.0f s ago", ((double)now_ms - at_ms) / 1000); } else { printf("  never"); }
    puts(simulated != NULL && simulated->type == JSON_TRUE ? " (simulated)" : "");
}

static void print_head(void)
{
    printf("%-*s %-*s %4s %4s %5s %9s %9s %9s %9s %9s %9s %9s  %s\n", NAME_WIDTH, "MACHINE", CLUSTER_WIDTH, "CLUSTER", "GPUS", "HELD", "TASKS", "BUSY", "USED",
           "MEMORY", "HOTTEST", "POWER", "CORES", "RAM", "TOLD");
}

/* ---- GPUs one by one ---- */

enum { SLOT_WIDTH = 4, MODEL_WIDTH = 22, TASKS_SHOWN = 2, SHORT_ID = 8 };

static void print_gpu_head(void)
{
    printf("%-*s %*s %-*s %9s %9s %9s %9s %9s  %s\n", NAME_WIDTH, "MACHINE", SLOT_WIDTH, "GPU", MODEL_WIDTH, "MODEL", "BUSY", "USED", "MEMORY", "TEMP",
           "POWER", "TASKS");
}

static struct sum figure_of(const struct json *gpu, const char *name)
{
    struct sum sum = { 0, 0 };
    add(&sum, gpu, name);
    return sum;
}

static void print_gpu(const struct json *machine, size_t slot)
{
    static const double gib = (double)(1 << 30);
    const struct json *gpu = &cli_list(machine, "gpus")->as.items[slot], *tasks = cli_list(gpu, "tasks");
    cli_print(cli_text(machine, "name"), NAME_WIDTH, true);
    printf(" %*zu ", SLOT_WIDTH, slot);
    cli_print(cli_text(gpu, "model"), MODEL_WIDTH, true);
    print_figure(figure_of(gpu, "utilization"), 100, 0, "%");
    print_figure(figure_of(gpu, "memoryUsedBytes"), 1 / gib, 1, "GiB");
    print_figure(figure_of(gpu, "memoryTotalBytes"), 1 / gib, 1, "GiB");
    print_figure(figure_of(gpu, "temperatureCelsius"), 1, 0, "C");
    print_figure(figure_of(gpu, "powerWatts"), 1, 0, "W");
    printf("  ");
    for (size_t t = 0; t < tasks->count && t < TASKS_SHOWN; t++) {
        struct str id = tasks->as.items[t].type == JSON_STRING ? tasks->as.items[t].as.string : STR("?");
        printf("%s" STR_FMT, t > 0 ? " " : "", STR_ARG(str_slice(id, id.len > SHORT_ID ? id.len - SHORT_ID : 0, id.len)));
    }
    if (tasks->count > TASKS_SHOWN) { printf(" and %zu more", tasks->count - TASKS_SHOWN); }
    puts(tasks->count == 0 ? "-" : "");
}

/* ---- asking ---- */

/* Machines with figures, in the order of their names; and all their GPUs. */
struct gpu_line { const struct json *machine; size_t slot; };
struct listing { const struct json *reply; const struct json **machines; size_t count; struct gpu_line *gpus; size_t gpu_count; double left_out; };

static int by_name(const void *a, const void *b)
{
    const struct json *left = *(const struct json *const *)a, *right = *(const struct json *const *)b;
    int order = str_cmp_natural(cli_text(left, "name"), cli_text(right, "name"));
    return order != 0 ? order : str_cmp_natural(cli_text(left, "cluster"), cli_text(right, "cluster"));
}

static void list_gpus(struct listing *listing, struct arena *arena)
{
    size_t all = 0;
    for (size_t m = 0; m < listing->count; m++) { all += cli_list(listing->machines[m], "gpus")->count; }
    listing->gpus = ARENA_NEW(arena, struct gpu_line, all + 1);
    listing->gpu_count = 0;
    for (size_t m = 0; m < listing->count; m++) {
        for (size_t slot = 0, count = cli_list(listing->machines[m], "gpus")->count; slot < count; slot++) {
            listing->gpus[listing->gpu_count++] = (struct gpu_line){ listing->machines[m], slot };
        }
    }
}

static bool ask(const struct config *config, const struct remote *remote, struct listing *listing, struct arena *arena, struct err *err)
{
    const char *cluster = config_text(config, SETTING_HISTORY_CLUSTER);
    struct buf path = buf_in(arena);
    buf_put(&path, STR("/berth/v1/samples"));
    if (cluster != NULL) {
        buf_put(&path, STR("?cluster="));
        cli_put_encoded(&path, cluster);
    }
    if (!cli_ask(remote, arena_cstr(arena, buf_str(&path)), (struct str){ 0 }, &listing->reply, arena, err)) { return false; }
    const struct json *machines = cli_list(listing->reply, "machines");
    listing->machines = ARENA_NEW(arena, const struct json *, machines->count);
    listing->count = 0;
    listing->left_out = cli_number(listing->reply, "total") - (double)machines->count;
    for (size_t m = 0; m < machines->count; m++) {
        const struct json *machine = &machines->as.items[m];
        bool tells = cli_list(machine, "gpus")->count + cli_list(machine, "containers")->count > 0;
        if (tells) { listing->machines[listing->count++] = machine; }
    }
    ASSERT(listing->count <= machines->count);
    qsort(listing->machines, listing->count, sizeof *listing->machines, by_name);
    list_gpus(listing, arena);
    return true;
}

/* The lines of one of the two tables. */
static size_t lines_of(const struct listing *listing, bool gpus) { return gpus ? listing->gpu_count : listing->count; }

static void print_lines(const struct listing *listing, bool gpus, size_t first, size_t end)
{
    if (gpus) { print_gpu_head(); } else { print_head(); }
    for (size_t l = first; l < end; l++) {
        if (gpus) { print_gpu(listing->gpus[l].machine, listing->gpus[l].slot); } else { print_machine(listing->machines[l], clock_now_ms()); }
    }
}

static bool print_once(const struct config *config, const struct remote *remote, bool as_json, struct arena *arena, struct err *err)
{
    struct listing listing;
    if (!ask(config, remote, &listing, arena, err)) { return false; }
    if (as_json) {
        cli_print_json(listing.reply, arena);
        putchar('\n');
        return true;
    }
    bool gpus = config_flag(config, SETTING_TOP_GPUS);
    print_lines(&listing, gpus, 0, lines_of(&listing, gpus));
    if (listing.left_out > 0) { printf("and %.0f more machines: --cluster shows one cluster\n", listing.left_out); }
    return true;
}

/* ---- on a terminal ---- */

enum move { STAY, UP, DOWN, PAGE_UP, PAGE_DOWN, FIRST, LAST, CHANGE, QUIT };

static const struct { struct str bytes; enum move move; } keys[] = {
    { STR_INIT("\x1b[A"), UP },         { STR_INIT("\x1bOA"), UP },       { STR_INIT("k"), UP },
    { STR_INIT("\x1b[B"), DOWN },       { STR_INIT("\x1bOB"), DOWN },     { STR_INIT("j"), DOWN },
    { STR_INIT("\x1b[5~"), PAGE_UP },   { STR_INIT("b"), PAGE_UP },
    { STR_INIT("\x1b[6~"), PAGE_DOWN }, { STR_INIT(" "), PAGE_DOWN },
    { STR_INIT("\x1b[H"), FIRST },      { STR_INIT("\x1bOH"), FIRST },    { STR_INIT("\x1b[1~"), FIRST }, { STR_INIT("g"), FIRST },
    { STR_INIT("\x1b[F"), LAST },       { STR_INIT("\x1bOF"), LAST },     { STR_INIT("\x1b[4~"), LAST },  { STR_INIT("G"), LAST },
    { STR_INIT("c"), CHANGE },          { STR_INIT("q"), QUIT },
};

static enum move read_key(struct str *typed)
{
    ASSERT(typed->len > 0);
    for (size_t k = 0; k < COUNT_OF(keys); k++) {
        if (str_starts_with(*typed, keys[k].bytes)) {
            *typed = str_slice(*typed, keys[k].bytes.len, typed->len);
            return keys[k].move;
        }
    }
    *typed = str_slice(*typed, 1, typed->len);
    return STAY;
}

/* The first line to show, of `count` with `page` on a screen. */
static size_t scroll(size_t first, size_t count, size_t page, enum move move)
{
    ASSERT(page > 0);
    size_t last = count > page ? count - page : 0, wanted = first;
    switch (move) {
    case UP:        wanted = first > 0 ? first - 1 : 0;          break;
    case DOWN:      wanted = first + 1;                          break;
    case PAGE_UP:   wanted = first > page ? first - page : 0;    break;
    case PAGE_DOWN: wanted = first + page;                       break;
    case FIRST:     wanted = 0;                                  break;
    case LAST:      wanted = last;                               break;
    case CHANGE:    wanted = 0;                                  break;
    case STAY:
    case QUIT:                                                   break;
    }
    return wanted < last ? wanted : last;
}

static struct termios usual;                             /* the terminal's earlier settings, if there is one */
static bool is_changed;

static void put_back(void)
{
    if (is_changed) { (void)tcsetattr(STDIN_FILENO, TCSADRAIN, &usual); }
    (void)!write(STDOUT_FILENO, "\n", 1);
}

/* Ends at once, also while the server does not answer. */
static void on_end(int number)
{
    put_back();
    (void)signal(number, SIG_DFL);
    (void)raise(number);
}

static void on_size(int number) { (void)number; }        /* only so that poll notices */

static size_t page_size(void)
{
    struct winsize size;
    size_t rows = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 0 ? size.ws_row : ROWS_USUAL;
    return rows > LINES_BESIDE ? rows - LINES_BESIDE : 1;
}

/* Lines that are too long for the terminal are cut by it, and the last one has no end: nothing scrolls away. */
static void draw(const struct listing *listing, bool gpus, size_t first, size_t page)
{
    size_t count = lines_of(listing, gpus), end = first + page < count ? first + page : count;
    ASSERT(first <= end);
    fputs("\x1b[?7l\x1b[H\x1b[J", stdout);
    print_lines(listing, gpus, first, end);
    printf("%zu-%zu of %zu %s", count == 0 ? 0 : first + 1, end, count, gpus ? "GPUs" : "machines");
    if (listing->left_out > 0) { printf(", and %.0f more machines: --cluster shows one cluster", listing->left_out); }
    fputs(count > page ? "   arrows, Page Up and Down, Home and End scroll; " : "   ", stdout);
    printf("c shows %s; q ends\x1b[?7h", gpus ? "machines" : "GPUs");
    (void)fflush(stdout);
}

/* Draws one answer, again after each key, until the next refresh. False: the user has quit. */
static bool show_for_a_while(const struct listing *listing, bool *gpus, size_t *first)
{
    int64_t until_ms = clock_monotonic_ms() + AGAIN_MS;
    for (;;) {
        size_t page = page_size();
        *first = scroll(*first, lines_of(listing, *gpus), page, STAY);
        draw(listing, *gpus, *first, page);
        int64_t wait_ms = until_ms - clock_monotonic_ms();
        struct pollfd typing = { STDIN_FILENO, POLLIN, 0 };
        int ready = wait_ms > 0 ? poll(&typing, 1, (int)wait_ms) : 0;
        if (ready == 0) { return true; }
        if (ready < 0) { continue; }                     /* the terminal has another size */
        char bytes[64];
        ssize_t got = read(STDIN_FILENO, bytes, sizeof bytes);
        if (got <= 0) { return false; }
        for (struct str typed = { bytes, (size_t)got }; typed.len > 0;) {
            enum move move = read_key(&typed);
            if (move == QUIT) { return false; }
            *gpus = *gpus != (move == CHANGE);
            *first = scroll(*first, lines_of(listing, *gpus), page, move);
        }
    }
}

static bool watch(const struct config *config, const struct remote *remote, struct err *err)
{
    static const struct { int number; void (*handler)(int number); } signals[] = {
        { SIGINT, on_end }, { SIGTERM, on_end }, { SIGHUP, on_end }, { SIGWINCH, on_size },
    };
    is_changed = tcgetattr(STDIN_FILENO, &usual) == 0;
    for (size_t s = 0; s < COUNT_OF(signals); s++) { (void)sigaction(signals[s].number, &(struct sigaction){ .sa_handler = signals[s].handler }, NULL); }
    if (is_changed) {
        struct termios quiet = usual;
        quiet.c_lflag &= ~(tcflag_t)(ICANON | ECHO);     /* keys come at once; Ctrl-C stays a signal */
        (void)tcsetattr(STDIN_FILENO, TCSADRAIN, &quiet);
    }
    size_t first = 0;
    bool good = true, more = true, gpus = config_flag(config, SETTING_TOP_GPUS);
    while (good && more) {
        struct arena screen = { .ceiling = SCREEN_ARENA_MAX };
        struct listing listing;
        good = ask(config, remote, &listing, &screen, err);
        if (good) { more = show_for_a_while(&listing, &gpus, &first); }
        arena_finish(&screen);
    }
    put_back();
    return good;
}

int cli_top(const struct config *config, struct arena *arena, struct err *err)
{
    struct remote remote;
    bool as_json = strcmp(config_text(config, SETTING_OUTPUT), "json") == 0;
    bool on_screen = !config_flag(config, SETTING_ONCE) && !as_json && isatty(STDOUT_FILENO) == 1 && isatty(STDIN_FILENO) == 1;
    if (!cli_remote(config, &remote, arena, err)) { return 1; }
    if (on_screen) { return watch(config, &remote, err) ? 0 : 1; }
    struct arena page = { .ceiling = SCREEN_ARENA_MAX };
    bool good = print_once(config, &remote, as_json, &page, err);
    arena_finish(&page);
    return good ? 0 : 1;
}
