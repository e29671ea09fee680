# find_package(Cegas) and then, for each program or library to be checked:
#
#   cegas_add_scan(TARGET [OPTIONS option...])
#
# adds the build target TARGET-cegas, which scans TARGET; the build target `cegas` runs all of them. Findings
# make the build of these targets fail; --exit-zero among the options changes that.
include_guard(GLOBAL)

find_program(Cegas_SCAN cegas-scan HINTS "$ENV{HOME}/.cargo/bin"
  DOC "The command cegas-scan")
if(NOT Cegas_SCAN)
  set(Cegas_FOUND FALSE)
  set(Cegas_NOT_FOUND_MESSAGE
    "cegas-scan is not in PATH; run `make install` in its repository or set Cegas_SCAN")
  return()
endif()

# What cegas-scan reads: the commands, and CMake's own account of which units make which target.
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
file(WRITE "${CMAKE_BINARY_DIR}/.cmake/api/v1/query/codemodel-v2" "")

function(cegas_add_scan target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "OPTIONS")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "cegas_add_scan: unknown argument ${arg_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT TARGET "${target}")
    message(FATAL_ERROR "cegas_add_scan: there is no target ${target}")
  endif()
  # Set here as well: the target may have been made before find_package.
  set_target_properties("${target}" PROPERTIES EXPORT_COMPILE_COMMANDS ON)
  add_custom_target("${target}-cegas"
    COMMAND "${Cegas_SCAN}" -p "${CMAKE_BINARY_DIR}" "--target=${target}" ${arg_OPTIONS}
            "${CMAKE_SOURCE_DIR}"
    COMMENT "Model-checking ${target}"
    USES_TERMINAL VERBATIM)
  if(NOT TARGET cegas)
    add_custom_target(cegas)
  endif()
  add_dependencies(cegas "${target}-cegas")
endfunction()
