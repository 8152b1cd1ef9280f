package import NIOCore

/// The bytes of one request on their way into an upload. One request uses it; a newer request for the same upload, a
/// lock and a shutdown may end it at any moment, after which every call throws `uploadBusy` or `sessionEnded`.
package final class UploadRun: Sendable {
    init() {}

    /// Takes bytes in; waits while the disk is behind, which is what holds the sender back.
    /// - Throws: `lengthMismatch` for more bytes than announced, `checksumTooLong`, `uploadBusy` once a newer request
    ///   took the upload over, `sessionEnded`, `diskFull`, `degraded`; and the same again from then on.
    package func append(_ bytes: ByteBuffer) async throws { throw VaultError.internalFailure("not built") }

    /// The body ended as it should. Returns once what it brought is on disk; with the last byte the upload becomes a
    /// photo.
    /// - Throws: `checksumMismatch`, and nothing of this request is kept; otherwise as `append`.
    package func finish() async throws -> UploadStatus { throw VaultError.internalFailure("not built") }

    /// The body broke off. What arrived is kept, unless a digest was announced. Does nothing after `finish`, and is
    /// also to be called when `append` or `finish` threw.
    package func abandon() async {}
}
