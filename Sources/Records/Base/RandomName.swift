import Bytes
import Sealing

/// 16 random bytes that name something to a client; as text, 22 characters of base64url. `Kind` keeps names of different
/// things apart.
package struct RandomName<Kind>: Hashable, Sendable {
    static var byteCount: Int { 16 }

    package let bytes: [UInt8]

    package init() throws { bytes = try randomBytes(Self.byteCount) }

    /// Nil unless there are 16 bytes.
    package init?(bytes: some Collection<UInt8>) {
        guard bytes.count == Self.byteCount else { return nil }
        self.bytes = Array(bytes)
    }

    /// Nil for anything that `text` does not give.
    package init?(text: String) {
        guard let bytes = Base64URL.decode(text) else { return nil }
        self.init(bytes: bytes)
    }

    package var text: String { Base64URL.encode(bytes) }
}

/// The random name of a batch.
package typealias BatchID = RandomName<BatchKind>
/// The random name of an upload. In clear the disk knows only its hash, which is the id of the upload's row.
package typealias UploadID = RandomName<UploadKind>

package enum BatchKind {}
package enum UploadKind {}
