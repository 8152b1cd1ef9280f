import FoundationEssentials
import HTTPTypes
import Hummingbird
import NIOCore

extension Response {
    /// An answer in JSON.
    init(status: HTTPResponse.Status, json value: some Encodable) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.withoutEscapingSlashes, .sortedKeys]
        let data = try encoder.encode(value)
        self.init(
            status: status, headers: [.contentType: "application/json"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: data)))
    }
}
