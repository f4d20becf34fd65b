# Libraries that unpack inputs, besides zlib.  Each is optional: without it, files in its
# format are refused.

# ribogrid_unpacker(NAME format HEADER LIBRARY PACKAGE): RIBOGRID_NAME is AUTO, ON or OFF
function(ribogrid_unpacker name format header library package)
  set(RIBOGRID_${name} AUTO CACHE STRING "Read inputs compressed by ${format}: AUTO, ON or OFF")
  set_property(CACHE RIBOGRID_${name} PROPERTY STRINGS AUTO ON OFF)
  if(RIBOGRID_${name} STREQUAL "OFF")
    return()
  endif()
  find_path(RIBOGRID_${name}_INCLUDE_DIR ${header})
  find_library(RIBOGRID_${name}_LIBRARY ${library})
  mark_as_advanced(RIBOGRID_${name}_INCLUDE_DIR RIBOGRID_${name}_LIBRARY)
  if(RIBOGRID_${name}_INCLUDE_DIR AND RIBOGRID_${name}_LIBRARY)
    set(RIBOGRID_HAVE_${name} ON PARENT_SCOPE)
    message(STATUS "${format}: ${RIBOGRID_${name}_LIBRARY}")
  elseif(RIBOGRID_${name} STREQUAL "ON")
    message(FATAL_ERROR "RIBOGRID_${name} is ON and ${header} or lib${library} was not found: "
      "set RIBOGRID_${name}_INCLUDE_DIR and RIBOGRID_${name}_LIBRARY")
  else()
    message(STATUS "No ${format}: such inputs are refused (Debian: ${package})")
  endif()
endfunction()

ribogrid_unpacker(BZIP2 bzip2 bzlib.h bz2 libbz2-dev)
ribogrid_unpacker(LZMA xz lzma.h lzma liblzma-dev)
ribogrid_unpacker(ZSTD zstd zstd.h zstd libzstd-dev)
