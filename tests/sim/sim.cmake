# The simulation: the whole server minus sockets, from seeds.
file(GLOB sim_sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/*.c)
add_executable(sim EXCLUDE_FROM_ALL ${sim_sources})
target_link_libraries(sim PRIVATE berth_api)
set_target_properties(sim PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
add_test(NAME sim COMMAND sim)
