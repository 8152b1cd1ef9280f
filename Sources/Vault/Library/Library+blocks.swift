import Bytes
import Foundation
import GRDB
import Records
import Sealing

/// Photos whose serials follow each other. Its state tells a program that has listed them whether it has to again.
package struct PhotoBlock: Equatable, Sendable {
    /// Serials of one block. They are never given twice, so that a block fills up once and then only loses photos.
    package static let serialCount: UInt64 = 512

    package let number: UInt64
    /// 16 bytes: others after each change of what a list says of one of these photos, and of which there are.
    package let state: [UInt8]

    /// Nil for a number that no block can have.
    package static func serials(of number: UInt64) -> Range<UInt64>? {
        guard number < UInt64(Int64.max) / serialCount else { return nil }
        return number * serialCount..<(number + 1) * serialCount
    }
}

extension Library {
    private static let blocksPerRead: UInt64 = 16

    /// Columns that no list shows, or that change with each reading; of all others, those of later versions too, a list may
    /// say something.
    private static let unlisted: Set = [
        "serial", "row", "object", "tree", "ends", "first_part", "verified", "run_count", "family", "said", "folder",
    ]

    /// Blocks with photos, also with those in "Recently deleted", the oldest first. Others read between the parts.
    package func blocks() async throws -> [PhotoBlock] {
        var blocks: [PhotoBlock] = []
        while true {
            let start = blocks.last.map { ($0.number + 1) * PhotoBlock.serialCount } ?? 0
            let part = try await read { try Self.blocks(from: start, $0) }
            guard !part.isEmpty else { return blocks }
            blocks += part
        }
    }

    private static func blocks(from start: UInt64, _ database: Database) throws -> [PhotoBlock] {
        let next = "SELECT min(serial) FROM photo WHERE serial >= ?"
        guard let first = try Int64.fetchOne(database, sql: next, arguments: [Int64(start)]) else { return [] }
        let end = (UInt64(first) / PhotoBlock.serialCount + blocksPerRead) * PhotoBlock.serialCount
        let listed = try database.columns(in: "photo").map(\.name).filter { !unlisted.contains($0) }
        let columns = (["serial", "verified IS NULL"] + listed).joined(separator: ", ")
        let rows = try Row.fetchCursor(
            database, sql: "SELECT \(columns) FROM photo WHERE serial >= ? AND serial < ? ORDER BY serial",
            arguments: [first, Int64(end)])
        var blocks: [PhotoBlock] = []
        var (number, bytes) = (UInt64(first) / PhotoBlock.serialCount, [UInt8]())
        func close() throws {
            if !bytes.isEmpty {
                blocks.append(PhotoBlock(number: number, state: Array(try SHA256Hasher.hash(bytes).prefix(16))))
            }
            bytes.removeAll(keepingCapacity: true)
        }
        while let row = try rows.next() {
            let own = UInt64(row[0] as Int64) / PhotoBlock.serialCount
            if own != number { try close() }
            number = own
            for value in row.databaseValues { append(value, to: &bytes) }
        }
        try close()
        return blocks
    }

    /// So that no two rows make the same bytes.
    private static func append(_ value: DatabaseValue, to bytes: inout [UInt8]) {
        func append(_ kind: UInt8, _ content: some Collection<UInt8>) {
            bytes.append(kind)
            bytes += UInt64(content.count).bigEndianBytes
            bytes += content
        }
        switch value.storage {
        case .null: append(0, [])
        case .int64(let number): append(1, UInt64(bitPattern: number).bigEndianBytes)
        case .double(let number): append(2, number.bitPattern.bigEndianBytes)
        case .string(let text): append(3, text.utf8)
        case .blob(let data): append(4, data)
        }
    }
}
