/* test_secrets.c: secrets and parameters are two kinds of one table: kept, listed by pages without their values, replaced, dropped,
 * and checked. */
#include "tests/unit/store/store_fixture.h"

static struct kept_secret make_secret(enum secret_kind kind, struct str name, struct secret_version *versions, size_t count)
{
    struct kept_secret secret = { .kind = kind, .name = name, .created_ms = 5, .changed_ms = 6, .versions = { versions, count } };
    if (kind == SECRET_OF_ASM) { secret.suffix = STR("AbCdEf"); } else { secret.type = PARAMETER_TYPE_SECURE_STRING; }
    return secret;
}

static void test_kept(void)
{
    struct store_fixture f;
    struct secret_version versions[] = { { STR("v2"), 2, 6, STR("sealed two") }, { STR("v1"), 1, 5, STR("sealed one") } };
    struct tag tag = { STR("team"), STR("ml") };
    fixture_begin(&f, 0);
    struct kept_secret secret = make_secret(SECRET_OF_ASM, STR("db"), versions, 2), parameter = make_secret(SECRET_OF_SSM, STR("db"), versions, 1);
    secret.tags = (struct tag_list){ &tag, 1 };
    struct store_txn *txn = store_write_begin(f.store);
    store_put_secret(txn, &secret);
    store_put_secret(txn, &parameter);
    fixture_commit("two of one name", txn);
    CHECK("and opened again", fixture_reopen(&f));

    txn = store_read_begin(f.store);
    const struct kept_secret *found = store_secret(txn, SECRET_OF_ASM, STR("db"), &f.arena);
    CHECK("the secret", found != NULL && found->kind == SECRET_OF_ASM && found->versions.count == 2 && found->tags.count == 1);
    if (found != NULL && found->versions.count == 2) {
        CHECK_STR("its name", found->name, STR("db"));
        CHECK_STR("its suffix", found->suffix, STR("AbCdEf"));
        CHECK_STR("the newest value", found->versions.items[0].sealed, STR("sealed two"));
        CHECK_STR("the one before", found->versions.items[1].sealed, STR("sealed one"));
        CHECK_EQ("its number", found->versions.items[1].number, 1);
    }
    found = store_secret(txn, SECRET_OF_SSM, STR("db"), &f.arena);
    CHECK("the parameter is another", found != NULL && found->type == PARAMETER_TYPE_SECURE_STRING && found->versions.count == 1);
    CHECK("no other name", store_secret(txn, SECRET_OF_SSM, STR("d"), &f.arena) == NULL);
    CHECK("read", store_read_end(txn));
    fixture_check("kept", &f);

    txn = store_write_begin(f.store);
    store_drop_secret(txn, SECRET_OF_SSM, STR("db"));
    fixture_commit("the parameter goes", txn);
    txn = store_read_begin(f.store);
    CHECK("it is gone", store_secret(txn, SECRET_OF_SSM, STR("db"), &f.arena) == NULL);
    CHECK("the secret is not", store_secret(txn, SECRET_OF_ASM, STR("db"), &f.arena) != NULL);
    CHECK("read", store_read_end(txn));
    fixture_end(&f);
}

static void test_pages(void)
{
    struct store_fixture f;
    struct secret_version version = { { NULL, 0 }, 1, 5, STR("sealed") };
    static const char *const names[] = { "/a/1", "/a/2", "/b", "x" };
    fixture_begin(&f, 0);
    struct store_txn *txn = store_write_begin(f.store);
    for (size_t n = COUNT_OF(names); n-- > 0;) {
        struct kept_secret parameter = make_secret(SECRET_OF_SSM, str_from(names[n]), &version, 1);
        struct kept_secret secret = make_secret(SECRET_OF_ASM, arena_printf(&f.arena, "s%zu", n), NULL, 0);
        store_put_secret(txn, &parameter);
        store_put_secret(txn, &secret);
    }
    fixture_commit("four of each", txn);
    struct kept_secret page[3];
    struct str after = { NULL, 0 };
    txn = store_read_begin(f.store);
    for (size_t n = 0; n < COUNT_OF(names);) {
        size_t wanted = COUNT_OF(names) - n < COUNT_OF(page) ? COUNT_OF(names) - n : COUNT_OF(page);
        size_t count = store_list_secrets(txn, SECRET_OF_SSM, after, page, COUNT_OF(page), &f.arena);
        CHECK_EQ("a page", count, wanted);
        if (count != wanted) { break; }
        for (size_t s = 0; s < count; s++, n++) {
            CHECK_STR("in order", page[s].name, str_from(names[n]));
            CHECK_EQ("with its version", page[s].versions.count, 1);
            CHECK("without its value", !str_is_set(page[s].versions.items[0].sealed));
        }
        after = page[count - 1].name;
    }
    CHECK_EQ("and no more", store_list_secrets(txn, SECRET_OF_SSM, after, page, COUNT_OF(page), &f.arena), 0);
    CHECK_EQ("the other kind", store_list_secrets(txn, SECRET_OF_ASM, (struct str){ NULL, 0 }, page, COUNT_OF(page), &f.arena), 3);
    CHECK_STR("in its order", page[0].name, STR("s0"));
    CHECK("read", store_read_end(txn));
    fixture_check("at the end", &f);
    fixture_end(&f);
}

static void test_checked(void)
{
    struct secret_version empty = { { NULL, 0 }, 1, 5, { NULL, 0 } }, version = { { NULL, 0 }, 1, 5, STR("sealed") };
    const struct { const char *name; struct kept_secret secret; bool sound; } rows[] = {
        { "a parameter", make_secret(SECRET_OF_SSM, STR("a"), &version, 1), true },
        { "a secret without a value", make_secret(SECRET_OF_ASM, STR("a"), NULL, 0), true },
        { "a parameter without a value", make_secret(SECRET_OF_SSM, STR("a"), NULL, 0), false },
        { "a version without its value", make_secret(SECRET_OF_ASM, STR("a"), &empty, 1), false },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct store_fixture f;
        struct err err = { 0 };
        fixture_begin(&f, 0);
        struct store_txn *txn = store_write_begin(f.store);
        store_put_secret(txn, &rows[r].secret);
        fixture_commit(rows[r].name, txn);
        txn = store_read_begin(f.store);
        CHECK_EQ(rows[r].name, store_check(txn, &err), rows[r].sound);
        CHECK("read", store_read_end(txn));
        fixture_end(&f);
    }
}

int main(void)
{
    test_kept();
    test_pages();
    test_checked();
    return check_report();
}
