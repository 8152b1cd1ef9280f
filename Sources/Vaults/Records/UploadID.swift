import Sealing
import Store

extension UploadID {
    func rowID() throws -> RowID {
        guard let id = RowID(bytes: try SHA256Hasher.hash(bytes).prefix(16)) else {
            throw VaultError.internalFailure("a hash of a wrong size")
        }
        return id
    }
}

/// What makes two creations the same one: client id, size and name, hashed to 16 bytes.
struct CreationKey: Hashable, Sendable {
    static let byteCount = 16

    let bytes: [UInt8]

    init?(bytes: some Collection<UInt8>) {
        guard bytes.count == Self.byteCount else { return nil }
        self.bytes = Array(bytes)
    }

    /// Nil without a client id: such a creation is never the same as another.
    init?(_ request: UploadRequest) throws {
        guard let clientID = request.clientID else { return nil }
        let parts = Array(clientID.utf8)
        let hash = try SHA256Hasher.hash(
            UInt16(clamping: parts.count).bigEndianBytes + parts + request.byteCount.bigEndianBytes
                + Array(request.name.utf8))
        bytes = Array(hash.prefix(Self.byteCount))
    }
}
