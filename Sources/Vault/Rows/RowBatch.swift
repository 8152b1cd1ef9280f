import Records
import Store

/// Rows that were read and wait to be opened, many at once, so that handing them to another thread costs little.
struct RowBatch: Sendable {
    private static let limit = 1024

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
    func open(_ makeCodec: () throws -> RowCodec) throws -> RowFindings {
        var codec = try makeCodec()
        var found = RowFindings()
        try bodies.withUnsafeBytes { bodies in
            for (index, row) in rows.enumerated() {
                let start = index * RowCodec.bodyByteCount
                let body = UnsafeRawBufferPointer(rebasing: bodies[start..<start + RowCodec.bodyByteCount])
                try found.take(row.number, row.id, body, &codec)
            }
        }
        return found
    }
}
