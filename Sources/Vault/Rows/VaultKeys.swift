import Records
import Sealing
import Store
import Synchronization

/// The key of an open vault, or of a guest's space, and what is kept ready under it. Wiped with the last reference.
package final class VaultKeys: Sendable {
    let vaultKey: SecretBytes
    let codec: Mutex<RowCodec>
    private let home: RowHome

    /// - Parameter isGhost: whether it is the daemon's own, which opens nothing of anybody.
    init(_ vaultKey: consuming SecretBytes, home: RowHome, isGhost: Bool = false) throws {
        codec = Mutex(try RowCodec(vaultKey: vaultKey, home: home))
        #if DEBUG
        if !isGhost { try KeyRecord.note(vaultKey) }
        #endif
        self.vaultKey = vaultKey
        self.home = home
    }

    /// One more of the kind, for a thread of its own.
    func makeCodec() throws -> RowCodec { try RowCodec(vaultKey: vaultKey, home: home) }
}
