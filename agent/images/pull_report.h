/* pull_report.h: reports the progress of this machine's pulls to the server, every two seconds while pulls are under way, and once when the
 * last has ended. The next report replaces a lost one, so no report is sent again. The loop's thread. */
#ifndef BERTH_AGENT_IMAGES_PULL_REPORT_H
#define BERTH_AGENT_IMAGES_PULL_REPORT_H

#include "agent/link/client.h"
#include "agent/images/images.h"

struct pull_reporter {
    /* set by the machine */
    struct client *client;                       /* lent */
    const struct endpoint *server;
    const char *cluster;
    struct images *images;                       /* lent */
    /* its own */
    struct timer timer;
    struct call call;
    bool owes;                                   /* the server may believe that an image is being pulled */
    bool empty;                                  /* the call on its way says that no image is */
    char instance[256];                          /* ARN; empty: not registered yet */
};

void pull_reporter_begin(struct pull_reporter *reporter);
void pull_reporter_registered(struct pull_reporter *reporter, struct str arn);
void pull_reporter_end(struct pull_reporter *reporter);  /* not begun: nothing */

#endif
