# libdeflate compresses results.  It is optional: without it zlib does, a third as fast.
set(RIBOGRID_LIBDEFLATE AUTO CACHE STRING "Compress results with libdeflate: AUTO, ON or OFF")
set_property(CACHE RIBOGRID_LIBDEFLATE PROPERTY STRINGS AUTO ON OFF)

if(NOT RIBOGRID_LIBDEFLATE STREQUAL "OFF")
  find_path(RIBOGRID_LIBDEFLATE_INCLUDE_DIR libdeflate.h)
  find_library(RIBOGRID_LIBDEFLATE_LIBRARY deflate)
  mark_as_advanced(RIBOGRID_LIBDEFLATE_INCLUDE_DIR RIBOGRID_LIBDEFLATE_LIBRARY)
  if(RIBOGRID_LIBDEFLATE_INCLUDE_DIR AND RIBOGRID_LIBDEFLATE_LIBRARY)
    set(RIBOGRID_HAVE_LIBDEFLATE ON)
    message(STATUS "libdeflate: ${RIBOGRID_LIBDEFLATE_LIBRARY}")
  else()
    message(STATUS "No libdeflate: zlib compresses results, a third as fast (Debian: libdeflate-dev)")
  endif()
endif()
if(RIBOGRID_LIBDEFLATE STREQUAL "ON" AND NOT RIBOGRID_HAVE_LIBDEFLATE)
  message(FATAL_ERROR "RIBOGRID_LIBDEFLATE is ON and libdeflate.h or libdeflate was not found: set "
    "RIBOGRID_LIBDEFLATE_INCLUDE_DIR and RIBOGRID_LIBDEFLATE_LIBRARY")
endif()
