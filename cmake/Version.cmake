# What `ribogrid --version` and manual pages print about the build.  The commit is read at every configure.
find_package(Git QUIET)
set(RIBOGRID_COMMIT "unknown")
string(TIMESTAMP RIBOGRID_DATE "%Y-%m-%d" UTC)
if(GIT_FOUND)
  execute_process(COMMAND ${GIT_EXECUTABLE} describe --always --dirty --abbrev=12
    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_VARIABLE described
    OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
  if(NOT failed)
    set(RIBOGRID_COMMIT ${described})
  endif()
  execute_process(COMMAND ${GIT_EXECUTABLE} log -1 --format=%cs
    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_VARIABLE committed
    OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
  if(NOT failed)
    set(RIBOGRID_DATE ${committed})
  endif()
  if(EXISTS ${PROJECT_SOURCE_DIR}/.git/logs/HEAD)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
      ${PROJECT_SOURCE_DIR}/.git/logs/HEAD)
  endif()
endif()
if(RIBOGRID_HAVE_CUDA)
  set(RIBOGRID_CUDA_TEXT "${CMAKE_CUDA_COMPILER_VERSION}")
  string(REPLACE ";" " " RIBOGRID_CUDA_ARCH_TEXT "${CMAKE_CUDA_ARCHITECTURES}")
else()
  set(RIBOGRID_CUDA_TEXT "none")
  set(RIBOGRID_CUDA_ARCH_TEXT "none")
endif()
