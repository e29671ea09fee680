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

# The commands of targets made before find_package, or in other folders: a program is its libraries, too.
function(_cegas_export_commands folder)
  get_property(targets DIRECTORY "${folder}" PROPERTY BUILDSYSTEM_TARGETS)
  foreach(target IN LISTS targets)
    get_target_property(type "${target}" TYPE)
    if(NOT type MATCHES "^(INTERFACE_LIBRARY|UTILITY)$")
      set_target_properties("${target}" PROPERTIES EXPORT_COMPILE_COMMANDS ON)
    endif()
  endforeach()
  get_property(folders DIRECTORY "${folder}" PROPERTY SUBDIRECTORIES)
  foreach(inner IN LISTS folders)
    _cegas_export_commands("${inner}")
  endforeach()
endfunction()
# A query in a file is answered from the next configuration on; until then targets are known by what CMake leaves on disk.
if(CMAKE_VERSION VERSION_GREATER_EQUAL 3.27)
  cmake_file_api(QUERY API_VERSION 1 CODEMODEL 2)
else()
  file(WRITE "${CMAKE_BINARY_DIR}/.cmake/api/v1/query/codemodel-v2" "")
endif()

function(cegas_add_scan target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "OPTIONS")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "cegas_add_scan: unknown argument ${arg_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT TARGET "${target}")
    message(FATAL_ERROR "cegas_add_scan: there is no target ${target}")
  endif()
  _cegas_export_commands("${CMAKE_SOURCE_DIR}")
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

# Where CMake can, once more when all targets are there.
if(CMAKE_VERSION VERSION_GREATER_EQUAL 3.19)
  cmake_language(DEFER DIRECTORY "${CMAKE_SOURCE_DIR}"
    CALL _cegas_export_commands "${CMAKE_SOURCE_DIR}")
endif()
