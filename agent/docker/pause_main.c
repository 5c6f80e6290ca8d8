/* pause_main.c: the program of the container that holds a task's name spaces (docker/hold.c). It does nothing, except that, as the first
 * process of a shared process tree, it leaves no zombies. No library and no start-up code: it is the only file of its image. Linked alone
 * (cmake/pause.cmake), never into Berth. */
#include <sys/syscall.h>

#define IGNORE 1                                     /* SIG_IGN: the kernel then keeps no zombies */
enum { CHILD_ENDED = 17, MASK_SIZE = 8 };            /* SIGCHLD on x86-64 and arm64; bytes of the kernel's signal mask */

#if defined(__x86_64__)
static long call(long number, long a, long b, long c, long d)
{
    register long fourth __asm__("r10") = d;
    long result = number;
    __asm__ volatile("syscall" : "+a"(result) : "D"(a), "S"(b), "d"(c), "r"(fourth) : "rcx", "r11", "memory");
    return result;
}
#elif defined(__aarch64__)
static long call(long number, long a, long b, long c, long d)
{
    register long eight __asm__("x8") = number;
    register long first __asm__("x0") = a, second __asm__("x1") = b, third __asm__("x2") = c, fourth __asm__("x3") = d;
    __asm__ volatile("svc 0" : "+r"(first) : "r"(eight), "r"(second), "r"(third), "r"(fourth) : "memory");
    return first;
}
#else
#error "The pause program knows the system calls of x86-64 and arm64 only."
#endif

_Noreturn void _start(void);
_Noreturn void _start(void)
{
    static const unsigned long action[4] = { IGNORE };                     /* handler, flags, restorer, mask */
    call(SYS_rt_sigaction, CHILD_ENDED, (long)action, 0, MASK_SIZE);
    for (;;) { call(SYS_ppoll, 0, 0, 0, 0); }
}
