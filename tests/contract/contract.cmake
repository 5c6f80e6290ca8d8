# schema_dump: what tests/contract/model.test.mjs compares with the API model.
add_executable(schema_dump EXCLUDE_FROM_ALL ${CMAKE_CURRENT_LIST_DIR}/schema_dump.c)
target_link_libraries(schema_dump PRIVATE berth_api)
set_target_properties(schema_dump PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)

# pool_put: the pool of tests/contract/provisioners.test.mjs.
add_executable(pool_put EXCLUDE_FROM_ALL ${CMAKE_CURRENT_LIST_DIR}/pool_put.c)
target_link_libraries(pool_put PRIVATE berth_store)
set_target_properties(pool_put PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
