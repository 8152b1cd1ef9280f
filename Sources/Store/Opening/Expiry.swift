import Bytes
import Glibc
import Synchronization

/// What goes because its day has passed: guests, uploads, sessions, quarantine, damaged
/// ledgers. The clock is not trusted for deleting:
/// after a jump of more than two days, at start or later, nothing expires until the daemon has run on for 24 hours
/// without another.
final class Expiry: Sendable {
    static let quarantineDays: UInt32 = 30
    /// In days. More than that makes the clock doubtful.
    static let mostTrustedJump: UInt32 = 2
    private let configuration: StoreConfiguration
    /// While the clock is doubtful.
    private let doubt = Mutex<ClockDoubt?>(nil)
    /// `latestDay()` as the last run found or left it.
    private let latestTrustedDay = Mutex<UInt32>(0)
    /// `lastDay()` as the last run found or left it.
    private let trustedDay = Mutex<UInt32>(0)
    private let ledger: Ledger
    private let root: Folder
    private let folders: ObjectFolders

    init(configuration: StoreConfiguration, ledger: Ledger, root: Folder, folders: ObjectFolders) {
        self.configuration = configuration
        self.ledger = ledger
        self.root = root
        self.folders = folders
    }

    static func isTrusted(lastDay: UInt32?, today: UInt32, runningFor running: Duration) -> Bool {
        guard let lastDay else { return false }
        let jump = today > lastDay ? today - lastDay : lastDay - today
        return jump <= mostTrustedJump || running >= .seconds(86_400)
    }

    var today: UInt32 { configuration.today() }

    /// By which the last day of what begins now is reckoned: a clock that is behind must not let it go as soon as the
    /// clock is right.
    var firstDay: UInt32 { max(configuration.today(), latestTrustedDay.withLock(\.self)) }

    /// The same for what had better end too early than too late, as ways in do: a clock that was ahead leaves no trace.
    var sessionDay: UInt32 { max(configuration.today(), trustedDay.withLock(\.self)) }

    /// Whether what is due by the calendar may go at this moment.
    func isClockTrusted() throws -> Bool { isTrusted(today: configuration.today(), lastDay: try lastDay()) }

    /// The last day on which the clock was trusted.
    func lastDay() throws -> UInt32? { try day(LedgerSchema.MetaKey.lastDay) }

    /// The latest of all days on which the clock was trusted. It never goes back, as `lastDay` does when a clock that is
    /// behind has run for long enough: what began by that one must not be over as soon as the clock is right.
    func latestDay() throws -> UInt32? {
        // Where a former version wrote there is no latest day, or an old one.
        try [day(LedgerSchema.MetaKey.latestDay), lastDay()].compactMap { $0 }.max()
    }

    private func day(_ key: String) throws -> UInt32? {
        let stored = try ledger.readBlocking { try $0.metaValue(key) }
        return stored.flatMap { $0.count == 4 ? $0.reduce(0) { $0 << 8 | UInt32($1) } : nil }
    }

    private func isTrusted(today: UInt32, lastDay: UInt32?) -> Bool {
        let now = configuration.uptime()
        return doubt.withLock { doubt in
            if Self.isTrusted(lastDay: lastDay, today: today, runningFor: .zero) {
                doubt = nil
                return true
            }
            var current = doubt ?? ClockDoubt(since: now, day: today)
            if !current.isOf(today: today, at: now) { current = ClockDoubt(since: now, day: today) }
            doubt = current
            return Self.isTrusted(lastDay: lastDay, today: today, runningFor: now - current.since)
        }
    }

