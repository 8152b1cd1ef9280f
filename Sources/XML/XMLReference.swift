/// What stands between `&` and `;`.
package enum XMLReference {
    /// One of the five entities of XML, or a character by its number, which may be one that XML forbids. Nil for all else.
    package static func scalar(_ body: ArraySlice<UInt8>) -> Unicode.Scalar? {
        let name = String(decoding: body, as: UTF8.self)
        switch name {
        case "lt": return "<"
        case "gt": return ">"
        case "amp": return "&"
        case "quot": return "\""
        case "apos": return "'"
        default: break
        }
        guard name.hasPrefix("#") else { return nil }
        let isHexadecimal = name.hasPrefix("#x")
        let digits = name.dropFirst(isHexadecimal ? 2 : 1)
        // The initialiser below takes signs, too.
        guard digits.unicodeScalars.allSatisfy(\.properties.isASCIIHexDigit) else { return nil }
        return UInt32(digits, radix: isHexadecimal ? 16 : 10).flatMap(Unicode.Scalar.init)
    }
}
