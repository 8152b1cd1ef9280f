import Foundation
import HostSupport
import NIOCore
import Sealing
import Store
import TestSupport
import Testing

@testable import Records
@testable import Vault
@testable import Vaults

/// What a later version wrote is kept by this one, whatever happens to the rows around it.
@Suite("Fields and kinds of a later version")
struct UnknownRecordTests {
    private static let field = TaggedFields.Field(tag: 200, value: [1, 2, 3])
    private static let kind = RowPiece.Kind(rawValue: 77)
    private let text = "violet tram seven"
    let host: TestHost

    init() throws {
        host = try TestHost()
        host.configuration.limits.quietBeforeReread = .zero
    }

    /// Writes what a later version would: a field of a photo and of an album, a short and a long record of its own.
    private func plant(in session: Session) async throws {
        try await session.upload([1, 2, 3], name: "one")
        try await session.settle()
        let vault = try session.requireVault()
        try await vault.change { change in
            for photo in try change.photos() {
                try change.update(at: photo.rowNumber) { $0.unknown = [Self.field] }
            }
            try change.addUnknown(Self.kind, payload: [9])
            try change.addUnknown(Self.kind, payload: sampleBytes(1000))
        }
    }

    /// The records of that kind as they stand in the ledger.
    private func records(_ session: Session) async throws -> [[UInt8]] {
        let vault = try session.requireVault()
        return try await vault.change { change in
            var found: [[UInt8]] = []
            for number in 0..<change.draft.head.rowCount {
                let chain = try change.chain(from: number)
                if chain[0].piece.kind == Self.kind { found.append(chain.flatMap(\.piece.payload)) }
            }
            return found.sorted { $0.count < $1.count }
        }
    }

    private func unknownFields(_ session: Session) async throws -> [[TaggedFields.Field]] {
        let vault = try session.requireVault()
        return try await vault.change { change in
            try change.photos().map {
                try PhotoRecord.decode(change.chain(from: $0.rowNumber).flatMap(\.piece.payload)).unknown
            }
        }
    }

    private func expectKept(_ session: Session, photos: Int = 1) async throws {
        #expect(session.damage == nil)
        #expect(try await records(session) == [[9], sampleBytes(1000)])
        #expect(try await unknownFields(session) == Array(repeating: [Self.field], count: photos))
    }

    @Test("survive a change of the photo, a restart, and another key")
    func changes() async throws {
        var session = try await host.start().make(text)
        try await plant(in: session)
        let photo = try #require(try await session.photos.page(cursor: nil).photos.first)
        let album = try await session.albums.make("Rome", with: [photo.id])
        _ = try await session.photos.setFavourite([photo.id], true)
        _ = try await session.trash.move([photo.id])
        _ = try await session.trash.restore([photo.id])
        try await expectKept(session)
        session = try await host.restart().open(text)
        try await expectKept(session)
        _ = try await host.service().rotateKey(session, password: try password(text), client: .here)
        _ = try await session.albums.change(album.id, name: "Roma")
        session = try await host.restart().open(text)
        try await expectKept(session)
        #expect(try await session.albums.all().compactMap(\.name) == ["Roma"])
    }

    @Test("survive that a loss beside them is accepted")
    func acceptedLoss() async throws {
        let service = try await host.start()
        var session = try await service.make(text)
        try await session.upload([7, 7], name: "lost")
        try await session.settle()
        try await service.damageRow(of: "lost", in: try session.requireVault())
        session = try await host.restart().open(text)
        #expect(session.damage?.missingEntries == 1)
        try await host.service().acceptLoss(session)
        try await plant(in: session)
        session = try await host.restart().open(text)
        try await expectKept(session)
    }

    @Test("survive it also when they were there before the loss")
    func lossBeside() async throws {
        let service = try await host.start()
        var session = try await service.make(text)
        try await plant(in: session)
        try await session.upload([7, 7], name: "lost")
        try await session.settle()
        try await service.damageRow(of: "lost", in: try session.requireVault())
        session = try await host.restart().open(text)
        #expect(session.damage?.missingEntries == 1)
        try await host.service().acceptLoss(session)
        session = try await host.restart().open(text)
        try await expectKept(session)
    }

    // MARK: Whole rows of a later version

    /// Of this program's kinds and of others; it knows of each no more than that it is the vault's.
    private static func laterRow(_ kind: UInt8) -> [UInt8] {
        [kind, 2] + sampleBytes(RowPiece.byteCount - 2, seed: UInt64(kind) + 1)
    }

    /// Puts such rows in place of empty ones.
    /// - Returns: their numbers.
    private func plantLaterRows(_ kinds: [UInt8], in session: Session) async throws -> [UInt64] {
        let vault = try session.requireVault()
        return try await vault.change { change in
            try kinds.map { kind in
                let number = change.takeNumber()
                try change.put(RowPiece(kind: .empty), at: number)
                let id = try vault.rowID(.item(number))
                let empty = try #require(try change.transaction.row(id, in: vault.home))
                var cipher = try MessageCipher(key: try deriveVaultKey(.row, from: vault.keys.vaultKey))
                var body = [UInt8](repeating: 0, count: RowCodec.bodyByteCount)
                let context = Self.context(id, vault)
                try Self.laterRow(kind).withUnsafeBytes { plain in
                    try body.withUnsafeMutableBytes { try cipher.seal(plain, context: context, into: $0) }
                }
                change.draft.head.accumulator.subtract(try vault.element(id: id, body: empty))
                change.draft.head.accumulator.add(try vault.element(id: id, body: body))
                try change.transaction.replaceBody(of: id, body, in: vault.home)
                return number
            }
        }
    }

