import Bytes
import Records
import Sealing
import Synchronization

/// What clients of a session see instead of serials: a permutation under a key of that session, so that a browser's
/// history matches nothing on disk and nothing in another session. Programs that send the password with each request see
/// the same names each time, under a key of the vault.
final class PhotoHandles: Sendable {
    private let permutation: Mutex<BlockPermutation>

    init(key: borrowing SecretBytes) throws { permutation = Mutex(try BlockPermutation(key: key)) }

    func handle(of serial: UInt64) -> String {
        let block = serial.bigEndianBytes + UInt64(0).bigEndianBytes
        // A single block under a fixed key fails only when OpenSSL itself is broken; an empty handle then names nothing.
        return (try? permutation.withLock { try $0.encrypt(block) }).map(Base64URL.encode) ?? ""
    }

    /// Nil for anything that `handle(of:)` did not make under this key.
    func serial(of handle: String) -> UInt64? {
        guard let block = Base64URL.decode(handle), block.count == BlockPermutation.blockByteCount,
            let opened = try? permutation.withLock({ try $0.decrypt(block) })
        else { return nil }
        var reader = ByteReader(opened)
        guard let serial = reader.readUInt64(), reader.readUInt64() == 0 else { return nil }
        return serial
    }
}
