import CBrotli
import CZlib

/// Compressed metadata (RFC 1950).
enum Inflation {
    /// As far as the bytes go; nil if there are more than `limit`, or they are damaged from the beginning.
    static func inflated(_ bytes: [UInt8], atMost limit: Int) -> [UInt8]? {
        var stream = z_stream()
        guard inflateInit_(&stream, ZLIB_VERSION, CInt(MemoryLayout<z_stream>.size)) == Z_OK else { return nil }
        defer { inflateEnd(&stream) }
        var (input, output): ([UInt8], [UInt8]) = (bytes, [])
        var piece = [UInt8](repeating: 0, count: 16 << 10)
        return input.withUnsafeMutableBufferPointer { source in
            stream.next_in = source.baseAddress
            stream.avail_in = UInt32(clamping: source.count)
            while true {
                let (status, count) = piece.withUnsafeMutableBufferPointer { room in
                    stream.next_out = room.baseAddress
                    stream.avail_out = UInt32(room.count)
                    let status = inflate(&stream, Z_NO_FLUSH)
                    return (status, room.count - Int(stream.avail_out))
                }
                output += piece[..<count]
                guard output.count <= limit else { return nil }
                if status != Z_OK || (count == 0 && stream.avail_in == 0) { return output.isEmpty ? nil : output }
            }
        }
    }
}

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
