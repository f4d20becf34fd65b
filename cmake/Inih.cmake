# inih reads the texts of networks.  The static library is preferred: it is small, and the
# program then runs where inih is not installed.
find_path(RIBOGRID_INIH_INCLUDE_DIR ini.h)
find_library(RIBOGRID_INIH_LIBRARY NAMES libinih.a inih)
mark_as_advanced(RIBOGRID_INIH_INCLUDE_DIR RIBOGRID_INIH_LIBRARY)
if(NOT RIBOGRID_INIH_INCLUDE_DIR OR NOT RIBOGRID_INIH_LIBRARY)
  message(FATAL_ERROR "inih was not found: install it (Debian: libinih-dev), or set "
    "RIBOGRID_INIH_INCLUDE_DIR and RIBOGRID_INIH_LIBRARY")
endif()
