/* pattern.h: CloudWatch's filter patterns for plain text: terms and "quoted phrases" that must all be there, -terms that must
 * not, and ?terms of which one must be there when nothing else is asked for. A term is found anywhere, in its own case. Patterns
 * for JSON, for fields and regular expressions are refused by name. */
#ifndef BERTH_SERVER_LOGS_PATTERN_H
#define BERTH_SERVER_LOGS_PATTERN_H

#include "base/arena.h"
#include "base/err.h"

enum { LOG_PATTERN_MAX = 1024, LOG_TERMS_MAX = 64 };
enum log_term_kind { LOG_TERM_ALL, LOG_TERM_ANY, LOG_TERM_NOT };
struct log_term { enum log_term_kind kind; struct str text; };
struct log_pattern { struct log_term terms[LOG_TERMS_MAX]; size_t count; };      /* no terms: everything fits */

/* Phrases with escapes live in the arena, the rest borrows from `text`. */
bool log_pattern_read(struct str text, struct log_pattern *pattern, struct arena *arena, struct err *err);
bool log_pattern_fits(const struct log_pattern *pattern, struct str message);

#endif
