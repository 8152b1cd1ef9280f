import FoundationEssentials
import HTTPTypes
import Hummingbird
import NIOCore

/// An answer, with its JSON at hand.
struct Answer: Sendable {
    let status: Int
    let headers: HTTPFields
    let bytes: [UInt8]

    init(_ response: Response, body: ByteBuffer) {
        status = response.status.code
        headers = response.headers
        bytes = Array(body.readableBytesView)
    }

    var text: String { String(decoding: bytes, as: UTF8.self) }

    /// A string at the top of the answer's object, or a sign that it is missing.
    func string(_ name: String) throws -> String {
        try json(Object.self).fields[name] ?? "(no \(name) in \(status) \(text))"
    }

    func json<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try JSONDecoder().decode(type, from: Data(bytes))
    }

    private struct Object: Decodable {
        struct Key: CodingKey {
            let stringValue: String
            var intValue: Int? { nil }
            init?(stringValue: String) { self.stringValue = stringValue }
            init?(intValue: Int) { nil }
        }

        var fields: [String: String] = [:]

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Key.self)
            for key in container.allKeys {
                fields[key.stringValue] =
                    (try? container.decode(String.self, forKey: key))
                    ?? (try? container.decode(Int.self, forKey: key)).map(String.init)
                    ?? (try? container.decode(Bool.self, forKey: key)).map(String.init)
            }
        }
    }
}

/// A list of photos as the interface answers it.
struct PhotoList: Decodable {
    struct Photo: Decodable, Equatable {
        let id: String?
        let name: String
        let size: Int?
        let error: String?
        let receivedAt: String?
        let deletedAt: String?
    }

    let photos: [Photo]
    let cursor: String?
    var names: [String] { photos.map(\.name) }
}
