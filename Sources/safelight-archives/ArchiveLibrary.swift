import CArchive
import ImagingProtocol
import Media

/// libarchive, reduced to one format of archives and four ways to pack.
enum ArchiveLibrary {
    /// Nothing, packed in each way.
    private static let nothing: [(Packing, [UInt8])] = [
        (.bzip2, [0x42, 0x5A, 0x68, 0x39, 0x17, 0x72, 0x45, 0x38, 0x50, 0x90, 0, 0, 0, 0]),
        (
            .xz,
            [
                0xFD, 0x37, 0x7A, 0x58, 0x5A, 0, 0, 4, 0xE6, 0xD6, 0xB4, 0x46, 0, 0, 0, 0, 0x1C, 0xDF, 0x44, 0x21, 0x1F,
                0xB6, 0xF3, 0x7D, 1, 0, 0, 0, 0, 4, 0x59, 0x5A,
            ]
        ),
        (.zstd, [0x28, 0xB5, 0x2F, 0xFD, 0x24, 0, 1, 0, 0, 0x99, 0xE9, 0xD8, 0x51]),
    ]

    static func load() -> Bool { carchive_use_utf8() != nil }

    /// Unpacks nothing in each way: tables are built, and the linker looks up what is called.
    static func warmUp() -> Bool {
        nothing.allSatisfy { packing, bytes in
            do throws(UnpackingFailure) {
                try ArchiveReading(packed: packing, ArchiveInput(bytes)).tellContent { _ in }
                return true
            } catch {
                return false
            }
        }
    }
}
