import HostSupport
import Store
import Testing

@testable import Vaults

@Suite("Replicas of a vault's slots")
struct SlotHealingTests {
    private let text = "violet tram seven"
    let host: TestHost

    init() throws { host = try TestHost() }

    @Test("a normal opening writes nothing, and neither does one with seven of twelve")
    func nothingWritten() async throws {
        let service = try await host.start()
        try await service.lock(try await service.make(text))
        try await service.destroy(text, replicas: 0..<5)
        let before = try host.read("slots")
        try await service.lock(try await service.open(text))
        #expect(try host.read("slots") == before)
        try await host.stop()
    }

    @Test("with six or fewer of twelve left all are written anew", arguments: [6, 7, 9, 11])
    func heals(destroyed: Int) async throws {
        let service = try await host.start()
        try await service.lock(try await service.make(text))
        try await service.destroy(text, replicas: 0..<destroyed)
        #expect(try await service.standing(text) == 12 - destroyed)
        let session = try await service.open(text)
        #expect(session.damage == nil)
        #expect(try await service.standing(text) == 12)
        // The head lists what stands, so that erasing finds it.
        try await service.erase(session, password: password(text), client: .here)
        #expect(try await service.standing(text) == 0)
        try await host.stop()
    }

    @Test("a flipped bit in a slot costs that replica only")
    func flippedBit() async throws {
        let service = try await host.start()
        try await service.lock(try await service.make(text))
        let position = try await service.positions(text)[0]
        for offset in [0, 30, 100, 255] {
            var slot = try service.store.slots.read(position)
            slot[offset] ^= 1
            try service.store.slots.write([(position: position, bytes: slot)])
            #expect(try await service.standing(text) == 11)
            slot[offset] ^= 1
            try service.store.slots.write([(position: position, bytes: slot)])
        }
        #expect(try await service.standing(text) == 12)
        try await host.stop()
    }

    @Test("with all twelve gone the password opens nothing")
    func allGone() async throws {
        let service = try await host.start()
        try await service.lock(try await service.make(text))
        try await service.destroy(text, replicas: 0..<12)
        #expect(try await !service.opens(text))
        try await host.stop()
    }
}
