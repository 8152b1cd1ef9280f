import FoundationEssentials
import HTTPTypes
import Hummingbird
import NIOCore

/// What a client wants to be changed, and leaves as it is where it says nothing. Whoever misspells a field would believe
/// that it was changed, so that none is passed over.
protocol ChangePayload: Decodable, Sendable {
    static var fields: Set<String> { get }
}

/// A value with the names of all fields that its object has.
struct Named<Value: Decodable & Sendable>: Decodable, Sendable {
    private struct Name: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    private let value: Value
    private let names: Set<String>

    init(from decoder: any Decoder) throws {
        names = Set(try decoder.container(keyedBy: Name.self).allKeys.map(\.stringValue))
        value = try Value(from: decoder)
    }
}

extension Named where Value: ChangePayload {
    /// - Throws: `malformedJSON` that names a field which is not known.
    func known() throws -> Value {
        guard let unknown = names.subtracting(Value.fields).min() else { return value }
        throw WebError.malformedJSON("nothing is called \(unknown.prefix(64)) there")
    }
}

extension Request {
    /// The body, of at most `limit` bytes, as JSON.
    func decodeJSON<Value: Decodable>(_ type: Value.Type, limit: Int, _ context: WebContext) async throws -> Value {
        let bytes = try await collectBody(limit: limit, context)
        try JSONShape.take(bytes.readableBytesView, from: context.allowance)
        return try JSONDecoder().decode(type, from: Data(bytes.readableBytesView))
    }

    /// The body as what is to be changed, of which every field has to be known.
    /// - Throws: `malformedJSON` that names one which is not.
    func decodeChange<Value: ChangePayload>(
        _ type: Value.Type, limit: Int, _ context: WebContext
    ) async throws -> Value {
        try await decodeJSON(Named<Value>.self, limit: limit, context).known()
    }

    /// The body as an object with passwords; every buffer it came in is overwritten.
    func secretFields(
        limit: Int, takesLists: Bool = false, _ context: WebContext
    ) async throws -> SecretFields {
        var bytes = try await collectBody(limit: limit, wiping: true, context)
        if takesLists { try JSONShape.take(bytes.readableBytesView, from: context.allowance) }
        return try SecretFields(body: &bytes, limit: limit, takesLists: takesLists)
    }

    /// The body, of at most `limit` bytes.
    func collectBody(limit: Int, wiping: Bool = false, _ context: WebContext) async throws -> ByteBuffer {
        guard (declaredByteCount ?? 0) <= UInt64(limit) else { throw WebError.bodyTooLarge(limit: limit) }
        // One allocation: a growing buffer would leave copies of a secret behind.
        let capacity = Int(declaredByteCount ?? UInt64(limit))
        try context.allowance.take(.memory, capacity)
        var collected = ByteBufferAllocator().buffer(capacity: capacity)
        for try await piece in body {
            var piece = piece
            guard collected.readableBytes + piece.readableBytes <= limit else {
                throw WebError.bodyTooLarge(limit: limit)
            }
            context.allowance.note(asked: piece.readableBytes)
            collected.writeImmutableBuffer(piece)
            if wiping { piece.wipe() }
        }
        return collected
    }
}
