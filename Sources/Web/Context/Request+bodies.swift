import FoundationEssentials
import HTTPTypes
import Hummingbird
import NIOCore

extension Request {
    /// The body, of at most `limit` bytes, as JSON.
    func decodeJSON<Value: Decodable>(_ type: Value.Type, limit: Int, _ context: WebContext) async throws -> Value {
        let bytes = try await collectBody(limit: limit, context)
        try JSONShape.take(bytes.readableBytesView, from: context.allowance)
        return try JSONDecoder().decode(type, from: Data(bytes.readableBytesView))
    }

    /// The body as an object with passwords; every buffer it came in is overwritten.
    func secretFields(limit: Int, _ context: WebContext) async throws -> SecretFields {
        var bytes = try await collectBody(limit: limit, wiping: true, context)
        return try SecretFields(body: &bytes, limit: limit)
    }

    private func collectBody(limit: Int, wiping: Bool = false, _ context: WebContext) async throws -> ByteBuffer {
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
