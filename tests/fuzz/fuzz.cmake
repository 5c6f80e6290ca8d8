# fuzz.cmake: one fuzz target per parser of outside input.
#
# To add one: write tests/fuzz/fuzz_<name>.c, which defines LLVMFuzzerTestOneInput and asserts a property (a round trip says
# more than "does not crash"); put a few good inputs, one a file, into tests/fuzz/corpus/<name>/; and add "<name> <room>" to
# the list below, where <room> is the library that it links. `fuzz.h` holds what targets share.
#
# Usually a target is a plain program which replays its corpus, and thousands of seeded mutations of it, as an ordinary test
# (`fuzz_<name> <corpus folder> [mutations per file]`). With -DBERTH_FUZZ=ON and clang it is a libFuzzer program instead:
# `tests/fuzz_<name> tests/fuzz/corpus/<name>`.
set(BERTH_FUZZ_TARGETS
    json base
    arn base
    sigv4 base
    websocket base
    agent_message wire
    matcher wire
    schema_decode model
    query_form model
    record model
    gpu model
    secret_ref model
    catalogue model
    quota scheduler
    block server
    entry ha
    etcd ha
    expression scheduler
    role_token api
    taskmeta agent
    head base
    api_head server
    command_line base
    config cli
    log_pattern server
    registry_auth agent
    identity_document api
    form server
    data_channel server
    env_file agent
    paging api
    hook_answer api
    kind_forms api
    log_files server
    use server
    auth server
    setting_files server
    base64 base
    schedule base
    zone base
    wire wire
    docker_payload agent
    docker_answer agent
    docker_logs agent
    docker_http agent
    docker_pull agent
    docker_merge agent
    notice agent
    image_rules agent
    agent_files agent
)

add_custom_target(fuzz_tests)
while(BERTH_FUZZ_TARGETS)
    list(POP_FRONT BERTH_FUZZ_TARGETS name room)
    set(target fuzz_${name})
    set(corpus ${CMAKE_CURRENT_LIST_DIR}/corpus/${name})
    add_executable(${target} EXCLUDE_FROM_ALL ${CMAKE_CURRENT_LIST_DIR}/fuzz_${name}.c)
    target_link_libraries(${target} PRIVATE berth_${room})
    set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
    if(BERTH_FUZZ)
        target_link_options(${target} PRIVATE -fsanitize=fuzzer)
        add_test(NAME ${target} COMMAND ${target} -runs=20000 -seed=1 ${CMAKE_BINARY_DIR}/tests/corpus_${name} ${corpus})
        file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/tests/corpus_${name})    # what libFuzzer finds goes here, not into the sources
    else()
        target_sources(${target} PRIVATE ${CMAKE_CURRENT_LIST_DIR}/replay_main.c)
        add_test(NAME ${target} COMMAND ${target} ${corpus})
    endif()
    add_dependencies(fuzz_tests ${target})
endwhile()
