import Foundation

/// Executables that behave as no child of ours does: shell scripts that speak over descriptor 3.
package struct FakeChild {
    package let path: String

    /// Payload length 1, kind 16, version 5, as `printf` of the shell writes it.
    package static let ready = #"head -c 24 <&3 >/dev/null; printf '\000\000\000\001\020\005' >&3"#
    /// Payload length 7, kind 20: facts of which only the width is there, 640.
    package static let tell = #"printf '\000\000\000\007\024\000\002\001\000\000\002\200' >&3"#
    /// The first five bytes of a job and its payload.
    package static let takeJob = "head -c 14 <&3 >/dev/null"

    /// A line that says these bytes.
    package static func say(_ bytes: [UInt8]) -> String {
        "printf '" + bytes.map { "\\" + String(Int($0) + 0o1000, radix: 8).dropFirst() }.joined() + "' >&3"
    }

    package init(_ lines: String...) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("imaging-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        path = folder.appendingPathComponent("child").path
        let text = folder.appendingPathComponent("text")
        let script = "#!/bin/sh\nPATH=/usr/bin:/bin\n" + lines.joined(separator: "\n") + "\n"
        try Data(script.utf8).write(to: text)
        // By another process: what this one had open for writing, a program that another test starts at that moment
        // would have open, too, and nobody could run it ("text file busy").
        try Program("/usr/bin/install", ["-m", "700", text.path, path]).run()
    }

    package func remove() { try? FileManager.default.removeItem(atPath: (path as NSString).deletingLastPathComponent) }
}
