/* arena.c: blocks, newest first, filled from the front. Memory is zeroed when it is handed out, so that a block that is
 * kept for the next request needs no cleaning. A block too big to be kept is zero from the start, which costs nothing: its pages
 * come from the system when they are first touched. With the address sanitizer, unallocated bytes are poisoned and
 * allocations have a gap between them: an overrun inside the arena is then found like one on the heap. */
#include "base/arena.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/num.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ARENA_SANITIZED
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(ARENA_SANITIZED)
#include <sanitizer/asan_interface.h>
#define ARENA_HIDE(ptr, size) ASAN_POISON_MEMORY_REGION((ptr), (size))
#define ARENA_SHOW(ptr, size) ASAN_UNPOISON_MEMORY_REGION((ptr), (size))
enum { ARENA_GAP = 16 };
#else
#define ARENA_HIDE(ptr, size) ((void)(ptr), (void)(size))
#define ARENA_SHOW(ptr, size) ((void)(ptr), (void)(size))
enum { ARENA_GAP = 0 };
#endif

enum {
    ARENA_ALIGN = 16,
    ARENA_BLOCK_MIN = 16 * 1024,
    ARENA_BLOCK_KEEP_MAX = 256 * 1024,       /* a reset frees the memory of one big request */
    ARENA_HARD_STOP = 4,                     /* ceilings */
};

struct arena_end { struct arena_end *older; void (*run)(void *context); void *context; };
struct arena_block { struct arena_block *older; size_t size, filled; bool zero; _Alignas(ARENA_ALIGN) char bytes[]; };   /* zero: the unfilled part is zeroed */

_Noreturn static void arena_die(const char *why, size_t size)
{
    fprintf(stderr, "arena: %s (%zu bytes more)\n", why, size);
    abort();
}

/* The size of an allocation in its block: rounded up, and never 0, so that each has a different address. */
static size_t arena_span(size_t size)
{
    return size == 0 ? ARENA_ALIGN : (size + ARENA_ALIGN - 1) & ~(size_t)(ARENA_ALIGN - 1);
}

static void arena_count(struct arena *arena, size_t span)
{
    size_t stop = arena->ceiling * ARENA_HARD_STOP;
    if (arena->used > stop || span > stop - arena->used) { arena_die("past the hard stop of four ceilings", span); }
    arena->used += span;
}

static void arena_add_block(struct arena *arena, size_t span)
{
    size_t size = arena->blocks == NULL ? ARENA_BLOCK_MIN : arena->blocks->size * 2;
    if (size < span) { size = span; }
    bool zero = size > ARENA_BLOCK_KEEP_MAX;
    struct arena_block *block = zero ? calloc(1, sizeof *block + size) : malloc(sizeof *block + size);
    if (block == NULL) { arena_die("the machine has no memory", size); }
    *block = (struct arena_block){ .older = arena->blocks, .size = size, .zero = zero };
    ARENA_HIDE(block->bytes, size);
    arena->blocks = block;
}

void *arena_bytes(struct arena *arena, size_t size)
{
    if (size > SIZE_MAX / 2) { arena_die("a size that cannot be", size); }
    size_t span = arena_span(size);
    arena_count(arena, span);
    if (arena->blocks == NULL || arena->blocks->size - arena->blocks->filled < span + ARENA_GAP) {
        arena_add_block(arena, span + ARENA_GAP);
    }
    struct arena_block *block = arena->blocks;
    void *out = block->bytes + block->filled;
    block->filled += span + ARENA_GAP;
    ARENA_SHOW(out, size);
    return out;
}

void arena_init(struct arena *arena, size_t ceiling)
{
    ASSERT(ceiling <= SIZE_MAX / (2 * ARENA_HARD_STOP));
    *arena = (struct arena){ .ceiling = ceiling };
}

static void arena_free_block(struct arena_block *block)
{
    ARENA_SHOW(block->bytes, block->size);
    free(block);
}

void arena_at_end(struct arena *arena, void (*run)(void *context), void *context)
{
    struct arena_end *end = ARENA_NEW(arena, struct arena_end, 1);
    *end = (struct arena_end){ arena->ends, run, context };
    arena->ends = end;
}

static void arena_run_ends(struct arena *arena)
{
    for (const struct arena_end *end = arena->ends; end != NULL; end = end->older) { end->run(end->context); }
    arena->ends = NULL;
}

void arena_finish(struct arena *arena)
{
    arena_run_ends(arena);
    while (arena->blocks != NULL) {
        struct arena_block *block = arena->blocks;
        arena->blocks = block->older;
        arena_free_block(block);
    }
    arena->used = 0;
}

/* Keeps the newest block that is not too big: blocks double, so it is the one most likely to hold the next request whole. */
void arena_reset(struct arena *arena)
{
    arena_run_ends(arena);
    struct arena_block *kept = NULL;
    while (arena->blocks != NULL) {
        struct arena_block *block = arena->blocks;
        arena->blocks = block->older;
        if (kept == NULL && block->size <= ARENA_BLOCK_KEEP_MAX) {
            kept = block;
        } else {
            arena_free_block(block);
        }
    }
    if (kept != NULL) {
        kept->older = NULL;
        kept->filled = 0;
        ARENA_HIDE(kept->bytes, kept->size);
    }
    arena->blocks = kept;
    arena->used = 0;
}

bool arena_exhausted(const struct arena *arena)
{
    return arena->used > arena->ceiling;
}

void *arena_alloc(struct arena *arena, size_t count, size_t size)
{
    size_t total = 0;
    if (!mul_size(count, size, &total)) { arena_die("a count that cannot be", count); }
    void *out = arena_bytes(arena, total);
    return arena->blocks->zero ? out : memset(out, 0, total);
}

void *arena_copy(struct arena *arena, const void *bytes, size_t size)
{
    void *out = arena_bytes(arena, size);
    if (size > 0) { memcpy(out, bytes, size); }
    return out;
}

void *arena_grow(struct arena *arena, void *old, size_t old_size, size_t new_size)
{
    ASSERT(new_size >= old_size);
    ASSERT(new_size <= SIZE_MAX / 2);
    struct arena_block *block = arena->blocks;
    size_t old_span = arena_span(old_size), more = arena_span(new_size) - old_span;
    bool last = old != NULL && block != NULL && block->filled >= old_span + ARENA_GAP
        && (char *)old == block->bytes + (block->filled - ARENA_GAP - old_span);
    if (last && block->size - block->filled >= more) {
        arena_count(arena, more);
        block->filled += more;
        ARENA_SHOW(old, new_size);
        return old;
    }
    void *out = arena_bytes(arena, new_size);
    if (old_size > 0) { memcpy(out, old, old_size); }
    return out;
}

struct str arena_str(struct arena *arena, struct str s)
{
    return str_is_set(s) ? (struct str){ arena_cstr(arena, s), s.len } : s;
}

const char *arena_cstr(struct arena *arena, struct str s)
{
    char *out = arena_bytes(arena, s.len + 1);
    if (s.len > 0) { memcpy(out, s.ptr, s.len); }
    out[s.len] = '\0';
    return out;
}

struct str arena_printf(struct arena *arena, const char *format, ...)
{
    va_list measured, printed;
    va_start(measured, format);
    va_copy(printed, measured);
    int len = vsnprintf(NULL, 0, format, measured);
    va_end(measured);
    ASSERT(len >= 0);

    char *out = arena_bytes(arena, (size_t)len + 1);
    (void)vsnprintf(out, (size_t)len + 1, format, printed);
    va_end(printed);
    return (struct str){ out, (size_t)len };
}
