# Libraries that `ribogrid-bench align` measures next to its own kernels.  All are optional.
set(RIBOGRID_PEERS AUTO CACHE STRING "Measure against parasail, edlib, WFA2: AUTO, ON or OFF")
set_property(CACHE RIBOGRID_PEERS PROPERTY STRINGS AUTO ON OFF)

# The target ribogrid_peers carries the libraries that were found.
add_library(ribogrid_peers INTERFACE)
function(ribogrid_peer name library header package)
  find_library(RIBOGRID_${name}_LIBRARY ${library})
  find_path(RIBOGRID_${name}_INCLUDE_DIR ${header} PATH_SUFFIXES wfa2lib)
  if(RIBOGRID_${name}_LIBRARY AND RIBOGRID_${name}_INCLUDE_DIR)
    target_compile_definitions(ribogrid_peers INTERFACE RIBOGRID_HAVE_${name})
    target_include_directories(ribogrid_peers SYSTEM INTERFACE
      ${RIBOGRID_${name}_INCLUDE_DIR})
    target_link_libraries(ribogrid_peers INTERFACE ${RIBOGRID_${name}_LIBRARY})
    set(RIBOGRID_HAVE_${name} ON PARENT_SCOPE)
    message(STATUS "bench align: with ${library}")
  elseif(RIBOGRID_PEERS STREQUAL "ON")
    message(FATAL_ERROR "RIBOGRID_PEERS is ON but ${library} was not found (Debian: ${package})")
  else()
    message(STATUS "bench align: without ${library} (Debian: ${package})")
  endif()
  mark_as_advanced(RIBOGRID_${name}_LIBRARY RIBOGRID_${name}_INCLUDE_DIR)
endfunction()

if(NOT RIBOGRID_PEERS STREQUAL "OFF")
  ribogrid_peer(PARASAIL parasail parasail.h libparasail-dev)
  ribogrid_peer(EDLIB edlib edlib.h libedlib-dev)
  ribogrid_peer(WFA2 wfa2 wavefront/wfa.h libwfa2-dev)
endif()
