/* images.h: the images of this machine. Makes one available when a container needs it, by ECS's rules (images/rules.h): one pull at a time for
 * an image, and all containers that need it wait for that pull; several images at once, within a bound. Remembers on file which images the
 * agent pulled, and removes unused ones. Refuses to know tasks, and how a runtime pulls. */
#ifndef BERTH_AGENT_IMAGES_IMAGES_H
#define BERTH_AGENT_IMAGES_IMAGES_H

#include "agent/images/rules.h"
#include "agent/images/registry_auth.h"
#include "agent/core/runtime.h"
#include "wire/wire.h"

enum { IMAGE_DIGEST_MAX = 160, IMAGE_TROUBLE_MAX = 640 };

struct images;

/* Owned. Reads DIR/images.json, which exists after a first pull. runtime, config and *threads are lent: threads counts our threads that are
 * alive. NULL and *err: the settings or the file can't be read. */
struct images *images_create(struct runtime *runtime, const struct agent_config *config, atomic_int *threads, struct err *err);
void images_leave(struct images *images);            /* ends pulls; its threads end soon after. NULL: nothing */
void images_destroy(struct images *images);          /* its threads have ended. NULL: nothing */

struct image_wish {
    struct str image;
    /* The container's own login, asked for when there is something to pull; *named false: it has none, and the settings' logins are used.
     * NULL: the same. False without *err: no container needs the image any more. */
    bool (*find_login)(void *owner, struct registry_login *login, bool *named, struct arena *arena, struct err *err);
    bool (*unwanted)(void *owner);                   /* asked about twice a second */
    void (*begun)(void *owner);                      /* there is something to pull */
    void *owner;
};
struct image_got {
    char digest[IMAGE_DIGEST_MAX];                   /* empty: unknown */
    char trouble[IMAGE_TROUBLE_MAX];                 /* why the image that was here already had to do; empty: no error */
    bool stops_task;                                 /* of a failure: the whole task must stop */
};
/* Blocks. Between hold and release the image stays. False: *err in ECS's form; or no container needs it any more, ERR_NONE. */
void images_hold(struct images *images, struct str image);
bool images_get(struct images *images, const struct image_wish *wish, struct image_got *got, struct err *err);
void images_release(struct images *images, struct str image);
void images_note_use(struct images *images, struct str image);           /* a container of it has just ended */

/* The pulls that are under way, and their progress. */
struct pull_news_list images_pulls(struct images *images, struct arena *arena);

/* Pulls it when no other pull waits, unless the image is here. */
void images_prepare(struct images *images, struct str image);
/* One round of cleaning. Blocks. */
void images_clean(struct images *images);

#endif
