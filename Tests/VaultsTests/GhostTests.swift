import NIOCore
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
    @Test("come by themselves by day, about once in a day")
    func hours() {
        let (now, day): (Int64, Int64) = (1_795_000_000_000, 86_400_000)
        var waits: [Int64] = []
        for _ in 0..<4_000 {
            let moment = VisitingHours.next(after: now)
            let hour = HostZone.wallClock(of: moment).dividedDown(by: day).remainder / 3_600_000
            #expect((8..<23).contains(hour))
            waits.append(moment - now)
        }
        #expect(waits.allSatisfy { $0 >= 0 })
        let mean = Double(waits.reduce(0, +)) / Double(waits.count) / Double(day)
        #expect(mean > 0.9 && mean < 1.6, "days: \(mean)")
    }

    @Test("bring objects that no vault explains, while all are locked and none was opened since the start")
    func visits() async throws {
        let sample = try SampleService { $0.cover = .upTo(64 << 20) }
        let first = try await sample.start()
        let session = try await first.make("violet tram seven")
        try await session.upload(sampleBytes(5_000), name: "own.jpg")
        try await first.lock(session)
        let service = try await sample.restart()
        let ghosts = try #require(service.ghosts)
        var counts: [Int] = [try sample.objectFiles().count]
        for _ in 0..<4 {
            try await ghosts.visit()
            await service.quiesceIfLocked()
            counts.append(try sample.objectFiles().count)
        }
        #expect(zip(counts, counts.dropFirst()).allSatisfy { $0 < $1 }, "\(counts)")
        let again = try await service.open("violet tram seven")
        let photo = try #require(try await again.photos.page(cursor: nil).photos.first)
        #expect(try await again.content(photo.id) == sampleBytes(5_000))
        try await sample.stop()
    }

    @Test("come all with the first change of a run, and no more of them where more is done")
    func births() async throws {
        let sample = try SampleService { $0.cover = .upTo(0) }
        let service = try await sample.start()
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
        try await sample.stop()
    }

    @Test("have received something when the daemon is stopped right after the first photo of a store")
    func stopAtOnce() async throws {
        for _ in 0..<5 {
            let sample = try SampleService { $0.cover = .upTo(64 << 20) }
            let session = try await sample.start().make("violet tram seven")
            try await session.upload(sampleBytes(3_000), name: "own.jpg")
            try await sample.stop()
            #expect(try sample.objectFiles().count > 1)
        }
    }

    @Test("bring no more than they may hold, whatever comes to mind")
    func limit() async throws {
        let sample = try SampleService { $0.cover = .upTo(8 << 20) }
        let service = try await sample.start()
        let ghosts = try #require(service.ghosts)
        for _ in 0..<12 { try await ghosts.visit() }
        let held = try sample.objectFiles().map { try sample.read("objects/\($0)").count }.reduce(0, +)
        #expect(held > 0 && held <= 8 << 20)
        try await sample.stop()
    }

    @Test("go on once a device brings their keys back, with rows and objects, and only where they are whole")
    func devices() async throws {
        var (sample, cookie) = (try SampleService(), [UInt8]())
        var found: [GhostVaults.Ghost] = []
        // Which of them are that device's, and how much is left at the end of the first run of a store, is drawn.
        for _ in 0..<30 where found.flatMap(\.oldObjects).isEmpty {
            try await sample.stop()
            sample = try SampleService { $0.cover = .upTo(64 << 20) }
            let ghosts = try #require(try await sample.start().ghosts)
            cookie = try #require(ghosts.takeCookie(for: [1]))
            for _ in 0..<4 { try await ghosts.visit() }
            found = try await old(by: cookie, in: sample)
        }
        let files = try sample.objectFiles().map { String($0.suffix(32)) }
        let objects = found.flatMap(\.oldObjects)
        #expect(!objects.isEmpty && objects.allSatisfy { files.contains(Hexadecimal.encode($0.id.bytes)) })
        #expect(found.allSatisfy { $0.vault.head.rowCount >= 16 })

        // Others have no keys from that device, and a second visit brings none twice.
        let ghosts = try #require(try sample.service().ghosts)
        await ghosts.attend(try sample.service().devices.draw())
        await ghosts.attend(cookie)
        #expect(ghosts.state.withLock { $0.ghosts.count(where: \.isOld) } == found.count)

        // One that lost a row is left as it is.
        let row = try found[0].vault.rowID(.item(3))
        let ledger = try sample.service().store.ledger
        try await ledger.commit(
            LedgerChange(mayUseReserve: true) { transaction, _ in try transaction.deleteRow(row, in: .vault) })
        let heads = try await old(by: cookie, in: sample).map { try $0.vault.rowID(.head) }
        #expect(!heads.contains(try found[0].vault.rowID(.head)))
        try await sample.stop()
    }

    /// After a restart.
    private func old(by cookie: [UInt8], in sample: SampleService) async throws -> [GhostVaults.Ghost] {
        let ghosts = try #require(try await sample.restart().ghosts)
        await ghosts.attend(cookie)
        return ghosts.state.withLock { $0.ghosts.filter(\.isOld) }
    }

    @Test("leave one at least of each device that got a cookie, so that no key is used again")
    func sparing() async throws {
        let sample = try SampleService { $0.cover = .upTo(0) }
        for _ in 0..<16 {
            _ = try await sample.restart()
            let session = try await sample.service().make("violet tram seven \(UInt64.random(in: 0..<1 << 40))")
            let ghosts = try #require(try sample.service().ghosts)
            let cookie = ghosts.takeCookie(for: [1])
            try await sample.service().lock(session)
            guard let cookie else { continue }
            var codec = try RowCodec(vaultKey: deriveGhostKey(0, from: SecretBytes(copying: cookie)), home: .vault)
            let head = try codec.id(of: .head)
            let hasAny = try ghosts.store.ledger.readBlocking { try $0.row(head, in: .vault) } != nil
            #expect(hasAny)
            #expect(try await !old(by: cookie, in: sample).isEmpty)
        }
        try await sample.stop()
    }

    @Test("have keys of few devices, and some of nobody; one cookie is given out for each vault")
    func seeds() throws {
        var (devices, drawn) = (GhostDevices(), UInt8(0))
        let draw: () -> [UInt8] = {
            drawn += 1
            return Array(repeating: drawn, count: 32)
        }
        let keys = try (0..<200).map { _ in try devices.nextKey(draw) }
        let ofDevices = keys.compactMap(\.self)
        #expect((50..<150).contains(ofDevices.count))
        #expect(ofDevices.count { $0.seed == 0 } == GhostVaults.mostOfDevice)
        let secrets = try ofDevices.map { try devices.secret(of: $0).withUnsafeBytes { Array($0) } }
        #expect(Set(secrets).count == ofDevices.count)
        let may = (0..<4).map { devices.mayTake(for: [UInt8($0 / 2)]) }
        #expect(may == [true, false, true, false])
        let cookies = (0..<2).map { _ in devices.takeCookie() }
        #expect(cookies[0] == Array(repeating: 1, count: 32) && cookies[1] != cookies[0])
        let isNew = devices.noteKnown(try #require(cookies[0]))
        #expect(!isNew)
    }

    @Test("take no more memory by cookies that nobody uses than by a few")
    func cookies() async throws {
        let sample = try SampleService { $0.cover = .upTo(0) }
        let ghosts = try #require(try await sample.start().ghosts)
        let cookies = (0..<100).map { ghosts.takeCookie(for: [$0]) }
        #expect((1...16).contains(cookies.count { $0 != nil }))
        try await sample.stop()
    }
}
