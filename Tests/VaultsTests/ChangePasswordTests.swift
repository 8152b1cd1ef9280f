import HostSupport
import Store
import TestSupport
import Testing

@testable import Content
@testable import Records
@testable import Vaults

@Suite("Changing a password")
struct ChangePasswordTests {
    private let old = "violet tram seven"
    private let new = "seven violet trams"
    let host: TestHost

    init() throws { host = try TestHost() }

    private func session() async throws -> Session {
        let session = try await host.start().make(old)
        try await session.upload([1, 2, 3], name: "one")
        return session
    }

    private func expectWhole(_ text: String, sets: Int = 1) async throws {
        let session = try await host.service().open(text)
        #expect(session.damage == nil)
        let photo = try #require(try await session.photos.page(cursor: nil).photos.first)
        #expect(try await session.content(photo.id) == [1, 2, 3])
        #expect(try session.requireVault().head.slotSets.count == sets)
        try await host.service().lock(session)
    }

    @Test("the current password must be this vault's, and the new one nobody's")
    func refusals() async throws {
        let session = try await session()
        let service = try host.service()
        let other = try await service.make(new)
        await #expect(throws: VaultError.noSuchVault) {
            try await service.change(session, from: "quiet amber lamp", to: "lamp amber quiet")
        }
        await #expect(throws: VaultError.noSuchVault) {
            try await service.change(session, from: new, to: "lamp amber quiet")
        }
        await #expect(throws: VaultError.passwordTaken) { try await service.change(session, from: old, to: new) }
        await #expect(throws: VaultError.passwordTooShort) { try await service.change(session, from: old, to: "short") }
        #expect(try await other.names() == [])
        try await expectWhole(old)
        try await service.change(session, from: old, to: old)
        try await expectWhole(old)
        try await host.stop()
    }

    @Test("whoever was let in by the old password and is not seated yet stays outside")
    func late() async throws {
        let session = try await session()
        let service = try host.service()
        let admission = try await service.registry.open([try await service.root(old)])
        let late = try Session(
            vault: admission.vault, accessEpoch: admission.epoch, engine: service.engine, limits: VaultLimits())
        try await service.change(session, from: old, to: new)
        #expect(throws: VaultError.sessionEnded) { try service.sessions.add(late, under: [2]) }
        #expect(throws: VaultError.sessionEnded) { try service.sessions.add(late, under: [1]) }
        try await host.stop()
    }

    @Test("cut off before any new slot, the old password stays and the new one is nothing")
    func beforeSlots() async throws {
        let session = try await session()
        try await host.service().beginChange(session, from: old, to: new, replicasWritten: 0)
        let service = try await host.restart()
        #expect(try await !service.opens(new))
        try await expectWhole(old, sets: 2)
        // The next change tidies up.
        try await service.change(try await service.open(old), from: old, to: "quiet amber lamp")
        try await expectWhole("quiet amber lamp")
        try await host.stop()
    }

    @Test("cut off after some or all new slots, opening with the new password finishes", arguments: [1, 4, 7, 8])
    func betweenSlots(count: Int) async throws {
        let session = try await session()
        try await host.service().beginChange(session, from: old, to: new, replicasWritten: count)
        let service = try await host.restart()
        // The old one is still valid until then.
        try await expectWhole(old, sets: 2)
        #expect(try await service.standing(new) == count)
        try await expectWhole(new)
        #expect(try await service.standing(new) == 12)
        #expect(try await !service.opens(old))
        #expect(try await service.standing(old) == 0)
        try await host.stop()
    }

    @Test("finishing a change that was cut off ends the sessions that the old password opened")
    func finishingEndsSessions() async throws {
        let session = try await session()
        try await host.service().beginChange(session, from: old, to: new, replicasWritten: 8)
        let service = try await host.restart()
        let byOld = try await service.open(old)
        let byNew = try await service.open(new)
        #expect(byOld.isEnded)
        #expect(!byNew.isEnded)
        try await host.stop()
    }

    @Test("cut off after the old slots went, opening with the new password finishes")
    func afterRetiring() async throws {
        let session = try await session()
        try await host.service().beginChange(session, from: old, to: new, replicasWritten: 8, oldRetired: true)
        let service = try await host.restart()
        #expect(try await !service.opens(old))
        try await expectWhole(new)
        try await host.stop()
    }

    @Test("cut off, and then asked for once more with the old password, it is completed")
    func repeated() async throws {
        let session = try await session()
        try await host.service().beginChange(session, from: old, to: new, replicasWritten: 3)
        let service = try await host.restart()
        try await service.change(try await service.open(old), from: old, to: new)
        #expect(try await !service.opens(old))
        #expect(try await service.standing(new) == 12)
        try await expectWhole(new)
        try await host.stop()
    }

    @Test("another change takes the place of one that was cut off, whose password opens nothing then")
    func superseded() async throws {
        let session = try await session()
        try await host.service().beginChange(session, from: old, to: new, replicasWritten: 8)
        let service = try await host.restart()
        try await service.change(try await service.open(old), from: old, to: "quiet amber lamp")
        for gone in [old, new] { #expect(try await !service.opens(gone)) }
        try await expectWhole("quiet amber lamp")
        try await host.stop()
    }

    @Test("changing away from a password that was cut off on its way in leaves neither it nor the old one")
    func onward() async throws {
        let session = try await session()
        try await host.service().beginChange(session, from: old, to: new, replicasWritten: 8)
        let service = try await host.restart()
        try await service.change(try await service.open(old), from: new, to: "quiet amber lamp")
        for gone in [old, new] { #expect(try await !service.opens(gone)) }
        try await expectWhole("quiet amber lamp")
        try await host.stop()
    }

    @Test("the old slots go even if they were written anew since the change was cut off")
    func healedSince() async throws {
        let session = try await session()
        let first = try host.service()
        try await first.beginChange(session, from: old, to: new, replicasWritten: 8)
        try await first.destroy(old, replicas: 0..<6)
        let service = try await host.restart()
        try await expectWhole(old, sets: 2)
        #expect(try await service.standing(old) == 12)
        try await expectWhole(new)
        #expect(try await service.standing(old) == 0)
        try await host.stop()
    }

    @Test("changes that are cut off again and again never fill the head")
    func manyCutOff() async throws {
        let session = try await session()
        let service = try host.service()
        for number in 0..<6 {
            try await service.beginChange(session, from: old, to: "quiet amber lamp \(number)", replicasWritten: 2)
            try await service.change(session, from: old, to: old)
            #expect(try session.requireVault().head.slotSets.count == 1)
        }
        try await service.change(session, from: old, to: new)
        try await expectWhole(new)
        try await host.stop()
    }

    @Test("a slot that somebody else has taken since is never overwritten")
    func strangers() async throws {
        let session = try await session()
        let service = try host.service()
        // The new password may happen to lie there as well, and would rightly be written.
        let positionsAfter = try await service.positions(new)
        let position = try #require(try await service.positions(old).first { !positionsAfter.contains($0) })
        let stranger = sampleBytes(256)
        try service.store.slots.write([(position: position, bytes: stranger)])
        try await service.change(session, from: old, to: new)
        #expect(try service.store.slots.read(position) == stranger)
        let kept = try await service.positions(new)[5]
        try service.store.slots.write([(position: kept, bytes: stranger)])
        try await service.erase(session, password: password(new), client: .here)
        #expect(try service.store.slots.read(kept) == stranger)
        try await host.stop()
    }
}
