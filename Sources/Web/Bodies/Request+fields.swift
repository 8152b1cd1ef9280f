import Bytes
import HTTPTypes
import Hummingbird

extension Request {
    /// A field's value: as `headers[name]`, which also copies and joins what was given once.
    func field(_ name: HTTPField.Name) -> String? {
        let values = headers[values: name]
        return values.count > 1 ? headers[name] : values.first
    }

    /// Whether a body of at least one byte was announced.
    var hasBody: Bool { headers.contains(.transferEncoding) || (declaredByteCount ?? 0) > 0 }

    /// `Content-Length`, if the body was announced by one.
    var declaredByteCount: UInt64? { field(.contentLength).flatMap { UInt64($0) } }
}

extension Request {
    /// A parameter of the query, percent-decoded once; a plus sign is a plus sign.
    /// - Parameter blanks: what stands for a blank, too, as forms write it.
    /// - Throws: `malformedRequest` when it cannot be decoded to UTF-8.
    func query(_ name: String, blanks: Character? = nil) throws -> String? {
        let target = head.path ?? ""
        guard let mark = target.utf8.firstIndex(of: UInt8(ascii: "?")) else { return nil }
        let pairs = target.utf8[target.utf8.index(after: mark)...].split(
            separator: UInt8(ascii: "&"), maxSplits: Self.mostParameters)
        guard pairs.count <= Self.mostParameters else { throw WebError.malformedRequest("it has too many parameters") }
        for pair in pairs.lazy.map(Substring.init) {
            let sides = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let first = sides.first, PercentEncoding.decodeText(first) == name else { continue }
            let given = sides.dropFirst().first ?? ""
            let escaped = blanks.map { blank in given.replacing(String(blank), with: "%20")[...] } ?? given
            guard let value = PercentEncoding.decodeText(escaped) else {
                throw WebError.malformedRequest("the parameter \(name) is not percent-encoded UTF-8")
            }
            return value
        }
        return nil
    }

    /// Each of them is decoded before its name is known, at each question.
    private static let mostParameters = 64

    /// Bytes beyond ASCII in one field of a header: as many as a path has. Texts are compared and looked up by their normal
    /// form, and of letters with many marks that takes the square of their number.
    private static let mostForeignBytes = 4096

    /// - Throws: `malformedRequest` for a header that could be compared with nothing in a short time.
    func requireComparableFields() throws(WebError) {
        for field in headers where field.value.utf8.count > Self.mostForeignBytes {
            guard field.value.utf8.count(where: { $0 >= 0x80 }) <= Self.mostForeignBytes else {
                throw .malformedRequest("a field of its header has too many bytes beyond ASCII")
            }
        }
    }

    /// The last component of the path, percent-decoded once.
    func lastPathComponent() throws -> String {
        let slash = UInt8(ascii: "/")
        let path = uri.path.utf8
        let end = path.lastIndex { $0 != slash }.map(path.index(after:)) ?? path.startIndex
        let start = path[..<end].lastIndex(of: slash).map(path.index(after:)) ?? path.startIndex
        guard start < end, let name = PercentEncoding.decodeText(Substring(path[start..<end])) else {
            throw WebError.malformedRequest("its path is not percent-encoded UTF-8")
        }
        return name
    }
}
