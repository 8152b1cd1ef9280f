import Bytes

/// The upload that brought a photo, kept for seven days: so a repeated creation, or a question for where the upload
/// stands, finds the photo.
package struct PhotoOrigin: Equatable, Sendable {
    package var upload: UploadID
    /// Nil when the client gave no id.
    package var creation: CreationKey?
    /// Days since 1970; the last one on which it counts.
    package var expiresDay: UInt32
    /// The content was there before.
    package var isDuplicate: Bool

    package init(upload: UploadID, creation: CreationKey? = nil, expiresDay: UInt32, isDuplicate: Bool) {
        self.upload = upload
        self.creation = creation
        self.expiresDay = expiresDay
        self.isDuplicate = isDuplicate
    }

    package var encoded: [UInt8] {
        upload.bytes + (creation?.bytes ?? [UInt8](repeating: 0, count: CreationKey.byteCount))
            + expiresDay.bigEndianBytes + [(creation == nil ? 0 : 2) | (isDuplicate ? 1 : 0)]
    }
}

extension PhotoOrigin {
    package init(_ value: [UInt8]) throws(VaultError) {
        var reader = ByteReader(value)
        guard let upload = reader.read(UploadID.byteCount).flatMap(UploadID.init(bytes:)),
            let creation = reader.read(CreationKey.byteCount), let day = reader.readUInt32(),
            let flags = reader.readUInt8(), reader.isAtEnd
        else { throw .damaged }
        self.init(
            upload: upload, creation: flags & 2 != 0 ? CreationKey(bytes: creation) : nil, expiresDay: day,
            isDuplicate: flags & 1 != 0)
    }
}

/// A photo's place in a batch.
package struct BatchMembership: Equatable, Sendable {
    /// Places of one photo in batches at most: its record has to stay readable, however often somebody sends it.
    package static let mostPerPhoto = 256

    package var batch: BatchID
    /// The content was there before.
    package var isDuplicate: Bool
    /// Under which it came with this batch, where that is not the photo's own: a receipt names what was sent.
    package var name: String?

    package init(batch: BatchID, isDuplicate: Bool, name: String? = nil) {
        self.batch = batch
        self.isDuplicate = isDuplicate
        self.name = name
    }

    package var encoded: [UInt8] { batch.bytes + [isDuplicate ? 1 : 0] + Array((name ?? "").utf8) }

    /// The place when the photo is dropped for one that was there before.
    package func ofDuplicate(_ duplicate: PhotoRecord, of kept: PhotoRecord) -> BatchMembership {
        let name = name ?? duplicate.name
        return BatchMembership(batch: batch, isDuplicate: true, name: name == kept.name ? nil : name)
    }
}

extension BatchMembership {
    package init(_ value: [UInt8]) throws(VaultError) {
        var reader = ByteReader(value)
        guard let batch = reader.read(BatchID.byteCount).flatMap(BatchID.init(bytes:)), let flags = reader.readUInt8(),
            let name = String(validating: value.dropFirst(BatchID.byteCount + 1), as: UTF8.self)
        else { throw .damaged }
        self.init(batch: batch, isDuplicate: flags & 1 != 0, name: name.isEmpty ? nil : name)
    }
}
