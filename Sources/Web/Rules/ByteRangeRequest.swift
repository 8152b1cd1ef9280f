import HTTPTypes
import Hummingbird

/// What a `Range` field asks of a photo (RFC 9110 section 14): one range or one suffix; anything else is ignored.
package enum ByteRangeRequest: Equatable, Sendable {
    /// No range, or one that is ignored: the whole photo, 200.
    case whole
    /// 206 with these bytes, at least one.
    case partial(offset: UInt64, byteCount: UInt64)
    /// 416.
    case unsatisfiable

    /// - Parameters:
    ///   - field: the value of `Range`, if the request has one
    ///   - size: bytes in the whole photo
    package init(field: String?, size: UInt64) {
        guard let field, field.lowercased().hasPrefix("bytes="), !field.contains(",") else {
            self = .whole
            return
        }
        let ends = field.utf8.dropFirst(6).split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard ends.count == 2 else {
            self = .whole
            return
        }
        let first = Self.number(ends[0])
        let last = Self.number(ends[1])
        self =
            switch (ends[0].isEmpty, ends[1].isEmpty, first, last) {
            case (true, false, _, let length?): Self.suffix(length, of: size)
            case (false, true, let first?, _): Self.range(first, size, of: size)
            case (false, false, let first?, let last?) where first <= last: Self.range(first, last, of: size)
            default: .whole
            }
    }

    /// A range of another state than the client has seen (`If-Range`) would not fit to it.
    init(_ request: Request, entityTag: String?, size: UInt64) {
        if let condition = request.headers[.ifRange], condition != entityTag {
            self = .whole
        } else {
            self.init(field: request.headers[.range], size: size)
        }
    }

    private static func suffix(_ length: UInt64, of size: UInt64) -> Self {
        guard length > 0 else { return .unsatisfiable }
        guard size > 0 else { return .whole }
        let byteCount = min(length, size)
        return .partial(offset: size - byteCount, byteCount: byteCount)
    }

    private static func range(_ first: UInt64, _ last: UInt64, of size: UInt64) -> Self {
        guard first < size else { return .unsatisfiable }
        return .partial(offset: first, byteCount: min(last, size - 1) - first + 1)
    }

    /// Digits alone; a number beyond 64 bits counts as the largest.
    private static func number(_ digits: Substring.UTF8View) -> UInt64? {
        var value: UInt64 = 0
        for byte in digits {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
            let (product, overflow) = value.multipliedReportingOverflow(by: 10)
            let (sum, carry) = product.addingReportingOverflow(UInt64(byte - UInt8(ascii: "0")))
            guard !overflow && !carry else { return .max }
            value = sum
        }
        return digits.isEmpty ? nil : value
    }
}
