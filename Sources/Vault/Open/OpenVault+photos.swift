package import Content
import Foundation
import Imaging
package import ImagingProtocol
package import Media
package import Records
package import Sealing
package import Store

extension OpenVault {
    /// Photos changed in one commit at most, so that one large request does not hold up everybody's uploads.
    private static let photosPerCommit = 500

    /// Finds a photo and opens it for reading. Blocking.
    /// - Throws: `noSuchPhoto`.
    package func openOriginal(_ serial: UInt64) throws -> (LibraryPhoto, Result<ObjectReader, VaultError>) {
        guard let found = try library.photoOrKeptBlocking(serial: serial) else { throw VaultError.noSuchPhoto }
        let opening = Result { try readerCache.borrow(for: found) { try reader(of: found) } }
        return (found, opening.mapError { VaultError($0) })
    }

    /// Opens a photo's row for its file key, and its object. Blocking.
    package func reader(of photo: LibraryPhoto) throws -> ObjectReader {
        if let window { return try window.reader(of: photo, store) }
        let (record, fileKey) = try wholeRecord(of: photo)
        return try ObjectReader(record: record, fileKey: fileKey.bytes, store: store)
    }

    /// Blocking.
    /// - Throws: `noSuchPhoto`.
    package func fileKey(of photo: LibraryPhoto) throws -> SharedSecret {
        let (record, fileKey) = try wholeRecord(of: photo)
        guard record.object == photo.object else { throw VaultError.noSuchPhoto }
        return fileKey
    }

    /// What its row says, with its key. Blocking.
    /// - Throws: `noSuchPhoto`, `damaged`.
    func wholeRecord(of photo: LibraryPhoto) throws -> (PhotoRecord, SharedSecret) {
        // One view of the ledger for the whole chain, for a change of the photo moves its parts.
        let found = try followingRotation { try store.ledger.readBlocking { try record(at: photo.rowNumber, $0) } }
        // Between the library's answer and this read the row may have been given to another photo.
        guard found.0.serial == photo.serial else { throw VaultError.noSuchPhoto }
        return found
    }

    /// What files beside a photo said when it was brought, whatever came of it. Blocking.
    /// - Throws: `noSuchPhoto`.
    package func told(of photo: LibraryPhoto) throws -> SidecarFacts? {
        return try wholeRecord(of: photo).0.told.map(SidecarFacts.init(encoded:))
    }

    private func record(at first: UInt64, _ reader: LedgerReader) throws -> (PhotoRecord, SharedSecret) {
        let chain = try chain(from: first) { try reader.row($0, in: home) }
        guard chain.first?.piece.kind == .photo else { throw VaultError.noSuchPhoto }
        return (try PhotoRecord.decode(chain.flatMap(\.piece.payload)), try fileKey(of: chain))
    }

    // MARK: Records that go on in other rows

    /// One row of a record.
    package struct ChainRow {
        let number: UInt64
        let id: RowID
        let body: [UInt8]
        package let piece: RowPiece
    }

    /// The rows of a record, first to last, wherever they are read from.
    /// - Throws: `damaged` when one is missing or does not verify, or when there are more than a record can have.
    package func chain(from first: UInt64, row: (RowID) throws -> [UInt8]?) throws -> [ChainRow] {
        var chain: [ChainRow] = []
        var following: UInt64? = first
        while let number = following {
            let id = try rowID(.item(number))
            guard chain.count < RowChains.mostRows, let body = try row(id) else { throw VaultError.damaged }
            let piece = try translated { try open(body, id: id) }
            chain.append(ChainRow(number: number, id: id, body: body, piece: piece))
            following = piece.next
        }
        return chain
    }

    /// The file key of a photo; it stands in the first row.
    package func fileKey(of chain: [ChainRow]) throws -> SharedSecret {
        guard let first = chain.first else { throw VaultError.damaged }
        return try fileKey(in: first.body, id: first.id)
    }

    // MARK: Changes

    /// Changes the records of those photos that still fulfil `condition` when the commit runs.
    /// - Returns: how many did.
    package func update(
        _ serials: [UInt64], where condition: @escaping @Sendable (LibraryPhoto) -> Bool,
        _ change: @escaping @Sendable (inout PhotoRecord) -> Void
    ) async throws -> Int {
        try await inParts(serials) { part, vaultChange in try vaultChange.update(part, where: condition, change) }
    }

