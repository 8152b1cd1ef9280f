import ArgumentParser
import Glibc
import Import
import Printing
import Records
import Unlocking
import Web

struct ImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Brings photos from folders and archives into a vault, and proves that they lie there.",
        discussion: """
            Takes folders, camera cards, parts of a Google Takeout (.zip, .tgz), other archives (.7z, .tar, .tar.xz), exports of Apple's iCloud Photos, of Immich, \
            of Ente, Flickr, Facebook, Instagram, Snapchat, and of this program; name all parts of one export at once. \
            Dates, places, albums, hearts and captions that lie beside photos are kept with them. A date or a place that was \
            put right there leads, and the report names it. Each photo is read back from the \
            disk and compared before it is said to be stored. Can be interrupted and run again: nothing comes twice, and \
            nothing is changed in the sources. Works while the daemon runs, by the socket in its data directory, and while it \
            is stopped; run it as the daemon's user.

            With --door the files of one folder go through a door, which needs no password and opens nothing: what \
            safelight-inbox@.timer starts. What was sent is remembered, and with --take deleted once it was read back. \
            Exit codes: 0 every photo lies in the vault, 1 some do not (named), 64 \
            usage, 74 not completed: run it again, 77 wrong password, 78 unusable configuration, data or source.
            """)

    enum LeadingDate: String, ExpressibleByArgument, CaseIterable {
        case sidecar
        case file
    }

    /// More are in the table alone.
    private static let mostNamed = 100

    @OptionGroup var options: StoreOptions

    @Option(help: "An album that everything joins.")
    var album: String?

    @Flag(help: "Makes an album of each folder that is none in its export.")
    var keepFolders = false

    @Option(
        help:
            "What leads where a photo and its sidecar differ by more than a day: \"sidecar\" or \"file\"; of places, too."
    )
    var dates: LeadingDate = .sidecar

    @Flag(
        inversion: .prefixedNo,
        help:
            "Brings pictures of other services of a Takeout than Google Photos, in no album; else they are listed alone."
    )
    var allServices = true

    @Option(help: "Writes a table (CSV) that says of every file what became of it.")
    var report: String?

    @Option(help: "Reads the password from this file descriptor, up to the end of its first line.")
    var passwordFd: CInt?

    @Option(help: "Sends what lies in one folder through the door whose code, or link, is in this file.")
    var door: String?

    @Flag(help: "With --door: deletes each file that was read back from the disk of the vaults, and did not change.")
    var take = false

    @Option(help: "With --door: seconds for which nothing may have happened to a file. Default 60.")
    var still: Int?

    @Argument(help: "Folders, archives, files.")
    var source: [String]

    func validate() throws {
        if let album, album.allSatisfy(\.isWhitespace) || album.utf8.count > AlbumRecord.longestName {
            throw ValidationError("An album's name has 1 to \(AlbumRecord.longestName) bytes.")
        }
        try validateDoor()
    }

    func run() async throws {
        try await reportingFailures {
            do {
                if let door { try await send(throughDoorOf: door) } else { try await bring() }
            } catch ImportRefusal.all(let reason) {
                Terminal.complain("\(reason) What was brought is safe: run the import again.")
                throw ExitCode.incomplete
            } catch let error as ImportError {
                Terminal.complain("\(error.description)")
                throw ExitCode.unusable
            }
        }
    }

    private func bring() async throws {
        if let report { try ImportTable.check(report, besides: source) }
        let settings = try await options.settings()
        let password = try PasswordPrompt.read("Password: ", from: passwordFd ?? STDIN_FILENO)
        guard !password.isEmpty else { throw VaultError.passwordEmpty }
        let path = settings.vaults.dataPath
        let vault: any ImportVault =
            ConsoleSocket(dataPath: path).isListenedTo
            ? try await DaemonImportVault(dataPath: path, password: password)
            : try await OfflineImportVault(settings, password: password)
        let result: Result<ImportReport, any Error>
        do {
            result = .success(try await bring(into: vault))
        } catch {
            result = .failure(error)
        }
        await vault.close()
        let outcome = try result.get()
        try show(outcome)
        if !outcome.isProven { throw ExitCode.damaged }
    }

    private func bring(into vault: any ImportVault) async throws -> ImportReport {
        let unpacker = try Settings.unpacker()
        let scan = try await Self.keepingOpen(vault) {
            try await ScannedSources.scan(
                source,
                .init(album: album, keepsFolders: keepFolders, filesLead: dates == .file, allServices: allServices),
                unpacker)
        }
        let report = try await ImportRun(scan, into: vault).run()
        do {
            try await vault.note(report.proof)
        } catch {
            // What was brought lies there all the same.
            Terminal.complain("The page will not show this proof: the vault could not note it (\(error)).")
        }
        return report
    }

    /// A session locks that nobody uses; sources may take longer to look at.
    private static func keepingOpen<R: Sendable>(
        _ vault: any ImportVault, _ body: @escaping @Sendable () async throws -> R
    ) async throws -> R {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                while !Task.isCancelled {
                    try await Task.sleep(for: .seconds(30))
                    _ = try await vault.unreadCount()
                }
            }
            defer { group.cancelAll() }
            return try await body()
        }
    }

    private func show(_ outcome: ImportReport) throws {
        let table = Result { if let report { try ImportTable.write(outcome.table, to: report, besides: source) } }
        let place = (try? table.get()) == nil ? nil : report
        let named = outcome.named
        for line in named.prefix(Self.mostNamed) { Terminal.print("\(line)") }
        if named.count > Self.mostNamed {
            Terminal.print("\(named.count - Self.mostNamed) more; --report FILE names all of them.")
        }
        for line in outcome.text(list: place) { Terminal.print("\(line)") }
        try table.get()
    }
}

