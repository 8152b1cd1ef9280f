import Bytes
import NIOCore
import Sealing
import Store
import TestSupport

@testable import Records
@testable import Unlocking
@testable import Vault
@testable import Vaults

extension Client {
    static let here = Client(address: .ip(.ipv4(127, 0, 0, 1)))
    static let stranger = Client(address: .ip(.ipv4(192, 168, 1, 66)))
}

func password(_ text: String) throws(VaultError) -> Password {
    let bytes = Array(text.utf8)
    return try bytes.span.withUnsafeBytes { bytes throws(VaultError) in try Password(utf8: bytes) }
}

/// What tests do with a service all the time.
extension VaultService {
    @discardableResult
    func make(_ text: String) async throws -> Session {
        try await create(password: password(text), confirmation: password(text), code: nil, client: .here).session
    }

    func open(_ text: String, from client: Client = .here) async throws -> Session {
        try await open(password: password(text), client: client).session
    }

    func change(_ session: Session, from old: String, to new: String) async throws {
        try await changePassword(
            session, current: password(old), new: password(new), confirmation: password(new), client: .here)
    }

    /// Whether a password opens something.
    func opens(_ text: String) async throws -> Bool {
        do {
            try await lock(try await open(text, from: Client(address: .unixSocket)))
            return true
        } catch VaultError.noSuchVault {
            return false
        }
    }

    /// Changes the ledger behind everybody's back.
    func tamper(_ body: @escaping @Sendable (LedgerTransaction) throws -> Void) async throws {
        try await store.ledger.commit(LedgerChange { transaction, _ in try body(transaction) })
    }

    /// The same in its copies, from which it would heal.
    func tamperEverywhere(_ body: @escaping @Sendable (LedgerTransaction) throws -> Void) async throws {
        try await tamper(body)
        try store.ledger.renewCopies()
    }

    /// Damages the row of a photo, in the copies of the ledger too, from which it would heal.
    func damageRow(of name: String, in vault: OpenVault) async throws {
        await vault.verifier.pause()
        guard let photo = try vault.library.allBlocking().first(where: { $0.name == name }) else {
            throw VaultError.noSuchPhoto
        }
        let (id, home) = (try vault.rowID(.item(photo.rowNumber)), vault.home)
        try await tamper { try $0.replaceBody(of: id, sampleBytes(512), in: home) }
        try store.ledger.renewCopies()
    }

    func row(_ id: RowID) async throws -> [UInt8]? { try await store.ledger.read { try $0.row(id) } }
}

extension Session {
    /// Returns when nothing is left to be read back.
    func settle() async throws { await (try requireVault()).verifier.pause() }

    @discardableResult
    func upload(_ bytes: [UInt8], name: String = "photo.jpg", declared: Bool = true) async throws -> Photo {
        let upload = try await uploads.begin(
            name: name, declaredByteCount: declared ? UInt64(bytes.count) : nil, lastModified: nil)
        // Pieces of an odd size, so that they end nowhere near a chunk's end.
        for start in stride(from: 0, to: bytes.count, by: 65_521) {
            try await upload.append(ByteBuffer(bytes: bytes[start..<min(start + 65_521, bytes.count)]))
        }
        return try await upload.finish()
    }

    func content(_ id: String) async throws -> [UInt8] {
        let original = try await photos.original(id)
        var bytes: [UInt8] = []
        while case let part = try await original.read(at: UInt64(bytes.count), atMost: .max), part.readableBytes > 0 {
            bytes += part.readableBytesView
        }
        return bytes
    }

    func names() async throws -> [String] { try await photos.page(cursor: nil).photos.map(\.name) }

    func rowID(_ number: RowNumber) throws -> RowID { try requireVault().rowID(number) }
}

extension OpenVault {
    /// Adds a photo's row, for an object that is not there.
    func addForTests(_ record: PhotoRecord) async throws {
        let key = SharedSecret(try SecretBytes(random: 32))
        try await change { change in
            var record = record
            record.serial = change.draft.head.nextSerial
            change.draft.head.nextSerial += 1
            let number = change.takeNumber()
            try change.putChain(.photo, payload: record.encoded, first: number, fileKey: key)
            change.draft.note(.put(LibraryEntry(rowNumber: number, record: record)))
        }
    }
}