    private static func context(_ id: RowID, _ vault: OpenVault) -> SealingContext {
        vault.isGuest ? .guest(id.bytes) : .row(id.bytes)
    }

    private func plaintext(_ number: UInt64, _ session: Session) async throws -> [UInt8] {
        let vault = try session.requireVault()
        let id = try vault.rowID(.item(number))
        let body = try #require(try await vault.store.ledger.read { try $0.row(id, in: vault.home) })
        var cipher = try MessageCipher(key: try deriveVaultKey(.row, from: vault.keys.vaultKey))
        var plain = [UInt8](repeating: 0, count: RowPiece.byteCount)
        _ = try body.withUnsafeBytes { body in
            try plain.withUnsafeMutableBytes { try cipher.open(body, context: Self.context(id, vault), into: $0) }
        }
        return plain
    }

    private func expectRows(_ kinds: [UInt8], at numbers: [UInt64], _ session: Session) async throws {
        for (kind, number) in zip(kinds, numbers) {
            #expect(try await plaintext(number, session) == Self.laterRow(kind), "kind \(kind)")
        }
    }

    @Test("whole rows of a later version are no damage, and neither another key nor an accepted loss ends them")
    func laterRows() async throws {
        let kinds: [UInt8] = [0, 2, 3, 4, 6, 8, 77]
        var session = try await host.start().make(text)
        try await session.upload([1, 2, 3], name: "one")
        try await session.upload([7, 7], name: "lost")
        try await session.settle()
        let numbers = try await plantLaterRows(kinds, in: session)
        // Those that the vault takes for its own rows are others.
        for number in 0..<20 { try await session.upload([UInt8(number), 9], name: "\(number)") }
        session = try await host.restart().open(text)
        #expect(session.damage == nil)
        try await expectRows(kinds, at: numbers, session)
        _ = try await host.service().rotateKey(session, password: try password(text), client: .here)
        session = try await host.restart().open(text)
        #expect(session.damage == nil)
        try await expectRows(kinds, at: numbers, session)

        try await session.settle()
        try await host.service().damageRow(of: "lost", in: try session.requireVault())
        session = try await host.restart().open(text)
        #expect(session.damage?.missingEntries == 1)
        try await host.service().acceptLoss(session)
        #expect(session.damage == nil)
        for number in 20..<40 { try await session.upload([UInt8(number), 9], name: "\(number)") }
        session = try await host.restart().open(text)
        #expect(session.damage == nil)
        try await expectRows(kinds, at: numbers, session)
        try await host.stop()
    }

    private func laterHead(of session: Session) throws -> (RowID, [UInt8]) {
        let vault = try session.requireVault()
        let id = try vault.rowID(.head)
        var cipher = try MessageCipher(key: try deriveVaultKey(.row, from: vault.keys.vaultKey))
        var body = [UInt8](repeating: 0, count: RowCodec.bodyByteCount)
        try Self.laterRow(1).withUnsafeBytes { plain in
            try body.withUnsafeMutableBytes { try cipher.seal(plain, context: .row(id.bytes), into: $0) }
        }
        return (id, body)
    }

    @Test("a vault whose head is of a later version is not opened, and nothing of it is changed")
    func laterHead() async throws {
        let service = try await host.start()
        let session = try await service.make(text)
        let (id, later) = try laterHead(of: session)
        try await service.lock(session)
        try await service.tamperEverywhere { try $0.putRow(id, later) }
        await #expect {
            _ = try await service.open(text)
        } throws: { error in
            (error as? VaultError)?.code == "internal"
        }
        #expect(try await service.row(id) == later)
        try await host.stop()
    }

    @Test("a guest's space that has such rows stays as it is")
    func laterRowsOfGuest() async throws {
        let service = try await host.start()
        try await service.make(text)
        let guest = try await service.guest()
        try await guest.session.upload([1, 2, 3], name: "one")
        let numbers = try await plantLaterRows([2, 77], in: guest.session)
        let opening: Opening = try await service.open(text, guest: guest.session)
        #expect(opening.migrationRefusal == .readOnly)
        #expect(try await guest.session.names() == ["one"])
        try await expectRows([2, 77], at: numbers, guest.session)
        try await host.stop()
    }

    // MARK: Guests

    @Test("survive a guest's move into a vault")
    func guest() async throws {
        let service = try await host.start()
        try await service.make(text)
        let guest = try await service.guest()
        try await plant(in: guest.session)
        let opening: Opening = try await service.open(text, guest: guest.session)
        #expect(opening.migration?.moved == 1)
        try await expectKept(opening.session)
        try await expectKept(try await host.restart().open(text))
    }
}
