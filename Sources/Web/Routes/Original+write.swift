import Hummingbird
import NIOCore
import Vaults

extension OriginalPieces {
    /// Sends them.
    /// - Throws: also when the photo turns out to be damaged, which ends the connection: the client must not take what
    ///   came for complete.
    func write(to writer: inout any ResponseBodyWriter) async throws {
        var pieces = self
        while let piece = try await pieces.next() {
            try await writer.write(piece)
        }
    }
}
