import Bytes
import Sealing
import Store

@testable import Records
@testable import Unlocking
@testable import Vaults

/// What tests do with ways into a vault all the time.
extension VaultService {
    @discardableResult
    func addPassword(_ session: Session, _ text: String, current: String, label: String = "") async throws -> Way {
        try await addPassword(
            session, current: password(current), new: password(text), confirmation: password(text), label: label,
            client: .here)
    }

    func addCode(_ session: Session, current: String, replaces: Bool = false) async throws -> (way: Way, code: String) {
        try await addRecoveryCode(session, current: password(current), replaces: replaces, label: "", client: .here)
    }

    @discardableResult
    func addPasskey(
        _ session: Session, _ seed: UInt8, current: String, rebinds: Bool = false
    ) async throws -> (way: Way, isNew: Bool) {
        try await addPasskey(
            session, current: password(current), secret: passkey(seed), rebinds: rebinds, label: "phone",
            client: .here)
    }

    func remove(_ way: Way, _ session: Session, current: String) async throws {
        try await removeWay(session, way.id, current: password(current), client: .here)
    }

    func open(passkey seed: UInt8) async throws -> Opening {
        try await open(secret: .passkey(try passkey(seed)), client: .here)
    }

    func opens(passkey seed: UInt8) async throws -> Bool {
        do {
            try await lock(try await open(passkey: seed).session)
            return true
        } catch VaultError.noSuchVault {
            return false
        }
    }

    func passkey(_ seed: UInt8) throws -> PasskeySecret {
        let text = Base64URL.encode([UInt8](repeating: seed, count: 32))
        let secret = Array(text.utf8).withUnsafeBytes { PasskeySecret(base64URL: $0) }
        guard let secret else { throw VaultError.passkeyInvalid }
        return secret
    }

    /// What stands in the slots of a way now.
    func slots(of way: Way, _ session: Session) throws -> [(position: UInt32, bytes: [UInt8])] {
        guard let id = WayID(text: way.id) else { throw VaultError.noSuchWay }
        return try session.requireVault().slotSets(of: id).flatMap(\.positions).map {
            (position: $0, bytes: try store.slots.read($0))
        }
    }
}
