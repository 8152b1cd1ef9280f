import Hummingbird
import NIOCore
import Vaults

extension Original {
    /// Sends a range, piece by piece, and shows each piece to `onPiece` before.
    /// - Throws: also when the photo turns out shorter than it says, which ends the connection: the client must not
    ///   take what came for complete.
    func write(
        to writer: inout any ResponseBodyWriter, from start: UInt64, byteCount: UInt64, pieceByteCount: Int,
        onPiece: (ByteBuffer) -> Void = { _ in }
    ) async throws {
        var offset = start
        let end = start + byteCount
        while offset < end {
            let piece = try await read(at: offset, atMost: Int(min(UInt64(pieceByteCount), end - offset)))
            guard piece.readableBytes > 0 else { throw VaultError.damaged }
            onPiece(piece)
            try await writer.write(piece)
            offset += UInt64(piece.readableBytes)
        }
    }
}
