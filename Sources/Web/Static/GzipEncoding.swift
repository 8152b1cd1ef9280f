import CZlib
import NIOCore

/// The gzip coding (RFC 1952): what it makes of bytes, and whether a client takes it.
enum GzipEncoding {
    private struct Refused: Error {}

    /// `bytes` in the coding, always the same for the same bytes; `nil` where that is not shorter.
    static func encode(_ bytes: ByteBuffer) -> ByteBuffer? {
        var stream = z_stream()
        // 16 more than the window's 15 bits ask for the head and the tail of gzip; the head then says no time.
        let begun = deflateInit2_(
            &stream, Z_BEST_COMPRESSION, Z_DEFLATED, 15 + 16, MAX_MEM_LEVEL, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
            Int32(MemoryLayout<z_stream>.size))
        guard begun == Z_OK else { return nil }
        defer { deflateEnd(&stream) }
        // What is not shorter does not fit.
        var encoded = ByteBufferAllocator().buffer(capacity: bytes.readableBytes)
        let written = try? encoded.writeWithUnsafeMutableBytes(minimumWritableBytes: 0) { target in
            try bytes.withUnsafeReadableBytes { source in
                stream.next_in = UnsafeMutablePointer(
                    mutating: source.bindMemory(to: UInt8.self).baseAddress)
                stream.avail_in = UInt32(clamping: source.count)
                stream.next_out = target.bindMemory(to: UInt8.self).baseAddress
                stream.avail_out = UInt32(clamping: min(target.count, source.count))
                guard deflate(&stream, Z_FINISH) == Z_STREAM_END else { throw Refused() }
                return Int(stream.total_out)
            }
        }
        return written == nil ? nil : encoded
    }

    /// Whether a client wants the coding, by its `Accept-Encoding` (RFC 9110 section 12.5.3). One that says nothing, or
    /// what cannot be read, gets the bytes as they are; so does one that likes those better.
    static func isWanted(by field: String?) -> Bool {
        guard let field else { return false }
        var weights: [String: Double] = [:]
        for element in field.utf8.split(separator: UInt8(ascii: ",")) {
            guard let coding = try? ParameterizedField(parsing: Array(element), quoting: .header),
                let weight = weight(coding.parameters["q"])
            else { continue }
            weights[coding.value == "x-gzip" ? "gzip" : coding.value] = weight
        }
        let gzip = weights["gzip"] ?? weights["*"] ?? 0
        return gzip > 0 && gzip >= weights["identity"] ?? 0
    }

    /// 1 where none is given, `nil` for what is none.
    private static func weight(_ text: [UInt8]?) -> Double? {
        guard let text else { return 1 }
        guard let weight = Double(String(decoding: text, as: UTF8.self)), (0...1).contains(weight) else { return nil }
        return weight
    }
}
