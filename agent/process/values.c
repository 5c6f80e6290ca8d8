#include "agent/process/values.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/file.h"

enum { READ_BYTES = 64 * 1024 };

struct process_held { struct process_held *next; struct str id; size_t len; char bytes[]; };      /* the id, then the entries */

void process_values_init(struct process_values *values)
{
    *values = (struct process_values){ .first = NULL };
    lock_init(&values->lock);
}

static void forget(struct process_held *held)
{
    explicit_bzero(held->bytes, held->id.len + held->len);
    free(held);
}

void process_values_finish(struct process_values *values)
{
    while (values->first != NULL) {
        struct process_held *held = values->first;
        values->first = held->next;
        forget(held);
    }
    lock_finish(&values->lock);
}

static char *append(char *at, struct str text)
{
    if (text.len > 0) { memcpy(at, text.ptr, text.len); }
    return at + text.len;
}

void process_values_keep(struct process_values *values, struct str id, const struct pair_list *pairs)
{
    size_t len = 0;
    for (size_t p = 0; p < pairs->count; p++) { len += pairs->items[p].key.len + pairs->items[p].value.len + 2; }
    if (len == 0) { return; }
    struct process_held *held = malloc(sizeof *held + id.len + len);
    ASSERT(held != NULL);
    char *at = append(held->bytes, id);
    for (size_t p = 0; p < pairs->count; p++) {
        at = append(append(append(at, pairs->items[p].key), STR("=")), pairs->items[p].value);
        *at++ = '\0';
    }
    ASSERT(at == held->bytes + id.len + len);
    held->id = (struct str){ held->bytes, id.len };
    held->len = len;
    lock_take(&values->lock);
    held->next = values->first;
    values->first = held;
    lock_drop(&values->lock);
}

void process_values_drop(struct process_values *values, struct str id)
{
    lock_take(&values->lock);
    for (struct process_held **at = &values->first; *at != NULL; at = &(*at)->next) {
        struct process_held *held = *at;
        if (!str_eq(held->id, id)) { continue; }
        *at = held->next;
        forget(held);
        break;
    }
    lock_drop(&values->lock);
}

int process_values_open(struct process_values *values, struct str id)
{
    int fd = -1;
    lock_take(&values->lock);
    for (const struct process_held *held = values->first; held != NULL && fd < 0; held = held->next) {
        if (!str_eq(held->id, id)) { continue; }
        fd = memfd_create("berth-values", MFD_CLOEXEC);
        if (fd < 0) { break; }
        if (file_write_all(fd, (struct str){ held->bytes + held->id.len, held->len }) && lseek(fd, 0, SEEK_SET) == 0) { continue; }
        close(fd);
        fd = -1;
        break;
    }
    lock_drop(&values->lock);
    return fd;
}

char **process_values_read(int fd, char **envp, struct arena *arena)
{
    char *bytes = NULL;
    size_t len = 0, count = 0, more = 0;
    for (ssize_t got = 1; got > 0;) {
        bytes = arena_grow(arena, bytes, len, len + READ_BYTES);
        got = read(fd, bytes + len, READ_BYTES);
        if (got < 0 && errno == EINTR) { got = 1; continue; }
        len += got > 0 ? (size_t)got : 0;
    }
    while (envp[count] != NULL) { count++; }
    for (size_t b = 0; b < len; b++) { more += bytes[b] == '\0' ? 1 : 0; }
    char **all = ARENA_NEW(arena, char *, count + more + 1);
    for (size_t e = 0; e < count; e++) { all[e] = envp[e]; }
    for (size_t at = 0; more > 0; at += strlen(bytes + at) + 1, more--) { all[count++] = bytes + at; }
    return all;
}
