extension Session {
    /// - Returns: the id of a new batch, 22 characters of base64url. It is kept for seven days.
    package func createBatch() async throws -> String { throw VaultError.internalFailure("not built") }

    /// Declares that no further upload will name it; repeating it changes nothing.
    /// - Throws: `noSuchBatch`.
    package func finishBatch(_ id: String) async throws -> BatchStatus { throw VaultError.internalFailure("not built") }

    /// - Throws: `noSuchBatch`.
    package func batch(_ id: String) async throws -> BatchStatus { throw VaultError.internalFailure("not built") }
}