    /// Out of "Recently deleted". Two photos of the same content that were both read back are one from then on.
    /// - Parameter moment: only what was deleted then.
    /// - Returns: how many lay there.
    package func restore(_ serials: [UInt64], deletedAt moment: UInt64? = nil) async throws -> Int {
        let today = store.today
        let count = try await inParts(serials) { [self] part, change in
            var count = 0
            for serial in part {
                guard let photo = try change.current(serial, in: library), !photo.isWaiting,
                    let deletedAt = photo.deletedAt, moment == nil || deletedAt == moment
                else { continue }
                try change.update(at: photo.rowNumber) {
                    $0.deletedAt = nil
                    $0.keeping.isReplaced = false
                }
                count += 1
                guard photo.verifiedAt != nil, photo.damagedAt == nil, let sha256 = photo.sha256,
                    let restored = try change.current(serial, in: library)
                else { continue }
                _ = try change.settleDuplicates(of: restored, sha256, today)
            }
            return count
        }
        await reap()
        return count
    }

    /// - Returns: how many there were.
    package func removeForGood(_ serials: [UInt64]) async throws -> Int {
        try await inParts(serials) { [self] part, change in
            var count = 0
            for serial in part {
                guard let photo = try change.current(serial, in: library), photo.deletedAt != nil, !photo.isWaiting
                else {
                    continue
                }
                try change.remove(at: photo.rowNumber)
                count += 1
            }
            return count
        }
    }

    package func inParts(
        _ serials: [UInt64], _ body: @escaping @Sendable (ArraySlice<UInt64>, inout VaultChange) throws -> Int
    ) async throws -> Int {
        var count = 0
        for start in stride(from: 0, to: serials.count, by: Self.photosPerCommit) {
            let part = serials[start..<min(start + Self.photosPerCommit, serials.count)]
            count += try await change(mayUseReserve: true) { change in try body(part, &change) }
        }
        return count
    }
}

/// What came of looking into a file.
package enum PictureFindings: Sendable {
    case found(Examination)
    case unreadable(UnreadableReason)
}

extension OpenVault {
    // MARK: Ids

    /// The ids of the photo's thumbnail and preview, whether or not they were made. Blocking.
    /// - Throws: `noSuchPhoto`.
    package func previewIDs(of photo: LibraryPhoto) throws -> [PreviewID] {
        try Self.previewIDs(try fileKey(of: photo))
    }

    package static func previewIDs(_ fileKey: SharedSecret) throws -> [PreviewID] {
        try PreviewSize.allCases.map { try previewID($0, fileKey) }
    }

    private static func previewID(_ size: PreviewSize, _ fileKey: SharedSecret) throws -> PreviewID {
        let bytes = try PreviewSeal.id(of: size, fileKey: fileKey.bytes)
        guard let id = bytes.withUnsafeBytes({ PreviewID(bytes: $0) }) else {
            throw VaultError.internalFailure("the size of a preview's id")
        }
        return id
    }

    // MARK: Reading

    /// Nil when there is none, or none that opens: then it has to be made again. Blocking.
    /// - Throws: `noSuchPhoto`.
    package func storedPicture(_ size: PreviewSize, of photo: LibraryPhoto) throws -> StoredPicture? {
        let key = try window?.pictureKey(of: photo) ?? PictureKey(ofFile: fileKey(of: photo))
        guard let id = key.id(of: size), let body = try store.previews.body(id),
            let opened = try? PreviewSeal.open(body, id: id.bytes, key: key.key.bytes)
        else { return nil }
        return StoredPicture(opened.picture, isProvisional: opened.isProvisional)
    }

    // MARK: Keeping

