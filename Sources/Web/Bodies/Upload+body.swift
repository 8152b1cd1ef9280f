import Hummingbird
import Records
import Uploads
import Vault

extension Upload {
    /// Streams a body into the vault; returns once it is on disk. One that breaks off leaves nothing.
    /// - Throws: `checksumMismatch` where it is not what was announced.
    func receive(_ body: RequestBody, _ announced: AnnouncedDigests? = nil) async throws -> Photo {
        var digests = RunningDigests(announced?.expected.map(\.algorithm) ?? [])
        do {
            for try await piece in body {
                digests.update(piece)
                try await append(piece)
            }
            if let announced, !digests.match(announced) { throw VaultError.checksumMismatch }
            return try await finish()
        } catch {
            await abandon()
            throw error
        }
    }
}
