/* assert.c: the end of a process that has found a bug in itself. */
#include "base/assert.h"

#include <stdio.h>
#include <stdlib.h>

_Noreturn void assert_failed(const char *condition, const char *file, int line)
{
    fprintf(stderr, "%s:%d: assertion failed: %s\n", file, line, condition);
    abort();
}
