/*
 * unit_test.h - cmocka, with the headers that it expects to be included before.
 */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
