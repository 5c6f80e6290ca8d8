# The Docker runtime against a real engine. Needs root, dockerd and a static busybox, so it has its own suite:
# `ninja docker_runtime_test` builds it, tests/docker/run runs it.
add_executable(docker_runtime_test EXCLUDE_FROM_ALL ${CMAKE_CURRENT_LIST_DIR}/docker_runtime_test.c)
target_link_libraries(docker_runtime_test PRIVATE berth_agent)
set_target_properties(docker_runtime_test PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
