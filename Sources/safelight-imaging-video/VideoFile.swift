import CFFmpeg
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
