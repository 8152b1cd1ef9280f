import ArgumentParser
import Printing
import Records
import Releases
import Upgrades

struct VersionCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "version", abstract: "Prints the version, and whether there is a newer one.",
        discussion:
            "Exit codes: 0 answered, 69 the release feed could not be used, 78 no feed is configured, or its configuration is unusable."
    )

    @Flag(help: "Ask the release feed (upgrade.feed) now.")
    var check = false

    @Option(help: "The configuration file (YAML).")
    var config: String?

    func run() async throws {
        try await reportingFailures {
            Terminal.print("Safelight \(Version.text)")
            guard check else { return }
            guard let upgrade = try UpgradeSettings(try await Settings.reader(file: config, arguments: [:])) else {
                throw StartFailure(description: "No release feed is configured (upgrade.feed).")
            }
            Terminal.print(try await Self.answer(upgrade))
        }
    }

    private static func answer(_ upgrade: UpgradeSettings) async throws -> PrintableText {
        var state = FeedState(feed: upgrade.feed.text)
        do {
            let answer = try await upgrade.client.ask(entityTag: nil)
            guard let release = try upgrade.judge.judge(answer, &state) else { return "It is the newest one." }
            return description(of: Upgrade(to: release, from: upgrade.judge.running))
        } catch {
            Terminal.complain("The release feed is left alone: \(error).")
            throw ExitCode.unavailable
        }
    }

    private static func description(of upgrade: Upgrade) -> PrintableText {
        let release = upgrade.release
        var lines: [PrintableText] = ["Version \(release.version) is available: \(release.page)"]
        if let notes = release.notes { lines.append("What is new: \(notes)") }
        if upgrade.isNeeded { lines.append("The version that is installed here is no longer looked after.") }
        return lines.joined(separator: "\n")
    }
}
