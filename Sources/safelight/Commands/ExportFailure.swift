import Glibc
import Records

/// What a system call said to an export.
struct ExportFailure: Error, CustomStringConvertible {
    let action: String
    let name: String
    let code: Int32

    /// Whether every other photo would meet it, too: no room, no rights, no disk. What a file system has against one
    /// name, size or time does not keep the rest from going on.
    var endsExport: Bool { Self.ofDisk.contains(code) }

    private static let ofDisk = [ENOSPC, EDQUOT, EROFS, EIO, ENODEV, ENXIO, EACCES, ENOTCONN, ESTALE, EMFILE, ENFILE]

    /// The failure as it ends the whole export.
    var ofAll: StartFailure {
        StartFailure(description: "\(self) What was written before is kept.", isOfDisk: Self.ofWorkingDisk(code))
    }

    /// The same may go well another time; a folder that may not be written to stays one.
    private static func ofWorkingDisk(_ code: Int32) -> Bool { ofDisk.contains(code) && code != EACCES }

    var description: String { "Cannot \(action) \(name): \(reason)." }

    var reason: String { String(cString: strerror(code)) }
}
