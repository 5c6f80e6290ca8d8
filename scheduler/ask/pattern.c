/* pattern.c: regular expressions as small programs, run by keeping the set of all places in the program where the match may
 * be (Thompson's method). No text makes it slow: each character costs at most one look at each step of the program.
 * Steps point to each other by distance, so a piece of program can be moved and copied as it is. */
#include "scheduler/ask/expression.h"

enum { STEPS_MAX = 1000, DEPTH_MAX = 50, ENDLESS = -1, CODE_POINT_MAX = 0x10FFFF };

enum step_kind { STEP_CHAR, STEP_CLASS, STEP_NOT_CLASS, STEP_SPLIT, STEP_JUMP, STEP_BEGIN, STEP_END, STEP_MATCH };
struct step { enum step_kind kind; int32_t a, b; };              /* CHAR: a; classes: ranges a .. a+b-1; SPLIT: both; JUMP: a */
struct range { uint32_t low, high; };
struct pattern { size_t step_count; struct step *steps; struct range *ranges; };

/* ---- reading characters ---- */
/* One character of UTF-8; a byte that is not UTF-8 counts as one character. */
static uint32_t next_char(struct str text, size_t *at)
{
    static const struct { unsigned char mask, lead; size_t more; } forms[] = {
        { 0xE0, 0xC0, 1 }, { 0xF0, 0xE0, 2 }, { 0xF8, 0xF0, 3 },
    };
    unsigned char first = (unsigned char)text.ptr[(*at)++];
    for (size_t f = 0; f < COUNT_OF(forms); f++) {
        if ((first & forms[f].mask) != forms[f].lead || text.len - *at < forms[f].more) { continue; }
        uint32_t read = first & (unsigned char)~forms[f].mask;
        for (size_t i = 0; i < forms[f].more; i++) {
            unsigned char byte = (unsigned char)text.ptr[*at + i];
            if ((byte & 0xC0) != 0x80) { return first; }
            read = read << 6 | (byte & 0x3F);
        }
        *at += forms[f].more;
        return read;
    }
    return first;
}

/* ---- the reader ---- */
struct reader {
    struct str text; size_t at;
    struct step steps[STEPS_MAX]; size_t step_count;
    struct range ranges[STEPS_MAX]; size_t range_count;
    unsigned depth;
    const char *why; size_t why_at;
};

static bool refuse(struct reader *r, size_t at, const char *why)
{
    r->why = why;
    r->why_at = at;
    return false;
}

static bool reader_sees(const struct reader *r, char c) { return r->at < r->text.len && r->text.ptr[r->at] == c; }

/* Opens a gap of `count` steps at `at`. */
static bool steps_insert(struct reader *r, size_t at, size_t count)
{
    if (r->step_count + count > STEPS_MAX) { return refuse(r, r->at, "the regular expression is too big"); }
    memmove(&r->steps[at + count], &r->steps[at], (r->step_count - at) * sizeof r->steps[0]);
    r->step_count += count;
    return true;
}

static bool step_add(struct reader *r, enum step_kind kind, int32_t a, int32_t b)
{
    if (!steps_insert(r, r->step_count, 1)) { return false; }
    r->steps[r->step_count - 1] = (struct step){ kind, a, b };
    return true;
}

static bool range_add(struct reader *r, uint32_t low, uint32_t high)
{
    if (r->range_count == STEPS_MAX) { return refuse(r, r->at, "the regular expression is too big"); }
    r->ranges[r->range_count++] = (struct range){ low, high };
    return true;
}

/* ---- escapes and classes ---- */
static const struct { char letter; size_t count; struct range ranges[5]; } class_escapes[] = {
    { 'd', 1, { { '0', '9' } } },
    { 'D', 2, { { 0, '0' - 1 }, { '9' + 1, CODE_POINT_MAX } } },
    { 'w', 4, { { 'a', 'z' }, { 'A', 'Z' }, { '0', '9' }, { '_', '_' } } },
    { 'W', 5, { { 0, '0' - 1 }, { '9' + 1, 'A' - 1 }, { 'Z' + 1, '_' - 1 }, { '`', '`' }, { 'z' + 1, CODE_POINT_MAX } } },
    { 's', 2, { { '\t', '\r' }, { ' ', ' ' } } },
    { 'S', 3, { { 0, '\t' - 1 }, { '\r' + 1, ' ' - 1 }, { ' ' + 1, CODE_POINT_MAX } } },
};
static const struct { char letter, meaning; } char_escapes[] = { { 't', '\t' }, { 'n', '\n' }, { 'r', '\r' }, { 'f', '\f' } };

