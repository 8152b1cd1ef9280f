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
