import Bytes

/// What the last import into a vault proved, as its owner is told.
///
/// | offset | size | field |
/// | --- | --- | --- |
/// | 0 | 8 | when it ended, in milliseconds since 1970 |
/// | 8 | 4 each | files; archives; stored and read back; there already; more than once; left out (no photos, or in the trash there); not proven |
/// | 36 | 1 | 1 where every photo is proven to lie in the vault |
package struct LastImportRecord: Equatable, Sendable {
    private static let byteCount = 37

    package var at: UInt64
    package var files: UInt32
    package var archives: UInt32
    package var stored: UInt32
    package var known: UInt32
    package var again: UInt32
    package var left: UInt32
    package var failed: UInt32
    package var isProven: Bool

    package init(
        at: UInt64, files: UInt32, archives: UInt32, stored: UInt32, known: UInt32, again: UInt32, left: UInt32,
        failed: UInt32, isProven: Bool
    ) {
        self.at = at
        self.files = files
        self.archives = archives
        self.stored = stored
        self.known = known
        self.again = again
        self.left = left
        self.failed = failed
        self.isProven = isProven
    }

    package init(_ bytes: [UInt8]) throws(VaultError) {
        var reader = ByteReader(bytes)
        guard bytes.count == Self.byteCount, let at = reader.readUInt64() else { throw .damaged }
        var counts: [UInt32] = []
        while counts.count < 7, let count = reader.readUInt32() { counts.append(count) }
        guard counts.count == 7 else { throw .damaged }
        self.init(
            at: at, files: counts[0], archives: counts[1], stored: counts[2], known: counts[3], again: counts[4],
            left: counts[5], failed: counts[6], isProven: bytes[Self.byteCount - 1] == 1)
    }

    package var encoded: [UInt8] {
        at.bigEndianBytes + [files, archives, stored, known, again, left, failed].flatMap(\.bigEndianBytes)
            + [isProven ? 1 : 0]
    }
}
