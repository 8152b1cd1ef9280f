import CFFmpeg
import Glibc
import ImagingProtocol
import Media

/// A video whose pictures can be decoded one by one. Demuxer and decoder are chosen here, not guessed by the library.
final class VideoFile {
    private let input: VideoInput
    private var format: UnsafeMutablePointer<AVFormatContext>?
    private var codec: UnsafeMutablePointer<AVCodecContext>?
    private var packet: UnsafeMutablePointer<AVPacket>?
    private var stream: CInt = -1

    /// - Throws: `unknownFormat` for a codec that is not decoded here, `nothingToShow` for a file without pictures.
    init(_ source: any ByteSource, type: MediaType, limits: ImagingLimits) throws(UnreadableReason) {
        input = VideoInput(source)
        packet = av_packet_alloc()
        guard packet != nil else { throw .tooMuchMemory }
        try openFormat(type, (try? source.read(at: 0, count: MediaType.headByteCount)) ?? [])
        try openCodec(limits)
    }

    deinit {
        av_packet_free(&packet)
        avcodec_free_context(&codec)
        avformat_close_input(&format)
    }

    /// Nil if the file does not say.
    var seconds: Double? {
        guard let duration = format?.pointee.duration, duration != cffmpeg_no_time, duration > 0 else { return nil }
        return Double(duration) / Double(cffmpeg_ticks_per_second)
    }

    /// Pixels of a picture before it is turned, square ones; nil if the file does not say.
    var size: (width: Int, height: Int)? {
        guard let parameters = format.flatMap({ cffmpeg_stream($0, stream) })?.pointee.codecpar,
            parameters.pointee.width > 0, parameters.pointee.height > 0
        else { return nil }
        let aspect = FrameConversion.pixelAspect(parameters.pointee.sample_aspect_ratio)
        return (Int((Double(parameters.pointee.width) * aspect).rounded()), Int(parameters.pointee.height))
    }

    /// What the container says of when it was made, as it is written there.
    var creation: String? {
        for name in ["creation_time", "creationdate", "date"] {
            guard let entry = av_dict_get(format?.pointee.metadata, name, nil, 0), let value = entry.pointee.value
            else {
                continue
            }
            return String(cString: value)
        }
        return nil
    }

    /// Only pictures that stand for themselves are decoded, which is quick, or all.
    var decodesKeyPicturesOnly: Bool {
        get { codec?.pointee.skip_frame == AVDISCARD_NONKEY }
        set { codec?.pointee.skip_frame = newValue ? AVDISCARD_NONKEY : AVDISCARD_DEFAULT }
    }

    /// Goes to the last key picture at or before the time. What cannot be sought is read from where it stands.
    func seek(seconds: Double) {
        let ticks = Int64(max(0, min(seconds, 1e9)) * Double(cffmpeg_ticks_per_second))
        if av_seek_frame(format, -1, ticks, AVSEEK_FLAG_BACKWARD) < 0, av_seek_frame(format, -1, 0, AVSEEK_FLAG_ANY) < 0
        {
            // A stream without a container has no times: it was read to its end while they were looked for.
            av_seek_frame(format, -1, 0, AVSEEK_FLAG_BYTE)
        }
        avcodec_flush_buffers(codec)
    }

    /// The next decoded picture; nil at the end, and after `packetLimit` packets without one.
    func nextFrame(packetLimit: Int) throws(UnreadableReason) -> VideoFrame? {
        guard let frame = VideoFrame() else { throw .tooMuchMemory }
        for _ in 0..<packetLimit {
            let received = avcodec_receive_frame(codec, frame.pointer)
            if received == 0 { return frame }
            if received == cffmpeg_no_memory { throw .tooMuchMemory }
            if received == cffmpeg_end { return nil }
            // It wants more, or could make nothing of what it had.
            try feed()
        }
        return nil
    }

    /// Gives the decoder the next packet of the stream, or tells it that there is none.
    private func feed() throws(UnreadableReason) {
        let read = av_read_frame(format, packet)
        defer { av_packet_unref(packet) }
        if read == cffmpeg_no_memory { throw .tooMuchMemory }
        guard read >= 0 else {
            avcodec_send_packet(codec, nil)
            return
        }
        guard packet?.pointee.stream_index == stream else { return }
        // A damaged packet is the decoder's to skip: the next may be whole.
        if avcodec_send_packet(codec, packet) == cffmpeg_no_memory { throw .tooMuchMemory }
    }

    private func openFormat(_ type: MediaType, _ head: [UInt8]) throws(UnreadableReason) {
        let name: String
        switch type {
        case .mpegProgram where ElementaryStream(head) != nil: name = Self.streamFormat(head)
        case .flv: name = "flv"
        case .mp4, .quickTime: name = "mov"
        case .webm, .matroska: name = "matroska"
        case .avi: name = "avi"
        case .mpegTransport: name = "mpegts"
        case .mpegProgram: name = "mpeg"
        case .asf: name = "asf"
        default: throw .unknownFormat
        }
        format = avformat_alloc_context()
        guard let context = format, let handle = input.handle() else { throw .tooMuchMemory }
        context.pointee.pb = handle
        context.pointee.flags |= AVFMT_FLAG_CUSTOM_IO
        cffmpeg_allow_no_other_file(context)
        // Frees the context if it fails.
        let opened = avformat_open_input(&format, nil, av_find_input_format(name), nil)
        if opened == cffmpeg_no_memory { throw .tooMuchMemory }
        guard opened == 0 else { throw .damaged }
        if [.mpegTransport, .mpegProgram, .flv].contains(type) { try findStreams() }
    }

