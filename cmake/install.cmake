# What `cmake --install` puts in place: the program, the systemd units, and what the program writes about itself (cli/help): manual pages and
# completion for bash, zsh and fish. The target `share` makes the latter, and is built before.
install(TARGETS berth RUNTIME DESTINATION bin)

set(BERTH_SHARE ${CMAKE_BINARY_DIR}/share)
add_custom_target(share ALL
    COMMAND ${CMAKE_COMMAND} -E rm -rf ${BERTH_SHARE}
    COMMAND berth help --write ${BERTH_SHARE}
    COMMENT "Manual pages and completion" VERBATIM)
install(DIRECTORY ${BERTH_SHARE}/ DESTINATION share)

# The units name the program where it is installed; that is known only now, by --prefix.
install(CODE "
    foreach(unit berth-server.service berth-agent.service)
        file(READ \"${CMAKE_SOURCE_DIR}/deploy/\${unit}\" text)
        string(REPLACE /usr/local/bin/berth \"\${CMAKE_INSTALL_PREFIX}/bin/berth\" text \"\${text}\")
        string(REPLACE /etc/systemd/system \"\${CMAKE_INSTALL_PREFIX}/lib/systemd/system\" text \"\${text}\")
        file(WRITE \"${CMAKE_BINARY_DIR}/units/\${unit}\" \"\${text}\")
        file(INSTALL \"${CMAKE_BINARY_DIR}/units/\${unit}\" DESTINATION \"\${CMAKE_INSTALL_PREFIX}/lib/systemd/system\")
    endforeach()")
