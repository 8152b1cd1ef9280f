import Foundation

/// Executables that behave as no child of ours does: shell scripts that speak over descriptor 3.
struct FakeChild {
    let path: String

    /// Payload length 1, kind 16, version 1, as `printf` of the shell writes it.
    static let ready = #"head -c 24 <&3 >/dev/null; printf '\000\000\000\001\020\001' >&3"#
    /// The first five bytes of a job and its payload.
    static let takeJob = "head -c 14 <&3 >/dev/null"

    init(_ lines: String...) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("imaging-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let file = folder.appendingPathComponent("child")
        let script = "#!/bin/sh\nPATH=/usr/bin:/bin\n" + lines.joined(separator: "\n") + "\n"
        try Data(script.utf8).write(to: file)
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: file.path)
        path = file.path
    }

    func remove() { try? FileManager.default.removeItem(atPath: (path as NSString).deletingLastPathComponent) }
}
