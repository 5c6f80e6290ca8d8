# schema_dump: what tests/contract/model.test.mjs compares with the API model.
add_executable(schema_dump EXCLUDE_FROM_ALL ${CMAKE_CURRENT_LIST_DIR}/schema_dump.c)
target_link_libraries(schema_dump PRIVATE berth_api)
set_target_properties(schema_dump PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
