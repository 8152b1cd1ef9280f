import Foundation
import Glibc
import HostSupport
import NIOCore
import TestSupport
import Testing

@testable import Bytes
@testable import Content
@testable import Records
@testable import Sealing
@testable import Store
@testable import Vault
@testable import Vaults

@Suite("Vaults of the daemon's own")
struct GhostTests {
    @Test("bring objects that no vault explains, while all are locked and none was opened since the start")
    func visits() async throws {
        let host = try TestHost { $0.cover = .upTo(64 << 20) }
        let first = try await host.start()
        let session = try await first.make("violet tram seven")
        try await session.upload(sampleBytes(5_000), name: "own.jpg")
        try await first.lock(session)
        let service = try await host.restart()
        let ghosts = try #require(service.ghosts)
        var counts: [Int] = [try host.objectFiles().count]
        for _ in 0..<4 {
            try await ghosts.visit()
            await service.quiesceIfLocked()
            counts.append(try host.objectFiles().count)
        }
        #expect(zip(counts, counts.dropFirst()).allSatisfy { $0 < $1 }, "\(counts)")
        let again = try await service.open("violet tram seven")
        let photo = try #require(try await again.photos.page(cursor: nil).photos.first)
        #expect(try await again.content(photo.id) == sampleBytes(5_000))
        try await host.stop()
    }

    @Test("come all with the first change of a run, and no more of them where more is done")
    func births() async throws {
        let host = try TestHost { $0.cover = .upTo(0) }
        let service = try await host.start()
        func rowCount() throws -> Int { try service.store.ledger.readBlocking { try $0.rowCount() } }
        let session = try await service.make("violet tram seven")
        var counts: [Int] = [try rowCount()]
        for number in 0..<40 {
            try await session.upload(sampleBytes(100 + number), name: "\(number).jpg")
            counts.append(try rowCount())
        }
        let most = zip(counts, counts.dropFirst()).map { $1 - $0 }.max() ?? 0
        // A photo brings few rows, a birth 17.
        #expect(most < 17, "\(counts)")
        try await host.stop()
    }

    @Test("have received something when the daemon is stopped right after the first photo of a store")
    func stopAtOnce() async throws {
        for _ in 0..<5 {
            let host = try TestHost { $0.cover = .upTo(64 << 20) }
            let session = try await host.start().make("violet tram seven")
            try await session.upload(sampleBytes(3_000), name: "own.jpg")
            try await host.stop()
            #expect(try host.objectFiles().count > 1)
        }
    }

    @Test("bring no more than they may hold, whatever comes to mind")
    func limit() async throws {
        let host = try TestHost { $0.cover = .upTo(8 << 20) }
        let service = try await host.start()
        let ghosts = try #require(service.ghosts)
        for _ in 0..<12 { try await ghosts.visit() }
        let held = try host.objectFiles().map { try host.read("objects/\($0)").count }.reduce(0, +)
        #expect(held > 0 && held <= 8 << 20)
        try await host.stop()
    }

