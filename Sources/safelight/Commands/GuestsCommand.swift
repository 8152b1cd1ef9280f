import ArgumentParser
import FoundationEssentials
import NIOCore
import NIOHTTP1
import Printing
import Web

struct GuestsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "guests",
        abstract: "Lists the spaces of those who use this host without a password, or ends some.",
        discussion: """
            Shows of each since which day it is there, how many photos are in it and how much of the disk they take; who \
            it is, and what is on the photos, nobody can see. The numbers count from the oldest and change when spaces \
            come and go. What is ended is gone for good, at once. What was given at a door and its owner has not taken yet \
            lies in such spaces, too, and cannot be told from others: have the vaults that have doors opened before. Works while the daemon runs, by the socket in its data \
            directory, and while it is stopped; run it as the daemon's user. Exit codes: 0 done, 1 there is no space of \
            that number, or the daemon does not answer, 64 usage, 73 not confirmed, 78 unusable configuration or data.
            """)

    @OptionGroup var options: StoreOptions

    @Option(help: "End the space of this number, with everything in it; or all.")
    var end: String?

    @Flag(help: "Do not ask before.")
    var yes = false

    @Flag(help: "Print JSON.")
    var json = false

    func validate() throws {
        guard let end, end != "all" else { return }
        guard let number = Int(end), number > 0 else {
            throw ValidationError("--end takes the number of a space, or all.")
        }
    }

    func run() async throws {
        try await reportingFailures {
            let settings = try await options.settings()
            let host = try await GuestHost.find(settings)
            let result: Result<Void, any Error>
            do {
                try await work(host)
                result = .success(())
            } catch let refusal as GuestHost.Silence {
                Terminal.complain(
                    "Safelight does not answer (\(refusal.reason)). Whether anything was ended, ask again.")
                result = .failure(ExitCode.damaged)
            } catch {
                result = .failure(error)
            }
            try await host.close()
            try result.get()
        }
    }

    private func work(_ host: GuestHost) async throws {
        let spaces = try await host.spaces()
        guard let end else { return show(spaces) }
        let chosen = try chosen(of: spaces, end)
        guard !chosen.isEmpty else { return Terminal.print("There is no guest's space. Nothing was changed.") }
        if !yes { try confirm(chosen) }
        let count = try await host.end(chosen.map(\.id))
        Terminal.print("\(Figure.count(count, "space was", "spaces were")) ended.")
    }

    private func chosen(of spaces: [GuestSpacePayload], _ end: String) throws -> [GuestSpacePayload] {
        guard end != "all" else { return spaces }
        guard let number = Int(end), spaces.indices.contains(number - 1) else {
            Terminal.complain("There is no space of number \(end). Nothing was changed.")
            throw ExitCode.damaged
        }
        return [spaces[number - 1]]
    }

    private func confirm(_ chosen: [GuestSpacePayload]) throws {
        let photos = Figure.count(chosen.reduce(0) { $0 + $1.photos }, "photo", "photos")
        let bytes = Figure.bytes(chosen.reduce(0) { $0 + $1.bytes })
        let spaces = Figure.count(chosen.count, "space", "spaces")
        Terminal.print("\(spaces) with \(photos), \(bytes). Ended, nobody can bring them back.")
        Terminal.print(
            """
            Among them may be what was given at a door of a vault, and its owner has not taken yet: that goes for good, \
            too, though its giver was told that it is saved. It is taken by opening the vault that has the door.
            """)
        guard LinePrompt.read("End them for good? Type yes: ") == "yes" else {
            Terminal.print("Nothing was changed.")
            throw ExitCode.unconfirmed
        }
    }

    private func show(_ spaces: [GuestSpacePayload]) {
        if json {
            let encoder = JSONEncoder()
            encoder.outputFormatting = .sortedKeys
            let text = (try? encoder.encode(spaces)).map { String(decoding: $0, as: UTF8.self) } ?? "[]"
            return Terminal.print("\(text)")
        }
        guard !spaces.isEmpty else { return Terminal.print("There is no guest's space.") }
        for (index, space) in spaces.enumerated() { Terminal.print("\(index + 1)  \(Self.line(space))") }
    }

    private static func line(_ space: GuestSpacePayload) -> String {
        var parts = [
            "since \(day(space.firstDay))", "until \(day(space.lastDay))",
            Figure.count(space.photos, "photo", "photos"),
        ]
        if space.unfinished > 0 {
            parts.append(Figure.count(space.unfinished, "unfinished upload", "unfinished uploads"))
        }
        return (parts + [Figure.bytes(space.bytes)]).joined(separator: ", ")
    }

    private static func day(_ day: UInt32) -> String { String(Figure.time(UInt64(day) * 86_400).prefix(10)) }
}

/// Guests' spaces of a daemon that runs, or of a data directory that none uses.
enum GuestHost {
    /// By its data directory.
    case running(String)
    case stopped(OfflineStore)

    struct Silence: Error {
        let reason: String
    }

    static func find(_ settings: Settings) async throws -> GuestHost {
        let path = settings.vaults.dataPath
        return ConsoleSocket(dataPath: path).isListenedTo
            ? .running(path) : .stopped(try await OfflineStore.open(settings))
    }

    func spaces() async throws -> [GuestSpacePayload] {
        switch self {
        case .running(let path):
            return try Self.decoded(await ConsoleClient.ask(.GET, "/guests", dataPath: path))
        case .stopped(let store): return try await store.service.guestSpaces().map(GuestSpacePayload.init)
        }
    }

    func end(_ ids: [String]) async throws -> Int {
        switch self {
        case .running(let path):
            let wanted = ByteBuffer(bytes: try JSONEncoder().encode(GuestEndPayload(ids: ids)))
            // All its files go before it answers.
            let answer = await ConsoleClient.ask(
                .POST, "/guests/end", json: wanted, dataPath: path, patience: .seconds(300))
            return try (Self.decoded(answer) as GuestEndAnswer).count
        case .stopped(let store): return try await store.service.endGuests(ids)
        }
    }

    func close() async throws {
        if case .stopped(let store) = self { try await store.close() }
    }

    private static func decoded<Value: Decodable>(_ answer: ConsoleClient.Answer) throws -> Value {
        switch answer {
        case .answered(200, let text): return try JSONDecoder().decode(Value.self, from: Data(text.readableBytesView))
        case .answered(let status, _): throw Silence(reason: "it answered with \(status)")
        case .silent(let reason): throw Silence(reason: reason)
        case .notRunning: throw Silence(reason: "it is not running any more")
        }
    }
}
