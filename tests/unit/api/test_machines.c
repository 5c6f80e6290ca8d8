/* test_machines.c: pools and their machines with a provisioner that obeys, fails, lies, repeats and adds, and with crashes between each call and its record. */
#include "scheduler/reconcile/roster.h"
#include "tests/unit/api/plant.h"

/* ---- tests ---- */

#define MADE(f, operation, form) do { (void)fixture_call(f, operation, form); CHECK_EQ(operation, (f)->code, ERR_NONE); } while (0)

static void test_life(void)
{
    struct api_fixture f;
    static struct plant plant;
    struct kept_pool pool = pool_open(&f);
    plant = (struct plant){ .count = 0 };
    want(&f, &pool, 1);
    const struct provision_call *list = named(&f), *call = list;
    CHECK_STR("a list first", call->verb, STR("list"));
    CHECK_STR("the order is written down before", str_from(states(&f)), STR("O"));
    answered(&f, call, PROVISIONED_ANSWERED, plant_obeys(&f, &plant, call));
    call = named(&f);
    CHECK_STR("then it is started", fixture_at(&f, call->body, "machines[0].join.server"), STR("http://berth:9280"));
    CHECK_STR("for its cluster", fixture_at(&f, call->body, "machines[0].join.cluster"), STR("default"));
    CHECK("nothing is named twice in 10 s", named(&f) == NULL);
    f.now_ms += 10000;
    const struct provision_call *again = named(&f);
    CHECK("named again, with the same number", again != NULL && again->number == call->number && str_eq(again->body, call->body));
    answered(&f, call, PROVISIONED_ANSWERED, plant_obeys(&f, &plant, call));
    CHECK_STR("it boots", str_from(states(&f)), STR("B"));
    for (int times = 0; times < 2; times++) { answered(&f, list, PROVISIONED_ANSWERED, STR("{\"complete\":true,\"machines\":[]}")); }
    CHECK_STR("an answer counts once", str_from(states(&f)), STR("B"));
    struct id instance = agent_comes(&f, "a", plant.things[0].id);
    CHECK_STR("its agent has come", str_from(states(&f)), STR("A"));
    define(&f, "f", GPUS("1"), "");
    struct str ran = fixture_call(&f, "RunTask", "{\"taskDefinition\":\"f\"}");
    const char *task = at(&f, ran, "tasks[0].taskArn");
    want(&f, &pool, 0);
    check_verbs(&f, "its task first", &plant, "");
    CHECK_STR("it drains", str_from(states(&f)), STR("D"));
    CHECK_STR("its instance too", instance_status(&f, instance), STR("DRAINING"));
    (void)fixture_call(&f, "SubmitTaskStateChange", text(&f, "{\"task\":\"%s\",\"status\":\"STOPPED\",\"reason\":\"\"}", task));
    check_verbs(&f, "then it is ended", &plant, "d");
    CHECK_STR("and gone", str_from(states(&f)), STR(""));
    CHECK_STR("with its instance", instance_status(&f, instance), STR("INACTIVE"));
    CHECK_EQ("started once", plant.things[0].starts, 1);
    fixture_close(&f);
}

/* The deadline of a machine that drains, on both sides. */
static void test_drain_deadline(void)
{
    struct api_fixture f;
    static struct plant plant;
    struct kept_pool pool = pool_open(&f);
    plant = (struct plant){ .count = 0 };
    want(&f, &pool, 1);
    check_verbs(&f, "started", &plant, "lu");
    (void)agent_comes(&f, "a", STR("host1"));
    CHECK_STR("an agent that says the handle", str_from(states(&f)), STR("A"));
    define(&f, "f", GPUS("1"), "");
    const char *task = at(&f, fixture_call(&f, "RunTask", "{\"taskDefinition\":\"f\"}"), "tasks[0].taskArn"), *ask = text(&f, "{\"tasks\":[\"%s\"]}", task);
    want(&f, &pool, 0);
    (void)named(&f);
    f.now_ms += (int64_t)48 * 3600 * 1000 - 1;
    check_verbs(&f, "a millisecond before: a list is due", &plant, "l");
    CHECK_STR("it runs", fixture_at(&f, fixture_call(&f, "DescribeTasks", ask), "tasks[0].desiredStatus"), STR("RUNNING"));
    f.now_ms++;
    check_verbs(&f, "its tasks get their time to stop", &plant, "");
    CHECK_STR("it is stopped", fixture_at(&f, fixture_call(&f, "DescribeTasks", ask), "tasks[0].stoppedReason"), STR("Task stopped during instance draining"));
    f.now_ms += 149999;
    check_verbs(&f, "not yet", &plant, "l");
    f.now_ms++;
    check_verbs(&f, "the machine ends", &plant, "d");
    CHECK_STR("and gone", str_from(states(&f)), STR(""));
    fixture_close(&f);
}

