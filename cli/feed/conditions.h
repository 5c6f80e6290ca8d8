/* conditions.h: the conditions of ELB's rules and the words of its redirects, in HAProxy's language. Pure. */
#ifndef BERTH_CLI_FEED_CONDITIONS_H
#define BERTH_CLI_FEED_CONDITIONS_H

#include "cli/feed/state.h"

/* An acl for each condition of the rule, and the line that chooses the rule if all of them hold and none before it did. */
void conditions_put(const struct feed_rule *rule, struct buf *out);

/* The regular expression of a pattern, in which `*` is any text and `?` any character; `one`: such a character, "." or "[^&]". */
void conditions_put_pattern(struct str pattern, const char *one, struct buf *out);

struct conditions_words { struct str port, protocol; };          /* of the listener */
/* A member of a redirect, with #{host}, #{path}, #{query}, #{port} and #{protocol}, as a log format of HAProxy. */
void conditions_put_redirect(struct str text, const struct conditions_words *words, struct buf *out);

/* One word of a configuration. */
void conditions_put_quoted(struct str text, struct buf *out);

#endif
