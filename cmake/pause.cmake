# Builds the pause program by itself, with the compiler alone, and turns it into a C array of the agent room: pause_program[] and
# its size. At configure time, so that no flag of ours (sanitizers, coverage, PIE) gets into it.
function(berth_pause source out)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${source})
    file(MAKE_DIRECTORY ${out})
    execute_process(COMMAND ${CMAKE_C_COMPILER} -std=c11 -Os -static -nostdlib -ffreestanding -fno-stack-protector -fno-pie
        -fno-asynchronous-unwind-tables -Wl,--build-id=none -Wl,-z,noexecstack -s -o ${out}/pause ${source} COMMAND_ERROR_IS_FATAL ANY)
    file(READ ${out}/pause hex HEX)
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
    file(WRITE ${out}/pause_program.c.new "#include \"agent/docker/docker.h\"\n"
        "const unsigned char pause_program[] = {${bytes}};\nconst size_t pause_program_size = sizeof pause_program;\n")
    file(COPY_FILE ${out}/pause_program.c.new ${out}/pause_program.c ONLY_IF_DIFFERENT)
    target_sources(berth_agent PRIVATE ${out}/pause_program.c)
endfunction()
