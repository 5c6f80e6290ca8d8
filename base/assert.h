/* assert.h: checks that only a bug can break. Also on in release builds; prints the place and aborts. */
#ifndef BERTH_BASE_ASSERT_H
#define BERTH_BASE_ASSERT_H

#define ASSERT(condition) ((condition) ? (void)0 : assert_failed(#condition, __FILE__, __LINE__))
#define MUST_USE __attribute__((warn_unused_result))
#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))
#define AUTO(release) __attribute__((cleanup(release)))         /* runs when the local goes out of scope */

_Noreturn void assert_failed(const char *condition, const char *file, int line);

#endif