    private static func streamFormat(_ head: [UInt8]) -> String {
        switch ElementaryStream(head) {
        case .mpeg, nil: "mpegvideo"
        case .mpeg4: "m4v"
        case .h264: "h264"
        case .hevc: "hevc"
        }
    }

    /// These tell nothing at their beginning: a few of their pictures are decoded to know what they are, by no other
    /// decoders than those that are named here.
    private func findStreams() throws(UnreadableReason) {
        guard av_opt_set(format, "codec_whitelist", VideoLibrary.decoderNames, 0) >= 0 else { throw .tooMuchMemory }
        format?.pointee.probesize = 4 << 20
        format?.pointee.max_analyze_duration = 3 * Int64(cffmpeg_ticks_per_second)
        let found = avformat_find_stream_info(format, nil)
        if found == cffmpeg_no_memory { throw .tooMuchMemory }
        guard found >= 0 else { throw .damaged }
    }

    private func openCodec(_ limits: ImagingLimits) throws(UnreadableReason) {
        stream = av_find_best_stream(format, AVMEDIA_TYPE_VIDEO, -1, -1, nil, 0)
        guard stream >= 0, let format, let found = cffmpeg_stream(format, stream),
            let parameters = found.pointee.codecpar,
            found.pointee.disposition & AV_DISPOSITION_ATTACHED_PIC == 0
        else { throw .nothingToShow }
        let pixels = UInt64(clamping: parameters.pointee.width).multipliedReportingOverflow(
            by: UInt64(clamping: parameters.pointee.height))
        guard !pixels.overflow, pixels.partialValue <= limits.pixelCount else { throw .tooManyPixels }
        guard let decoder = VideoLibrary.decoder(for: parameters.pointee.codec_id) else { throw .unknownFormat }
        codec = avcodec_alloc_context3(decoder)
        guard let codec, avcodec_parameters_to_context(codec, parameters) >= 0 else { throw .tooMuchMemory }
        codec.pointee.thread_count = 1
        codec.pointee.max_pixels = Int64(clamping: limits.pixelCount)
        codec.pointee.pkt_timebase = found.pointee.time_base
        let opened = avcodec_open2(codec, decoder, nil)
        if opened == cffmpeg_no_memory { throw .tooMuchMemory }
        guard opened == 0 else { throw .damaged }
        for index in 0..<CInt(clamping: format.pointee.nb_streams) where index != stream {
            cffmpeg_stream(format, index)?.pointee.discard = AVDISCARD_ALL
        }
    }
}

/// One decoded picture.
final class VideoFrame {
    let pointer: UnsafeMutablePointer<AVFrame>

    init?() {
        guard let frame = av_frame_alloc() else { return nil }
        pointer = frame
    }

    deinit {
        var frame: UnsafeMutablePointer<AVFrame>? = pointer
        av_frame_free(&frame)
    }
}

/// A file as the demuxer reads it: by ranges, forwards and backwards, and not without end.
final class VideoInput {
    private static let bufferByteCount = 64 << 10
    /// A video's index and a few of its pictures are far less.
    private static let byteLimit: UInt64 = 512 << 20

    private let source: any ByteSource
    private var position: UInt64 = 0
    private var readByteCount: UInt64 = 0
    private var context: UnsafeMutablePointer<AVIOContext>?

    init(_ source: any ByteSource) { self.source = source }

    deinit {
        // The library may have put another buffer in the place of the one that it was given.
        if let context { av_free(context.pointee.buffer) }
        avio_context_free(&context)
    }

    /// Valid as long as this object; nil if there is no memory.
    func handle() -> UnsafeMutablePointer<AVIOContext>? {
        if let context { return context }
        guard let buffer = av_malloc(Self.bufferByteCount) else { return nil }
        context = avio_alloc_context(
            buffer.assumingMemoryBound(to: UInt8.self), CInt(Self.bufferByteCount), 0,
            Unmanaged.passUnretained(self).toOpaque(),
            { opaque, buffer, count in VideoInput.of(opaque)?.read(into: buffer, atMost: count) ?? cffmpeg_input_output
            },
            nil,
            { opaque, offset, whence in VideoInput.of(opaque)?.seek(to: offset, whence) ?? -1 })
        if context == nil { av_free(buffer) }
        return context
    }

    private static func of(_ opaque: UnsafeMutableRawPointer?) -> VideoInput? {
        opaque.map { Unmanaged<VideoInput>.fromOpaque($0).takeUnretainedValue() }
    }

    private func read(into buffer: UnsafeMutablePointer<UInt8>?, atMost count: CInt) -> CInt {
        guard let buffer, count > 0, position < source.byteCount, readByteCount < Self.byteLimit else {
            return cffmpeg_end
        }
        guard let bytes = try? source.read(at: position, count: Int(count)), !bytes.isEmpty, bytes.count <= count else {
            return cffmpeg_input_output
        }
        buffer.update(from: bytes, count: bytes.count)
        position += UInt64(bytes.count)
        readByteCount += UInt64(bytes.count)
        return CInt(bytes.count)
    }

    private func seek(to offset: Int64, _ whence: CInt) -> Int64 {
        let size = Int64(clamping: source.byteCount)
        let start: Int64
        switch whence & ~AVSEEK_FORCE {
        case AVSEEK_SIZE: return size
        case SEEK_SET: start = 0
        case SEEK_CUR: start = Int64(clamping: position)
        case SEEK_END: start = size
        default: return -1
        }
        let (target, overflow) = start.addingReportingOverflow(offset)
        guard !overflow, target >= 0 else { return -1 }
        position = UInt64(target)
        return target
    }
}

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
