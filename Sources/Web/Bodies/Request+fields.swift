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
    func query(_ name: String, blanks: Unicode.Scalar? = nil) throws -> String? {
        let target = head.path ?? ""
        guard let mark = target.utf8.firstIndex(of: UInt8(ascii: "?")) else { return nil }
        let pairs = target.utf8[target.utf8.index(after: mark)...].split(
            separator: UInt8(ascii: "&"), maxSplits: Self.mostParameters)
        guard pairs.count <= Self.mostParameters else { throw WebError.malformedRequest("it has too many parameters") }
        for pair in pairs.lazy.map(Substring.init) {
            let sides = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let first = sides.first, PercentEncoding.decodeText(first) == name else { continue }
            let given = sides.dropFirst().first ?? ""
            let blank = blanks.map { UInt8(ascii: $0) }
            guard let value = PercentEncoding.decodeText(given.utf8.lazy.map { $0 == blank ? 0x20 : $0 }) else {
                throw WebError.malformedRequest("the parameter \(name) is not percent-encoded UTF-8")
            }
            return value
        }
        return nil
    }

    /// Each of them is decoded before its name is known, at each question.
    static let mostParameters = 64

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
