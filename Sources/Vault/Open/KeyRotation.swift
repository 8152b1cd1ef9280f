import Records
import Sealing
import Store

/// Puts all rows of a vault under another key, inside one transaction. What they say and their numbers stay; their ids
/// and bytes are new. Objects are not touched, for they are sealed under keys of their own.
struct KeyRotation: ~Copyable {
    private let transaction: LedgerTransaction
    private let next: VaultKeys
    private var old: RowCodec
    private var new: RowCodec

    init(of vault: OpenVault, to next: VaultKeys, in transaction: LedgerTransaction) throws {
        let old = try vault.makeCodec()
        let new = try next.makeCodec()
        self.transaction = transaction
        self.next = next
        self.old = old
        self.new = new
    }

    /// Leaves nothing under the old key but, in place of the head, a row that holds the new key: until the slots are
    /// written they lead there.
    /// - Throws: `damaged` when a row is missing, or is not the one that the head knows: a loss that nobody has
    ///   accepted must not be made right in passing. Nothing of it counts then.
    mutating func run(_ head: inout VaultHead, _ uploads: [UnfinishedUpload]) throws {
        head.accumulator = try moveRows(head)
        for upload in uploads { try move(upload) }
        let formerHead = try old.id(of: .head)
        head.formerHead = formerHead
        head.generation += 1
        let id = try new.id(of: .head)
        try transaction.putRow(id, try new.seal(RowPiece(kind: .head, payload: head.encoded), id: id))
        let key = SharedSecret(try next.vaultKey.duplicate())
        try transaction.putRow(formerHead, try old.seal(.successor, id: formerHead, fileKey: key))
    }

    private mutating func moveRows(_ head: VaultHead) throws -> SetAccumulator {
        var (before, after) = (SetAccumulator(), SetAccumulator())
        for (number, id) in try Self.inTableOrder(head.rowCount, &new) {
            let former = try old.id(of: .item(number))
            guard let body = try transaction.row(former) else { throw VaultError.damaged }
            let moved = try old.reseal(body, id: former, under: &new, as: id)
            before.add(try body.withUnsafeBytes { try old.element(id: former, body: $0) })
            after.add(try moved.withUnsafeBytes { try new.element(id: id, body: $0) })
            try transaction.putRow(id, moved)
        }
        guard before == head.accumulator else { throw VaultError.damaged }
        for (_, id) in try Self.inTableOrder(head.rowCount, &old) { try transaction.deleteRow(id) }
        return after
    }

    /// The table keeps its rows by their ids: in any other order each would touch a page of its own, and the log would
    /// grow by as many.
    private static func inTableOrder(_ count: UInt64, _ codec: inout RowCodec) throws -> [(number: UInt64, id: RowID)] {
        var rows: [(number: UInt64, id: RowID)] = []
        rows.reserveCapacity(Int(clamping: count))
        for number in 0..<count { rows.append((number, try codec.id(of: .item(number)))) }
        return rows.sorted { ($0.id.high, $0.id.low) < ($1.id.high, $1.id.low) }
    }

    /// Its id stays, so whoever sends it goes on.
    private mutating func move(_ upload: UnfinishedUpload) throws {
        let id = upload.rowID
        guard let row = try transaction.upload(id), let (record, fileKey) = try open(row.body, id) else { return }
        let body = try new.sealUpload(record, fileKey: fileKey, id: id)
        try transaction.putUpload(id, body: body, part: row.part, expiresDay: row.expiresDay)
    }

    /// Nil for one that was damaged on disk: it cannot go on under either key, and must not be in the way.
    private mutating func open(_ body: [UInt8], _ id: RowID) throws -> (UploadRecord, SharedSecret)? {
        do {
            return try body.withUnsafeBytes { try old.openUpload($0, id: id) }
        } catch SealingError.damaged, VaultError.damaged {
            return nil
        }
    }
}
