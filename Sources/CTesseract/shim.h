// Tesseract reads words, Leptonica decodes the picture for it. Of Leptonica's thousands of functions these few are named,
// as its own header has them.
#pragma once
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <tesseract/capi.h>

struct Pix;
struct Pix *pixReadMem(const uint8_t *data, size_t size);
struct Pix *pixConvertTo8(struct Pix *picture, int32_t has_colours);
void pixDestroy(struct Pix **picture);
int32_t pixGetWidth(struct Pix *picture);
int32_t pixGetHeight(struct Pix *picture);
int32_t pixGetWpl(struct Pix *picture);
uint32_t *pixGetData(struct Pix *picture);
int32_t setMsgSeverity(int32_t severity);

// Leptonica says nothing on standard error.
enum { CTESSERACT_SILENT = 6 };

/// Tesseract asks OpenMP for four threads by number, which no limit of threads changes: without any level of parallel regions
/// all of it is done by the one that asks. OpenMP is linked by Tesseract alone.
static inline void ctesseract_use_one_thread(void) {
    void (*set)(int) = (void (*)(int))dlsym(RTLD_DEFAULT, "omp_set_max_active_levels");
    if (set) set(0);
}
