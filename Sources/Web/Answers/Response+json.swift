import Bytes
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

    /// - Throws: `Spent` where it is longer than the request may be answered.
    init(from allowance: Allowance, json value: some Encodable) throws {
        let bytes = try Self.encoder.encode(value)
        try allowance.take(.answer, bytes.count)
        self.init(bytes: bytes)
    }
}

extension Response {
    /// An answer in JSON.
    init(from allowance: Allowance, status: HTTPResponse.Status, json value: some Encodable) throws {
        self.init(
            status: status, headers: [.contentType: "application/json"],
            body: ResponseBody(byteBuffer: try ByteBuffer(from: allowance, json: value)))
    }
}

/// An answer without anything to say.
struct EmptyPayload: Encodable {}