    /// Puts the pictures, then notes in the photo's row what was found; unless the photo is gone, or has other content
    /// by now.
    package func keep(
        _ findings: PictureFindings, of photo: LibraryPhoto, _ type: MediaType, isAwaited: Bool
    ) async throws {
        if case .found(let examination) = findings, let thumbnail = examination.thumbnail {
            let pictures = [(PreviewSize.thumbnail, thumbnail), (.preview, examination.preview ?? thumbnail)]
            try await engine.threads.run(isAwaited: isAwaited) { [self] in
                let fileKey = try fileKey(of: photo)
                try store.previews.put(
                    pictures.map { size, rendition in
                        let id = try Self.previewID(size, fileKey)
                        return (
                            id, try PreviewSeal.seal(rendition.bytes, id: id.bytes, fileKey: fileKey.bytes)
                        )
                    })
            }
        } else {
            // What a client made of it shows what nobody here can vouch for.
            try await engine.threads.run(isAwaited: isAwaited) { [self] in
                guard try storedPicture(.thumbnail, of: photo) != nil else { return }
                try store.previews.remove([try Self.previewID(.thumbnail, try fileKey(of: photo))])
            }
        }
        try await change { try $0.note(findings, of: photo, type) }
    }

    /// Keeps a thumbnail that a client made of what it sent, as long as nobody here has looked into the photo. It never
    /// takes the place of another one, and whatever comes of that look takes its place.
    /// - Throws: `noSuchPhoto`, `diskFull`.
    package func keep(provisional picture: Rendition, of photo: LibraryPhoto) async throws {
        let ids = try await engine.threads.run { [self] in try previewIDs(of: photo) }
        try await store.previews.making(ids) {
            // Only now, so that a deletion either is seen here or waits for what is put below.
            guard let present = try await library.photo(serial: photo.serial), present.picture == nil,
                store.previews.isOpen
            else { return }
            try await engine.threads.run { [self] in
                let fileKey = try fileKey(of: photo)
                let id = try Self.previewID(.thumbnail, fileKey)
                let body = try PreviewSeal.seal(
                    picture.bytes, id: id.bytes, fileKey: fileKey.bytes, isProvisional: true)
                try store.previews.put([(id, body)], replacing: false)
            }
        } afterDeletion: {
            await engine.threads.finish { [store] in _ = try? store.previews.reapDoomed() }
        }
        pictures.tell(of: photo.serial)
    }
}

extension VaultChange {
    fileprivate mutating func note(_ findings: PictureFindings, of photo: LibraryPhoto, _ type: MediaType) throws {
        guard let present = try current(photo.serial, in: vault.library), present.object == photo.object else {
            return
        }
        let library = vault.library
        var noted: PhotoRecord?
        try update(at: present.rowNumber) { record in
            record.type = type.mimeType
            switch findings {
            case .unreadable(let reason):
                record.picture = PictureNote(reason)
                if record.takenAt == nil { try Self.note(nil, in: &record, library) }
            case .found(let examination):
                record.picture = PictureNote(made: examination)
                try Self.note(examination.facts, in: &record, library)
            }
            noted = record
        }
        if let noted {
            try tellZone(of: noted)
            try tellSeries(of: noted)
        }
    }
}

/// What opens the pictures of a photo, and nothing else of it.
struct PictureKey {
    let key: SharedSecret
    /// Of thumbnail and preview.
    let ids: [[UInt8]]

    init(key: SharedSecret, ids: [[UInt8]]) { (self.key, self.ids) = (key, ids) }

    init(ofFile fileKey: SharedSecret) throws {
        key = SharedSecret(try deriveFileKey(.preview, from: fileKey.bytes))
        ids = try PreviewSize.allCases.map { try PreviewSeal.id(of: $0, fileKey: fileKey.bytes) }
    }

    func id(of size: PreviewSize) -> PreviewID? {
        zip(PreviewSize.allCases, ids).first { $0.0 == size }.flatMap { PreviewID(bytes: $0.1) }
    }
}

/// A thumbnail or a preview, as a client gets it.
package struct StoredPicture: Sendable {
    package let bytes: [UInt8]
    /// A media type.
    package let type: String
    /// A client made it, and this host none yet.
    package let isProvisional: Bool

    /// Nil for what no version stores.
    package init?(_ bytes: [UInt8], isProvisional: Bool) {
        let type = MediaType.sniff(bytes)
        guard type == .webp || type == .jpeg else { return nil }
        self.bytes = bytes
        self.type = type.mimeType
        self.isProvisional = isProvisional
    }
}
