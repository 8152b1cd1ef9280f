import CSeccomp
import Glibc

/// Landlock (landlock(7)): the kernel's own "no file, no port, no signal to others" beside the system call filter.
enum Landlock {
    /// What a kernel of each version can deny; a kernel knows no bits of later versions.
    static func rules(version: Int) -> (rules: cage_landlock_rules, byteCount: Int)? {
        guard version >= 1 else { return nil }
        var fileRights: UInt64 = (1 << 13) - 1
        if version >= 2 { fileRights |= 1 << 13 }
        if version >= 3 { fileRights |= 1 << 14 }
        if version >= 5 { fileRights |= 1 << 15 }
        // Binding and connecting TCP since 4; abstract sockets and signals outside since 6.
        let rules = cage_landlock_rules(
            files: fileRights, network: version >= 4 ? 3 : 0, scopes: version >= 6 ? 3 : 0)
        return (rules, version >= 6 ? 24 : version >= 4 ? 16 : 8)
    }

    /// True where the kernel has no Landlock, or it is switched off: the system call filter stands without it.
    static func denyEverything() -> Bool {
        guard let (rules, byteCount) = rules(version: Int(cage_landlock_version())) else { return true }
        let error = cage_landlock_deny(rules, UInt(byteCount))
        return [0, ENOSYS, EOPNOTSUPP, EPERM].contains(error)
    }
}
