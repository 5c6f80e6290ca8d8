/* log.c: a line is built on the stack and leaves in one write, so that lines of several threads never mix. */
#include "base/log.h"

#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/assert.h"
#include "base/clock.h"

enum { LOG_TEXT_MAX = 2048, LOG_LINE_MAX = 4 * LOG_TEXT_MAX + 256 };     /* an escaped byte takes four */

static const struct { const char *name; enum log_level level; } log_names[] = {
    { "debug", LOG_DEBUG }, { "info", LOG_INFO }, { "warn", LOG_WARN }, { "error", LOG_ERROR }, { "crit", LOG_ERROR },
};

static atomic_int log_least = LOG_INFO;

static atomic_bool log_keeps;
static pthread_mutex_t kept_lock = PTHREAD_MUTEX_INITIALIZER;       /* of the ring: byte n of all is at n % LOG_KEPT_MAX */
static char kept[LOG_KEPT_MAX];
static uint64_t kept_end;

void log_keep(void) { atomic_store(&log_keeps, true); }

static void keep(const char *line, size_t len)
{
    pthread_mutex_lock(&kept_lock);
    for (size_t i = 0; i < len; i++) { kept[kept_end++ % LOG_KEPT_MAX] = line[i]; }
    pthread_mutex_unlock(&kept_lock);
}

uint64_t log_kept(char *text, size_t *len)
{
    pthread_mutex_lock(&kept_lock);
    uint64_t end = kept_end, at = end > LOG_KEPT_MAX ? end - LOG_KEPT_MAX : 0;
    while (at > 0 && at < end && kept[at++ % LOG_KEPT_MAX] != '\n') { }      /* the line that the ring has only the end of */
    *len = 0;
    while (at < end) { text[(*len)++] = kept[at++ % LOG_KEPT_MAX]; }
    pthread_mutex_unlock(&kept_lock);
    return end;
}

void log_set_level(enum log_level level)
{
    atomic_store_explicit(&log_least, (int)level, memory_order_relaxed);
}

bool log_shows(enum log_level level) { return (int)level >= atomic_load_explicit(&log_least, memory_order_relaxed); }

bool log_level_from(const char *name, enum log_level *level)
{
    for (size_t n = 0; name != NULL && n < COUNT_OF(log_names); n++) {
        if (strcmp(log_names[n].name, name) == 0) {
            *level = log_names[n].level;
            return true;
        }
    }
    return false;
}

/* Control characters could forge a second line or control the reader's terminal: C0, DEL, and C1 as UTF-8 writes them. */
static bool is_control(const unsigned char *at)
{
    return at[0] < 0x20 || at[0] == 0x7F || (at[0] == 0xC2 && at[1] >= 0x80 && at[1] < 0xA0);
}

static size_t put_escaped(char *out, const char *text)
{
    static const char digits[] = "0123456789abcdef";
    size_t len = 0;
    for (const unsigned char *at = (const unsigned char *)text; *at != '\0'; at++) {
        if (!is_control(at)) {
            out[len++] = (char)*at;
        } else if (*at == '\n' || *at == '\t') {
            out[len++] = '\\';
            out[len++] = *at == '\n' ? 'n' : 't';
        } else {
            out[len++] = '\\';
            out[len++] = 'x';
            out[len++] = digits[*at >> 4];
            out[len++] = digits[*at & 15];
        }
    }
    return len;
}

static size_t put_head(char *out, size_t size, enum log_level level, const char *room)
{
    int64_t now_ms = clock_now_ms();
    time_t seconds = (time_t)(now_ms / 1000);
    struct tm utc;
    ASSERT(gmtime_r(&seconds, &utc) != NULL);
    size_t len = strftime(out, size, "%Y-%m-%dT%H:%M:%S", &utc);
    int more = snprintf(out + len, size - len, ".%03dZ %-5s %.32s: ", (int)(now_ms % 1000), log_names[level].name, room);
    ASSERT(more > 0 && (size_t)more < size - len);
    return len + (size_t)more;
}

void log_line(enum log_level level, const char *room, const char *format, ...)
{
    if ((int)level < atomic_load_explicit(&log_least, memory_order_relaxed)) { return; }
    int saved = errno;                                             /* a log line between a call and its errno changes nothing */

    char text[LOG_TEXT_MAX], line[LOG_LINE_MAX];
    va_list values;
    va_start(values, format);
    int wanted = vsnprintf(text, sizeof text, format, values);
    va_end(values);
    ASSERT(wanted >= 0);

    size_t len = put_head(line, 128, level, room);
    len += put_escaped(line + len, text);
    const char *end = (size_t)wanted < sizeof text ? "\n" : " ...\n";
    memcpy(line + len, end, strlen(end));
    len += strlen(end);
    if (atomic_load_explicit(&log_keeps, memory_order_relaxed)) { keep(line, len); }
    while (write(STDERR_FILENO, line, len) < 0 && errno == EINTR) { }
    errno = saved;
}
