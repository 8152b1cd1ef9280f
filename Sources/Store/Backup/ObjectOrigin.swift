import Glibc

/// The objects of a data directory, and of the bucket that it goes along to. Nil stands for what is in neither, or what the
/// disk cannot open.
struct ObjectOrigin: Sendable {
    private let objects: Folder
    private let bucket: (any RemoteObjects)?
    /// Of what is in the bucket, as a list had it: asking for each would be a request more.
    private let listed: [ObjectID: UInt64]

    /// Blocking.
    /// - Parameter bucket: where objects lie besides, and some of them alone; nil where this disk is all there is
    init(_ objects: Folder, _ bucket: (any RemoteObjects)? = nil) throws {
        self.objects = objects
        self.bucket = bucket
        var listed: [ObjectID: UInt64] = [:]
        try bucket?.list(StoreLayout.objects + "/") { name, byteCount in
            guard let id = ObjectID(at: name, by: LogNames.object) else { return }
            listed[id] = byteCount
        }
        self.listed = listed
    }

    /// Nil also for what cannot be an object.
    func open(_ id: ObjectID) throws -> OriginObject? {
        let here = try whereReadable { () throws -> OriginObject? in
            guard let file = try openHere(id) else { return nil }
            return try OriginObject(bytes: file, byteCount: file.byteCount(), digest: nil).ifShaped()
        }
        if let here { return here }
        // Also what a list does not know yet.
        guard let bucket, let found = try bucket.look(at: LogNames.object(id)) else { return nil }
        return try OriginObject(
            bytes: RemoteFile(remote: bucket, name: LogNames.object(id)), byteCount: found.byteCount,
            digest: found.digest.flatMap { FileDigest(hex: $0.utf8) }
        ).ifShaped()
    }

    func openHere(_ id: ObjectID) throws -> OpenFile? {
        try whereReadable { try shard(id)?.openIfPresent(id.hex, O_RDONLY) }
    }

    func byteCount(of id: ObjectID) throws -> UInt64? {
        let here = try whereReadable { try shard(id)?.byteCount(of: id.hex) }
        if let byteCount = here ?? listed[id] { return byteCount }
        return try bucket?.look(at: LogNames.object(id))?.byteCount
    }

    /// One bad sector must not end a backup of all the others.
    private func whereReadable<R>(_ body: () throws -> R?) throws -> R? {
        do {
            return try body()
        } catch StoreError.ioFailed(_, EIO) {
            return nil
        }
    }

    private func shard(_ id: ObjectID) throws -> Folder? {
        do {
            return try objects.folder(ObjectFolders.shardName(of: id))
        } catch StoreError.ioFailed(_, ENOENT) {
            return nil
        }
    }
}

/// An object to be copied, on this disk or in the bucket.
struct OriginObject {
    let bytes: any ByteSource
    let byteCount: UInt64
    /// As the bucket has kept it; nil for a file here, which nothing but its seals tells about.
    let digest: FileDigest?

    fileprivate func ifShaped() throws -> OriginObject? {
        let isShaped = try bytes.askingAgain { bytes in
            do {
                return try ObjectShape.complaint(about: bytes, byteCount: byteCount, isComplete: false) == nil
            } catch StoreError.objectUnreadable {
                return false
            }
        } until: {
            $0
        }
        return isShaped ? self : nil
    }
}