/// The table that says of every file what became of it.
private enum ImportTable {
    /// Nothing is replaced but such a table, and nothing that is to be brought: a shell may have put the name of a source
    /// where that of the table was left out.
    /// - Throws: `ImportError.source`, also where no file can be made there.
    static func check(_ path: String, besides sources: [String]) throws {
        try requireReplaceable(path, besides: sources)
        let draft = draft(of: path)
        let descriptor = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw ImportError.source("\(path) cannot be written: \(reason)") }
        close(descriptor)
        unlink(draft)
    }

    private static func requireReplaceable(_ path: String, besides sources: [String]) throws {
        var facts = stat()
        guard stat(path, &facts) == 0 else { return }
        let isSource = sources.contains { source in
            var other = stat()
            return stat(source, &other) == 0 && other.st_dev == facts.st_dev && other.st_ino == facts.st_ino
        }
        guard !isSource, facts.st_mode & S_IFMT == S_IFREG, isTable(path) else {
            throw ImportError.source(
                "\(path) is there, and is no report of an import. It was not changed; name another file for --report.")
        }
    }

    private static func isTable(_ path: String) -> Bool {
        let head = Array(ImportReport.tableHead.utf8)
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: head.count)
        return pread(descriptor, &bytes, bytes.count, 0) == bytes.count && bytes == head
    }

    private static func draft(of path: String) -> String { "\(path).\(UInt64.random(in: .min ... .max))" }

    /// In place of what lay there, once it is whole.
    static func write(_ text: String, to path: String, besides sources: [String]) throws {
        let draft = draft(of: path)
        let descriptor = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw ImportError.source("\(path) cannot be written: \(reason)") }
        defer { close(descriptor) }
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return try fail(path, draft) }
            rest = rest.dropFirst(count)
        }
        do {
            // An import takes hours, in which somebody may have put a file of theirs there.
            try requireReplaceable(path, besides: sources)
        } catch {
            unlink(draft)
            throw error
        }
        guard fsync(descriptor) == 0, rename(draft, path) == 0 else { return try fail(path, draft) }
    }

    private static func fail(_ path: String, _ draft: String) throws {
        let reason = reason
        unlink(draft)
        throw ImportError.source("\(path) cannot be written: \(reason)")
    }

    private static var reason: String { String(cString: strerror(errno)) }
}
