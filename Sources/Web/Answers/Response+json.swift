import FoundationEssentials
import HTTPTypes
import Hummingbird
import NIOCore

extension ByteBuffer {
    private static let encoder = {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.withoutEscapingSlashes, .sortedKeys]
        return encoder
    }()

    init(json value: some Encodable) throws { self.init(bytes: try Self.encoder.encode(value)) }
}

extension Response {
    /// An answer in JSON.
    init(status: HTTPResponse.Status, json value: some Encodable) throws {
        self.init(
            status: status, headers: [.contentType: "application/json"],
            body: ResponseBody(byteBuffer: try ByteBuffer(json: value)))
    }
}

/// An answer without anything to say.
struct EmptyPayload: Encodable {}
