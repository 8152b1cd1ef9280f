#ifndef SAFELIGHT_ALLOCATIONS_H
#define SAFELIGHT_ALLOCATIONS_H

#include <stdbool.h>

// A program of which this target is a part asks glibc for memory and threads through it, as do all its libraries.

/// Whether somebody was refused memory, or a thread, since the last `allocations_forget`. May be asked in a signal handler.
bool allocations_were_refused(void);
void allocations_forget(void);

/// Calls `handler` where a thread cannot be made.
void allocations_on_refused_thread(void (*handler)(void));

#endif
