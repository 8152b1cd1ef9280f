import Glibc
import Printing
import Vaults
import Web

/// What `safelight status` says to people.
struct StatusText {
    enum Colours {
        case none, ansi

        /// Those of a terminal on standard output; https://no-color.org
        static func current() -> Colours {
            let terminal = getenv("TERM").map { String(cString: $0) } ?? ""
            let isRefused = getenv("NO_COLOR").map { $0.pointee != 0 } ?? false
            return isatty(STDOUT_FILENO) == 1 && !terminal.isEmpty && terminal != "dumb" && !isRefused ? .ansi : .none
        }
    }

    let status: StatusPayload
    /// Seconds since 1970.
    let now: UInt64

    init(_ status: StatusPayload, now: UInt64) {
        self.status = status
        self.now = now
    }

    func text(_ colours: Colours) -> PrintableText {
        let age = Figure.duration(seconds: since(UInt64(max(0, status.startedAt))))
        var lines: [PrintableText] = [
            "Safelight \(status.version) is running (process \(status.process)), for \(age).",
            line("Health", health(colours)),
            line("Disk", "\(disk)"),
            line("Last backup", "\(backup)"),
            line("Uploads", status.uploadsInFlight == 0 ? "none at the moment" : "\(status.uploadsInFlight) running"),
            line("Connections", "\(Figure.count(status.devices, "from another device", "from other devices"))"),
            line("Memory", "\(Figure.bytes(status.memoryBytes))"),
        ]
        if let cover { lines.append(line("Cover", "\(cover)")) }
        return lines.joined(separator: "\n")
    }

    private var cover: String? {
        guard let bytes = status.coverBytes, let byteLimit = status.coverByteLimit, let files = status.coverFiles,
            let fileLimit = status.coverFileLimit
        else { return nil }
        return
            "up to \(Figure.bytes(bytes)) of at most \(Figure.bytes(byteLimit)), in up to \(Figure.grouped(files)) of at most "
            + "\(Figure.grouped(fileLimit)) files"
    }

    private func line(_ label: String, _ text: PrintableText) -> PrintableText {
        "  \(label)\(String(repeating: " ", count: max(1, 14 - label.count)))\(text)"
    }

    private func health(_ colours: Colours) -> PrintableText {
        let troubles = status.checks.filter { $0.status != Health.Status.pass.rawValue }
            .map { check in check.output.map { "\(check.name) (\($0))" } ?? check.name }
        let (word, colour): (PrintableText, Int) =
            switch Health.Status(rawValue: status.health) {
            case .pass: ("well", 32)
            case .warn: ("warning", 33)
            case .fail, nil: ("FAILING", 31)
            }
        let shown: PrintableText = colours == .ansi ? "\u{1B}[\(colour)m\(word)\u{1B}[0m" : word
        return troubles.isEmpty ? shown : "\(shown): \(troubles.joined(separator: ", "))"
    }

    private var disk: String {
        guard let free = status.freeBytes, let all = status.diskBytes else { return "cannot be asked" }
        return "\(Figure.bytes(free)) free for photos, of \(Figure.bytes(all))"
    }

    private var backup: String {
        status.lastBackupAt.map { "\(Figure.duration(seconds: since($0))) ago, as of \(Figure.time($0))" } ?? "none"
    }

    private func since(_ time: UInt64) -> UInt64 { now - min(now, time) }
}
