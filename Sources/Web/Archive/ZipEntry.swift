package import FoundationEssentials

/// One photo in an archive.
package struct ZipEntry: Equatable, Sendable {
    /// A name as the vault holds it; `ZipLayout` makes it safe and unique.
    package let name: String
    package let byteCount: UInt64
    package let modifiedAt: Date

    package init(name: String, byteCount: UInt64, modifiedAt: Date) {
        self.name = name
        self.byteCount = byteCount
        self.modifiedAt = modifiedAt
    }
}
