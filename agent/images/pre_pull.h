/* pre_pull.h: images that this machine pulls before a task needs them: those of a setting, and those in tags of its cluster, which the agent
 * reads once a minute. So the list outlives agents and servers, and machines that join later follow it too. These images are held, or cleaning
 * would remove them. The loop's thread. */
#ifndef BERTH_AGENT_IMAGES_PRE_PULL_H
#define BERTH_AGENT_IMAGES_PRE_PULL_H

#include "agent/link/client.h"
#include "agent/images/images.h"

struct pre_pull {
    /* set by the machine */
    struct client *client;                       /* lent */
    const struct endpoint *server;
    const char *cluster;
    struct images *images;                       /* lent */
    const char *setting;                         /* "IMAGE,IMAGE"; NULL: none */
    /* its own */
    struct timer timer;
    struct call call;
    char *told;                                  /* owned: the tags' images, with blanks between them; NULL: none */
    int round;
};

void pre_pull_begin(struct pre_pull *pre_pull);
void pre_pull_end(struct pre_pull *pre_pull);    /* not begun: nothing */

/* The values of all tags whose key begins with berth:pre-pull, with blanks between them, from DescribeClusters' answer. False: it is not an
 * answer about this cluster. In the header for its tests. */
bool pre_pull_read(struct str answer, struct str *images, struct arena *arena);

#endif
