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
            no password for that and changes nothing of the backup. With --from objects it does the same to the bucket that \
            everything goes along to, as a host that takes over would. With --password it opens ten photos of one vault, \
            too, as after a restoration. Health warns when the last rehearsal of this data directory is old. What is \
            fetched lies in the folder for temporary files (TMPDIR) meanwhile, sealed. \
            \(BucketOptions.aboutKeys) Exit codes: 0 sound, 1 damaged (named), 64 usage, 74 not completed, 77 wrong \
            password, 78 unusable backup.
            """)

    /// In place of an address.
    private static let home = "objects"

    @OptionGroup var options: StoreOptions

    @Option(
        help:
            "The folder of the backup, or s3://BUCKET/PREFIX; objects stands for the bucket that everything goes along to."
    )
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
            let isSound = try await from == Self.home ? rehearseHome(settings, typed) : rehearseBackup(settings, typed)
            Terminal.print(isSound ? "Sound." : "Damaged. \(Self.remedy(of: from))")
            if !isSound { throw ExitCode.damaged }
        }
    }

    private static func remedy(of place: String) -> PrintableText {
        place == home
            ? "Leave the daemon running for a day: it puts into the bucket again what this disk has. Then rehearse once more."
            : "What is named above cannot be restored from \(place); the photos on this computer were not looked at (safelight check "
                + "does that). If they are whole, safelight backup --verify --to \(place) copies again what is missing there or has "
                + "changed. Then rehearse once more, and keep this place until that goes well. If it changes again, the disk or the "
                + "store is failing: choose another one."
    }

    private func rehearseBackup(_ settings: Settings, _ typed: Password?) async throws -> Bool {
        try await bucket.using(from) { place in
            let (state, part) = (state, part.fraction)
            let report = try await StoreWork.run("Fetch  ") { progress in
                try Rehearsal(from: place).run(state: state, part: part, progress: progress)
            }
            show(report, "the state of \(Figure.time(report.time))")
            var isSound = report.damaged.isEmpty
            if let typed, isSound { isSound = try await openPhotos(of: place, settings, typed) }
            // A disk that takes no writes is no reason to call a good copy a bad one.
            try? LastBackup.Record.rehearsal(of: place).note(isSound, of: report.hostSalt, in: settings.vaults.dataPath)
            return isSound
        }
    }

    private func rehearseHome(_ settings: Settings, _ typed: Password?) async throws -> Bool {
        guard let objects = settings.objects else {
            throw StartFailure(
                description: "The configuration names no bucket that everything goes along to (objects).")
        }
        let tier = try Tier.forReading(objects)
        let outcome: Result<Bool, any Error>
        do { outcome = .success(try await rehearse(tier, settings, typed)) } catch { outcome = .failure(error) }
        await tier.close()
        let isSound: Bool? =
            switch outcome {
            case .success(let isSound): isSound
            // No host could take over.
            case .failure(let failure as StartFailure) where !failure.isOfDisk && !failure.isOfBucket: false
            case .failure: nil
            }
        if let isSound { try? LastBackup.Record.homeRehearsal.note(isSound, in: settings.vaults.dataPath) }
        return try outcome.get()
    }

    private func rehearse(_ tier: Tier, _ settings: Settings, _ typed: Password?) async throws -> Bool {
        let part = part.fraction
        let home = try await StoreWork.run("State  ") { try TierRehearsal(of: tier.remote, progress: $0) }
        defer { home.remove() }
        let report = try await StoreWork.run("Fetch  ") { try home.run(part: part, progress: $0) }
        show(report, "a take-over")
        guard let typed, report.damaged.isEmpty else { return report.damaged.isEmpty }
        var settings = settings
        settings.vaults.dataPath = home.path
        let vault = try await OfflineVault.open(settings, password: typed)
        return try await openTen(vault) { _ in }
    }

    private func show(_ report: RehearsalReport, _ what: PrintableText) {
        for name in report.damaged { Terminal.print("DAMAGE \(name) is missing there or has changed") }
        Terminal.print(
            "Rehearsed \(what): fetched \(report.fetchedObjectCount) of "
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
        return try await openTen(vault) { try store.fetch($0) }
    }

    /// - Parameter fetch: brings an object where the vault looks for it
    private func openTen(
        _ vault: OfflineVault, _ fetch: @escaping @Sendable (ObjectID) throws -> Void
    ) async throws -> Bool {
        do {
            let isSound = try await openSome(vault, fetch)
            await vault.close()
            return isSound
        } catch {
            await vault.close()
            throw error
        }
    }

    private func openSome(
        _ vault: OfflineVault, _ fetch: @escaping @Sendable (ObjectID) throws -> Void
    ) async throws -> Bool {
        let photos = try await vault.photos().shuffled().prefix(10)
        var isSound = true
        for photo in photos {
            let object = try await vault.session.photos.object(of: photo.id)
            try await StoreWork.run("Photo  ") { _ in try fetch(object) }
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
