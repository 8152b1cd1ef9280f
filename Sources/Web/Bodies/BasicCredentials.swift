/// The password of an `Authorization: Basic` field (RFC 7617, UTF-8); the user name before the colon is ignored.
package struct BasicCredentials: ~Copyable {
    private let decoded: CleansedBytes
    private let passwordStart: Int

    /// - Returns: `nil` for another scheme, for broken base64, or when there is no colon.
    package init?(authorization: String) {
        let bytes = authorization.utf8
        guard bytes.count <= 4096, authorization.prefix(6).lowercased() == "basic " else { return nil }
        let text = bytes.dropFirst(6).drop(while: \.isBlank)
        var decoded = CleansedBytes(capacity: text.count)
        guard Self.decodeBase64(text, into: &decoded) else { return nil }
        guard let colon = decoded.withBytes(in: 0..<decoded.count, { $0.firstIndex(of: UInt8(ascii: ":")) }) else {
            return nil
        }
        self.decoded = decoded
        passwordStart = colon + 1
    }

    /// Lends the password's bytes.
    package borrowing func withPassword<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try decoded.withBytes(in: passwordStart..<decoded.count, body)
    }

    /// Strict base64 (RFC 4648 section 4), padding optional; false when malformed.
    private static func decodeBase64(
        _ text: some Sequence<UInt8>, into target: inout CleansedBytes
    ) -> Bool {
        var bits: UInt32 = 0
        var bitCount = 0
        var padding = 0
        for byte in text {
            if byte == UInt8(ascii: "=") {
                padding += 1
                continue
            }
            guard padding == 0, let value = byte.base64Digit else { return false }
            bits = bits << 6 | UInt32(value)
            bitCount += 6
            if bitCount >= 8 {
                bitCount -= 8
                guard target.append(UInt8(truncatingIfNeeded: bits >> UInt32(bitCount))) else { return false }
            }
        }
        return padding <= 2 && bitCount < 6
    }
}

extension UInt8 {
    fileprivate var base64Digit: UInt8? {
        switch self {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): self - UInt8(ascii: "A")
        case UInt8(ascii: "a")...UInt8(ascii: "z"): self - UInt8(ascii: "a") + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0") + 52
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }
}
