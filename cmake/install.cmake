# What `cmake --install` puts in place: the program, the systemd units, and what the program writes about itself (cli/help): manual pages and
# completion for bash, zsh and fish. The target `share` makes the latter, and is built before. `make deb` makes four packages of the same.
set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY ON)
install(TARGETS berth RUNTIME DESTINATION bin COMPONENT program)

set(BERTH_SHARE ${CMAKE_BINARY_DIR}/share)
add_custom_target(share ALL
    COMMAND ${CMAKE_COMMAND} -E rm -rf ${BERTH_SHARE}
    COMMAND berth help --write ${BERTH_SHARE}
    COMMENT "Manual pages and completion" VERBATIM)
install(DIRECTORY ${BERTH_SHARE}/ DESTINATION share COMPONENT program)
# Debian's zsh looks in site-functions below /usr/local alone.
install(FILES ${BERTH_SHARE}/zsh/site-functions/_berth DESTINATION share/zsh/vendor-completions COMPONENT program EXCLUDE_FROM_ALL)

# A unit names the program where it is installed; that is known only then, by --prefix. The settings are in the package alone: whoever installs
# without one may have some already.
foreach(part server agent ingress)
    install(CODE "
        set(unit \"${CMAKE_BINARY_DIR}/units/berth-${part}.service\")
        file(READ \"${CMAKE_SOURCE_DIR}/deploy/berth-${part}.service\" text)
        string(REPLACE /usr/local/bin/berth \"\${CMAKE_INSTALL_PREFIX}/bin/berth\" text \"\${text}\")
        string(REPLACE /etc/systemd/system \"\${CMAKE_INSTALL_PREFIX}/lib/systemd/system\" text \"\${text}\")
        file(WRITE \"\${unit}\" \"\${text}\")
        file(INSTALL \"\${unit}\" DESTINATION \"\${CMAKE_INSTALL_PREFIX}/lib/systemd/system\")" COMPONENT ${part})
    install(FILES ${CMAKE_SOURCE_DIR}/deploy/${part}.conf DESTINATION /etc/berth COMPONENT ${part} EXCLUDE_FROM_ALL)
endforeach()

# ---- Debian packages: berth (the program), berth-server, berth-agent and berth-ingress ----
set(CPACK_GENERATOR DEB)
set(CPACK_SET_DESTDIR ON)
set(CPACK_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_PACKAGE_CONTACT "Berth <root@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "control plane for GPU machines that speaks the Amazon ECS API")
set(CPACK_COMPONENTS_ALL program server agent ingress)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION admin)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME berth)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_RECOMMENDS ca-certificates)
set(CPACK_COMPONENT_PROGRAM_DESCRIPTION "The program, its manual pages, and completion for bash, zsh and fish.")
set(CPACK_COMPONENT_SERVER_DESCRIPTION "The service of the control plane. It is started once it has a key.")
set(CPACK_COMPONENT_AGENT_DESCRIPTION "The service of a machine that runs tasks. It is started once it has a server and a key.")
set(CPACK_COMPONENT_INGRESS_DESCRIPTION "The service of HAProxy for load balancers. It is started once it has a server and a key.")
set(CPACK_DEBIAN_INGRESS_PACKAGE_RECOMMENDS haproxy)
foreach(part SERVER AGENT INGRESS)
    string(TOLOWER ${part} name)
    set(scripts ${CMAKE_SOURCE_DIR}/deploy/debian/${name})
    set(CPACK_DEBIAN_${part}_PACKAGE_NAME berth-${name})
    set(CPACK_DEBIAN_${part}_PACKAGE_DEPENDS berth)
    set(CPACK_DEBIAN_${part}_PACKAGE_ARCHITECTURE all)
    set(CPACK_DEBIAN_${part}_PACKAGE_CONTROL_EXTRA ${scripts}/conffiles ${scripts}/postinst ${scripts}/prerm ${scripts}/postrm)
endforeach()
include(CPack)
