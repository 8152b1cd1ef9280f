import Foundation
import Imaging
package import ImagingProtocol
package import Media
import Records
package import Sealing
package import Store

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
        let fileKey = try fileKey(of: photo)
        let id = try Self.previewID(size, fileKey)
        guard let body = try store.previews.body(id),
            let opened = try? PreviewSeal.open(body, id: id.bytes, fileKey: fileKey.bytes)
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
