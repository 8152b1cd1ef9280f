/// The names in a backup folder.
///
/// A state is what a data directory was at one moment: header, slots, ledger, unfinished uploads, and the list of the
/// objects that belong to it, which all states share. Its folder gets its name when everything in it, and every
/// object that it lists, is on disk and was read back; so what is called a state is whole, wherever a run was cut off.
enum BackupLayout {
    /// Says what the folder is.
    static let marker = StoreLayout.backupMarker
    static let markerText = "Safelight backup, format 1\n"
    static let lock = "lock"
    static let objects = "objects"
    /// Of the copy that is being written.
    static let incoming = "incoming"
    /// The same for each of several that are written at the same time.
    static func incoming(_ worker: Int) -> String { worker == 0 ? incoming : "\(incoming)-\(worker)" }
    /// Digests of objects that runs have copied that did not come to their end.
    static let journal = "copied"
    static let newState = "state.new"
    /// Of the state that is being removed.
    static let oldState = "state.old"
    static let parts = "parts"
    /// As `sha256sum --check` reads it, within the state's folder.
    static let digests = "SHA256SUMS"

    static let statePrefix = "state-"
    /// But for parts.
    static let filesOfState = [StoreLayout.header, StoreLayout.slots, StoreLayout.ledger, digests]

    /// `time`: seconds since 1970 at which it was taken, or one more than the state before it.
    static func stateName(_ time: UInt64) -> String { statePrefix + String(time) }

    /// Nil for a name that `stateName` does not give.
    static func stateTime(_ name: String) -> UInt64? {
        guard name.hasPrefix(statePrefix), let time = UInt64(name.dropFirst(statePrefix.count)),
            stateName(time) == name, time < .max
        else { return nil }
        return time
    }

    /// As seen from the backup's root.
    static func storedPath(_ id: ObjectID) -> String { "\(objects)/\(ObjectFolders.shardName(of: id))/\(id.hex)" }
    /// As seen from a state's folder.
    static func objectPath(_ id: ObjectID) -> String { "../" + storedPath(id) }
    static func partPath(_ id: ObjectID) -> String { "\(parts)/\(id.hex)" }
}

extension Folder {
    /// An empty folder for a state.
    func makeState(_ name: String) throws(StoreError) -> Folder {
        try makeFolder(name)
        let state = try folder(name)
        try state.makeFolder(BackupLayout.parts)
        return state
    }

    /// Removes a state, or what a run that was cut off has left of one, if there is any.
    func removeState(_ name: String) throws(StoreError) {
        guard contains(name) else { return }
        let state = try folder(name)
        if state.contains(BackupLayout.parts) {
            try state.folder(BackupLayout.parts).removeFiles()
            try state.removeFolder(BackupLayout.parts)
        }
        try state.removeFiles()
        try removeFolder(name)
    }
}
