// libvips as Swift can call it: its functions take lists of options of any length, which Swift cannot pass.
// Every function returns 0, or -1 with a text in vips_error_buffer().
#pragma once
#include <unistd.h>
#include <vips/vips.h>
#include <vips/vector.h>

/// A file that is read by calls back. `read` gives the bytes read or -1; `seek` gives the new position or -1.
struct cvips_reader {
    void *context;
    gint64 (*read)(void *context, void *buffer, gint64 count);
    gint64 (*seek)(void *context, gint64 offset, int whence);
};

static gint64 cvips_on_read(VipsSourceCustom *source, void *buffer, gint64 count, struct cvips_reader *reader) {
    (void)source;
    return reader->read(reader->context, buffer, count);
}

static gint64 cvips_on_seek(VipsSourceCustom *source, gint64 offset, int whence, struct cvips_reader *reader) {
    (void)source;
    return reader->seek(reader->context, offset, whence);
}

/// The reader must live as long as the source. To be given back by g_object_unref.
static inline VipsSource *cvips_source(struct cvips_reader *reader) {
    VipsSourceCustom *source = vips_source_custom_new();
    if (source == NULL) return NULL;
    g_signal_connect_data(source, "read", G_CALLBACK(cvips_on_read), reader, NULL, (GConnectFlags)0);
    g_signal_connect_data(source, "seek", G_CALLBACK(cvips_on_seek), reader, NULL, (GConnectFlags)0);
    return (VipsSource *)source;
}

/// Only the header is read.
static inline VipsImage *cvips_open(VipsSource *source) {
    return vips_image_new_from_source(source, "", "access", VIPS_ACCESS_SEQUENTIAL, "fail_on", VIPS_FAIL_ON_NONE, NULL);
}

/// Whether it comes from a loader whose name begins so.
static inline int cvips_is_from(VipsImage *image, const char *name) {
    const char *loader;
    return vips_image_get_typeof(image, VIPS_META_LOADER) != 0
        && vips_image_get_string(image, VIPS_META_LOADER, &loader) == 0 && g_str_has_prefix(loader, name);
}

/// Into which colours a picture is brought by its own profile: NULL where that is left out.
struct cvips_colours {
    const char *profile;
    VipsIntent intent;
};

/// Decoded no larger than needed, upright, in those colours. libvips 8.14 forgets `fail_on` of a source, but hands its options
/// on to the loader as they are.
static inline int cvips_thumbnail(
    VipsSource *source, VipsImage **out, int side, struct cvips_colours colours, VipsFailOn fail_on
) {
    char options[32];
    g_snprintf(options, sizeof options, "[fail_on=%s]", vips_enum_nick(VIPS_TYPE_FAIL_ON, fail_on));
    return vips_thumbnail_source(
        source, out, side, "height", side, "size", VIPS_SIZE_DOWN, "export_profile", colours.profile, "intent",
        colours.intent, "fail_on", fail_on, "option_string", options, NULL);
}

static inline int cvips_thumbnail_of(VipsImage *in, VipsImage **out, int side, struct cvips_colours colours) {
    const int result = vips_thumbnail_image(
        in, out, side, "height", side, "size", VIPS_SIZE_DOWN, "export_profile", colours.profile, "intent",
        colours.intent, NULL);
    g_object_unref(in);
    return result;
}

/// The same of a JPEG that is decoded to 1 / `shrink` of its sides: 1, 2, 4 or 8.
static inline int cvips_jpeg_thumbnail(
    VipsSource *source, VipsImage **out, int shrink, int side, struct cvips_colours colours, VipsFailOn fail_on
) {
    VipsImage *in;
    if (vips_jpegload_source(
            source, &in, "shrink", shrink, "access", VIPS_ACCESS_SEQUENTIAL, "fail_on", fail_on, NULL) != 0) return -1;
    return cvips_thumbnail_of(in, out, side, colours);
}

/// The same of a JPEG 2000 of which the last `halvings` steps of resolution are left out. libvips takes them for pages, and
/// would by itself choose the smallest.
static inline int cvips_jp2k_thumbnail(
    VipsSource *source, VipsImage **out, int halvings, int side, struct cvips_colours colours, VipsFailOn fail_on
) {
    VipsImage *in;
    if (vips_jp2kload_source(source, &in, "page", halvings, "fail_on", fail_on, NULL) != 0) return -1;
    return cvips_thumbnail_of(in, out, side, colours);
}

/// The small picture that HEIF may have beside the large one, which fails where that is missing.
static inline int cvips_heif_small(VipsSource *source, VipsImage **out, int side) {
    VipsImage *in;
    if (vips_heifload_source(source, &in, "thumbnail", TRUE, NULL) != 0) return -1;
    return cvips_thumbnail_of(in, out, side, (struct cvips_colours){0});
}

static inline int cvips_shrink(VipsImage *in, VipsImage **out, int side) {
    return vips_thumbnail_image(in, out, side, "height", side, "size", VIPS_SIZE_DOWN, NULL);
}

static inline int cvips_resize_to(VipsImage *in, VipsImage **out, int width, int height) {
    return vips_thumbnail_image(in, out, width, "height", height, "size", VIPS_SIZE_FORCE, NULL);
}

/// Exactly that large, by a kernel over as many pixels as it needs.
static inline int cvips_resample(VipsImage *in, VipsImage **out, int width, int height, VipsKernel kernel) {
    return vips_resize(
        in, out, (double)width / vips_image_get_width(in), "vscale", (double)height / vips_image_get_height(in),
        "kernel", kernel, "gap", 0.0, NULL);
}

