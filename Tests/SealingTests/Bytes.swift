import Sealing

extension [UInt8] {
    /// Bytes written as pairs of hexadecimal digits; nil when they are not.
    init?(hex: String) {
        guard hex.utf8.count % 2 == 0 else { return nil }
        var bytes: [UInt8] = []
        var rest = hex[...]
        while !rest.isEmpty {
            guard let byte = UInt8(rest.prefix(2), radix: 16) else { return nil }
            bytes.append(byte)
            rest = rest.dropFirst(2)
        }
        self = bytes
    }

    /// Bytes that differ from their neighbours, so that a shift shows.
    static func pattern(_ count: Int, seed: Int = 0) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: ($0 &+ seed) &* 167 &+ ($0 >> 8)) }
    }
}

extension SecretBytes {
    /// A copy outside, to compare.
    borrowing func exposed() -> [UInt8] {
        withUnsafeBytes { Array($0) }
    }
}
