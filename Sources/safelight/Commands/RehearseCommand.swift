import ArgumentParser
import Bucket
import Glibc
import Printing
import Records
import Store
import Unlocking
import Vault
import Vaults

struct RehearseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rehearse",
        abstract: "Tries whether a backup can be read back: fetches some of it and compares every byte.",
        discussion: """
            Fetches one state and a random part of its objects, and compares them with the state's list of digests; needs \
            no password for that and changes nothing of the backup. With --password it opens ten photos of one vault, \
            too, as after a restoration. Health warns when the last rehearsal of this data directory is old. What is \
            fetched lies in the folder for temporary files (TMPDIR) meanwhile, sealed. \
            \(BucketOptions.aboutKeys) Exit codes: 0 sound, 1 damaged (named), 64 usage, 74 not completed, 77 wrong \
            password, 78 unusable backup.
            """)

    @OptionGroup var options: StoreOptions

    @Option(help: "The folder of the backup, or s3://BUCKET/PREFIX.")
    var from: String

    @OptionGroup var bucket: BucketOptions

    @Option(help: "How much of the objects to fetch, in percent: more than 0, up to 100%.")
    var part = Percentage(percent: 1)

    @Option(help: "One of the states that the backup keeps, by the number in its name. Default: the newest.")
    var state: UInt64?

    @Flag(help: "Ask for a password and open ten photos of its vault.")
    var password = false

    func run() async throws {
        try await reportingFailures {
            umask(0o077)
            let typed = password ? try PasswordPrompt.read("Password: ") : nil
            let settings = try await options.settings()
            let isSound = try await bucket.using(from) { place in
                let rehearsal = Rehearsal(from: place)
                let report = try await rehearse(rehearsal)
                show(report)
                var isSound = report.damaged.isEmpty
                if let typed, isSound { isSound = try await openPhotos(of: place, settings, typed) }
                // A disk that takes no writes is no reason to call a good copy a bad one.
                try? rehearsal.note(report, isSound: isSound, in: settings.vaults.dataPath)
                return isSound
            }
            Terminal.print(isSound ? "Sound." : "Damaged.")
            if !isSound { throw ExitCode.damaged }
        }
    }

    private func rehearse(_ rehearsal: Rehearsal) async throws -> RehearsalReport {
        let (state, part) = (state, part.fraction)
        return try await StoreWork.run("Fetch  ") { progress in
            try rehearsal.run(state: state, part: part, progress: progress)
        }
    }

    private func show(_ report: RehearsalReport) {
        for name in report.damaged { Terminal.print("DAMAGE \(name) of the backup is missing or has changed") }
        Terminal.print(
            "Rehearsed the state of \(Figure.time(report.time)): fetched \(report.fetchedObjectCount) of "
                + "\(Figure.count(report.objectCount, "object", "objects")), \(Figure.bytes(report.byteCount)) in all.")
    }

    /// As after a restoration, in a folder for temporary files that has the state, and of the objects ten.
    private func openPhotos(of place: BackupPlace, _ settings: Settings, _ password: Password) async throws -> Bool {
        let state = state
        let store = try await StoreWork.run("State  ") { _ in try RehearsalStore(from: place, state: state) }
        defer { store.remove() }
        var configuration = settings.vaults
        configuration.dataPath = store.path
        configuration.reserveByteCount = 0
        let vault = try await OfflineVault.open(configuration, password: password)
        do {
            let isSound = try await openTen(vault, store)
            await vault.close()
            return isSound
        } catch {
            await vault.close()
            throw error
        }
    }

    private func openTen(_ vault: OfflineVault, _ store: RehearsalStore) async throws -> Bool {
        let photos = try await vault.photos().shuffled().prefix(10)
        var isSound = true
        for photo in photos {
            let object = try await vault.session.photos.object(of: photo.id)
            try await StoreWork.run("Photo  ") { _ in try store.fetch(object) }
            do {
                let original = try await vault.session.photos.original(photo.id)
                var offset: UInt64 = 0
                while offset < original.byteCount {
                    offset += UInt64(try await original.read(at: offset, atMost: 1 << 20).readableBytes)
                }
            } catch VaultError.damaged {
                isSound = false
                Terminal.print("DAMAGE \(photo.name)")
            }
        }
        Terminal.print("\(Figure.count(photos.count, "photo", "photos")) opened and verified.")
        return isSound
    }
}

/// `1%`, `0.5%`, or the number alone.
struct Percentage: ExpressibleByArgument, CustomStringConvertible {
    let percent: Double

    init(percent: Double) { self.percent = percent }

    init?(argument: String) {
        let digits = argument.hasSuffix("%") ? argument.dropLast() : argument[...]
        guard let percent = Double(digits), percent > 0, percent <= 100 else { return nil }
        self.percent = percent
    }

    var fraction: Double { percent / 100 }
    var description: String { "\(percent.formatted())%" }
    var defaultValueDescription: String { description }
}

extension Double {
    fileprivate func formatted() -> String { self == rounded() ? String(Int(self)) : String(self) }
}
