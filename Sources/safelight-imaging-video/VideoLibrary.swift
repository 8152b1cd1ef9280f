import CFFmpeg

/// The ffmpeg libraries, reduced to what phones and cameras record.
enum VideoLibrary {
    /// Decoders by name, so that neither a device nor another library takes their place.
    private static let decoders: [(codec: AVCodecID, name: String)] = [
        (AV_CODEC_ID_H264, "h264"), (AV_CODEC_ID_HEVC, "hevc"), (AV_CODEC_ID_VP8, "vp8"), (AV_CODEC_ID_VP9, "vp9"),
        (AV_CODEC_ID_AV1, "libdav1d"), (AV_CODEC_ID_MPEG4, "mpeg4"), (AV_CODEC_ID_MJPEG, "mjpeg"),
        // Cameras and camcorders of the years before, and what editors write.
        (AV_CODEC_ID_MPEG1VIDEO, "mpeg1video"), (AV_CODEC_ID_MPEG2VIDEO, "mpeg2video"), (AV_CODEC_ID_H263, "h263"),
        (AV_CODEC_ID_DVVIDEO, "dvvideo"), (AV_CODEC_ID_MSMPEG4V3, "msmpeg4"), (AV_CODEC_ID_WMV1, "wmv1"),
        (AV_CODEC_ID_WMV2, "wmv2"), (AV_CODEC_ID_WMV3, "wmv3"), (AV_CODEC_ID_VC1, "vc1"),
        (AV_CODEC_ID_PRORES, "prores"),
        // What the web had before it had videos.
        (AV_CODEC_ID_FLV1, "flv"), (AV_CODEC_ID_VP6F, "vp6f"), (AV_CODEC_ID_VP6A, "vp6a"), (AV_CODEC_ID_VP6, "vp6"),
    ]

    /// The names of all decoders, as the libraries want a list.
    static let decoderNames = decoders.map(\.name).joined(separator: ",")

    /// Nil for every codec that is not in the list, and for one that this build of the libraries lacks.
    static func decoder(for codec: AVCodecID) -> UnsafePointer<AVCodec>? {
        decoders.first { $0.codec == codec }.flatMap { avcodec_find_decoder_by_name($0.name) }
    }

    static func load() -> Bool {
        av_log_set_level(AV_LOG_QUIET)
        return avcodec_find_decoder_by_name("h264") != nil && avcodec_find_encoder(AV_CODEC_ID_MJPEG) != nil
    }

    /// Opens each decoder, scales and codes a small picture: tables are built, the processor is asked what it can.
    static func warmUp() -> Bool {
        for entry in decoders {
            guard let codec = avcodec_find_decoder_by_name(entry.name) else { continue }
            var context = avcodec_alloc_context3(codec)
            context?.pointee.thread_count = 1
            let isOpen = avcodec_open2(context, codec, nil) == 0
            avcodec_free_context(&context)
            // Without a header some decoders do not open; that they say so is warm enough.
            if !isOpen, entry.codec == AV_CODEC_ID_MJPEG { return false }
        }
        let grey = RGBPicture(width: 32, height: 32, bytes: [UInt8](repeating: 128, count: 32 * 32 * 3))
        return (try? JPEGEncoder.encode(grey)) != nil
    }
}
