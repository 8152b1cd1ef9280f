import Sealing
import Store

@testable import Records
@testable import Unlocking
@testable import Vaults

/// The slots below a vault, for tests that stop in the middle or destroy something.
extension VaultService {
    var directory: SlotDirectory { SlotDirectory(store: store) }

    func root(_ text: String) async throws -> SharedRoot { try await root(of: .password(try password(text))) }

    func root(of secret: VaultSecret) async throws -> SharedRoot {
        try await throttle.guessing(Client(address: .unixSocket)) { guess in
            try await derivation.roots(of: secret, for: guess)[0]
        }
    }

    func matchesCode(_ typed: String) async throws -> Bool {
        try await throttle.guessing(Client(address: .unixSocket)) { setupCode.matches(typed, for: $0) }
    }

    func positions(_ text: String) async throws -> [UInt32] { try await root(text).root.slotPositions() }

    /// How many replicas of a password's slots open.
    func standing(_ text: String) async throws -> Int { try directory.find(try await root(text))?.standing ?? 0 }

    /// Random bytes over some replicas of a password.
    func destroy(_ text: String, replicas: Range<Int>) async throws {
        let positions = try await positions(text)
        try store.slots.write(replicas.map { (position: positions[$0], bytes: try randomBytes(256)) })
    }

    /// The steps of a change of password up to a certain one, as a power cut would leave them.
    func beginChange(
        _ session: Session, from old: String, to new: String, replicasWritten: Int, oldRetired: Bool = false
    ) async throws {
        let vault = try session.requireVault()
        let (oldRoot, newRoot) = (try await root(old), try await root(new))
        guard let found = try directory.find(oldRoot) else { throw VaultError.noSuchVault }
        let payload = SlotPayload(
            type: 0, flags: 0, epoch: 0, vaultKey: try vault.duplicateVaultKey(), vaultUID: vault.uid,
            generation: found.payload.generation + 1, createdDay: found.payload.createdDay,
            oldPositions: found.positions,
            oldHashes: found.hashes)
        let sealed = try directory.seal(payload, for: newRoot)
        let incoming = try sealed.slotSet(.incoming)
        try vault.changeBlocking { $0.draft.head.slotSets.append(incoming) }
        try store.slots.write(Array(sealed.writes.prefix(replicasWritten)))
        if oldRetired { try store.slots.overwriteWithFiller(found.pairs) }
    }
}
