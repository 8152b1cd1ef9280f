import Foundation
import GRDB

@testable import Store

/// A later version of this program, as far as tests need one. Beside each object its ledger has the object's size, which
/// its migration finds out: by docs/format.md, "How a later version takes over".
struct ToyVersion2 {
    static let formatVersion: UInt32 = 2
    /// Of the incompatible features: a migration was begun, and has not ended.
    static let migrating: UInt32 = 1 << 31
    private static let writer: UInt32 = 2
    private static let objectsPerStep = 3

    let path: String

    /// What a copy of the header says to this version.
    struct Copy: Equatable {
        var version, incompatible, writer: UInt32
        var sequence: UInt64
        var bytes: [UInt8]
    }

    /// Nil for copies that are damaged.
    func copies() throws -> [Copy?] {
        let bytes = try [UInt8](Data(contentsOf: URL(fileURLWithPath: path + "/" + StoreLayout.header)))
        return try (0..<HeaderCopy.count).map { index in
            let copy = Array(bytes[index * HeaderCopy.byteCount..<(index + 1) * HeaderCopy.byteCount])
            guard try sha256(copy[..<4064]) == Array(copy[4064...]) else { return nil }
            return Copy(
                version: Self.word(copy, 8), incompatible: Self.word(copy, 116), writer: Self.word(copy, 120),
                sequence: UInt64(Self.word(copy, 12)) << 32 | UInt64(Self.word(copy, 16)), bytes: copy)
        }
    }

    /// Makes a store of version 1 one of version 2, or goes on with that where it was cut off; nothing where it is done.
    /// - Parameter step: called after each step that is on disk; the process may end there.
    func migrate(_ step: () throws -> Void) throws {
        let root = try Folder.open(path: path)
        let lock = try StoreLock.acquire(in: root)
        defer { lock.release() }
        guard var header = try newest() else { throw StoreError.unusable("no copy of the header is good") }
        guard header.version < Self.formatVersion else { return try write(header, in: root, step) }
        let isEverywhere = try copies().allSatisfy { $0 == header }
        if header.incompatible & Self.migrating == 0 || !isEverywhere {
            header = try next(header, version: header.version, incompatible: Self.migrating)
            try write(header, in: root, step)
        }
        try migrateLedger(root, step)
        try write(try next(header, version: Self.formatVersion, incompatible: 0), in: root, step)
    }

    /// Each transaction can be done more than once, and says nothing that the store did not.
    private func migrateLedger(_ root: Folder, _ step: () throws -> Void) throws {
        let pool = try LedgerConnection.open(path: path + "/" + StoreLayout.ledger)
        defer { try? pool.close() }
        let ids = try pool.read { try Data.fetchAll($0, sql: "SELECT id FROM object ORDER BY id") }
        let folders = try ObjectFolders(root: root)
        for start in stride(from: 0, to: ids.count, by: Self.objectsPerStep) {
            try pool.write { database in
                for id in ids[start..<min(start + Self.objectsPerStep, ids.count)] {
                    guard let object = ObjectID(bytes: Array(id)) else { continue }
                    let count = try folders.shard(of: object).byteCount(of: object.hex) ?? 0
                    try database.execute(
                        sql: "INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)",
                        arguments: [Self.key(object), Data(count.bigEndianBytes)])
                }
            }
            try step()
        }
        // A copy of before would undo what the header says has been done.
        try LedgerCopies(root: root, path: path, today: { 20_000 }).renew(from: pool) { change in
            try pool.write { try change.apply(LedgerTransaction($0, failures: .init()), nil) }
        }
        try step()
    }

    /// What its migration has found out, by the object.
    func sizes() throws -> [ObjectID: UInt64] {
        let ledger = try DatabaseQueue(path: path + "/" + StoreLayout.ledger)
        defer { try? ledger.close() }
        return try ledger.read { database in
            var sizes: [ObjectID: UInt64] = [:]
            for id in try Data.fetchAll(database, sql: "SELECT id FROM object") {
                guard let object = ObjectID(bytes: Array(id)),
                    let value = try Data.fetchOne(
                        database, sql: "SELECT value FROM meta WHERE key = ?", arguments: [Self.key(object)])
                else { continue }
                sizes[object] = value.reduce(0) { $0 << 8 | UInt64($1) }
            }
            return sizes
        }
    }

    private static func key(_ object: ObjectID) -> String { "toy-" + object.hex }

    // MARK: The header

    private func newest() throws -> Copy? {
        try copies().compactMap { $0 }.filter { $0.incompatible & ~Self.migrating == 0 }.max {
            $0.sequence < $1.sequence
        }
    }

    private func next(_ copy: Copy, version: UInt32, incompatible: UInt32) throws -> Copy {
        var bytes = copy.bytes
        func put(_ word: UInt32, at offset: Int) {
            bytes.replaceSubrange(offset..<offset + 4, with: word.bigEndianBytes)
        }
        put(version, at: 8)
        bytes.replaceSubrange(12..<20, with: (copy.sequence + 1).bigEndianBytes)
        put(incompatible, at: 116)
        put(Self.writer, at: 120)
        bytes.replaceSubrange(4064..<4096, with: try sha256(bytes[..<4064]))
        return Copy(
            version: version, incompatible: incompatible, writer: Self.writer, sequence: copy.sequence + 1, bytes: bytes
        )
    }

    private func write(_ copy: Copy, in root: Folder, _ step: () throws -> Void) throws {
        let file = try root.open(StoreLayout.header, O_RDWR)
        for index in 0..<HeaderCopy.count where try copies()[index] != copy {
            try file.write(copy.bytes, at: UInt64(index * HeaderCopy.byteCount))
            try file.synchronizeData()
            try step()
        }
    }

    private static func word(_ bytes: [UInt8], _ offset: Int) -> UInt32 {
        bytes[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) }
    }
}
