import HostSupport
import Logging
import TestSupport
import Testing

@testable import Records
@testable import Vaults

@Suite("Many at once, and restarts")
struct ConcurrencyTests {
    private let text = "violet tram seven"
    let host: TestHost

    init() throws { host = try TestHost() }

    @Test("two sessions of a vault and a second vault upload and delete side by side, and nothing is damaged")
    func sideBySide() async throws {
        let service = try await host.start()
        let one = try await service.make(text)
        let two = try await service.open(text)
        let other = try await service.make("seven violet trams")
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (task, session) in [one, two, other, one, two, other].enumerated() {
                group.addTask {
                    for number in 0..<12 {
                        let bytes = sampleBytes(1000 * number, seed: UInt64(task + 1))
                        let name = "\(task)-\(number)" + String(repeating: "n", count: number * 60)
                        let photo = try await session.upload(bytes, name: name)
                        if number % 3 == 0 { _ = try await session.trash.move([photo.id]) }
                        if number % 6 == 0 { _ = try await session.trash.empty() }
                        if number % 9 == 0 { _ = try await session.trash.restore([photo.id]) }
                    }
                }
            }
            try await group.waitForAll()
        }
        let before = try await one.names()
        #expect(try await two.names() == before)
        let next = try await host.restart()
        let again = try await next.open(text)
        #expect(again.damage == nil)
        #expect(try await again.names() == before)
        for photo in try await again.photos.page(cursor: nil).photos {
            let parts = photo.name.prefix { $0 != "n" }.split(separator: "-").compactMap { UInt64($0) }
            #expect(try await again.content(photo.id) == sampleBytes(1000 * Int(parts[1]), seed: parts[0] + 1))
        }
        #expect(try await next.open("seven violet trams").damage == nil)
        let head = try again.requireVault().head
        let stored = try again.requireVault().library.allBlocking().count
        #expect(stored <= Int(head.rowCount))
        try await host.stop()
    }

    @Test("a restart finds everything: photos, trash, names, order")
    func restart() async throws {
        let service = try await host.start()
        let session = try await service.make(text)
        let names = ["a", String(repeating: "b", count: 1024), "c", String(repeating: "d", count: 500)]
        for (number, name) in names.enumerated() {
            try await session.upload(sampleBytes(20_000, seed: UInt64(number + 1)), name: name)
        }
        _ = try await session.trash.move([try await session.photos.page(cursor: nil).photos[1].id])
        for _ in 0..<3 {
            let next = try await host.restart()
            let again = try await next.open(text)
            #expect(again.damage == nil)
            #expect(try await again.names() == [names[3], names[1], names[0]])
            #expect(try await again.trash.all().map(\.name) == ["c"])
            let photo = try await again.photos.page(cursor: nil).photos[1]
            #expect(try await again.content(photo.id) == sampleBytes(20_000, seed: 2))
        }
        try await host.stop()
    }

    @Test("a photo can be read while its record moves about")
    func readWhileChanging() async throws {
        let service = try await host.start()
        let session = try await service.make(text)
        let photo = try await session.upload(sampleBytes(100), name: String(repeating: "n", count: 1024))
        let other = try await session.upload(sampleBytes(100), name: String(repeating: "m", count: 1024))
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                for _ in 0..<60 {
                    _ = try await session.trash.move([photo.id, other.id])
                    _ = try await session.trash.restore([other.id])
                    _ = try await session.trash.restore([photo.id])
                }
            }
            for _ in 0..<2 {
                group.addTask {
                    for _ in 0..<300 {
                        let content = try await session.content(photo.id)
                        #expect(content == sampleBytes(100))
                    }
                }
            }
            try await group.waitForAll()
        }
        try await host.stop()
    }

    @Test("a second daemon cannot take the same data directory")
    func inUse() async throws {
        try await host.start()
        let second = host.configuration
        await #expect(throws: StartFailure.self) {
            _ = try await VaultService.start(second, logger: .init(label: "second"))
        }
        try await host.stop()
    }

    @Test("a directory made with a cheap key derivation is refused without the unsafe key")
    func unsafeKDF() async throws {
        try await host.start()
        try await host.stop()
        host.configuration.unsafeKDF = nil
        await #expect(throws: StartFailure.self) { try await host.start() }
    }

    @Test("the daily work runs while vaults are open")
    func dailyWork() async throws {
        let service = try await host.start()
        let session = try await service.make(text)
        try await session.upload([1])
        await service.runDailyWork()
        try await session.upload([2])
        #expect(try await session.names().count == 2)
        try await host.stop()
    }
}
