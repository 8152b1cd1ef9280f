import FoundationEssentials
import HTTPTypes
import Hummingbird
import NIOCore

extension Response {
    private static let encoder = {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.withoutEscapingSlashes, .sortedKeys]
        return encoder
    }()

    /// An answer in JSON.
    init(status: HTTPResponse.Status, json value: some Encodable) throws {
        let data = try Self.encoder.encode(value)
        self.init(
            status: status, headers: [.contentType: "application/json"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: data)))
    }
}

/// An answer without anything to say.
struct EmptyPayload: Encodable {}
