/// The boundary parameter of a `multipart/form-data` content type: 1 to 70 characters, of RFC 2046's `bchars` and some
/// more that clients take, as Android's samples do with asterisks.
package struct MultipartBoundary: Equatable, Sendable {
    package let text: String

    /// Takes the boundary from the value of a `Content-Type` field.
    /// - Throws: `unsupportedMediaType` for another type, `malformedMultipart` for a missing or impossible boundary.
    package init(contentType: String) throws(WebError) {
        let field: ParameterizedField
        do {
            field = try ParameterizedField(parsing: Array(contentType.utf8), quoting: .header)
        } catch {
            throw .malformedMultipart("the content type cannot be read")
        }
        guard field.value == "multipart/form-data" else { throw .unsupportedMediaType }
        guard let bytes = field.parameters["boundary"], let boundary = Self(bytes) else {
            throw .malformedMultipart("the boundary is missing or is not 1 to 70 allowed characters")
        }
        self = boundary
    }

    init?(_ bytes: [UInt8]) {
        guard (1...70).contains(bytes.count), bytes.last != UInt8(ascii: " "), bytes.allSatisfy(Self.isAllowed) else {
            return nil
        }
        text = String(decoding: bytes, as: UTF8.self)
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            true
        default:
            "'()+_,-./:=? *&@!#$%^`{|}~".utf8.contains(byte)
        }
    }
}
