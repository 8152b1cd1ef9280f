import ArgumentParser
import Glibc
import NIOCore
import Printing
import Records
import Store
import Unlocking
import Vaults

struct Check: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Verifies a data directory; with --password, opens and verifies every photo of one vault too.",
        discussion:
            "Exit codes: 0 sound, 1 damaged, 64 usage, 77 wrong password, 78 unusable configuration or data. The daemon must be stopped."
    )

    @OptionGroup var options: StoreOptions

    @Flag(help: "Ask for a password and open everything in its vault.")
    var password = false

    func run() async throws {
        try await reportingFailures {
            let settings = try await options.settings()
            let typed = password ? try PasswordPrompt.read("Password: ") : nil
            var isSound = try await checkStore(settings.vaults.dataPath)
            if let typed { isSound = try await checkVault(settings, typed) && isSound }
            Terminal.print(isSound ? "Sound." : "Damaged.")
            if !isSound { throw ExitCode.damaged }
        }
    }

    private func checkStore(_ path: String) async throws -> Bool {
        let findings = try await StoreWork.run("Store ") { progress in
            try StoreCheck.run(path: path, progress: progress)
        }
        return Self.show(findings)
    }

    /// - Returns: whether nothing is lost.
    static func show(_ findings: [Finding]) -> Bool {
        for finding in findings {
            Terminal.print("\(finding.severity == .damage ? "DAMAGE" : "note  ") \(finding.text)")
        }
        return !findings.contains { $0.severity == .damage }
    }

    private func checkVault(_ settings: Settings, _ password: Password) async throws -> Bool {
        let vault = try await OfflineVault.open(settings, password: password)
        let lost = vault.lostEntries
        for line in lost { Terminal.print("\(line)") }
        var isSound = lost.isEmpty
        let photos = try await vault.photos() + vault.session.trash.all()
        let total = photos.reduce(0) { $0 + $1.byteCount }
        var done: UInt64 = 0
        var bar = ProgressBar("Photos")
        for photo in photos {
            do {
                let original = try await vault.session.photos.original(photo.id)
                var offset: UInt64 = 0
                while offset < original.byteCount {
                    let bytes = try await original.read(at: offset, atMost: 1 << 20)
                    offset += UInt64(bytes.readableBytes)
                    bar.show(done + offset, of: total)
                }
            } catch VaultError.damaged {
                isSound = false
                Terminal.print("DAMAGE \(photo.name)")
            }
            done += photo.byteCount
        }
        bar.finish()
        for name in try await vault.session.damagedWindows() {
            isSound = false
            Terminal.print("DAMAGE window \(name)")
        }
        await vault.close()
        Terminal.print("\(photos.count) photos opened and verified.")
        return isSound
    }
}

