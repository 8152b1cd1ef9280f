import HTTPTypes
import Hummingbird
import Media
import NIOCore
import Vault
import Vaults

/// A JPEG without what it says about place, camera and time, made while it is sent.
enum CleanCopy {
    static func answer(_ original: Original) async throws -> Response {
        guard original.photo.type == MediaType.jpeg.mimeType else { throw WebError.noCleanCopy }
        var opening = try original.pieces(0..<original.byteCount)
        guard let first = try await opening.next() else { throw WebError.noCleanCopy }
        try refuse(first)
        // With its first piece, from the start.
        let pieces = try original.pieces(0..<original.byteCount)
        return Response(
            status: .ok, headers: headers(for: original.photo),
            body: ResponseBody { writer in
                try await write(pieces, to: &writer)
                try await writer.finish(nil)
            })
    }

    /// While there is still an answer to be given: one that breaks off in the middle says nothing to a person.
    private static func refuse(_ first: ByteBuffer) throws {
        var trial = CleanJPEG()
        do { _ = try trial.write(first.readableBytesView) } catch { throw WebError.noCleanCopy }
    }

    private static func write(_ original: OriginalPieces, to writer: inout any ResponseBodyWriter) async throws {
        var (pieces, clean) = (original, CleanJPEG())
        while !clean.isFinished, let piece = try await pieces.next() {
            let bytes = try clean.write(piece.readableBytesView)
            if !bytes.isEmpty { try await writer.write(ByteBuffer(bytes: bytes)) }
        }
        let bytes = try clean.finish()
        if !bytes.isEmpty { try await writer.write(ByteBuffer(bytes: bytes)) }
    }

    private static func headers(for photo: Photo) -> HTTPFields {
        [
            .contentType: photo.type,
            .contentSecurityPolicy: "sandbox; default-src 'none'",
            .contentDisposition: ContentDisposition.format(inline: false, filename: photo.name),
        ]
    }
}
