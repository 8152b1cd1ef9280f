import Glibc
import Store

/// Whether the last backup came to its end, and is as recent as the owner wants it.
struct BackupAge: Sendable {
    static let checkName = "backup:age"
    /// Where the configuration says nothing.
    private static let defaultDays = 7

    let dataPath: String
    /// 0: never old. Nil: the default, where there was a backup at all.
    let days: Int?

    /// Blocking.
    func check() -> Health.Check {
        if LastBackup.failure(dataPath: dataPath) != nil {
            return Health.Check(name: Self.checkName, status: .warn, output: "the last one failed")
        }
        return Self.check(last: LastBackup(dataPath: dataPath)?.time, now: UInt64(time(nil)), days: days)
    }

    /// - Parameters:
    ///   - last: when it was taken, in seconds since 1970; nil without one.
    ///   - now: the same.
    static func check(last: UInt64?, now: UInt64, days: Int?) -> Health.Check {
        guard let last else {
            // Others may copy the disk by their own means; who asks for backups by name wants them.
            let isWanted = (days ?? 0) > 0
            return Health.Check(name: checkName, status: isWanted ? .warn : .pass, output: isWanted ? "none" : nil)
        }
        let limit = UInt64(days ?? defaultDays) * 86_400
        let age = now - min(now, last)
        let isOld = limit > 0 && age > limit
        return Health.Check(
            name: checkName, status: isOld ? .warn : .pass, output: isOld ? "\(age / 86_400) days old" : nil)
    }
}
