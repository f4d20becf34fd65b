# HDF5.  Where the static library beside the shared one links, it is preferred: Debian's shared
# one loads 30 libraries of networks, which take two thirds of each start of the program.
include(CheckCSourceCompiles)
option(RIBOGRID_HDF5_STATIC "Prefer HDF5's static library" ON)
find_package(HDF5 REQUIRED COMPONENTS C)
# libribogrid.so takes the shared one: objects of the static one are not position-independent
set(RIBOGRID_HDF5_SHARED ${HDF5_C_LIBRARIES})
list(FILTER RIBOGRID_HDF5_SHARED INCLUDE REGEX "hdf5")
if(RIBOGRID_HDF5_STATIC)
  string(REPLACE "/libhdf5.so" "/libhdf5.a" static "${HDF5_C_LIBRARIES}")
  set(CMAKE_REQUIRED_INCLUDES ${HDF5_C_INCLUDE_DIRS})
  set(CMAKE_REQUIRED_LIBRARIES ${static})
  check_c_source_compiles("#include <hdf5.h>
int main(void) { return H5open(); }" RIBOGRID_HDF5_STATIC_LINKS)
  unset(CMAKE_REQUIRED_INCLUDES)
  unset(CMAKE_REQUIRED_LIBRARIES)
  if(RIBOGRID_HDF5_STATIC_LINKS)
    set(HDF5_C_LIBRARIES ${static})
  endif()
endif()
