import Hummingbird
import Uploads
import Vault

extension Upload {
    /// Streams a body into the vault; returns once it is on disk. One that breaks off leaves nothing.
    func receive(_ body: RequestBody) async throws -> Photo {
        do {
            for try await piece in body { try await append(piece) }
            return try await finish()
        } catch {
            await abandon()
            throw error
        }
    }
}
