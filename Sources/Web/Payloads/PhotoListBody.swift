import FoundationEssentials
import Hummingbird
import NIOCore
import Vaults

/// A list of photos like `PhotoListPayload`, of any length: made while it is sent, a few hundred photos at a time.
enum PhotoListBody {
    private static let begin = ByteBuffer(string: #"{"cursor":null,"photos":["#)
    private static let end = ByteBuffer(string: "]}")

    /// The first piece is looked up before there is an answer, so that what goes wrong there is one.
    static func response(_ list: TrashList) async throws -> Response {
        var rest = list
        let first = try await rest.next()
        return Response(
            status: .ok, headers: [.contentType: "application/json"],
            body: ResponseBody { [rest] writer in
                try await writer.write(begin)
                try await write(first, rest, to: &writer)
                try await writer.write(end)
                try await writer.finish(nil)
            })
    }

    private static func write(
        _ first: [Photo]?, _ list: TrashList, to writer: inout any ResponseBodyWriter
    ) async throws {
        var (photos, rest, isFirst) = (first, list, true)
        while let piece = photos {
            if !piece.isEmpty {
                try await writer.write(try lines(of: piece, isFirst: isFirst))
                isFirst = false
            }
            photos = try await rest.next()
        }
    }

    /// The elements of a JSON array, without its brackets.
    private static func lines(of photos: [Photo], isFirst: Bool) throws -> ByteBuffer {
        let array = try Response.encoder.encode(photos.map(PhotoPayload.init))
        var lines = ByteBuffer()
        if !isFirst { lines.writeString(",") }
        lines.writeBytes(array.dropFirst().dropLast())
        return lines
    }
}