/* Answers to the first "up" of a machine, and the state after that; then the calls in the minute after it. */
static void test_answers(void)
{
    static const struct { const char *row; enum provisioned_end end; const char *reply, *state, *after, *failure; } rows[] = {
        { "no JSON", PROVISIONED_ANSWERED, "oops", "O", "lu", "the answer is no JSON: Line 1: this is no JSON." },
        { "left out", PROVISIONED_ANSWERED, "{\"machines\":[]}", "O", "lu", "the answer leaves it out" },
        { "no list", PROVISIONED_ANSWERED, "[1]", "O", "lu", "the answer leaves it out" },
        { "a state that does not exist", PROVISIONED_ANSWERED, "{\"machines\":[{\"id\":\"ID\",\"state\":\"maybe\"}]}", "O", "lu", "the answer leaves it out" },
        { "no answer", PROVISIONED_UNKNOWN, "no answer in 120 s", "O", "lu", "no answer in 120 s" },
        { "later", PROVISIONED_LATER, "busy", "O", "u", "busy" },
        { "no program", PROVISIONED_REFUSED, "there is no program x", "", "", "there is no program x" },
        { "no capacity: the alternative", PROVISIONED_ANSWERED, "{\"machines\":[{\"id\":\"ID\",\"state\":\"failed\",\"class\":\"capacity\",\"error\":\"none left\"}]}",
          "", "u", "none left" },
        { "a wrong setting", PROVISIONED_ANSWERED, "{\"machines\":[{\"id\":\"ID\",\"state\":\"failed\",\"class\":\"config\",\"error\":\"no image\"}]}", "", "", "no image" },
        { "quota", PROVISIONED_ANSWERED, "{\"machines\":[{\"id\":\"ID\",\"state\":\"failed\",\"class\":\"quota\",\"error\":\"5 at most\"}]}", "", "", "5 at most" },
        { "for a while", PROVISIONED_ANSWERED, "{\"machines\":[{\"id\":\"ID\",\"state\":\"failed\"}]}", "", "u", "the provisioner gave no reason" },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct api_fixture f;
        static struct plant plant;
        char verbs[16];
        struct str types[] = { STR("g4dn.xlarge"), STR("g4dn.2xlarge") };
        struct kept_pool pool = pool_open(&f);
        pool.types = (struct str_list){ types, 2 };
        plant = (struct plant){ .count = 0 };
        want(&f, &pool, 1);
        const struct provision_call *list = named(&f);
        answered(&f, list, PROVISIONED_ANSWERED, plant_obeys(&f, &plant, list));
        const struct provision_call *call = named(&f);
        struct str id = fixture_at(&f, call->body, "machines[0].id");
        const char *place = strstr(rows[r].reply, "ID");
        struct str reply = place == NULL ? str_from(rows[r].reply)
                                         : str_from(text(&f, "%.*s" STR_FMT "%s", (int)(place - rows[r].reply), rows[r].reply, STR_ARG(id), place + 2));
        answered(&f, call, rows[r].end, reply);
        CHECK_STR(rows[r].row, str_from(states(&f)), str_from(rows[r].state));
        CHECK_STR(rows[r].row, pool_now(&f).failure, str_from(rows[r].failure));
        struct buf after = buf_in(&f.kept);
        for (int s = 0; s < 50; s += 5) {
            (void)run_all(&f, &plant, verbs);
            buf_printf(&after, "%s", verbs);
            f.now_ms += 5000;
        }
        CHECK_STR(rows[r].row, buf_str(&after), str_from(rows[r].after));
        bool same = plant.count == 1 && str_eq(plant.things[0].id, id);
        CHECK(rows[r].row, plant.count == 0 || same == (rows[r].state[0] == 'O'));
        size_t count;
        const struct kept_machine *machines = machines_now(&f, &count);
        bool alternative = count == 1 && str_eq(machines[0].type, types[1]);
        CHECK(rows[r].row, alternative == (strstr(rows[r].reply, "capacity") != NULL));
        fixture_close(&f);
    }
}

