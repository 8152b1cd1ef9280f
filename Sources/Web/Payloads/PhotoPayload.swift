import Vaults

/// A photo as the interface shows it.
struct PhotoPayload: Encodable {
    let id: String
    let name: String
    let size: UInt64
    let type: String
    let receivedAt: String
    let modifiedAt: String?
    let deletedAt: String?
    let sha256: String?
    /// When it was last read back from disk whole.
    let verifiedAt: String?
    /// True when its stored bytes failed their verification; else absent.
    let damaged: Bool?
    /// In the answer to an upload: whether this photo was there before.
    let duplicate: Bool?

    init(_ photo: Photo) {
        id = photo.id
        name = photo.name
        size = photo.byteCount
        type = photo.type
        receivedAt = CivilTime(photo.receivedAt).rfc3339
        modifiedAt = photo.modifiedAt.map { CivilTime($0).rfc3339 }
        deletedAt = photo.deletedAt.map { CivilTime($0).rfc3339 }
        sha256 = photo.sha256.map(Hexadecimal.encode)
        verifiedAt = photo.verifiedAt.map { CivilTime($0).rfc3339 }
        damaged = photo.isDamaged ? true : nil
        duplicate = photo.isDuplicate
    }
}
