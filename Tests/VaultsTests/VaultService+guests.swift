import GRDB

@testable import Store
@testable import Vaults

/// What tests do with guests all the time.
extension VaultService {
    func guest() async throws -> GuestOpening { try await beginGuest(client: .here) }

    func open(
        _ text: String, keep: Bool = false, guest: Session? = nil
    ) async throws -> Opening {
        try await open(password: password(text), client: .here, options: OpeningOptions(keep: keep, guest: guest))
    }

    func guestRows() throws -> Int {
        try store.ledger.readBlocking { try $0.rowCount(in: .guest(expiresDay: 0)) }
    }

    func sessionRows() throws -> Int {
        try store.ledger.readBlocking { try Int.fetchOne($0.database, sql: "SELECT COUNT(*) FROM session") ?? 0 }
    }
}