/* Five attempts without a clear answer: it is ended, and another one ordered. */
static void test_given_up(void)
{
    struct api_fixture f;
    static struct plant plant;
    int ups = 0;
    struct kept_pool pool = pool_open(&f);
    plant = (struct plant){ .count = 0 };
    want(&f, &pool, 1);
    for (int s = 0; s < 300 && strcmp(states(&f), "S") != 0; s++) {
        const struct provision_call *call = named(&f);
        if (call == NULL) {
            f.now_ms += 5000;
            continue;
        }
        bool up = str_eq(call->verb, STR("up"));
        ups += up;
        if (up) { CHECK_STR("its attempt", fixture_at(&f, call->body, "attempt"), str_from(text(&f, "%d", ups))); }
        answered(&f, call, up ? PROVISIONED_UNKNOWN : PROVISIONED_ANSWERED, up ? STR("killed") : plant_obeys(&f, &plant, call));
    }
    CHECK_EQ("attempts", ups, 5);
    check_verbs(&f, "it is ended, after a list", &plant, "ld");
    CHECK_STR("gone", str_from(states(&f)), STR(""));
    f.now_ms += 10000;
    check_verbs(&f, "another one", &plant, "u");
    fixture_close(&f);
}

/* It says running, and no agent comes. */
static void test_overdue(void)
{
    static const struct { const char *row; int64_t expect_s, warm_up_s, limit_s; } rows[] = {
        { "15 minutes", 0, 0, 900 }, { "twice as long as expected", 500, 0, 1000 }, { "the warm-up", 0, 3000, 3000 }, { "nonsense", -5, 0, 900 },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct api_fixture f;
        static struct plant plant;
        struct str types[] = { STR("a"), STR("b") };
        struct kept_pool pool = pool_open(&f);
        pool.types = (struct str_list){ types, 2 };
        pool.warm_up_s = rows[r].warm_up_s;
        plant = (struct plant){ .count = 0 };
        want(&f, &pool, 1);
        const struct provision_call *call = named(&f);
        answered(&f, call, PROVISIONED_ANSWERED, plant_obeys(&f, &plant, call));
        call = named(&f);
        struct str id = fixture_at(&f, call->body, "machines[0].id");
        (void)plant_obeys(&f, &plant, call);
        answered(&f, call, PROVISIONED_ANSWERED, str_from(text(&f, "{\"machines\":[{\"id\":\"" STR_FMT "\",\"state\":\"running\",\"expect_s\":%lld}]}", STR_ARG(id),
                                                               (long long)rows[r].expect_s)));
        f.now_ms += rows[r].limit_s * 1000 - 1;
        step(&f);
        CHECK_STR(rows[r].row, str_from(states(&f)), STR("B"));
        f.now_ms++;
        step(&f);
        step(&f);
        const char *now = states(&f);
        CHECK(rows[r].row, strchr(now, 'S') != NULL && strchr(now, 'O') != NULL && strlen(now) == 2);
        char verbs[16];
        f.now_ms += 10000;
        (void)run_all(&f, &plant, verbs);
        size_t count;
        const struct kept_machine *machines = machines_now(&f, &count);
        const struct thing *late = thing_of(&plant, id);
        CHECK(rows[r].row, count == 1 && str_eq(machines[0].type, types[1]) && late != NULL && !late->runs);
        fixture_close(&f);
    }
}

