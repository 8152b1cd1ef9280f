// Overwrites blocks of the heap as they are freed. File names, header fields and JSON pass through strings and arrays of
// Swift and of libraries, which leave them where they lay: for minutes, until another block happens to take the place.
// M_PERTURB of mallopt(3) does not do it: the cache of each thread, where all small blocks go first, is put past it.
//
// A program may replace these functions (glibc, "Replacing malloc"); what they replace is asked for the work.
#define _GNU_SOURCE
#include "wiping.h"
#include <malloc.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

extern void __libc_free(void *);
extern void *__libc_realloc(void *, size_t);

// Longer ones hold what goes by in bulk, and the kernel takes most of them back. A connection reads into 64 KiB at most, be it
// a photo or a caption: such a block is some bytes longer than what was asked for.
enum { longest = (1 << 16) + 64 };

void free(void *block) {
    if (block == NULL) return;
    size_t size = malloc_usable_size(block);
    if (size <= longest) explicit_bzero(block, size);
    __libc_free(block);
}

// The one of glibc frees the old block by itself, and gives away the end of one that shrinks.
void *realloc(void *block, size_t size) {
    if (block == NULL) return malloc(size);
    if (size == 0) {
        free(block);
        return NULL;
    }
    size_t present = malloc_usable_size(block);
    if (present > longest) return __libc_realloc(block, size);
    void *moved = malloc(size);
    if (moved == NULL) return NULL;
    memcpy(moved, block, size < present ? size : present);
    free(block);
    return moved;
}
