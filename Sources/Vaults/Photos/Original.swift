package import NIOCore
import Sealing
import Store

/// The original bytes of a stored photo, by range. Every chunk is verified before a byte of it leaves; padding never
/// does.
package final class Original: Sendable {
    package let photo: Photo
    /// Bytes of the original.
    package let byteCount: UInt64
    private let session: Session
    private let engine: UploadEngine
    private let reader: ObjectReader
    private let found: LibraryPhoto

    init(_ found: LibraryPhoto, photo: Photo, session: Session, engine: UploadEngine, reader: ObjectReader) {
        self.found = found
        self.photo = photo
        byteCount = photo.byteCount
        self.session = session
        self.engine = engine
        self.reader = reader
    }

    /// Verified plaintext from `offset` on: at least one byte and at most `atMost`, or empty at the end.
    /// - Throws: `damaged` when a chunk fails, `sessionEnded` once the vault was locked.
    package func read(at offset: UInt64, atMost: Int) async throws -> ByteBuffer {
        try session.touch()
        engine.noteTraffic()
        guard offset < byteCount, atMost > 0 else { return ByteBuffer() }
        let end = offset + min(byteCount - offset, UInt64(min(atMost, ObjectReader.mostBytesPerRead)))
        do {
            return try await engine.run { [reader] in try reader.read(offset..<end) }
        } catch VaultError.damaged {
            await session.noteDamaged(found)
            throw VaultError.damaged
        }
    }
}
