// The ffmpeg libraries as Swift can call them: what are macros in C are constants here.
#pragma once
#include <errno.h>
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/imgutils.h>
#include <libavutil/log.h>
#include <libavutil/opt.h>
#include <libavutil/pixdesc.h>
#include <libswscale/swscale.h>

static const int cffmpeg_end = AVERROR_EOF;
static const int cffmpeg_again = AVERROR(EAGAIN);
static const int cffmpeg_no_memory = AVERROR(ENOMEM);
static const int cffmpeg_not_allowed = AVERROR(EPERM);
static const int cffmpeg_input_output = AVERROR(EIO);
static const int64_t cffmpeg_no_time = AV_NOPTS_VALUE;
static const int64_t cffmpeg_ticks_per_second = AV_TIME_BASE;
/// Quality 1 (best) to 31 of JPEG and its like, in the unit of AVFrame.quality.
static const int cffmpeg_quality_unit = FF_QP2LAMBDA;

/// A demuxer shall never open another file than the one that it was given.
static inline int cffmpeg_refuse_to_open(
    AVFormatContext *context, AVIOContext **input, const char *address, int flags, AVDictionary **options) {
    (void)context; (void)input; (void)address; (void)flags; (void)options;
    return AVERROR(EPERM);
}

static inline void cffmpeg_allow_no_other_file(AVFormatContext *context) { context->io_open = cffmpeg_refuse_to_open; }

static inline AVStream *cffmpeg_stream(AVFormatContext *context, int index) { return context->streams[index]; }

/// Whether samples of the format stand for red, green and blue and not for brightness and colour differences.
static inline int cffmpeg_is_rgb(enum AVPixelFormat format) {
    const AVPixFmtDescriptor *description = av_pix_fmt_desc_get(format);
    return description != NULL && (description->flags & AV_PIX_FMT_FLAG_RGB) != 0;
}

/// Whether the format itself says that the samples use all values.
static inline int cffmpeg_is_full_range(enum AVPixelFormat format) {
    return format == AV_PIX_FMT_YUVJ420P || format == AV_PIX_FMT_YUVJ422P || format == AV_PIX_FMT_YUVJ444P
        || format == AV_PIX_FMT_YUVJ440P || format == AV_PIX_FMT_YUVJ411P;
}
