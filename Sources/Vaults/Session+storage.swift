import Records
package import Vault

extension Session {
    /// Room is told in whole steps of this: the byte that is free would count what others send.
    private static let freeStep: UInt64 = 100_000_000

    /// What this vault has on the disk, and how much more there is room for.
    /// - Throws: `vaultNeeded`.
    package func storage() async throws -> VaultStorage {
        let vault = try requireVault()
        guard !vault.isGuest else { throw VaultError.vaultNeeded }
        let (photos, trash) = try await vault.library.storage()
        let free = try await engine.threads.run { [engine] in try engine.lookAtDisk().roomByteCount }
        return VaultStorage(photos: photos, trash: trash, freeByteCount: free / Self.freeStep * Self.freeStep)
    }
}

package struct VaultStorage: Sendable {
    package let photos: StoredPhotos
    package let trash: StoredPhotos
    package let freeByteCount: UInt64
}