    /// Objects become doomed; the caller reaps them afterwards.
    /// - Parameter quarantineStays: gets why quarantine could not be emptied; what it throws ends the run.
    func run(quarantineStays: (any Error) throws -> Void = { throw $0 }) throws -> ExpiryReport {
        let today = configuration.today()
        let lastDay = try lastDay()
        let latestDay = try latestDay() ?? 0
        latestTrustedDay.withLock { $0 = max($0, latestDay) }
        trustedDay.withLock { $0 = lastDay ?? 0 }
        guard isTrusted(today: today, lastDay: lastDay) else { return ExpiryReport(isClockTrusted: false) }
        let report = try expireRows(before: today, isNewDay: lastDay != today, firstDay: max(today, latestDay))
        doubt.withLock { $0 = nil }
        latestTrustedDay.withLock { $0 = max($0, today) }
        trustedDay.withLock { $0 = today }
        var complete = report
        do {
            complete.damagedFiles = try removeDamaged(today)
            complete.quarantinedFiles = try emptyQuarantine(today)
        } catch {
            try quarantineStays(error)
        }
        return complete
    }

    private func expireRows(before today: UInt32, isNewDay: Bool, firstDay: UInt32) throws -> ExpiryReport {
        let counts = ExpiryCounts()
        let coverCount = isNewDay ? configuration.coverSessionCount() : 0
        let coverDoorCount = isNewDay ? configuration.coverSessionCount() : 0
        try ledger.commitBlocking(
            LedgerChange(mayUseReserve: true) { transaction, _ in
                let expired = try transaction.expire(before: today)
                try transaction.addCoverSessions(coverCount, today: today)
                try transaction.addCoverDoors(coverDoorCount, today: today)
                counts.set(ExpiryReport(guests: expired.guests, uploads: expired.uploads, sessions: expired.sessions))
                try transaction.setMetaValue(LedgerSchema.MetaKey.lastDay, today.bigEndianBytes)
                try transaction.setMetaValue(LedgerSchema.MetaKey.latestDay, firstDay.bigEndianBytes)
            })
        return counts.report
    }

    private func emptyQuarantine(_ today: UInt32) throws -> Int {
        let days = try folders.quarantineDays()
        return try removeFiles(days.map { ($0, String($0)) }, of: folders.quarantine, today)
    }

    /// Damaged ledgers that a copy took the place of, with all rows that were in them.
    private func removeDamaged(_ today: UInt32) throws -> Int {
        let names = try root.names().filter(root.isFolder)
        return try removeFiles(
            names.compactMap { name in StoreLayout.day(ofDamagedFolder: name).map { ($0, name) } }, of: root, today)
    }

    /// Empties the folders whose days are over. A folder within, which somebody had put there, is ours no more than its
    /// name says, and stays.
    /// - Throws: the first failure, when everything else is removed.
    private func removeFiles(
        _ candidates: [(day: UInt32, name: String)], of parent: Folder, _ today: UInt32
    ) throws -> Int {
        var removed = 0
        var failure: StoreError?
        for (day, name) in candidates where UInt64(day) + UInt64(Self.quarantineDays) < UInt64(today) {
            do throws(StoreError) {
                let folder = try parent.folder(name)
                let names = try folder.names()
                let files = names.filter { !folder.isFolder($0) }
                for name in files where try folder.unlink(name) { removed += 1 }
                if files.count == names.count { try parent.removeFolder(name) }
            } catch {
                failure = failure ?? error
            }
        }
        if let failure { throw failure }
        return removed
    }
}

/// When a clock was found to have jumped, and to which day.
struct ClockDoubt: Equatable {
    /// In running time.
    let since: Duration
    /// Days since 1970, as the clock said then.
    let day: UInt32

    /// Whether the clock has only gone on from there. One that has jumped once more is another clock, and none of the
    /// time that the former one has run speaks for it.
    func isOf(today: UInt32, at now: Duration) -> Bool {
        let expected = Int64(day) + (now - since).components.seconds / 86_400
        return abs(Int64(today) - expected) <= Int64(Expiry.mostTrustedJump)
    }
}

/// Carries the counts of an expiry out of the transaction it ran in.
final class ExpiryCounts: Sendable {
    private let counted = Mutex(ExpiryReport())

    var report: ExpiryReport { counted.withLock { $0 } }

    func set(_ report: ExpiryReport) {
        counted.withLock { $0 = report }
    }
}
