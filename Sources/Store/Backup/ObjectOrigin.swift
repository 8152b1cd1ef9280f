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
            guard let id = ObjectID(hex: String(name.suffix(32))), name == LogNames.object(id) else { return }
            listed[id] = byteCount
        }
        self.listed = listed
    }

    func open(_ id: ObjectID) throws -> OriginObject? {
        if let file = try openHere(id) {
            return OriginObject(bytes: file, byteCount: try file.byteCount(), digest: nil)
        }
        // Also what a list does not know yet.
        guard let bucket, let found = try bucket.look(at: LogNames.object(id)) else { return nil }
        return OriginObject(
            bytes: RemoteFile(remote: bucket, name: LogNames.object(id)), byteCount: found.byteCount,
            digest: found.digest.flatMap { FileDigest(hex: $0.utf8) })
    }

    func openHere(_ id: ObjectID) throws -> OpenFile? {
        do {
            return try shard(id)?.openIfPresent(id.hex, O_RDONLY)
        } catch StoreError.ioFailed(_, EIO) {
            return nil
        }
    }

    func byteCount(of id: ObjectID) throws -> UInt64? {
        if let byteCount = try shard(id)?.byteCount(of: id.hex) ?? listed[id] { return byteCount }
        return try bucket?.look(at: LogNames.object(id))?.byteCount
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
}
