# OpenSSL 3 encrypts streams to remote devices (tls://).  It is optional: without its headers,
# such devices are refused.  It is loaded at run time (dispatcher/remote/remote_tls.c), by the
# name found here or by its usual one.
set(RIBOGRID_OPENSSL AUTO CACHE STRING "Reach remote devices by TLS: AUTO, ON or OFF")
set_property(CACHE RIBOGRID_OPENSSL PROPERTY STRINGS AUTO ON OFF)
if(NOT RIBOGRID_OPENSSL STREQUAL "OFF")
  find_package(OpenSSL 3 QUIET)
  if(OPENSSL_FOUND)
    set(RIBOGRID_HAVE_OPENSSL ON)
    file(REAL_PATH ${OPENSSL_SSL_LIBRARY} RIBOGRID_OPENSSL_FILE)
    message(STATUS "OpenSSL: ${RIBOGRID_OPENSSL_FILE}")
  elseif(RIBOGRID_OPENSSL STREQUAL "ON")
    message(FATAL_ERROR "RIBOGRID_OPENSSL is ON and OpenSSL 3 was not found: set OPENSSL_ROOT_DIR")
  else()
    message(STATUS "No OpenSSL 3: remote devices are reached without TLS (Debian: libssl-dev)")
  endif()
endif()
