package import Records
package import Unlocking

extension VaultService {
    /// Gives the vault another key, for when somebody may have a copy of the disk. Only the password that is typed opens
    /// it from then on; all other sessions end.
    /// - Returns: false when the last step could not be made; the next opening makes it.
    /// - Throws: `noSuchVault` when the password does not open this vault, `passwordNeeded` for its recovery code,
    ///   `readOnly` when a part of the vault is missing, `tooManyAttempts`, `diskFull`.
    package func rotateKey(_ session: Session, password: Password, client: Client) async throws -> Bool {
        let vault = try requireOwnVault(session)
        guard !vault.isReadOnly, vault.damage?.isOfRows != true else { throw VaultError.readOnly }
        let isFinished = try await attempt(client) { [self] guess in
            try await registry.rotate(
                vault, try await derivation.roots(of: .password(password), for: guess))
        }
        await sessions.endAll(of: vault.uid, except: session)
        return isFinished
    }
}

extension VaultDamage {
    fileprivate var isOfRows: Bool { missingEntries > 0 || isSetBack }
}
