// Remembers that memory could not be had. Libraries tell of it in many words, of which some are those for damage, or tell
// nothing and go on with less: only who was asked knows.
//
// A program may replace these functions (glibc, "Replacing malloc"); what they replace is asked for the work, and frees it.
#define _GNU_SOURCE
#include "allocations.h"
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

// No picture that is small enough to be decoded needs so much at once: a damaged file asked for it.
static const size_t longest = (size_t)4 << 30;

static atomic_bool refused;
static void (*_Atomic on_refused_thread)(void);

static void *noting(void *block, size_t size) {
    if (block == NULL && size > 0 && size < longest) atomic_store_explicit(&refused, true, memory_order_relaxed);
    return block;
}

bool allocations_were_refused(void) { return atomic_load_explicit(&refused, memory_order_relaxed); }
void allocations_forget(void) { atomic_store_explicit(&refused, false, memory_order_relaxed); }

void *malloc(size_t size) { return noting(__libc_malloc(size), size); }

void *calloc(size_t count, size_t size) {
    size_t all;
    if (__builtin_mul_overflow(count, size, &all)) all = SIZE_MAX;
    return noting(__libc_calloc(count, size), all);
}

// Of no bytes it frees the block, and gives none.
void *realloc(void *block, size_t size) { return noting(__libc_realloc(block, size), size); }

void *memalign(size_t alignment, size_t size) { return noting(__libc_memalign(alignment, size), size); }

void *aligned_alloc(size_t alignment, size_t size) { return noting(__libc_memalign(alignment, size), size); }

int posix_memalign(void **result, size_t alignment, size_t size) {
    if (alignment < sizeof(void *) || (alignment & (alignment - 1)) != 0) return EINVAL;
    void *const block = noting(__libc_memalign(alignment, size), size);
    if (block == NULL) return ENOMEM;
    *result = block;
    return 0;
}

typedef int thread_maker(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
static thread_maker *make_thread;

__attribute__((constructor)) static void find_thread_maker(void) {
    make_thread = (thread_maker *)dlsym(RTLD_NEXT, "pthread_create");
}

void allocations_on_refused_thread(void (*handler)(void)) { atomic_store(&on_refused_thread, handler); }

int pthread_create(
    pthread_t *restrict thread, const pthread_attr_t *restrict attributes, void *(*body)(void *), void *restrict argument
) {
    if (make_thread == NULL) find_thread_maker();
    const int error = make_thread(thread, attributes, body, argument);
    if (error != EAGAIN && error != ENOMEM) return error;
    atomic_store_explicit(&refused, true, memory_order_relaxed);
    void (*const handler)(void) = atomic_load(&on_refused_thread);
    if (handler != NULL) handler();
    return error;
}
