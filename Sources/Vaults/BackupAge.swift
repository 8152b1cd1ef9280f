import Glibc
import Store

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
