import Records

/// An address, or all that begin with the same bits: `192.168.1.7`, `10.0.0.0/8`, `fd00::/8`.
struct AddressNetwork: Sendable {
    private let bytes: [UInt8]
    private let bitCount: Int

    init?(_ text: String) {
        let pieces = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let first = pieces.first, let address = ClientAddress(ipv4: first) ?? ClientAddress(ipv6: first),
            let bytes = address.unmapped.networkBytes
        else { return nil }
        let bitCount = pieces.count == 2 ? Int(pieces[1]) : bytes.count * 8
        guard let bitCount, (0...bytes.count * 8).contains(bitCount) else { return nil }
        self.bytes = bytes
        self.bitCount = bitCount
    }

    func contains(_ address: ClientAddress) -> Bool {
        guard let other = address.unmapped.networkBytes, other.count == bytes.count else { return false }
        return zip(bytes, other).enumerated().allSatisfy { index, pair in
            let bits = min(max(bitCount - index * 8, 0), 8)
            let mask = UInt8(truncatingIfNeeded: 0xff00 >> bits)
            return pair.0 & mask == pair.1 & mask
        }
    }
}

extension ClientAddress {
    /// 4 or 16; nil for a socket file.
    fileprivate var networkBytes: [UInt8]? {
        switch self {
        case .ipv4(let bytes), .ipv6(let bytes): bytes
        case .unixSocket: nil
        }
    }
}
