#include "server/figures/exposition.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool exposition_wants_open(struct str accept) { return str_contains(accept, STR("application/openmetrics-text")); }

struct str exposition_type(bool open_metrics)
{
    return open_metrics ? STR("application/openmetrics-text; version=1.0.0; charset=utf-8") : STR("text/plain; version=0.0.4; charset=utf-8");
}

static struct str type_of(const struct exposition *exposition, struct str type)
{
    return exposition->open_metrics && str_eq(type, STR("untyped")) ? STR("unknown") : type;
}

/* OpenMetrics: a counter is named without its _total, which only its lines have. */
static struct str family_of(const struct exposition *exposition, struct str name, struct str type)
{
    static const struct str total = STR_INIT("_total");
    bool cut = exposition->open_metrics && str_eq(type, STR("counter")) && str_ends_with(name, total);
    return cut ? str_slice(name, 0, name.len - total.len) : name;
}

static void put_head(struct exposition *exposition, struct str name, struct str type, struct str help)
{
    struct str family = family_of(exposition, name, type);
    buf_printf(exposition->out, "# HELP " STR_FMT " " STR_FMT "\n# TYPE " STR_FMT " " STR_FMT "\n", STR_ARG(family), STR_ARG(help), STR_ARG(family),
               STR_ARG(type_of(exposition, type)));
}

void exposition_head(struct exposition *exposition, const char *name, const char *type, const char *help)
{
    put_head(exposition, str_from(name), str_from(type), str_from(help));
}

/* A HELP line is always followed by its TYPE line. */
void exposition_take(struct exposition *exposition, struct str classic)
{
    static const struct str help_head = STR_INIT("# HELP "), type_head = STR_INIT("# TYPE ");
    struct str line, next, rest = classic;
    if (!exposition->open_metrics) {
        buf_put(exposition->out, classic);
        return;
    }
    while (rest.len > 0) {
        (void)str_cut(rest, '\n', &line, &rest);
        if (str_starts_with(line, help_head)) {
            struct str name, help, type;
            (void)str_cut(rest, '\n', &next, &rest);
            ASSERT(str_starts_with(next, type_head));
            (void)str_cut(str_slice(line, help_head.len, line.len), ' ', &name, &help);
            (void)str_cut(str_slice(next, type_head.len, next.len), ' ', &name, &type);
            put_head(exposition, name, type, help);
        } else {
            buf_put(exposition->out, line);
            buf_put_char(exposition->out, '\n');
        }
    }
}

void exposition_rest(struct exposition *exposition)
{
    enum { PIECE = 256 * 1024 };
    if (exposition->full == NULL || exposition->gone || exposition->out->len < PIECE) { return; }
    exposition->gone = !exposition->full(exposition->context, exposition->out);
}

void exposition_end(struct exposition *exposition)
{
    if (exposition->open_metrics) { buf_put(exposition->out, STR("# EOF\n")); }
}

void exposition_label(struct buf *out, const char *name, struct str value)
{
    if (out->len > 0) { buf_put_char(out, ','); }
    buf_put(out, str_from(name));
    buf_put(out, STR("=\""));
    for (size_t c = 0; c < value.len; c++) {
        if (value.ptr[c] == '"' || value.ptr[c] == '\\' || value.ptr[c] == '\n') { buf_put_char(out, '\\'); }
        buf_put_char(out, value.ptr[c] == '\n' ? 'n' : value.ptr[c]);
    }
    buf_put_char(out, '"');
}

/* Most figures are whole, which is quicker to print. */
void exposition_number(struct buf *out, double value)
{
    static const double exact = 1e15;
    if (fabs(value) < exact && !islessgreater(value, (double)(int64_t)value)) {
        buf_put_i64(out, (int64_t)value);
    } else {
        buf_printf(out, "%.15g", value);
    }
}

void exposition_histogram(struct exposition *exposition, const char *name, struct str labels, const struct histogram *histogram,
                          const struct histogram_scale *scale, double unit)
{
    const char *comma = labels.len > 0 ? "," : "", *open = labels.len > 0 ? "{" : "", *close = labels.len > 0 ? "}" : "";
    int64_t count = 0;
    for (size_t b = 0; b <= HISTOGRAM_BOUNDS; b++) {
        count += atomic_load_explicit(&histogram->counts[b], memory_order_relaxed);
        buf_printf(exposition->out, "%s_bucket{" STR_FMT "%sle=\"", name, STR_ARG(labels), comma);
        if (b < HISTOGRAM_BOUNDS) { buf_printf(exposition->out, "%.10g", (double)scale->bounds[b] / unit); } else { buf_put(exposition->out, STR("+Inf")); }
        buf_printf(exposition->out, "\"} %lld\n", (long long)count);
    }
    double sum = (double)atomic_load_explicit(&histogram->sum, memory_order_relaxed);
    buf_printf(exposition->out, "%s_sum%s" STR_FMT "%s %.15g\n%s_count%s" STR_FMT "%s %lld\n", name, open, STR_ARG(labels), close, sum / unit, name, open,
               STR_ARG(labels), close, (long long)count);
}
