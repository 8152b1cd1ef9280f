/// The names in a backup folder.
///
/// A state is what a data directory was at one moment: header, slots, ledger, unfinished uploads, and the list of the
/// objects that belong to it, which all states share. Its folder gets its name when everything in it, and every
/// object that it lists, is on disk and was read back; so what is called a state is whole, wherever a run was cut off.
enum BackupLayout {
    /// Says what the folder is.
    static let marker = "safelight-backup"
    static let markerText = "Safelight backup, format 1\n"
    static let lock = "lock"
    static let objects = "objects"
    /// Of the copy that is being written.
    static let incoming = "incoming"
    /// Digests of objects that runs have copied that did not come to their end.
    static let journal = "copied"
    static let newState = "state.new"
    /// Of the state that is being removed.
    static let oldState = "state.old"
    static let parts = "parts"
    /// As `sha256sum --check` reads it, within the state's folder.
    static let digests = "SHA256SUMS"

    private static let statePrefix = "state-"

    /// `time`: seconds since 1970 at which it was taken, or one more than the state before it.
    static func stateName(_ time: UInt64) -> String { statePrefix + String(time) }

    /// Nil for a name that `stateName` does not give.
    static func stateTime(_ name: String) -> UInt64? {
        guard name.hasPrefix(statePrefix), let time = UInt64(name.dropFirst(statePrefix.count)),
            stateName(time) == name, time < .max
        else { return nil }
        return time
    }

    /// As seen from a state's folder.
    static func objectPath(_ id: ObjectID) -> String { "../\(objects)/\(ObjectFolders.shardName(of: id))/\(id.hex)" }
    static func partPath(_ id: ObjectID) -> String { "\(parts)/\(id.hex)" }
}