/* The provisioner chooses the type, and names one: after an overdue machine nothing is ordered for a minute. */
static void test_overdue_without_types(void)
{
    struct api_fixture f;
    static struct plant plant;
    struct kept_pool pool = pool_open(&f);
    plant = (struct plant){ .count = 0 };
    want(&f, &pool, 1);
    const struct provision_call *call = named(&f);
    answered(&f, call, PROVISIONED_ANSWERED, plant_obeys(&f, &plant, call));
    call = named(&f);
    (void)plant_obeys(&f, &plant, call);
    answered(&f, call, PROVISIONED_ANSWERED, str_from(text(&f, "{\"machines\":[{\"id\":\"" STR_FMT "\",\"state\":\"running\",\"type\":\"large\"}]}",
                                                           STR_ARG(plant.things[0].id))));
    f.now_ms += 15 * MINUTE_MS;
    check_verbs(&f, "it is ended", &plant, "ld");
    f.now_ms += 59999;
    check_verbs(&f, "nothing yet", &plant, "");
    f.now_ms += 13000;
    check_verbs(&f, "the next one, after a list", &plant, "lu");
    CHECK_EQ("a block", (int64_t)pool_now(&f).blocks.count, 1);
    fixture_close(&f);
}

/* Lists that have more and less than the pool. */
static void test_lists(void)
{
    struct api_fixture f;
    static struct plant plant;
    struct kept_pool pool = pool_open(&f);
    plant = (struct plant){ .count = 0 };
    want(&f, &pool, 2);
    check_verbs(&f, "started", &plant, "lu");
    struct id a = agent_comes(&f, "a", plant.things[0].id), b = agent_comes(&f, "b", plant.things[1].id);
    machine_presence(&f, b, false);
    (void)start_thing(&f, &plant, STR("m-0123456789abcdef0123456789abcdef"));
    struct thing *foreign = start_thing(&f, &plant, STR("x"));
    f.now_ms += MINUTE_MS;
    check_verbs(&f, "one list is no proof", &plant, "l");
    f.now_ms += 10 * MINUTE_MS;
    check_verbs(&f, "two are", &plant, "ld");
    CHECK("both are ended", !plant.things[2].runs && !foreign->runs);

    plant.things[0].runs = plant.things[1].runs = false;                 /* they vanish, or the list lies */
    f.now_ms += 10 * MINUTE_MS;
    check_verbs(&f, "one list", &plant, "l");
    CHECK_STR("is no proof", str_from(states(&f)), STR("AA"));
    f.now_ms += 10 * MINUTE_MS;
    check_verbs(&f, "two are: another one is started", &plant, "lu");
    CHECK_STR("an agent that is connected is believed", instance_status(&f, a), STR("ACTIVE"));
    CHECK_STR("the other is gone", instance_status(&f, b), STR("INACTIVE"));
    CHECK_EQ("one more", (int64_t)plant.count, 5);

    (void)agent_comes(&f, "c", plant.things[4].id);
    const struct provision_call *call;
    for (int lists = 0; lists < 3; lists++) {
        f.now_ms += 10 * MINUTE_MS;
        for (call = named(&f); call != NULL && str_eq(call->verb, STR("list")); call = named(&f)) {
            answered(&f, call, PROVISIONED_ANSWERED, STR("{\"complete\":false,\"machines\":[{\"handle\":\"theirs\",\"state\":\"running\"}]}"));
        }
    }
    CHECK("without an id it is left alone", pool_now(&f).strays.items[0].lists >= 2 && call == NULL);
    CHECK("and reported", str_contains(f.lines, STR("the provisioner lists \"\" theirs, which the pool does not have; without an id it is left alone")));
    fixture_close(&f);
}

