import ArgumentParser
import Configuration
import Glibc
import ServiceManager
import Threads

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
