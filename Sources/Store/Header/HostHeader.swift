/// What the whole store has in common: readable by anybody, secret to nobody.
package struct HostHeader: Equatable, Sendable {
    package static let supportedFormatVersion: UInt32 = 1
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

    var isWellFormed: Bool {
        formatVersion == Self.supportedFormatVersion && hostSalt.count == Self.hostSaltByteCount
            && (1...2).contains(kdfRecords.count) && kdfRecords.allSatisfy { $0.count == Self.kdfRecordByteCount }
    }
}
