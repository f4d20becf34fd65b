# Version.cmake - version, commit and date of the sources: RIBOGRID_VERSION, RIBOGRID_COMMIT,
# RIBOGRID_DATE.
#
# The version is that of the nearest git tag vX.Y.Z.  In an archive that git has made,
# cmake/archive.txt holds what git would say.  Without a tag (before the first release, in a
# shallow clone) the newest heading of CHANGELOG.md gives the version, which a release has in
# common with its tag (packaging/dist.sh).  Read at every configure.
set(described "")
set(committed "")
string(TIMESTAMP RIBOGRID_DATE "%Y-%m-%d" UTC)
if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/.git)
  find_package(Git QUIET)
  if(GIT_FOUND)
    set(git ${GIT_EXECUTABLE} -C ${CMAKE_CURRENT_SOURCE_DIR})
    execute_process(COMMAND ${git} describe --tags --match "v[0-9]*" --always --dirty --abbrev=12
      OUTPUT_VARIABLE described OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    execute_process(COMMAND ${git} log -1 --format=%cs
      OUTPUT_VARIABLE committed OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  endif()
  if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/.git/logs/HEAD)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
      ${CMAKE_CURRENT_SOURCE_DIR}/.git/logs/HEAD)
  endif()
else()
  file(STRINGS ${CMAKE_CURRENT_SOURCE_DIR}/cmake/archive.txt archive REGEX "^[a-z]+: [^$%]")
  foreach(line ${archive}) # the last one that git has filled in
    if(line MATCHES "^(tag|commit): (.*)$")
      set(described ${CMAKE_MATCH_2})
    elseif(line MATCHES "^date: (.*)$")
      set(committed ${CMAKE_MATCH_1})
    endif()
  endforeach()
endif()

if(described MATCHES "^v([0-9]+\\.[0-9]+\\.[0-9]+)")
  set(RIBOGRID_VERSION ${CMAKE_MATCH_1})
else()
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS CHANGELOG.md)
  file(STRINGS ${CMAKE_CURRENT_SOURCE_DIR}/CHANGELOG.md headings
    REGEX "^## \\[[0-9]+\\.[0-9]+\\.[0-9]+\\]" LIMIT_COUNT 1)
  string(REGEX MATCH "[0-9]+\\.[0-9]+\\.[0-9]+" RIBOGRID_VERSION "${headings}")
endif()
set(RIBOGRID_COMMIT ${described})
if(RIBOGRID_COMMIT STREQUAL "")
  set(RIBOGRID_COMMIT "unknown")
endif()
if(NOT committed STREQUAL "")
  set(RIBOGRID_DATE ${committed})
endif()
