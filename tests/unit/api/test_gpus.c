/* GPUs that are not alike, parts of GPUs, and how well GPUs are connected: from an agent's words to records, and back to agents. */
#include "machines.h"

static struct instance instance_of(struct api_fixture *f, struct id id)
{
    struct store_txn *txn = store_read_begin(f->store);
    const struct instance *found = store_instance(txn, id, &f->kept);
    CHECK("it is there", found != NULL && store_read_end(txn));
    return found == NULL ? (struct instance){ 0 } : *found;
}

/* Registers anew what says of its GPUs what `attributes` has, JSON that follows in the list. */
static struct instance register_with(struct api_fixture *f, int gpus, const char *attributes)
{
    struct buf devices = buf_in(&f->kept);
    for (int g = 0; g < gpus; g++) { buf_printf(&devices, "%s{\"id\":\"GPU-%d\",\"type\":\"GPU\"}", g == 0 ? "" : ",", g); }
    struct str reply = fixture_call(f, "RegisterContainerInstance",
                                    text(f, "{\"platformDevices\":[%.*s],\"attributes\":[{\"name\":\"berth.gpu-model\",\"value\":\"V100\"},"
                                         "{\"name\":\"berth.gpu-memory\",\"value\":\"16384\"}%s]}", (int)devices.len, devices.ptr, attributes));
    CHECK_EQ("registered", f->code, ERR_NONE);
    return instance_of(f, id_at(f, reply, "containerInstance.containerInstanceArn"));
}

static void test_kinds(void)
{
    struct api_fixture f;
    cluster_open(&f);
    struct instance machine = register_with(&f, 3, "");
    CHECK_STR("alike", machine.gpus.items[2].model, STR("V100"));
    CHECK_EQ("memory", machine.gpus.items[2].memory_mib, 16384);
    machine = register_with(&f, 3, ",{\"name\":\"berth.gpu-kinds\",\"value\":\"2*H200/18176/1g.18gb,A100/40960\"}");
    CHECK_STR("a partition", machine.gpus.items[1].profile, STR("1g.18gb"));
    CHECK_EQ("its memory", machine.gpus.items[1].memory_mib, 18176);
    CHECK_STR("its UUID", machine.gpus.items[1].uuid, STR("GPU-1"));
    CHECK_STR("another model", machine.gpus.items[2].model, STR("A100"));
    CHECK("a whole one", !str_is_set(machine.gpus.items[2].profile));
    machine = register_with(&f, 3, ",{\"name\":\"berth.gpu-kinds\",\"value\":\"2*H200/18176/1g.18gb\"}");
    CHECK_STR("a text that is not about as many is not believed", machine.gpus.items[0].model, STR("V100"));
    check_world(&f, "kinds");
    fixture_close(&f);
}

int main(void)
{
    test_kinds();
    return check_report();
}
