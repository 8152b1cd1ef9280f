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

    init(_ photo: Photo) {
        id = photo.id
        name = photo.name
        size = photo.byteCount
        type = photo.type
        receivedAt = CivilTime(photo.receivedAt).rfc3339
        modifiedAt = photo.modifiedAt.map { CivilTime($0).rfc3339 }
        deletedAt = photo.deletedAt.map { CivilTime($0).rfc3339 }
        sha256 = photo.sha256.map(Self.hexadecimal)
    }

    private static func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
