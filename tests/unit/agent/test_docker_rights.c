/* Rights that a payload's hostConfig may ask for, on a machine that runs nothing privileged, in any spelling. */
#include "tests/unit/check.h"

#include "agent/docker/docker.h"

static struct arena arena;

static void test_rights(void)
{
    static const char *const fuse[] = { "/dev/fuse", "/dev/berth", NULL }, *const nothing[] = { NULL };
    static const struct { const char *row, *host_config; bool off; const char *const *devices; const char *error; } rows[] = {
        { "allowed",              "{\"Privileged\":true}",  false, NULL, NULL },
        { "refused",              "{\"Privileged\":true}",  true,  NULL, "nor any with Privileged true (" },
        { "in another spelling",  "{\"privileged\":true}",  true,  NULL, "nor any with Privileged true (" },
        { "in two spellings",     "{\"Privileged\":false,\"privileged\":true}",  true, NULL, "nor any with Privileged true (" },
        { "not asked for",        "{\"Privileged\":false}", true,  NULL, NULL },
        { "never said",           "{}",                     true,  NULL, NULL },
        { "no list, all may",     "{\"CapAdd\":[\"ALL\"],\"Devices\":[{\"PathOnHost\":\"/dev/vda\"}],\"PidMode\":\"host\"}", false, NULL, NULL },
        { "usual capabilities",   "{\"CapAdd\":[\"CHOWN\",\"CAP_KILL\",\"cap_mknod\",\"net_raw\"]}", true, NULL, NULL },
        { "one more",             "{\"CapAdd\":[\"CHOWN\",\"SYS_PTRACE\"]}", true, NULL, "CapAdd SYS_PTRACE (" },
        { "with its prefix",      "{\"capadd\":[\"CAP_SYS_ADMIN\"]}", true, NULL, "CapAdd CAP_SYS_ADMIN (" },
        { "all of them",          "{\"CapAdd\":[\"ALL\"]}", true, NULL, "CapAdd ALL (" },
        { "as one word",          "{\"CapAdd\":\"SYS_RAWIO\"}", true, NULL, "CapAdd SYS_RAWIO (" },
        { "hidden behind another", "{\"CapAdd\":[],\"CAPADD\":[\"SYS_MODULE\"]}", true, NULL, "CapAdd SYS_MODULE (" },
        { "fewer capabilities",   "{\"CapDrop\":[\"ALL\"]}", true, NULL, NULL },
        { "the host's processes", "{\"PidMode\":\"host\"}", true, NULL, "PidMode host (" },
        { "the host's IPC",       "{\"IpcMode\":\"host\"}", true, NULL, "IpcMode host (" },
        { "no IPC",               "{\"IpcMode\":\"none\"}", true, NULL, NULL },
        { "the host's network",   "{\"NetworkMode\":\"host\"}", true, NULL, NULL },
        { "the host's users",     "{\"UsernsMode\":\"host\"}", true, NULL, "UsernsMode host (" },
        { "no filter",            "{\"SecurityOpt\":[\"seccomp=unconfined\"]}", true, NULL, "SecurityOpt seccomp=unconfined (" },
        { "fewer rights",         "{\"SecurityOpt\":[\"no-new-privileges\"]}", true, NULL, NULL },
        { "nothing hidden",       "{\"MaskedPaths\":[]}", true, NULL, "MaskedPaths [] (" },
        { "all devices by rule",  "{\"DeviceCgroupRules\":[\"b *:* rwm\"]}", true, NULL, "DeviceCgroupRules b *:* rwm (" },
        { "a device",             "{\"Devices\":[{\"PathOnHost\":\"/dev/fuse\"}]}", true, NULL, "device /dev/fuse is not one that" },
        { "one that is listed",   "{\"Devices\":[{\"PathOnHost\":\"/dev/fuse\"},{\"PathOnHost\":\"/dev/berth/0\"}]}", true, fuse, NULL },
        { "one that is not",      "{\"Devices\":[{\"PathOnHost\":\"/dev/fuse\"},{\"PathOnHost\":\"/dev/fuse2\"}]}", true, fuse, "device /dev/fuse2 is not one that" },
        { "in a second spelling", "{\"Devices\":[{\"PathOnHost\":\"/dev/fuse\",\"pathonhost\":\"/dev/vda\"}]}", true, fuse, "device /dev/vda is not one that" },
        { "in a second list",     "{\"Devices\":[],\"devices\":[{\"PathOnHost\":\"/dev/vda\"}]}", true, fuse, "device /dev/vda is not one that" },
        { "a list counts alone",  "{\"Devices\":[{\"PathOnHost\":\"/dev/vda\"}]}", false, fuse, "device /dev/vda is not one that" },
        { "an empty one too",     "{\"Devices\":[{\"PathOnHost\":\"/dev/vda\"}]}", false, nothing, "device /dev/vda is not one that" },
        { "a GPU in a second list", "{\"Devices\":[],\"devices\":[{\"PathOnHost\":\"/dev/nvidia0\"}]}", false, NULL, "device /dev/nvidia0 is a GPU's" },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct docker_plan plan = { .no_privileged = rows[r].off, .device_allow = rows[r].devices };
        struct err err = { 0 };
        const struct json *none = json_parse(STR("{}"), &arena, &err), *asked = json_parse(str_from(rows[r].host_config), &arena, &err);
        CHECK_EQ(rows[r].row, docker_check_rights(&plan, docker_merge(none, asked, &arena), &arena, &err), rows[r].error == NULL);
        if (rows[r].error != NULL) { CHECK(rows[r].row, strstr(err.message, rows[r].error) != NULL); }
    }
}

int main(void)
{
    arena_init(&arena, 16 << 20);
    test_rights();
    arena_finish(&arena);
    return check_report();
}
