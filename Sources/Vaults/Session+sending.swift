package import Records
package import Vault

extension Session {
    /// Tells the other sessions of the vault how far this one's page is with sending. Counts as use.
    /// - Throws: `sessionEnded`.
    package func note(_ report: SendingReport) throws(VaultError) {
        let vault = try requireVault()
        vault.sendings.note(report, of: ObjectIdentifier(self), at: now())
    }

    /// Of the other sessions; asking is no use.
    package var sendingElsewhere: [SendingReport] {
        openVault?.sendings.others(than: ObjectIdentifier(self), at: now()) ?? []
    }

    /// Another one than before when photos came, went, or are known better; nil once it is over. Asking is no use.
    package var listingNumber: UInt64? { openVault?.library.listingNumber }
}
