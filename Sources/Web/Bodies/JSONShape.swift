import Bytes
import NIOCore

/// What a body in JSON consists of, counted before anything is made of it.
enum JSONShape {
    /// No body that is read here lies deeper than five.
    static let mostDepth = 16
    /// What a decoder keeps of one value, beside its text.
    private static let bytesPerValue = 64

    /// Takes the document's values, and the memory that reading them takes. Whether it is JSON is found by the decoder.
    /// - Throws: `malformedJSON` for one that lies too deep; `Spent`.
    static func take(_ bytes: ByteBufferView, from allowance: Allowance) throws {
        var (count, depth, isInString, isEscaped) = (1, 0, false, false)
        for byte in bytes {
            if isInString {
                if isEscaped {
                    isEscaped = false
                } else if byte == UInt8(ascii: "\\") {
                    isEscaped = true
                } else if byte == UInt8(ascii: "\"") {
                    isInString = false
                }
                continue
            }
            switch byte {
            case UInt8(ascii: "\""): isInString = true
            case UInt8(ascii: ","), UInt8(ascii: ":"): count += 1
            case UInt8(ascii: "["), UInt8(ascii: "{"):
                (count, depth) = (count + 1, depth + 1)
                guard depth <= mostDepth else { throw WebError.malformedJSON("its lists and objects lie too deep") }
            case UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
            default: break
            }
        }
        try allowance.take(.names, count)
        // The bytes are copied once, and once more as the values that are made of them.
        try allowance.take(.memory, 2 * bytes.count + count * bytesPerValue)
    }
}
