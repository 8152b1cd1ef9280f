/// The hosts that this one has exchanged hardware addresses with, from `/proc/self/net/arp` (IPv4).
struct NeighbourTable: Equatable {
    /// In numbers.
    var addresses: Set<String>

    /// Nil when the kernel shows none to us.
    static func read(root: String = "") -> NeighbourTable? {
        TextFile.read(root + "/proc/self/net/arp").map(NeighbourTable.init)
    }

    /// Takes those that have answered or asked (flag 2 of the third column: the entry is complete).
    init(_ text: String) {
        addresses = Set(
            text.split(separator: "\n").dropFirst().compactMap { line in
                let fields = line.split(whereSeparator: \.isWhitespace)
                guard fields.count >= 6, fields[2].hasPrefix("0x"),
                    let flags = UInt32(fields[2].dropFirst(2), radix: 16), flags & 2 != 0
                else { return nil }
                return String(fields[0])
            })
    }
}
