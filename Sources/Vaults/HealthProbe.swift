import Glibc
import Records
import Store
import Synchronization
import Threads

/// Probes the store for the health endpoint. Each probe writes and syncs, so an answer is kept for some seconds and
/// strangers cannot turn the endpoint into load.
final class HealthProbe: Sendable {
    private struct Answer {
        var checks: [Health.Check]
        var at: ContinuousClock.Instant
    }

    private static let kept: Duration = .seconds(10)
    /// While degraded a probe is also the way back, so it is not kept waiting as long.
    private static let keptDegraded: Duration = .seconds(1)
    /// What no probe mends.
    private static let withoutProbe = Set(BackupAge.checkNames + ["ledger:copies", "ledger:log", "removal"])
    private static let writing: Set = ["ledger:write", "objects:write"]
    private let store: Store
    private let backup: BackupAge
    private let isReceiving: @Sendable () -> Bool
    private let pool = BlockingPool(name: "health", threads: 1)
    private let last = Mutex<Answer?>(nil)
    /// What the ledger had done when the last probe ended.
    private let changesBefore = Mutex<UInt64>(0)

    /// - Parameter isReceiving: whether photos are on their way to the disk
    init(store: Store, backup: BackupAge, isReceiving: @escaping @Sendable () -> Bool) {
        self.store = store
        self.backup = backup
        self.isReceiving = isReceiving
    }

    func shutdown() async { await pool.shutdown() }

    /// - Parameter isFresh: whether a recent answer will not do
    func checks(isFresh: Bool) async -> [Health.Check] {
        if !isFresh, let checks = recent { return checks }
        let checks = try? await pool.run { [self] in
            // Whoever waited behind another probe takes its answer.
            if !isFresh, let checks = recent { return checks }
            let checks = probe()
            last.withLock { $0 = Answer(checks: checks, at: .now) }
            return checks
        }
        return checks ?? [Health.Check(name: "store", status: .fail, output: "stopped")]
    }

    /// Runs something that looks at the disk, beside the probes. Nil once the service is stopped.
    func look<R: Sendable>(_ body: @escaping @Sendable () -> R) async -> R? { try? await pool.run(body) }

    private var recent: [Health.Check]? {
        guard let answer = last.withLock({ $0 }) else { return nil }
        let wasSound = answer.checks.allSatisfy { $0.status == .pass || Self.withoutProbe.contains($0.name) }
        // Becoming degraded shows at once.
        if wasSound, store.condition.isDegraded { return nil }
        return ContinuousClock.now - answer.at < (wasSound ? Self.kept : Self.keptDegraded) ? answer.checks : nil
    }

    private func probe() -> [Health.Check] {
        let mustWrite = mustWrite
        defer { changesBefore.withLock { $0 = store.ledger.figures.changeCount } }
        return [
            check("ledger:write", failing: .fail) { try probeLedger(writing: mustWrite) },
            check("objects:write", failing: .fail) { if mustWrite { try store.condition.probe() } },
            diskSpace(),
            check("ledger:copies", failing: .warn) { if let failure = store.ledger.copiesFailure { throw failure } },
            lostLog(),
            check("removal", failing: .warn) { if let failure = store.removalFailure { throw failure } },
            previews(),
            check("durability", failing: .fail) { if store.condition.isDegraded { throw StoreError.degraded } },
        ] + backup.checks()
    }

    /// A disk on which nothing was written since the last probe that went well may sleep: what it would say is known.
    private var mustWrite: Bool {
        let wasSound = last.withLock { $0?.checks.allSatisfy { !Self.writing.contains($0.name) || $0.status == .pass } }
        return wasSound != true || store.condition.isDegraded || store.ledger.isBusy || isReceiving()
            || changesBefore.withLock({ $0 != store.ledger.figures.changeCount })
    }

    /// Takes the way of every change even where nothing is written: a ledger that hangs is noticed. One that waits for the
    /// bucket does not hang, however many changes wait with it.
    private func probeLedger(writing: Bool) throws {
        guard writing else { return try store.ledger.readBlocking { _ = try $0.metaValue(HostMetaKey.healthProbe) } }
        try store.ledger.touch(
            // The reserve is for people.
            LedgerChange { transaction, _ in
                try transaction.setMetaValue(
                    HostMetaKey.healthProbe, try transaction.metaValue(HostMetaKey.healthProbe) == [1] ? [0] : [1])
            })
    }

    private func diskSpace() -> Health.Check {
        var check = check("disk:space", failing: .warn) {
            try store.reserve.restoreIfPossible()
            try store.reserve.requireRoom(for: 0)
            try store.condition.probeRoom()
        }
        if store.reserve.lacksInodes {
            check.status = .warn
            check.output = "no-inodes"
        }
        return check
    }

    /// Nothing brings it back: it is told for as long as somebody may still have that file.
    private func lostLog() -> Health.Check {
        let wasLost = (try? store.wasLogLost()) ?? false
        return Health.Check(name: "ledger:log", status: wasLost ? .warn : .pass, output: wasLost ? "lost" : nil)
    }

