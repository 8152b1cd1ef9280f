import CFFmpeg
import ImagingProtocol

/// Codes a picture of our own making as JPEG, for the child that makes pictures small.
enum JPEGEncoder {
    /// The library's scale, 1 is best; a picture that becomes too long is coded again by the next.
    private static let qualities = [2, 5, 12, 31]

    static func encode(_ picture: RGBPicture) throws(UnreadableReason) -> [UInt8] {
        guard let frame = VideoFrame() else { throw .tooMuchMemory }
        frame.pointer.pointee.format = AV_PIX_FMT_YUVJ420P.rawValue
        frame.pointer.pointee.color_range = AVCOL_RANGE_JPEG
        frame.pointer.pointee.width = CInt(picture.width)
        frame.pointer.pointee.height = CInt(picture.height)
        guard av_frame_get_buffer(frame.pointer, 0) == 0 else { throw .tooMuchMemory }
        try fill(frame, picture)
        for quality in qualities {
            let bytes = try encode(frame, quality: quality)
            if bytes.count <= JobResult.posterByteLimit { return bytes }
        }
        throw .tooMuchMemory
    }

    /// JPEG's colours are those of BT.601, and use all values.
    private static func fill(_ frame: VideoFrame, _ picture: RGBPicture) throws(UnreadableReason) {
        let (width, height) = (CInt(picture.width), CInt(picture.height))
        guard
            let context = sws_getContext(
                width, height, AV_PIX_FMT_RGB24, width, height, AV_PIX_FMT_YUVJ420P, SWS_AREA | CInt(SWS_ACCURATE_RND),
                nil, nil, nil)
        else { throw .tooMuchMemory }
        defer { sws_freeContext(context) }
        let coefficients = sws_getCoefficients(CInt(SWS_CS_ITU601))
        sws_setColorspaceDetails(context, coefficients, 1, coefficients, 1, 0, 1 << 16, 1 << 16)
        // The library may read whole vectors beyond the last row.
        let padded = picture.bytes + [UInt8](repeating: 0, count: 64)
        let done = padded.withUnsafeBufferPointer { bytes in
            var rows: [UnsafePointer<UInt8>?] = [bytes.baseAddress, nil, nil, nil]
            var strides: [CInt] = [width * 3, 0, 0, 0]
            return withUnsafeMutablePointer(to: &frame.pointer.pointee.data) { data in
                data.withMemoryRebound(to: UnsafeMutablePointer<UInt8>?.self, capacity: 8) { planes in
                    withUnsafePointer(to: &frame.pointer.pointee.linesize) { lines in
                        lines.withMemoryRebound(to: CInt.self, capacity: 8) {
                            sws_scale(context, &rows, &strides, 0, height, planes, $0)
                        }
                    }
                }
            }
        }
        guard done == height else { throw .damaged }
    }

    private static func encode(_ frame: VideoFrame, quality: Int) throws(UnreadableReason) -> [UInt8] {
        let codec = avcodec_find_encoder(AV_CODEC_ID_MJPEG)
        var context = avcodec_alloc_context3(codec)
        var packet = av_packet_alloc()
        defer {
            avcodec_free_context(&context)
            av_packet_free(&packet)
        }
        guard let context, let packet else { throw .tooMuchMemory }
        context.pointee.width = frame.pointer.pointee.width
        context.pointee.height = frame.pointer.pointee.height
        context.pointee.pix_fmt = AV_PIX_FMT_YUVJ420P
        context.pointee.color_range = AVCOL_RANGE_JPEG
        context.pointee.time_base = AVRational(num: 1, den: 1)
        context.pointee.thread_count = 1
        // No comment with the library's version.
        context.pointee.flags |= AV_CODEC_FLAG_QSCALE | AV_CODEC_FLAG_BITEXACT
        context.pointee.global_quality = cffmpeg_quality_unit * CInt(quality)
        frame.pointer.pointee.quality = context.pointee.global_quality
        frame.pointer.pointee.pts = 0
        guard avcodec_open2(context, codec, nil) == 0, avcodec_send_frame(context, frame.pointer) == 0,
            avcodec_receive_packet(context, packet) == 0, packet.pointee.size > 0
        else { throw .tooMuchMemory }
        return [UInt8](UnsafeBufferPointer(start: packet.pointee.data, count: Int(packet.pointee.size)))
    }
}
