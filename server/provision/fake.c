/* fake.c: simulated machines: each is `berth agent --fake TYPE`, a child of the server that ends with it. They join with the keys in
 * the setting's environment. */
#include "server/provision/kinds.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/json.h"

static bool has_ended(struct fake_machine *machine)
{
    if (machine->pid > 0 && waitpid(machine->pid, NULL, WNOHANG) != 0) { machine->pid = 0; }
    return machine->pid == 0;
}

/* The folder of the agent's files. It ends with the machine's id, so that the machine is the same one again. */
static const char *folder_of(struct str id, struct arena *arena)
{
    const char *parent = getenv("TMPDIR");
    return arena_printf(arena, "%s/berth-fake-" STR_FMT, parent != NULL ? parent : "/tmp", STR_ARG(id)).ptr;
}

static void drop_folder(struct str id, struct arena *arena)
{
    static const char *const files[] = { "agent.lock", "fleet.json" };
    const char *folder = folder_of(id, arena);
    for (size_t f = 0; f < COUNT_OF(files); f++) { (void)unlink(arena_printf(arena, "%s/%s", folder, files[f]).ptr); }
    (void)rmdir(folder);
}

static struct fake_machine *find(struct provisioner *provisioner, struct str id)
{
    struct fake_machine *machine = provisioner->fakes;
    while (machine != NULL && !(str_eq(machine->id, id) && !has_ended(machine))) { machine = machine->next; }
    return machine;
}

static void end(struct fake_machine *machine)
{
    if (has_ended(machine)) { return; }
    (void)kill(machine->pid, SIGKILL);                       /* as a machine that loses its power */
    while (waitpid(machine->pid, NULL, 0) < 0 && errno == EINTR) { }
    machine->pid = 0;
}

/* In the child: the machine goes with the thread that has started it. */
_Noreturn static void become(const char *const *words, const char *const *environment, pid_t parent)
{
    sigset_t none;
    sigemptyset(&none);
    pthread_sigmask(SIG_SETMASK, &none, NULL);
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() == parent) { execve(words[0], (char *const *)(uintptr_t)words, (char *const *)(uintptr_t)environment); }
    _exit(127);
}

static bool start(struct provisioner *provisioner, const struct json *asked, struct fake_machine *machine, struct arena *arena)
{
    const struct json *join = json_get(asked, STR("join"));
    struct str cluster = json_get_str(join, STR("cluster")), token = json_get_str(join, STR("token"));
    const char *words[] = {
        "/proc/self/exe", "agent", "--fake", arena_cstr(arena, provisioner->setting->target), "--join", arena_cstr(arena, json_get_str(join, STR("server"))),
        "--cluster", cluster.len > 0 ? arena_cstr(arena, cluster) : "default", "--machine-id", arena_cstr(arena, machine->id), "--data",
        folder_of(machine->id, arena), token.len > 0 ? "--machine-token" : NULL, token.len > 0 ? arena_cstr(arena, token) : NULL, NULL,
    };
    pid_t parent = getpid();
    machine->pid = fork();
    if (machine->pid == 0) { become(words, provisioner->setting->environment, parent); }
    if (machine->pid < 0) { machine->pid = 0; }
    return machine->pid > 0;
}

static struct str up(struct provisioner *provisioner, const struct json *asked, struct arena *arena)
{
    struct str id = json_get_str(asked, STR("id"));
    if (find(provisioner, id) != NULL) { return STR("running"); }
    struct fake_machine *machine = ARENA_NEW(&provisioner->kept, struct fake_machine, 1);
    *machine = (struct fake_machine){ .next = provisioner->fakes, .id = arena_str(&provisioner->kept, id) };
    provisioner->fakes = machine;
    return start(provisioner, asked, machine, arena) ? STR("starting") : STR("failed");
}

static struct str down(struct provisioner *provisioner, struct str id, struct arena *arena)
{
    struct fake_machine *machine = find(provisioner, id);
    if (machine != NULL) { end(machine); }
    drop_folder(id, arena);
    return STR("gone");
}

static void put(struct json_out *out, struct str id, struct str state)
{
    json_open(out, '{');
    json_key(out, STR("id"));
    json_str(out, id);
    json_key(out, STR("state"));
    json_str(out, state);
    json_close(out, '}');
}

struct kind_end kind_fake(struct provisioner *provisioner, const struct kind_call *call, struct arena *arena)
{
    struct buf buf = buf_in(arena);
    struct json_out out = json_out_to(&buf);
    struct err err = { 0 };
    const struct json *body = json_parse(call->body, arena, &err), *machines = json_get(body, STR("machines"));
    bool is_up = str_eq(call->verb, STR("up"));
    json_open(&out, '{');
    json_key(&out, STR("complete"));
    json_bool(&out, true);
    json_key(&out, STR("machines"));
    json_open(&out, '[');
    for (size_t m = 0; machines != NULL && machines->type == JSON_ARRAY && m < machines->count; m++) {
        struct str id = json_get_str(&machines->as.items[m], STR("id"));
        put(&out, id, is_up ? up(provisioner, &machines->as.items[m], arena) : down(provisioner, id, arena));
    }
    for (struct fake_machine *machine = str_eq(call->verb, STR("list")) ? provisioner->fakes : NULL; machine != NULL; machine = machine->next) {
        if (!has_ended(machine)) { put(&out, machine->id, STR("running")); }
    }
    json_close(&out, ']');
    json_close(&out, '}');
    return (struct kind_end){ PROVISIONED_ANSWERED, buf_str(&buf) };
}

void kind_fake_stop(struct provisioner *provisioner)
{
    for (struct fake_machine *machine = provisioner->fakes; machine != NULL; machine = machine->next) {
        end(machine);
        drop_folder(machine->id, &provisioner->kept);
    }
}