/* One provisioner for two pools, which lists the machines of both. */
static void test_shared_provisioner(void)
{
    struct api_fixture f;
    static struct plant plant;
    char verbs[16];
    struct kept_pool pool = pool_open(&f), other = pool;
    other.name = STR("q");
    plant = (struct plant){ .count = 0 };
    want(&f, &pool, 1);
    (void)run_all(&f, &plant, verbs);
    want(&f, &other, 1);
    (void)run_all(&f, &plant, verbs);
    CHECK_EQ("a machine each", (int64_t)plant.count, 2);
    (void)agent_comes(&f, "a", plant.things[0].id);
    (void)agent_comes(&f, "b", plant.things[1].id);
    for (int lists = 0; lists < 3; lists++) {
        f.now_ms += 10 * MINUTE_MS;
        (void)run_all(&f, &plant, verbs);
    }
    CHECK("both stay", plant.things[0].runs && plant.things[1].runs && plant.count == 2);
    CHECK("and are no strays", pool_now(&f).strays.count == 0);
    fixture_close(&f);
}

/* A group of which a protected machine is left takes it as soon as the protection is off: Terraform waits for it. */
static void test_protection(void)
{
    struct api_fixture f;
    static struct plant plant;
    struct kept_pool pool = pool_open(&f);
    plant = (struct plant){ .count = 0 };
    pool.protects_new = OPT_TRUE;
    want(&f, &pool, 1);
    check_verbs(&f, "started", &plant, "lu");
    (void)agent_comes(&f, "a", plant.things[0].id);
    want(&f, &pool, 0);
    check_verbs(&f, "it is protected", &plant, "");
    CHECK_STR("and stays", str_from(states(&f)), STR("A"));
    const char *id = at(&f, fixture_call(&f, "groups:DescribeAutoScalingGroups", ""), "AutoScalingGroups[0].Instances[0].InstanceId");
    MADE(&f, "groups:SetInstanceProtection", text(&f, "AutoScalingGroupName=p&InstanceIds.member.1=%s&ProtectedFromScaleIn=false", id));
    check_verbs(&f, "it is ended at once", &plant, "d");
    CHECK_STR("gone", str_from(states(&f)), STR(""));
    fixture_close(&f);
}

/* Two agents with one id: while the first is connected, the second gets no tasks. A list that has both: the stranger is ended. */
static void test_doubles(void)
{
    struct api_fixture f;
    static struct plant plant;
    struct kept_pool pool = pool_open(&f);
    plant = (struct plant){ .count = 0 };
    want(&f, &pool, 1);
    check_verbs(&f, "started", &plant, "lu");
    struct str id = plant.things[0].id;
    struct id first = agent_comes(&f, "a", id), second = agent_comes(&f, "b", id);
    CHECK_STR("the first", instance_status(&f, first), STR("ACTIVE"));
    CHECK_STR("the second", instance_status(&f, second), STR("DRAINING"));
    struct str both = str_from(text(&f, "{\"complete\":true,\"machines\":[{\"id\":\"" STR_FMT "\",\"handle\":\"other\",\"state\":\"running\"},"
                                        "{\"id\":\"" STR_FMT "\",\"handle\":\"host1\",\"state\":\"running\"}]}", STR_ARG(id), STR_ARG(id)));
    for (int lists = 0; lists < 2; lists++) {
        f.now_ms += 10 * MINUTE_MS;
        const struct provision_call *list = named(&f);
        CHECK("a list", list != NULL && str_eq(list->verb, STR("list")));
        if (list != NULL) { answered(&f, list, PROVISIONED_ANSWERED, both); }
    }
    const struct provision_call *down = named(&f);
    CHECK("the double is ended", down != NULL && str_eq(fixture_at(&f, down->body, "machines[0].handle"), STR("other")));
    if (down != NULL) { answered(&f, down, PROVISIONED_ANSWERED, STR("{\"machines\":[{\"id\":\"x\",\"state\":\"gone\"}]}")); }
    CHECK_STR("the machine stays", str_from(states(&f)), STR("A"));
    machine_presence(&f, first, false);
    struct id third = agent_comes(&f, "c", id);
    CHECK_STR("an agent that has lost its folder", instance_status(&f, third), STR("ACTIVE"));
    (void)fixture_call(&f, "DeregisterContainerInstance", text(&f, "{\"containerInstance\":\"%s\"}", at(&f, fixture_call(&f, "ListContainerInstances",
                       "{\"filter\":\"attribute:berth.name == c\"}"), "containerInstanceArns[0]")));
    CHECK_STR("a deregistered one is ended", str_from(states(&f)), STR("S"));
    check_verbs(&f, "and another one is started", &plant, "du");
    fixture_close(&f);
}

