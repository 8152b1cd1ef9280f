import Bytes
import NIOCore

/// What a body in JSON consists of, counted before anything is made of it.
enum JSONShape {
    /// No body that is read here lies deeper than five.
    static let mostDepth = 16
    /// Bytes of a field's name, as it is written. A decoder looks names up by their normal form, and of letters with many
    /// marks that takes a time that grows with the square of their number: minutes for one name as long as a body.
    static let longestName = 256
    /// What a decoder keeps of one value, beside its text.
    private static let bytesPerValue = 64

    /// Takes the document's values, and the memory that reading them takes. Whether it is JSON is found by the decoder.
    /// - Throws: `malformedJSON` for one that lies too deep, or has too long a name, or is not in UTF-8; `Spent`.
    static func take(_ bytes: ByteBufferView, from allowance: Allowance) throws {
        var (count, depth, isInString, isEscaped) = (1, 0, false, false)
        // Of the string that was read last: the name of what follows behind a colon.
        var stringByteCount = 0
        for byte in bytes {
            // A decoder reads UTF-16 and UTF-32, too, of which every bracket has such a byte, and others look like brackets.
            guard byte != 0 else { throw WebError.malformedJSON("it is not UTF-8") }
            if isInString {
                stringByteCount += 1
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
            case UInt8(ascii: "\""): (isInString, stringByteCount) = (true, 0)
            case UInt8(ascii: ","): count += 1
            case UInt8(ascii: ":"):
                count += 1
                guard stringByteCount <= longestName else { throw WebError.malformedJSON("a field's name is too long") }
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
