import Glibc

/// Remembers what was copied by a run that does not come to its end, so that the next one goes on there.
final class CopyJournal {
    private static let syncInterval = 256

    private let file: OpenFile
    private var end: UInt64
    private var unsynced = 0

    /// The digests that earlier runs have left are added to `known`.
    init(in root: Folder, known: inout DigestList) throws(StoreError) {
        file = try root.open(BackupLayout.journal, O_RDWR | O_CREAT)
        try known.add(file)
        // Behind what a power cut left of a line it would be taken for its end.
        end = try file.byteCount()
        if end > 0 {
            try file.write([UInt8(ascii: "\n")], at: end)
            end += 1
        }
    }

    func add(_ id: ObjectID, _ digest: FileDigest) throws(StoreError) {
        let line = DigestLines.line(digest, BackupLayout.objectPath(id))
        try file.write(line, at: end)
        end += UInt64(line.count)
        unsynced += 1
        if unsynced >= Self.syncInterval {
            // A line that a power cut takes costs one copy more.
            try file.synchronizeData()
            unsynced = 0
        }
    }
}