/* ---- crashes: before a call, between the call and its record, and answers that come twice ---- */

static void crash(struct api_fixture *f)
{
    f->world = sched_world_create(&f->kept);
    struct store_txn *txn = store_read_begin(f->store);
    api_load_world(f->world, txn);
    CHECK("loaded", store_read_end(txn));
}

static void chaos(struct api_fixture *f, struct plant *plant, struct kept_pool *pool, struct rng *rng)
{
    const struct provision_call *call = named(f);
    uint64_t luck = rng_below(rng, 10);
    if (luck == 0) { want(f, pool, (int64_t)rng_below(rng, 8)); }
    if (call == NULL) {
        f->now_ms += 5000;
    } else if (luck <= 2) {
        crash(f);                                                        /* before the call */
    } else if (luck <= 4) {
        (void)plant_obeys(f, plant, call);
        crash(f);                                                        /* after it */
    } else if (luck == 5) {
        bool half = rng_below(rng, 2) == 0;
        if (half) { (void)plant_obeys(f, plant, call); }
        answered(f, call, PROVISIONED_UNKNOWN, STR("killed"));
    } else {
        struct str reply = plant_obeys(f, plant, call);
        answered(f, call, PROVISIONED_ANSWERED, reply);
        answered(f, call, PROVISIONED_ANSWERED, reply);                  /* twice */
    }
    for (size_t t = 0; t < plant->count; t++) {
        struct thing *thing = &plant->things[t];
        bool comes = thing->runs && !thing->registered && rng_below(rng, 3) == 0;
        if (comes) { (void)agent_comes(f, text(f, "n%zu", t), thing->id); }
        thing->registered = thing->registered || comes;
    }
}

static void test_crashes(void)
{
    for (uint64_t seed = 1; seed <= 8; seed++) {
        struct api_fixture f;
        static struct plant plant;
        struct rng rng;
        char verbs[16];
        struct kept_pool pool = pool_open(&f);
        plant = (struct plant){ .count = 0 };
        rng_seed(&rng, seed);
        want(&f, &pool, 3);
        for (int n = 0; n < 150; n++) { chaos(&f, &plant, &pool, &rng); }
        want(&f, &pool, 4);
        for (int n = 0; n < 400; n++) {
            (void)run_all(&f, &plant, verbs);
            for (size_t t = 0; t < plant.count; t++) {
                if (plant.things[t].runs && !plant.things[t].registered) { (void)agent_comes(&f, text(&f, "n%zu", t), plant.things[t].id); }
                plant.things[t].registered = plant.things[t].runs;
            }
            f.now_ms += 5000;
        }
        int64_t running = 0, doubles = 0;
        for (size_t t = 0; t < plant.count; t++) {
            running += plant.things[t].runs;
            doubles += plant.things[t].starts > 1;
        }
        CHECK_STR("as many as wanted", str_from(states(&f)), STR("AAAA"));
        CHECK_EQ("none is lost track of", running, 4);
        CHECK_EQ("none was started twice", doubles, 0);
        fixture_close(&f);
    }
}

