# OpenBLAS multiplies the matrices of networks on CPUs.  It is loaded at run time
# (kernels/cnn/cpu/cpu_blas.c), by the name found here or by its usual one.
find_library(RIBOGRID_OPENBLAS_LIBRARY openblas)
mark_as_advanced(RIBOGRID_OPENBLAS_LIBRARY)
if(RIBOGRID_OPENBLAS_LIBRARY)
  file(REAL_PATH ${RIBOGRID_OPENBLAS_LIBRARY} RIBOGRID_OPENBLAS_FILE)
  message(STATUS "OpenBLAS: ${RIBOGRID_OPENBLAS_FILE}")
else()
  message(STATUS "No OpenBLAS: networks on CPUs need libopenblas.so.0 when they run "
    "(Debian: libopenblas-dev)")
endif()
