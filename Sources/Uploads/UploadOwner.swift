package import Records
package import Vault

/// What an upload needs of the session that it belongs to, which stands above it.
package protocol UploadOwner: AnyObject, Sendable {
    var engine: UploadEngine { get }
    /// The one in which goes on what this one has begun: another one once a guest has moved into a vault.
    var following: Self { get }

    /// The open vault; counts as use.
    /// - Throws: `sessionEnded` once the session was locked or its time is over.
    func requireVault() throws(VaultError) -> OpenVault
    /// Counts as use.
    /// - Throws: `sessionEnded`.
    func touch() throws(VaultError)
    /// That run has ended.
    func forget(_ run: UploadRun)

    func photo(_ outcome: Arrival.Outcome) -> Photo
    func status(of upload: UnfinishedUpload) -> UploadStatus
    func status(of upload: UnfinishedUpload, _ outcome: Arrival.Outcome) -> UploadStatus
}
