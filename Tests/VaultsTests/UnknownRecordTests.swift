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
