# cuDNN and cuBLAS compute neural networks on GPUs.  They are optional: without them the
# backend cudnn is left out.
set(RIBOGRID_CUDNN AUTO CACHE STRING "Build the backend cudnn of neural networks: AUTO, ON or OFF")
set_property(CACHE RIBOGRID_CUDNN PROPERTY STRINGS AUTO ON OFF)

if(RIBOGRID_HAVE_CUDA AND NOT RIBOGRID_CUDNN STREQUAL "OFF")
  set(hints ${CMAKE_CUDA_IMPLICIT_LINK_DIRECTORIES}
    ${CMAKE_CUDA_TOOLKIT_INCLUDE_DIRECTORIES}/../lib64
    ${CMAKE_CUDA_TOOLKIT_INCLUDE_DIRECTORIES}/../lib)
  # The toolkit's stubs are for linking alone; the library found here is loaded, too.
  list(FILTER hints EXCLUDE REGEX "/stubs/?$")
  find_path(RIBOGRID_CUDNN_INCLUDE_DIR cudnn.h HINTS ${CMAKE_CUDA_TOOLKIT_INCLUDE_DIRECTORIES})
  find_library(RIBOGRID_CUDNN_LIBRARY cudnn HINTS ${hints})
  find_path(RIBOGRID_CUBLAS_INCLUDE_DIR cublasLt.h
    HINTS ${CMAKE_CUDA_TOOLKIT_INCLUDE_DIRECTORIES})
  find_library(RIBOGRID_CUBLAS_LIBRARY cublasLt HINTS ${hints})
  mark_as_advanced(RIBOGRID_CUDNN_INCLUDE_DIR RIBOGRID_CUDNN_LIBRARY
    RIBOGRID_CUBLAS_INCLUDE_DIR RIBOGRID_CUBLAS_LIBRARY)
  if(RIBOGRID_CUDNN_INCLUDE_DIR AND RIBOGRID_CUDNN_LIBRARY
      AND RIBOGRID_CUBLAS_INCLUDE_DIR AND RIBOGRID_CUBLAS_LIBRARY)
    file(STRINGS ${RIBOGRID_CUDNN_INCLUDE_DIR}/cudnn_version.h line
      REGEX "define CUDNN_MAJOR")
    string(REGEX MATCH "[0-9]+" major "${line}")
    if(major GREATER_EQUAL 9)
      set(RIBOGRID_HAVE_CUDNN ON)
      message(STATUS "cuDNN: ${RIBOGRID_CUDNN_LIBRARY}")
    else()
      message(STATUS "cuDNN ${major} is too old: the backend cudnn needs version 9")
    endif()
  else()
    message(STATUS "No cuDNN 9 or no cuBLAS: neural networks do without the backend cudnn "
      "(Debian: libcudnn9-dev-cuda-13, libcublas-dev-13-0)")
  endif()
endif()
if(RIBOGRID_CUDNN STREQUAL "ON" AND NOT RIBOGRID_HAVE_CUDNN)
  message(FATAL_ERROR "RIBOGRID_CUDNN is ON and CUDA, cuDNN 9 or cuBLAS was not found: set "
    "RIBOGRID_CUDNN_INCLUDE_DIR, RIBOGRID_CUDNN_LIBRARY, RIBOGRID_CUBLAS_INCLUDE_DIR and "
    "RIBOGRID_CUBLAS_LIBRARY")
endif()