    /// A probe is also the way back.
    private func previews() -> Health.Check {
        store.previews.openIfNeeded()
        let isOpen = store.previews.isOpen
        // Only a file that is there and cannot be read is made anew.
        let known = store.previews.failure.flatMap(Self.shortage)
        return Health.Check(
            name: "previews", status: isOpen ? .pass : .warn, output: isOpen ? nil : known ?? "unreadable")
    }

    /// What the host lacks, where that is all there is to it; its disk is not at fault then.
    private static func shortage(_ error: any Error) -> String? {
        if (error as? StoreError)?.isShortOfFiles == true { return "open-files" }
        return VaultError(error) == .diskFull ? VaultError.diskFull.code : nil
    }

    private func check(_ name: String, failing: Health.Status, _ body: () throws -> Void) -> Health.Check {
        do {
            try body()
            return Health.Check(name: name, status: .pass)
        } catch {
            // A full disk is no failing one: photos are shown, and can be deleted.
            let words = Self.shortage(error) ?? VaultError(error).code
            return Health.Check(
                name: name, status: words == VaultError.diskFull.code ? .warn : failing, output: words)
        }
    }
}

/// How the daemon is, in totals; nothing here is per vault.
package struct Health: Sendable {
    package enum Status: String, Comparable, Sendable {
        case pass, warn, fail

        private var rank: Int { self == .pass ? 0 : self == .warn ? 1 : 2 }
        package static func < (left: Status, right: Status) -> Bool { left.rank < right.rank }
    }

    package struct Check: Sendable {
        package var name: String
        package var status: Status
        /// For people; nil when all is well.
        package var output: String?
    }

    package var checks: [Check]

    /// While nothing is there that could be served.
    package static let absent = Health(checks: [Check(name: "store", status: .fail, output: "not-mounted")])
    /// While another host serves, and this one follows it.
    package static let standingBy = Health(checks: [Check(name: "store", status: .fail, output: "stand-by")])

    /// While something else has to end or to come first.
    /// - Parameter detail: what exactly, in words
    package static func waiting(_ reason: String, _ detail: String?) -> Health {
        let words = detail.map { "\(reason): \($0)" } ?? reason
        return Health(checks: [Check(name: "store", status: .fail, output: words)])
    }

    package var status: Status { checks.map(\.status).max() ?? .pass }
}

/// Whether the last backup, the last copy elsewhere and the last rehearsal came to their ends, and are as recent as the
/// owner wants them.
struct BackupAge: Sendable {
    static let checkName = "backup:age"
    static let offsiteCheckName = "offsite:age"
    static let rehearsalCheckName = "offsite:rehearsal"
    static let backupRehearsalCheckName = "backup:rehearsal"
    static let homeRehearsalCheckName = "bucket:rehearsal"
    /// What no probe of the disk mends.
    static let checkNames = [
        checkName, offsiteCheckName, rehearsalCheckName, backupRehearsalCheckName, homeRehearsalCheckName,
    ]
    /// Where the configuration says nothing.
    private static let defaultDays = 7
    /// A quarter of a year: what was sound then is not read by anybody meanwhile.
    private static let rehearsalDays = 92

    let dataPath: String
    /// 0: never old. Nil: the default, where there was a backup at all.
    let days: Int?

    /// Blocking.
    func checks() -> [Health.Check] {
        [
            check(Self.checkName, .backup, days: days),
            // Who asks for backups by name may mean those on a disk: elsewhere there need be none.
            check(Self.offsiteCheckName, .offsite, days: days == 0 ? 0 : nil, limit: days),
            rehearsal(Self.rehearsalCheckName, .rehearsal),
            rehearsal(Self.backupRehearsalCheckName, .backupRehearsal),
            rehearsal(Self.homeRehearsalCheckName, .homeRehearsal),
        ]
    }

    private func rehearsal(_ name: String, _ record: LastBackup.Record) -> Health.Check {
        check(name, record, days: days == 0 ? 0 : nil, limit: Self.rehearsalDays)
    }

    private func check(
        _ name: String, _ record: LastBackup.Record, days: Int?, limit: Int? = nil
    ) -> Health.Check {
        if LastBackup.failure(record, dataPath: dataPath) != nil {
            return Health.Check(name: name, status: .warn, output: "the last one failed")
        }
        let last = LastBackup(record, dataPath: dataPath)?.time
        return Self.check(last: last, now: UInt64(time(nil)), days: last == nil ? days : days ?? limit, name: name)
    }

    /// - Parameters:
    ///   - last: when it was taken, in seconds since 1970; nil without one.
    ///   - now: the same.
    static func check(last: UInt64?, now: UInt64, days: Int?, name: String = checkName) -> Health.Check {
        guard let last else {
            // Others may copy the disk by their own means; who asks for backups by name wants them.
            let isWanted = (days ?? 0) > 0
            return Health.Check(name: name, status: isWanted ? .warn : .pass, output: isWanted ? "none" : nil)
        }
        let limit = UInt64(days ?? defaultDays) * 86_400
        let age = now - min(now, last)
        let isOld = limit > 0 && age > limit
        return Health.Check(name: name, status: isOld ? .warn : .pass, output: isOld ? "\(age / 86_400) days old" : nil)
    }
}
