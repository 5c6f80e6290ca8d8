/* conditions.h: the conditions of ELB's rules and the words of its redirects, in the languages of proxies. Pure. */
#ifndef BERTH_CLI_FEED_CONDITIONS_H
#define BERTH_CLI_FEED_CONDITIONS_H

#include "cli/feed/state.h"

/* For HAProxy: an acl for each condition of the rule, and the line that chooses the rule if all of them hold and none before it did. */
void conditions_put(const struct feed_rule *rule, struct buf *out);

/* The regular expression of a pattern, in which `*` is any text and `?` any character; `one`: such a character, "." or "[^&]". */
void conditions_put_pattern(struct str pattern, const char *one, struct buf *out);

/* The parts of a request's URL, as a proxy writes them: the path begins with its '/', the question with its '?' if there is a query. The proxy reads
 * its own `special` character as a plain one if it is there twice. */
struct conditions_url { struct str host, path, query, question; char special; };
/* The URL of a redirect of a listener that the proxy has at this port. A port that the protocol means anyway is left out. */
void conditions_put_location(const struct feed_action *action, bool encrypted, int64_t port, const struct conditions_url *url, struct buf *out);

bool conditions_is_network(struct str text);                     /* an address, or a CIDR block: safe in configurations */

/* One word of a configuration. */
void conditions_put_quoted(struct str text, struct buf *out);

#endif