    @Test(
        "hold no more objects than a number that follows from the bytes, and no more rows than a vault of some thousand photos"
    )
    func numbers() async throws {
        let host = try TestHost { $0.cover = .upTo(1 << 20) }
        let service = try await host.start()
        let ghosts = try #require(service.ghosts)
        #expect(ghosts.objectLimit == 64)
        let vault = try #require(try ghosts.allVaults().first)
        for _ in 0..<70 { try await ghosts.receive(.oneBlock, in: vault) }
        #expect(try host.objectFiles().count == 64)
        #expect(ghosts.state.withLock(\.heldCount) == 64)
        #expect(
            ghosts.figures == CoverFigures(byteCount: 64 * 4096, byteLimit: 1 << 20, objectCount: 64, objectLimit: 64))
        try await host.stop()
    }

    @Test(
        "tell the keeper what they hold to a power of two only",
        arguments: [(0, 0), (1, 1), (3, 4), (4, 4), (5, 8), (900, 1000)])
    func figures(count: Int, told: Int) {
        let figures = CoverFigures(byteCount: UInt64(count), byteLimit: 1000, objectCount: count, objectLimit: 1000)
        #expect(figures.byteCount == UInt64(told) && figures.objectCount == told)
    }

    @Test("give way to photos that have no room, and to nothing that no disk could hold")
    func givingWay() async throws {
        let host = try TestHost { $0.cover = .upTo(1 << 20) }
        let service = try await host.start()
        let session = try await service.make("violet tram seven")
        let ghosts = try #require(service.ghosts)
        let vault = try #require(try ghosts.allVaults().first)
        for _ in 0..<8 { try await ghosts.receive(.oneBlock, in: vault) }
        #expect(await !ghosts.giveWay(to: 8 * 4096 + 1))
        await #expect(throws: VaultError.diskFull) {
            try await service.engine.requireRoom(forAnnounced: 1 << 60, in: try session.requireVault())
        }
        #expect(try host.objectFiles().count == 8)
        #expect(await ghosts.giveWay(to: 3 * 4096))
        #expect(try host.objectFiles().count == 5)
        #expect(await service.engine.giveWay(to: 5 * 4096))
        #expect(try host.objectFiles().isEmpty)
        #expect(await !ghosts.giveWay(to: 1))
        try await host.stop()
    }

    /// Blocks that another library or a request has freed in between others, which the allocator keeps.
    @Test("and with them memory goes back once the last vault is locked")
    func memory() async throws {
        let host = try TestHost { $0.cover = .upTo(0) }
        let service = try await host.start()
        let session = try await service.make("violet tram seven")
        let blocks = ScatteredBlocks()
        try await service.lock(session)
        // What still looks into the vault lets go of it a moment later, and each time the last one does all is put to rest.
        while !service.registry.openVaults.isEmpty { await Task.yield() }
        await service.quiesceIfLocked()
        let share = blocks.residentShare
        blocks.free()
        #expect(share < 0.5)
        try await host.stop()
    }

    @Test("go on once a device brings their keys back, with rows and objects, and only where they are whole")
    func devices() async throws {
        var (host, cookie) = (try TestHost(), [UInt8]())
        var found: [GhostVaults.Ghost] = []
        // Which of them are that device's, and how much is left at the end of the first run of a store, is drawn.
        for _ in 0..<30 where found.flatMap(\.oldObjects).isEmpty {
            try await host.stop()
            host = try TestHost { $0.cover = .upTo(64 << 20) }
            let ghosts = try #require(try await host.start().ghosts)
            cookie = try #require(ghosts.takeCookie(for: [1]))
            for _ in 0..<4 { try await ghosts.visit() }
            found = try await old(by: cookie, in: host)
        }
        let files = try host.objectFiles().map { String($0.suffix(32)) }
        let objects = found.flatMap(\.oldObjects)
        #expect(!objects.isEmpty && objects.allSatisfy { files.contains(Hexadecimal.encode($0.id.bytes)) })
        #expect(found.allSatisfy { $0.vault.head.rowCount >= 16 })

        // Others have no keys from that device, and a second visit brings none twice.
        let ghosts = try #require(try host.service().ghosts)
        await ghosts.attend(try host.service().devices.draw())
        await ghosts.attend(cookie)
        #expect(ghosts.state.withLock { $0.ghosts.count(where: \.isOld) } == found.count)

        // One that lost a row is left as it is.
        let row = try found[0].vault.rowID(.item(3))
        let ledger = try host.service().store.ledger
        try await ledger.commit(
            LedgerChange(mayUseReserve: true) { transaction, _ in try transaction.deleteRow(row, in: .vault) })
        let heads = try await old(by: cookie, in: host).map { try $0.vault.rowID(.head) }
        #expect(!heads.contains(try found[0].vault.rowID(.head)))
        try await host.stop()
    }

    /// After a restart.
    private func old(by cookie: [UInt8], in host: TestHost) async throws -> [GhostVaults.Ghost] {
        let ghosts = try #require(try await host.restart().ghosts)
        await ghosts.attend(cookie)
        return ghosts.state.withLock { $0.ghosts.filter(\.isOld) }
    }

    @Test("leave one at least of each device that got a cookie, so that no key is used again")
    func sparing() async throws {
        let host = try TestHost { $0.cover = .upTo(0) }
        // One of a hundred that are drawn would be taken for a common password.
        let places = [
            "anchor", "bridge", "canyon", "desert", "estuary", "fjord", "glacier", "harbour", "island", "jungle",
            "kettle", "lagoon", "meadow", "nunatak", "orchard", "prairie",
        ]
        for place in places {
            _ = try await host.restart()
            let session = try await host.service().make("violet tram \(place)")
            let ghosts = try #require(try host.service().ghosts)
            let cookie = ghosts.takeCookie(for: [1])
            try await host.service().lock(session)
            guard let cookie else { continue }
            var codec = try RowCodec(vaultKey: deriveGhostKey(0, from: SecretBytes(copying: cookie)), home: .vault)
            let head = try codec.id(of: .head)
            let hasAny = try ghosts.store.ledger.readBlocking { try $0.row(head, in: .vault) } != nil
            #expect(hasAny)
            #expect(try await !old(by: cookie, in: host).isEmpty)
        }
        try await host.stop()
    }

    @Test("take no more memory by cookies that nobody uses than by a few")
    func cookies() async throws {
        let host = try TestHost { $0.cover = .upTo(0) }
        let ghosts = try #require(try await host.start().ghosts)
        let cookies = (0..<100).map { ghosts.takeCookie(for: [$0]) }
        #expect((1...16).contains(cookies.count { $0 != nil }))
        try await host.stop()
    }
}

/// 384 MiB of small blocks that are free again, but for a few between them, which keep the heap from shrinking by itself.
private struct ScatteredBlocks {
    private var held: [UnsafeMutableRawPointer] = []
    /// Some of the pages in which the others lay.
    private var pages: Set<UInt> = []
    private let pageByteCount = UInt(sysconf(Int32(_SC_PAGESIZE)))

    init() {
        var freed: [UnsafeMutableRawPointer] = []
        for number in 0..<6 << 10 {
            for _ in 0..<64 {
                guard let block = malloc(1000) else { continue }
                memset(block, 1, 1000)
                freed.append(block)
            }
            if number % 64 == 63, let block = malloc(1000) { held.append(block) }
        }
        for block in freed.indices where block % 64 == 32 {
            pages.insert(UInt(bitPattern: freed[block]) / pageByteCount * pageByteCount)
        }
        for block in freed { Glibc.free(block) }
    }

    /// How much of it is still this process's. What other tests take and give meanwhile does not count, as it would in the
    /// size of the process.
    var residentShare: Double {
        let count = pages.count { page in
            var state: UInt8 = 0
            return mincore(UnsafeMutableRawPointer(bitPattern: page), Int(pageByteCount), &state) == 0 && state & 1 == 1
        }
        return Double(count) / Double(pages.count)
    }

    func free() { for block in held { Glibc.free(block) } }
}