struct Reclaim: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Puts aside what belongs to no vault whose password is typed; with --purge, removes it for good.",
        discussion: """
            For photos of vaults whose passwords are forgotten. Asks for the passwords of all vaults to be kept, one \
            after the other, and ends with an empty one. Nobody can tell how many vaults there are: of a vault that is \
            left out, every photo is put aside. It lies in quarantine for 30 days; whoever opens that vault meanwhile \
            has it back. What guests have, and unfinished uploads, are left alone. Exit codes: 0 done, 1 a vault is \
            damaged and nothing was changed, 64 usage, 73 not confirmed, 77 wrong password, 78 unusable configuration \
            or data. The daemon must be stopped.
            """)

    @OptionGroup var options: StoreOptions

    @Flag(help: "Remove everything that lies in quarantine for good.")
    var purge = false

    func run() async throws {
        try await reportingFailures {
            umask(0o077)
            let settings = try await options.settings()
            try await purge ? removeForGood(settings) : putAside(settings)
        }
    }

    // MARK: Putting aside

    private func putAside(_ settings: Settings) async throws {
        let store = try await OfflineStore.open(settings)
        let outcome: Result<Void, any Error>
        do {
            try await putAside(
                store.service, keeping: try await openVaults(store), isInBucket: settings.objects != nil)
            outcome = .success(())
        } catch VaultError.damaged {
            Terminal.complain(
                "One of these vaults is damaged, so what belongs to it cannot be told. Nothing was changed. "
                    + "Open it in the page and accept the loss, or restore a backup, first.")
            outcome = .failure(ExitCode.damaged)
        } catch {
            outcome = .failure(error)
        }
        try await store.close()
        try outcome.get()
    }

    /// With a terminal a mistyped password is asked for once more.
    private func openVaults(_ store: OfflineStore) async throws -> [Session] {
        var sessions: [Session] = []
        while true {
            let password = try PasswordPrompt.read("Password of a vault to keep (empty: no more): ")
            if password.isEmpty { return sessions }
            do {
                sessions.append(try await store.openVault(password))
                Terminal.show("Vault \(sessions.count) is open.\n")
            } catch VaultError.noSuchVault where isatty(STDIN_FILENO) == 1 {
                Terminal.show("That password opens no vault here.\n")
            }
        }
    }

    private func putAside(_ service: VaultService, keeping sessions: [Session], isInBucket: Bool) async throws {
        let unclaimed = try await service.unclaimed(keeping: sessions)
        guard unclaimed.count > 0 else { return Terminal.print("Nothing is unclaimed. Nothing was changed.") }
        // What a bucket has is not moved there: it goes once nothing has listed it for so long.
        let end: PrintableText =
            isInBucket
            ? "in 30 days, from the bucket 30 days after a daemon has found that nothing lists them"
            : "in 30 days, or at once by --purge"
        Terminal.print(
            """
            \(Figure.count(unclaimed.count, "object", "objects")) (\(Figure.bytes(unclaimed.byteCount))) \
            \(unclaimed.count == 1 ? "belongs" : "belong") to none of \
            \(Figure.count(sessions.count, "vault", "vaults")) that you opened.
            WARNING: If there is another vault on this host, these are its photos. They are put aside now and removed \
            for good \(end). Until then, opening that vault brings them back.
            """)
        try confirm("Type \(unclaimed.count) to put them aside: ", "\(unclaimed.count)")
        let moved = try await service.quarantine(unclaimed)
        let done = Figure.count(moved, "file was", "files were")
        guard isInBucket else { return Terminal.print("\(done) put aside.") }
        let count = Figure.count(unclaimed.count, "object was", "objects were")
        Terminal.print("\(count) put aside. On this disk \(done) moved.")
    }

    // MARK: Removing

    private func removeForGood(_ settings: Settings) async throws {
        let path = settings.vaults.dataPath
        if settings.objects != nil {
            Terminal.print(
                """
                Everything here goes along to a bucket. Only what lies in quarantine on this disk can be removed at once; in \
                the bucket it goes by itself, 30 days after a daemon has found that nothing lists it. Until then, \
                opening its vault brings it back.
                """)
        }
        let found = try await StoreWork.run("Looking") { _ in try Quarantine.look(path: path) }
        guard found.fileCount > 0 else { return Terminal.print("Nothing lies in quarantine.") }
        Terminal.print(
            "\(Figure.count(found.fileCount, "file lies", "files lie")) in quarantine "
                + "(\(Figure.bytes(found.byteCount))). Removed, nobody can bring them back.")
        try confirm("Remove them for good? Type yes: ", "yes")
        let removed = try await StoreWork.run("Removing") { _ in try Quarantine.purge(path: path) }
        Terminal.print("\(Figure.count(removed, "file was", "files were")) removed.")
    }

    private func confirm(_ prompt: PrintableText, _ expected: String) throws {
        guard LinePrompt.read(prompt) == expected else {
            Terminal.print("Nothing was changed.")
            throw ExitCode.unconfirmed
        }
    }
}