/// The mean of each square of `factor` × `factor` pixels.
static inline int cvips_mean(VipsImage *in, VipsImage **out, int factor) {
    return vips_shrink(in, out, factor, factor, NULL);
}

static inline int cvips_crop(VipsImage *in, VipsImage **out, int left, int top, int width, int height) {
    return vips_extract_area(in, out, left, top, width, height, NULL);
}

static inline int cvips_to_srgb(VipsImage *in, VipsImage **out) {
    return vips_colourspace(in, out, VIPS_INTERPRETATION_sRGB, NULL);
}

static inline int cvips_to_bytes(VipsImage *in, VipsImage **out) { return vips_cast_uchar(in, out, NULL); }

static inline int cvips_bands(VipsImage *in, VipsImage **out, int first, int count) {
    return vips_extract_band(in, out, first, "n", count, NULL);
}

static inline int cvips_add_opaque_band(VipsImage *in, VipsImage **out) {
    return vips_bandjoin_const1(in, out, 255, NULL);
}

static inline int cvips_least(VipsImage *in, double *out) { return vips_min(in, out, NULL); }

static inline int cvips_turn(VipsImage *in, VipsImage **out, int orientation) {
    VipsImage *copy;
    if (vips_copy(in, &copy, NULL) != 0) return -1;
    vips_image_set_int(copy, VIPS_META_ORIENTATION, orientation);
    const int result = vips_autorot(copy, out, NULL);
    g_object_unref(copy);
    return result;
}

static inline int cvips_webp(VipsImage *in, void **bytes, size_t *count, int quality, int effort) {
    return vips_webpsave_buffer(in, bytes, count, "Q", quality, "effort", effort, "strip", TRUE, NULL);
}

static inline int cvips_jpeg(VipsImage *in, void **bytes, size_t *count, int quality) {
    return vips_jpegsave_buffer(in, bytes, count, "Q", quality, "optimize_coding", TRUE, "strip", TRUE, NULL);
}

static inline int cvips_tiff(VipsImage *in, void **bytes, size_t *count) {
    return vips_tiffsave_buffer(in, bytes, count, "compression", VIPS_FOREIGN_TIFF_COMPRESSION_LZW, NULL);
}

static inline int cvips_png(VipsImage *in, void **bytes, size_t *count) {
    return vips_pngsave_buffer(in, bytes, count, NULL);
}

static inline int cvips_gif(VipsImage *in, void **bytes, size_t *count) {
    return vips_gifsave_buffer(in, bytes, count, NULL);
}

/// The picture that encoded bytes hold; they must live as long as it does.
static inline VipsImage *cvips_decoded(const void *bytes, size_t count) {
    return vips_image_new_from_buffer(bytes, count, "", NULL);
}

static inline VipsImage *cvips_grey(int width, int height) {
    VipsImage *black, *grey = NULL;
    if (vips_black(&black, width, height, "bands", 3, NULL) != 0) return NULL;
    if (vips_copy(black, &grey, "interpretation", VIPS_INTERPRETATION_sRGB, NULL) != 0) grey = NULL;
    g_object_unref(black);
    return grey;
}

/// Pixels of three or four bytes, copied.
static inline VipsImage *cvips_of_bytes(const void *bytes, size_t count, int width, int height, int bands) {
    VipsImage *raw, *coloured = NULL;
    raw = vips_image_new_from_memory_copy(bytes, count, width, height, bands, VIPS_FORMAT_UCHAR);
    if (raw == NULL) return NULL;
    if (vips_copy(raw, &coloured, "interpretation", VIPS_INTERPRETATION_sRGB, NULL) != 0) coloured = NULL;
    g_object_unref(raw);
    return coloured;
}

static inline void cvips_unref(void *object) { if (object != NULL) g_object_unref(object); }

/// Whether libvips has a class of this name.
static inline int cvips_has(const char *class_name) { return g_type_from_name(class_name) != 0; }

/// Dl_info of dladdr(3), which glibc declares under _GNU_SOURCE only.
struct cvips_place {
    const char *file;
    void *base;
    const char *symbol;
    void *address;
};
extern int cvips_find_place(const void *address, struct cvips_place *place) __asm__("dladdr");

/// The file that libvips was loaded from, or NULL.
static inline const char *cvips_library_file(void) {
    struct cvips_place place = {0};
    return cvips_find_place((const void *)vips_init, &place) != 0 ? place.file : NULL;
}

/// Called where operator new of C++ finds no memory (std::set_new_handler of libstdc++).
extern void (*cvips_set_new_handler(void (*handler)(void)))(void) __asm__("_ZSt15set_new_handlerPFvvE");

/// Called where an exception of C++ is caught by nobody, or a function of C is in its way (std::set_terminate).
extern void (*cvips_set_terminate(void (*handler)(void)))(void) __asm__("_ZSt13set_terminatePFvvE");

/// The class of the exception under way (abi::__cxa_current_exception_type), or NULL.
extern const void *cvips_exception_class(void) __asm__("__cxa_current_exception_type");
extern const char cvips_bad_alloc __asm__("_ZTISt9bad_alloc"), cvips_system_error __asm__("_ZTISt12system_error");

/// Whether it says that there is no memory, or none for another thread.
static inline int cvips_exception_is_of_memory(void) {
    const void *class_found = cvips_exception_class();
    return class_found == &cvips_bad_alloc || class_found == &cvips_system_error;
}