static bool is_letter_or_digit(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/* Behind a backslash: a class (its ranges are added, *is_class) or one character. */
static bool read_escape(struct reader *r, bool *is_class, uint32_t *character)
{
    *is_class = false;
    if (r->at == r->text.len) { return refuse(r, r->at - 1, "nothing follows the backslash"); }
    char letter = r->text.ptr[r->at];
    for (size_t e = 0; e < COUNT_OF(class_escapes); e++) {
        if (class_escapes[e].letter != letter) { continue; }
        for (size_t n = 0; n < class_escapes[e].count; n++) {
            if (!range_add(r, class_escapes[e].ranges[n].low, class_escapes[e].ranges[n].high)) { return false; }
        }
        r->at++;
        *is_class = true;
        return true;
    }
    for (size_t e = 0; e < COUNT_OF(char_escapes); e++) {
        if (char_escapes[e].letter != letter) { continue; }
        r->at++;
        *character = (uint32_t)char_escapes[e].meaning;
        return true;
    }
    if (is_letter_or_digit(letter)) { return refuse(r, r->at - 1, "this escape of regular expressions is not supported"); }
    *character = next_char(r->text, &r->at);
    return true;
}

/* One character of a class; *is_class when it was an escape for many. */
static bool read_class_char(struct reader *r, bool *is_class, uint32_t *character)
{
    *is_class = false;
    if (reader_sees(r, '\\')) {
        r->at++;
        return read_escape(r, is_class, character);
    }
    if (reader_sees(r, '[')) { return refuse(r, r->at, "a class inside a class is not supported"); }
    if (reader_sees(r, '&') && str_starts_with(str_slice(r->text, r->at, r->text.len), STR("&&"))) {
        return refuse(r, r->at, "the cut of two classes is not supported");
    }
    *character = next_char(r->text, &r->at);
    return true;
}

static bool read_class_item(struct reader *r)
{
    bool is_class = false;
    uint32_t low = 0, high = 0;
    if (!read_class_char(r, &is_class, &low)) { return false; }
    if (is_class) { return true; }
    high = low;
    bool is_range = reader_sees(r, '-') && r->at + 1 < r->text.len && r->text.ptr[r->at + 1] != ']';
    if (is_range) {
        size_t at = r->at++;
        if (!read_class_char(r, &is_class, &high)) { return false; }
        if (is_class || high < low) { return refuse(r, at, "this range goes backwards or has no end"); }
    }
    return range_add(r, low, high);
}

static bool read_class(struct reader *r)
{
    size_t opened = r->at++, first = r->range_count;
    bool negated = reader_sees(r, '^');
    if (negated) { r->at++; }
    do {
        if (r->at == r->text.len) { return refuse(r, opened, "this [ has no ]"); }
        if (!read_class_item(r)) { return false; }
    } while (!reader_sees(r, ']'));
    r->at++;
    return step_add(r, negated ? STEP_NOT_CLASS : STEP_CLASS, (int32_t)first, (int32_t)(r->range_count - first));
}

/* ---- atoms, repeats, sequences, alternatives ---- */
static bool read_alternatives(struct reader *r);

static bool read_group(struct reader *r)
{
    size_t opened = r->at++;
    if (reader_sees(r, '?')) {
        if (!str_starts_with(str_slice(r->text, r->at, r->text.len), STR("?:"))) {
            return refuse(r, opened, "of the groups that begin with (? only (?: ) is supported");
        }
        r->at += 2;
    }
    if (++r->depth > DEPTH_MAX) { return refuse(r, opened, "the groups are nested too deep"); }
    if (!read_alternatives(r)) { return false; }
    r->depth--;
    if (!reader_sees(r, ')')) { return refuse(r, opened, "this ( has no )"); }
    r->at++;
    return true;
}

static bool read_backslash(struct reader *r)
{
    size_t first = r->range_count;
    bool is_class = false;
    uint32_t character = 0;
    r->at++;
    if (!read_escape(r, &is_class, &character)) { return false; }
    return is_class ? step_add(r, STEP_CLASS, (int32_t)first, (int32_t)(r->range_count - first))
                    : step_add(r, STEP_CHAR, (int32_t)character, 0);
}

/* Everything but the ends of lines, as in Java. */
static bool read_dot(struct reader *r)
{
    r->at++;
    size_t first = r->range_count;
    return range_add(r, '\n', '\n') && range_add(r, '\r', '\r') && step_add(r, STEP_NOT_CLASS, (int32_t)first, 2);
}

static bool read_begin(struct reader *r) { r->at++; return step_add(r, STEP_BEGIN, 0, 0); }
static bool read_end(struct reader *r)   { r->at++; return step_add(r, STEP_END, 0, 0); }
static bool read_repeat_of_nothing(struct reader *r) { return refuse(r, r->at, "there is nothing to repeat"); }

static const struct { char c; bool (*read)(struct reader *); } atoms[] = {
    { '(', read_group }, { '[', read_class }, { '\\', read_backslash }, { '.', read_dot }, { '^', read_begin }, { '$', read_end },
    { '*', read_repeat_of_nothing }, { '+', read_repeat_of_nothing }, { '?', read_repeat_of_nothing }, { '{', read_repeat_of_nothing },
};

static bool read_atom(struct reader *r)
{
    for (size_t a = 0; a < COUNT_OF(atoms); a++) {
        if (reader_sees(r, atoms[a].c)) { return atoms[a].read(r); }
    }
    return step_add(r, STEP_CHAR, (int32_t)next_char(r->text, &r->at), 0);
}

static bool read_count(struct reader *r, int32_t *count)
{
    size_t from = r->at;
    int32_t sum = 0;
    for (; r->at < r->text.len && r->text.ptr[r->at] >= '0' && r->text.ptr[r->at] <= '9'; r->at++) {
        sum = sum * 10 + (r->text.ptr[r->at] - '0');
        if (sum > STEPS_MAX) { return refuse(r, from, "the regular expression is too big"); }
    }
    *count = sum;
    return r->at > from;
}

/* `{m}`, `{m,}`, `{m,n}` */
static bool read_braces(struct reader *r, int32_t *least, int32_t *most)
{
    size_t opened = r->at++;
    bool good = read_count(r, least);
    *most = *least;
    if (good && reader_sees(r, ',')) {
        r->at++;
        *most = ENDLESS;
        if (!reader_sees(r, '}')) { good = read_count(r, most); }
    }
    if (r->why != NULL) { return false; }
    if (!good || !reader_sees(r, '}')) { return refuse(r, opened, "a repeat is written {m}, {m,} or {m,n}"); }
    if (*most != ENDLESS && *most < *least) { return refuse(r, opened, "this repeat ends before it begins"); }
    r->at++;
    return true;
}

static bool steps_copy(struct reader *r, const struct step *from, size_t count)
{
    size_t at = r->step_count;
    if (!steps_insert(r, at, count)) { return false; }
    memcpy(&r->steps[at], from, count * sizeof *from);
    return true;
}

/* The atom from `start` on, written out: `least` times, then optional ones, or one that may come for ever. */
static bool repeat(struct reader *r, size_t start, int32_t least, int32_t most)
{
    struct step atom[STEPS_MAX];
    size_t len = r->step_count - start;
    ASSERT(len <= STEPS_MAX);
    memcpy(atom, &r->steps[start], len * sizeof atom[0]);
    r->step_count = start;
    int32_t distance = (int32_t)len;
    for (int32_t n = 0; n < least; n++) {
        if (!steps_copy(r, atom, len)) { return false; }
    }
    if (most == ENDLESS) {
        return step_add(r, STEP_SPLIT, 1, distance + 2) && steps_copy(r, atom, len) && step_add(r, STEP_JUMP, -distance - 1, 0);
    }
    for (int32_t n = least; n < most; n++) {
        if (!step_add(r, STEP_SPLIT, 1, distance + 1) || !steps_copy(r, atom, len)) { return false; }
    }
    return true;
}

static bool read_repeated(struct reader *r)
{
    static const struct { char c; int32_t least, most; } short_forms[] = { { '*', 0, ENDLESS }, { '+', 1, ENDLESS }, { '?', 0, 1 } };
    size_t start = r->step_count;
    if (!read_atom(r)) { return false; }
    int32_t least = 1, most = 1;
    bool repeats = reader_sees(r, '{');
    if (repeats && !read_braces(r, &least, &most)) { return false; }
    for (size_t f = 0; f < COUNT_OF(short_forms) && !repeats; f++) {
        if (!reader_sees(r, short_forms[f].c)) { continue; }
        repeats = true;
        least = short_forms[f].least;
        most = short_forms[f].most;
        r->at++;
    }
    if (!repeats) { return true; }
    if (reader_sees(r, '?')) { r->at++; }                        /* lazy: the same, since the whole value must match */
    if (reader_sees(r, '+')) { return refuse(r, r->at, "possessive repeats are not supported"); }
    if (reader_sees(r, '*') || reader_sees(r, '?') || reader_sees(r, '{')) { return read_repeat_of_nothing(r); }
    return repeat(r, start, least, most);
}

static bool read_sequence(struct reader *r)
{
    while (r->at < r->text.len && !reader_sees(r, '|') && !reader_sees(r, ')')) {
        if (!read_repeated(r)) { return false; }
    }
    return true;
}

/* Each alternative but the last ends in a jump behind them all; until the end is known, the jumps form a list. */
static bool read_alternatives(struct reader *r)
{
    int32_t jumps = -1;
    for (;;) {
        size_t start = r->step_count;
        if (!read_sequence(r)) { return false; }
        if (!reader_sees(r, '|')) { break; }
        r->at++;
        size_t len = r->step_count - start;
        if (!steps_insert(r, start, 1)) { return false; }
        r->steps[start] = (struct step){ STEP_SPLIT, 1, (int32_t)len + 2 };
        if (!step_add(r, STEP_JUMP, jumps, 0)) { return false; }
        jumps = (int32_t)r->step_count - 1;
    }
    while (jumps != -1) {
        int32_t earlier = r->steps[jumps].a;
        r->steps[jumps].a = (int32_t)r->step_count - jumps;
        jumps = earlier;
    }
    return true;
}

const struct pattern *pattern_compile(struct str text, struct arena *arena, const char **why, size_t *at)
{
    struct reader *r = ARENA_NEW(arena, struct reader, 1);
    r->text = text;
    bool good = read_alternatives(r);
    if (good && r->at < text.len) { good = refuse(r, r->at, "this ) has no ("); }
    good = good && step_add(r, STEP_MATCH, 0, 0);
    if (!good) {
        *why = r->why;
        *at = r->why_at;
        return NULL;
    }
    ASSERT(r->step_count > 0 && r->step_count <= STEPS_MAX);
    struct pattern *pattern = ARENA_NEW(arena, struct pattern, 1);
    pattern->step_count = r->step_count;
    pattern->steps = arena_copy(arena, r->steps, r->step_count * sizeof r->steps[0]);
    pattern->ranges = arena_copy(arena, r->ranges, r->range_count * sizeof r->ranges[0]);
    return pattern;
}

/* ---- running ---- */
struct places { uint64_t seen[(STEPS_MAX + 63) / 64]; uint16_t items[STEPS_MAX]; size_t count; };

static void place_add(struct places *places, int32_t step)
{
    ASSERT(step >= 0 && step < STEPS_MAX);
    uint64_t bit = (uint64_t)1 << (step & 63);
    if ((places->seen[step / 64] & bit) != 0) { return; }
    places->seen[step / 64] |= bit;
    places->items[places->count++] = (uint16_t)step;
}

/* Steps that take no character are followed at once: the list grows while it is walked. */
static void follow(const struct pattern *pattern, struct places *places, bool at_begin, bool at_end)
{
    for (size_t p = 0; p < places->count; p++) {
        int32_t at = places->items[p];
        const struct step *step = &pattern->steps[at];
        ASSERT((size_t)at < pattern->step_count);
        bool passes = (step->kind == STEP_BEGIN && at_begin) || (step->kind == STEP_END && at_end);
        if (passes) { place_add(places, at + 1); }
        if (step->kind == STEP_JUMP || step->kind == STEP_SPLIT) { place_add(places, at + step->a); }
        if (step->kind == STEP_SPLIT) { place_add(places, at + step->b); }
    }
}

static bool step_takes(const struct pattern *pattern, const struct step *step, uint32_t character)
{
    if (step->kind == STEP_CHAR) { return (uint32_t)step->a == character; }
    if (step->kind != STEP_CLASS && step->kind != STEP_NOT_CLASS) { return false; }
    bool inside = false;
    for (int32_t n = step->a; n < step->a + step->b; n++) {
        inside |= character >= pattern->ranges[n].low && character <= pattern->ranges[n].high;
    }
    return inside == (step->kind == STEP_CLASS);
}

bool pattern_matches(const struct pattern *pattern, struct str value)
{
    struct places both[2], *now = &both[0], *then = &both[1];
    memset(now->seen, 0, sizeof now->seen);
    now->count = 0;
    place_add(now, 0);
    follow(pattern, now, true, value.len == 0);
    for (size_t at = 0; at < value.len && now->count > 0;) {
        uint32_t character = next_char(value, &at);
        memset(then->seen, 0, sizeof then->seen);
        then->count = 0;
        for (size_t p = 0; p < now->count; p++) {
            if (step_takes(pattern, &pattern->steps[now->items[p]], character)) { place_add(then, now->items[p] + 1); }
        }
        follow(pattern, then, false, at == value.len);
        struct places *swapped = now;
        now = then;
        then = swapped;
    }
    int32_t last = (int32_t)pattern->step_count - 1;
    ASSERT(pattern->steps[last].kind == STEP_MATCH);
    return (now->seen[last / 64] >> (last & 63) & 1) != 0;
}