/* As clients of EC2 and Terraform make it: the machines come before the capacity provider. */
#define OF_TEMPLATE "LaunchTemplateData."
#define NEEDS OF_TEMPLATE "InstanceRequirements."
static void test_group_of_template(void)
{
    struct api_fixture f;
    static struct plant plant;
    (void)pool_open(&f);
    plant = (struct plant){ .count = 0 };
    /* ECS_CLUSTER=default */
    MADE(&f, "ec2:CreateLaunchTemplate", "LaunchTemplateName=web&" OF_TEMPLATE "InstanceType=rack.large&" OF_TEMPLATE "UserData=RUNTX0NMVVNURVI9ZGVmYXVsdA%3D%3D&"
         OF_TEMPLATE "TagSpecification.1.ResourceType=instance&" OF_TEMPLATE "TagSpecification.1.Tag.1.Key=Name&" OF_TEMPLATE "TagSpecification.1.Tag.1.Value=template&"
         OF_TEMPLATE "TagSpecification.1.Tag.2.Key=Team&" OF_TEMPLATE "TagSpecification.1.Tag.2.Value=ml");
    MADE(&f, "groups:CreateAutoScalingGroup", "AutoScalingGroupName=p&MinSize=0&MaxSize=5&DesiredCapacity=1&VPCZoneIdentifier=s&LaunchTemplate.LaunchTemplateName=web&"
         "LaunchTemplate.Version=$Latest&Tags.member.1.Key=Name&Tags.member.1.Value=group&Tags.member.1.PropagateAtLaunch=true&Tags.member.2.Key=Own&Tags.member.2.Value=x");
    const struct provision_call *call = named(&f);
    answered(&f, call, PROVISIONED_ANSWERED, plant_obeys(&f, &plant, call));
    call = named(&f);
    CHECK_STR("its template's type, of the catalogue or not", fixture_at(&f, call->body, "machines[0].type"), STR("rack.large"));
    CHECK_STR("its user data's cluster", fixture_at(&f, call->body, "machines[0].join.cluster"), STR("default"));
    CHECK("tags of both", str_contains(call->body, STR("\"tags\":{\"Name\":\"group\",\"Team\":\"ml\"}")));
    answered(&f, call, PROVISIONED_ANSWERED, plant_obeys(&f, &plant, call));
    struct id instance = agent_comes(&f, "a", plant.things[0].id);
    char hex[ID_HEX_LEN + 1];
    id_hex(instance, hex);
    const char *ask = text(&f, "{\"containerInstances\":[\"%s\"]}", hex);
    CHECK("no provider yet", !str_is_set(fixture_at(&f, fixture_call(&f, "DescribeContainerInstances", ask), "containerInstances[0].capacityProviderName")));
    MADE(&f, "CreateCapacityProvider", text(&f, "{\"name\":\"cp\",\"autoScalingGroupProvider\":{\"autoScalingGroupArn\":\"%s\"}}",
         at(&f, fixture_call(&f, "groups:DescribeAutoScalingGroups", ""), "AutoScalingGroups[0].AutoScalingGroupARN")));
    MADE(&f, "PutClusterCapacityProviders", "{\"cluster\":\"default\",\"capacityProviders\":[\"cp\"],\"defaultCapacityProviderStrategy\":[{\"capacityProvider\":\"cp\",\"weight\":1}]}");
    CHECK_STR("the provider takes it", fixture_at(&f, fixture_call(&f, "DescribeContainerInstances", ask), "containerInstances[0].capacityProviderName"), STR("cp"));
    define(&f, "f", GPUS("1"), "");
    CHECK_STR("and its tasks", fixture_at(&f, fixture_call(&f, "RunTask", "{\"taskDefinition\":\"f\"}"), "tasks[0].capacityProviderName"), STR("cp"));

    MADE(&f, "ec2:CreateLaunchTemplateVersion", "LaunchTemplateName=web&" NEEDS "VCpuCount.Min=4&" NEEDS "MemoryMiB.Min=1024&"
         NEEDS "AllowedInstanceType.1=g4dn.2xlarge&" NEEDS "AllowedInstanceType.2=g4dn.xlarge");
    MADE(&f, "groups:SetDesiredCapacity", "AutoScalingGroupName=p&DesiredCapacity=2");
    call = named(&f);
    CHECK_STR("of the allowed types the cheapest", fixture_at(&f, call->body, "machines[0].type"), STR("g4dn.xlarge"));
    CHECK_STR("then the other", fixture_at(&f, call->body, "machines[0].alternatives[0]"), STR("g4dn.2xlarge"));
    CHECK_STR("the provider's cluster", fixture_at(&f, call->body, "machines[0].join.cluster"), STR("default"));
    fixture_close(&f);
}

int main(void)
{
    test_life();
    test_group_of_template();
    test_drain_deadline();
    test_answers();
    test_given_up();
    test_overdue();
    test_overdue_without_types();
    test_lists();
    test_shared_provisioner();
    test_protection();
    test_doubles();
    test_crashes();
    return check_report();
}
