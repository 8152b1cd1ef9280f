import Bytes
import Sealing
package import Store

extension UploadID {
    package func rowID() throws -> RowID {
        guard let id = RowID(bytes: try SHA256Hasher.hash(bytes).prefix(16)) else {
            throw VaultError.internalFailure("a hash of a wrong size")
        }
        return id
    }
}

/// What makes two creations the same one: client id, size and name, hashed to 16 bytes.
package struct CreationKey: Hashable, Sendable {
    package static let byteCount = 16

    package let bytes: [UInt8]

    package init?(bytes: some Collection<UInt8>) {
        guard bytes.count == Self.byteCount else { return nil }
        self.bytes = Array(bytes)
    }

    /// Nil without a client id: such a creation is never the same as another.
    package init?(_ request: UploadRequest) throws {
        guard let clientID = request.clientID else { return nil }
        let parts = Array(clientID.utf8)
        let hash = try SHA256Hasher.hash(
            UInt16(clamping: parts.count).bigEndianBytes + parts + request.byteCount.bigEndianBytes
                + Array(request.name.utf8))
        bytes = Array(hash.prefix(Self.byteCount))
    }
}
