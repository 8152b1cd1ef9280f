import Store

/// Rows that were read and wait to be opened, many at once: opening is the work of several processors, and only so
/// many sealed rows are in memory.
struct RowBatch: Sendable {
    private static let limit = 2048

    private var rows: [(number: UInt64, id: RowID)] = []
    private var bodies: [UInt8] = []

    init() {
        rows.reserveCapacity(Self.limit)
        bodies.reserveCapacity(Self.limit * RowCodec.bodyByteCount)
    }

    var isFull: Bool { rows.count >= Self.limit }

    /// A body of another size is nobody's row, and is left out.
    mutating func append(_ number: UInt64, _ id: RowID, _ body: UnsafeRawBufferPointer) {
        guard body.count == RowCodec.bodyByteCount else { return }
        rows.append((number, id))
        bodies.append(contentsOf: body)
    }

    /// Blocking. Opens all of them.
    func open(_ vault: OpenVault) throws -> [RowFindings] {
        try vault.engine.split(rows.count) { part in
            var codec = try vault.makeCodec()
            var found = RowFindings()
            try bodies.withUnsafeBytes { bodies in
                for index in part {
                    let start = index * RowCodec.bodyByteCount
                    let body = UnsafeRawBufferPointer(rebasing: bodies[start..<start + RowCodec.bodyByteCount])
                    try found.take(rows[index].number, rows[index].id, body, &codec)
                }
            }
            return found
        }
    }
}
