# The interface target ribogrid_flags carries the flags of every target.
add_library(ribogrid_flags INTERFACE)
target_include_directories(ribogrid_flags INTERFACE ${PROJECT_SOURCE_DIR})
target_compile_definitions(ribogrid_flags INTERFACE _GNU_SOURCE)

set(c_flags -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -fno-strict-aliasing
            -ffp-contract=off) # sums are equal on every machine (tree_sum.h)
if(CMAKE_C_COMPILER_ID MATCHES Clang) # GCC has no objection within designated initializers
  list(APPEND c_flags -Wno-missing-field-initializers)
endif()
set(cuda_flags "SHELL:-Xcompiler -Wall,-Wextra,-Wshadow")
if(RIBOGRID_WERROR)
  list(APPEND c_flags -Werror)
  list(APPEND cuda_flags --Werror=all-warnings "SHELL:-Xcompiler -Werror")
endif()
target_compile_options(ribogrid_flags INTERFACE
  "$<$<COMPILE_LANGUAGE:C>:${c_flags}>" "$<$<COMPILE_LANGUAGE:CUDA>:${cuda_flags}>")

if(RIBOGRID_SANITIZE)
  set(sanitizers -fsanitize=address,undefined -fno-sanitize-recover=undefined
                 -fno-omit-frame-pointer)
  target_compile_options(ribogrid_flags INTERFACE "$<$<COMPILE_LANGUAGE:C>:${sanitizers}>")
  # A start relocates nothing then: descriptions of checks hold half a million addresses.
  set(is_program "$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>")
  target_link_options(ribogrid_flags INTERFACE ${sanitizers} "$<${is_program}:-no-pie>")
endif()
if(RIBOGRID_TSAN)
  if(RIBOGRID_SANITIZE)
    message(FATAL_ERROR "RIBOGRID_TSAN and RIBOGRID_SANITIZE exclude each other")
  endif()
  target_compile_options(ribogrid_flags INTERFACE
    "$<$<COMPILE_LANGUAGE:C>:-fsanitize=thread;-fno-omit-frame-pointer>")
  target_link_options(ribogrid_flags INTERFACE -fsanitize=thread)
endif()
if(RIBOGRID_FUZZ)
  target_compile_options(ribogrid_flags INTERFACE
    "$<$<COMPILE_LANGUAGE:C>:-fsanitize=fuzzer-no-link>")
endif()
