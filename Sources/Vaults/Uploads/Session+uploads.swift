extension Session {
    /// Makes an upload, or finds the one that the same client id, name and size made before. Durable on return, unless
    /// `body` is given: then with the end of the returned run.
    ///
    /// An upload of no bytes is a photo at once.
    /// - Throws: `nameInvalid`, `clientIDInvalid`, `noSuchBatch`, `fileTooLarge`, `vaultFull`, `diskFull`,
    ///   `checksumTooLong`, `lengthMismatch` for a body longer than the upload, `busy`, `degraded`, `readOnly`,
    ///   `sessionEnded`.
    package func createUpload(_ request: UploadRequest, body: UploadBody? = nil) async throws -> UploadCreation {
        throw VaultError.internalFailure("not built")
    }

    /// Where an upload stands. A request that still writes to it is ended first, so that the offset can be used.
    /// - Throws: `noSuchUpload`, `uploadGone`, `uploadBusy`.
    package func upload(_ id: String) async throws -> UploadStatus { throw VaultError.internalFailure("not built") }

    /// Takes an upload over: a request that still writes to it is ended first, and what it brought is kept, unless it
    /// announced a digest.
    /// - Throws: `noSuchUpload`, `uploadGone`, `offsetMismatch` with the right offset, `lengthMismatch` for a body
    ///   longer than what is missing, `checksumTooLong`, `uploadBusy` when the other request cannot be ended,
    ///   `busy`, `diskFull`, `degraded`, `readOnly`.
    package func continueUpload(_ id: String, at offset: UInt64, body: UploadBody = UploadBody()) async throws
        -> UploadRun
    {
        throw VaultError.internalFailure("not built")
    }

    /// Throws an unfinished upload away. A finished one is only forgotten: its photo stays.
    /// - Throws: `noSuchUpload`, `uploadGone`, `uploadBusy`.
    package func removeUpload(_ id: String) async throws { throw VaultError.internalFailure("not built") }
}
