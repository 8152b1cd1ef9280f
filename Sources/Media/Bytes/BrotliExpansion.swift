import CBrotli

/// Metadata that JPEG XL packs with Brotli (RFC 7932).
enum BrotliExpansion {
    /// Nil if there are more than `limit` bytes, or they are damaged, or break off.
    static func expanded(_ bytes: [UInt8], atMost limit: Int) -> [UInt8]? {
        guard let decoder = BrotliDecoderCreateInstance(nil, nil, nil) else { return nil }
        defer { BrotliDecoderDestroyInstance(decoder) }
        var output: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 16 << 10)
        return bytes.withUnsafeBufferPointer { source in
            var (next, left) = (source.baseAddress, source.count)
            while true {
                let (status, count) = piece.withUnsafeMutableBufferPointer { room in
                    var (free, place) = (room.count, room.baseAddress)
                    let status = BrotliDecoderDecompressStream(decoder, &left, &next, &free, &place, nil)
                    return (status, room.count - free)
                }
                output += piece[..<count]
                guard output.count <= limit else { return nil }
                if status == BROTLI_DECODER_RESULT_SUCCESS { return output }
                guard status == BROTLI_DECODER_RESULT_NEEDS_MORE_OUTPUT else { return nil }
            }
        }
    }
}
