/* exposition.h: metrics as text, in Prometheus' classic form or as OpenMetrics. Knows names, types and lines; refuses to know the things measured. */
#ifndef BERTH_SERVER_FIGURES_EXPOSITION_H
#define BERTH_SERVER_FIGURES_EXPOSITION_H

#include "base/buf.h"
#include "server/writing/histogram.h"

struct exposition {
    struct buf *out;
    bool open_metrics;
    bool (*full)(void *context, struct buf *out);    /* NULL, or called now and then with the printed text: it may take it. False: nobody reads any more */
    void *context;
    bool gone;
};

bool       exposition_wants_open(struct str accept);     /* the Accept header: does it name OpenMetrics? */
struct str exposition_type(bool open_metrics);           /* the Content-Type */

void exposition_head(struct exposition *exposition, const char *name, const char *type, const char *help);
/* Metrics in the classic form, as other parts print them. */
void exposition_take(struct exposition *exposition, struct str classic);
void exposition_rest(struct exposition *exposition);     /* a metric has ended: `full` may take it */
/* Lines of one histogram, below its head. `unit`: what its whole numbers are divided by; `labels` may be empty. */
void exposition_histogram(struct exposition *exposition, const char *name, struct str labels, const struct histogram *histogram,
                          const struct histogram_scale *scale, double unit);
void exposition_end(struct exposition *exposition);

/* name="value", behind a comma where `out` has something. */
void exposition_label(struct buf *out, const char *name, struct str value);
void exposition_number(struct buf *out, double value);

#endif
