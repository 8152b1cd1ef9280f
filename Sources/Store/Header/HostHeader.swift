/// What the whole store has in common: readable by anybody, secret to nobody.
package struct HostHeader: Equatable, Sendable {
    package static let supportedFormatVersion: UInt32 = 1
    /// A number of the versions of this program whose stores another one may have to tell apart; it only grows.
    package static let currentWriter: UInt32 = 1
    package static let hostSaltByteCount = 16
    package static let kdfRecordByteCount = 32

    package var formatVersion: UInt32
    /// Grows with every replacement; the highest valid copy wins.
    package var sequence: UInt64
    /// Days since 1970.
    package var createdDay: UInt32
    /// 16 bytes.
    package var hostSalt: [UInt8]
    /// One or two records of 32 bytes, opaque here.
    package var kdfRecords: [[UInt8]]
    package var features = Features()
    /// Of the version that has written this header; 0 for those of before there were numbers.
    package var writer: UInt32 = currentWriter

    package init(
        formatVersion: UInt32 = supportedFormatVersion, sequence: UInt64 = 1, createdDay: UInt32, hostSalt: [UInt8],
        kdfRecords: [[UInt8]]
    ) {
        self.formatVersion = formatVersion
        self.sequence = sequence
        self.createdDay = createdDay
        self.hostSalt = hostSalt
        self.kdfRecords = kdfRecords
    }

    /// What the store has besides what every store of this format has, a bit each: as ext4 does, a store tells an older
    /// program by the word in which a bit stands what that may do.
    package struct Features: Equatable, Sendable {
        /// A program that does not know one may read and change the store.
        package var compatible: UInt32 = 0
        /// Such a one may read the store, and change nothing.
        package var readOnly: UInt32 = 0
        /// Such a one can do nothing with it.
        package var incompatible: UInt32 = 0

        /// Those of this program.
        package static let known = Features()

        var areReadable: Bool { incompatible & ~Self.known.incompatible == 0 }
        var areChangeable: Bool { areReadable && readOnly & ~Self.known.readOnly == 0 }
    }

    /// - Throws: `unusable` where the store has something that this program may not change.
    func requireChangeable() throws(StoreError) {
        guard !features.areChangeable else { return }
        throw .unusable(
            "The data directory has something that came with a later version; this one may read it, and not change it: "
                + "check, export and backup work. Nothing was changed. Install the version that wrote it, or a later one."
        )
    }

    var isWellFormed: Bool {
        formatVersion == Self.supportedFormatVersion && hostSalt.count == Self.hostSaltByteCount
            && (1...2).contains(kdfRecords.count) && kdfRecords.allSatisfy { $0.count == Self.kdfRecordByteCount }
    }
}
