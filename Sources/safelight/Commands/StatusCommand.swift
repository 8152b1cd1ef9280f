import ArgumentParser
import AsyncHTTPClient
import FoundationEssentials
import Glibc
import NIOCore
import NIOHTTP1
import Printing
import Vaults
import Web

struct StatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Says whether the daemon runs, and how it is.",
        discussion: """
            Asks the running daemon by the socket in its data directory; run it as the daemon's user. Exit codes: \
            0 it runs and is well (there may be warnings), 1 it runs and takes nothing, or does not answer, 3 it is not \
            running, 64 usage, 78 unusable configuration.
            """)

    @OptionGroup var options: StoreOptions

    @Flag(help: "Print JSON.")
    var json = false

    func run() async throws {
        try await reportingFailures {
            let settings = try await options.settings()
            switch await ask(dataPath: settings.vaults.dataPath) {
            case .status(let status, let text):
                let now = UInt64(Date().timeIntervalSince1970)
                Terminal.print(json ? PrintableText(lines: text) : StatusText(status, now: now).text(.current()))
                if status.health == Health.Status.fail.rawValue { throw ExitCode.damaged }
            case .silent(let reason):
                Terminal.print(json ? #"{"running":true}"# : "Safelight does not answer (\(reason)).")
                throw ExitCode.damaged
            case .notRunning:
                Terminal.print(json ? #"{"running":false}"# : "Safelight is not running.")
                throw ExitCode.notRunning
            }
        }
    }

    private enum Answer {
        case status(StatusPayload, String)
        case silent(reason: String)
        case notRunning
    }

    private func ask(dataPath: String) async -> Answer {
        switch await ConsoleClient.ask(.GET, "/status", dataPath: dataPath) {
        case .answered(_, let text):
            do {
                let status = try JSONDecoder().decode(StatusPayload.self, from: Data(text.readableBytesView))
                return .status(status, String(buffer: text))
            } catch {
                return .silent(reason: "\(error)")
            }
        case .silent(let reason): return .silent(reason: reason)
        case .notRunning: return .notRunning
        }
    }
}

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

/// Asks the running daemon by the socket in its data directory.
enum ConsoleClient {
    enum Answer {
        case answered(status: UInt, text: ByteBuffer)
        case silent(reason: String)
        case notRunning
    }

    private static let patience: TimeAmount = .seconds(15)
    /// More than any answer has.
    private static let mostByteCount = 16 << 20

    /// - Parameter json: what is sent, if anything.
    static func ask(
        _ method: HTTPMethod, _ path: String, json: ByteBuffer? = nil, dataPath: String,
        patience: TimeAmount = patience
    ) async -> Answer {
        let socket = ConsoleSocket(dataPath: dataPath)
        guard socket.isListenedTo else { return .notRunning }
        let client = HTTPClient(eventLoopGroupProvider: .singleton)
        let answer: Answer
        do {
            var request = HTTPClientRequest(url: socket.url(path))
            request.method = method
            request.headers.add(name: "Host", value: "localhost")
            if let json {
                request.headers.add(name: "Content-Type", value: "application/json")
                request.body = .bytes(json)
            }
            let response = try await client.execute(request, timeout: patience)
            answer = .answered(
                status: response.status.code, text: try await response.body.collect(upTo: Self.mostByteCount))
        } catch {
            answer = .silent(reason: "\(error)")
        }
        withExtendedLifetime(socket) {}
        try? await client.shutdown()
        return answer
    }
}
