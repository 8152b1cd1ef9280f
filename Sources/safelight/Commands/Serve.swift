import ArgumentParser
import Configuration
import Glibc
import Printing
import Records
import Releases
import ServiceManager
import Threads
import Upgrades

struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Runs the daemon until SIGTERM or SIGINT.",
        discussion: Setting.help
            + "\n\nThe configuration file is /etc/safelight/safelight.yaml where there is one. Exit codes: 0 stopped, 64 usage, 74 the disk has failed while it ran, 75 an address cannot be listened on or it may go well another time, 78 unusable configuration or data. It waits, and says so, for a disk that is not mounted, is full, fails or can only be read, for more open files or memory, for a command that has the data directory, and for a bucket that does not take what it is asked."
    )

    @OptionGroup var options: StoreOptions

    @Option(
        help:
            "ADDRESS:PORT or unix:/PATH to listen on; can be given again. 0.0.0.0 and [::] mean every address of this host. Sockets that systemd hands over (LISTEN_FDS) are used where this is not given."
    )
    var listen: [String] = []

    @Option(help: "The folder of the page.")
    var www: String?

    @Flag(
        help:
            "Follow the host that writes to the bucket (objects), and serve only once this one is to take its place: by safelight take-over here, or after objects.takeover seconds without a sign of life. For a host that is the last to write there it changes nothing."
    )
    var standBy = false

    func run() async throws {
        try await reportingFailures {
            umask(0o077)
            FreedMemory.keepNoLargeBlocks()
            ReloadSignal.ignore()
            // Taken over in any case: what is not used is not to stay open, nor to be passed on.
            let inherited = try InheritedSocket.takeAll()
            let environment = ServiceEnvironment.take()
            let settings = try await options.settings(arguments)
            try await Daemon(settings, inherited: used(inherited), environment: environment, standsBy: standBy).run()
        }
    }

    private func used(_ inherited: [InheritedSocket]) -> [InheritedSocket] {
        guard !listen.isEmpty else { return inherited }
        for socket in inherited { close(socket.descriptor) }
        return []
    }

    private var arguments: [Setting: ConfigValue] {
        var values: [Setting: ConfigValue] = [:]
        if let www { values[.www] = ConfigValue(.string(www), isSecret: false) }
        if !listen.isEmpty { values[.listen] = ConfigValue(.stringArray(listen), isSecret: false) }
        return values
    }
}

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
