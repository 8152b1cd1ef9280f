import Content
import HostSupport
import TestSupport
import Testing

@testable import Bytes
@testable import Records
@testable import Sealing
@testable import Store
@testable import Vault
@testable import Vaults

extension PhoneFile {
    /// Whose object is one block, and whose pictures are of two sizes.
    static let oneBlock = PhoneFile(byteCount: 3000, pictureExponents: [14, 18])
}

@Suite("Photos of the daemon's own vaults")
struct GhostPhotoTests {
    /// A host that makes pictures, or not, with a vault that receives.
    private func begin(
        pictures: Bool, day: Day = Day()
    ) async throws -> (host: TestHost, ghosts: GhostVaults, vault: OpenVault) {
        let host = try TestHost { configuration in
            configuration.cover = .upTo(64 << 20)
            configuration.today = { day.today }
            if pictures { configuration.pictures = PictureMaking(maker: SampleMaker()) }
        }
        let ghosts = try #require(try await host.start().ghosts)
        return (host, ghosts, try #require(try ghosts.allVaults().first))
    }

    private func previewByteCounts(_ ghosts: GhostVaults) throws -> [Int] {
        let ids = ghosts.state.withLock { $0.ghosts.flatMap(\.objects).flatMap(\.previews) }
        return try ids.compactMap { try ghosts.store.previews.body($0)?.count }
    }

    private func uploads(_ ghosts: GhostVaults) throws -> [RowID] {
        try ghosts.state.withLock(\.uploads).map(\.row).filter { row in
            try ghosts.store.ledger.readBlocking { try $0.upload(row) } != nil
        }
    }

    @Test("have two previews of the sizes of real ones, which go with them")
    func previews() async throws {
        let (host, ghosts, vault) = try await begin(pictures: true)
        for _ in 0..<3 { try await ghosts.receive(.oneBlock, in: vault) }
        let sizes = try [14, 18].map { try PreviewSeal.filler(exponent: $0).count }
        #expect(try previewByteCounts(ghosts).sorted() == [0, 0, 0, 1, 1, 1].map { sizes[$0] })
        // As those of real photos are.
        let fileKey = try SecretBytes(random: 32)
        let id = try PreviewSeal.id(of: .preview, fileKey: fileKey)
        #expect(try PreviewSeal.seal(sampleBytes(200_000), id: id, fileKey: fileKey).count == sizes[1])
        #expect(try ghosts.store.previews.count() == 6)
        try await ghosts.keepOnly(4096)
        #expect(try ghosts.store.previews.count() == 2)
        try await ghosts.keepOnly(0)
        #expect(try ghosts.store.previews.count() == 0)
        try await host.stop()
    }

    @Test("have what a page sends where nobody makes pictures: a thumbnail of some, and nothing of others")
    func thumbnails() async throws {
        let (host, ghosts, _) = try await begin(pictures: false)
        // How many there are, and which of them do, is drawn.
        let sending = ghosts.state.withLock { $0.ghosts.filter(\.sendsThumbnails).map { ObjectIdentifier($0.vault) } }
        for vault in try ghosts.allVaults() {
            let before = try ghosts.store.previews.count()
            try await ghosts.receive(.oneBlock, in: vault)
            let more = sending.contains(ObjectIdentifier(vault)) ? 1 : 0
            #expect(try ghosts.store.previews.count() == before + more)
        }
        let smallest = try PreviewSeal.filler(exponent: 14).count
        #expect(try previewByteCounts(ghosts).allSatisfy { $0 == smallest })
        try await host.stop()
    }

    @Test("have lists of windows among them: small, and without pictures")
    func lists() async throws {
        let (host, ghosts, _) = try await begin(pictures: true)
        ghosts.state.withLock { $0.owedLists = 5 }
        await ghosts.rest()
        let sizes = ghosts.state.withLock { $0.ghosts.flatMap(\.objects).map(\.byteCount) }
        #expect(sizes.count == 5 && sizes.allSatisfy { (4096...(300 << 10)).contains($0) }, "\(sizes)")
        #expect(try ghosts.store.previews.count() == 0)
        #expect(try host.objectFiles().count == 5)
        try await host.stop()
    }

    @Test("are known again with their previews by the row that stands for them")
    func row() throws {
        let object = GhostObject(
            id: .random(), rowNumber: 7, byteCount: 4096, previews: [.random(), .random()])
        let read = try #require(GhostObject(object.piece, at: 7))
        #expect(read.id == object.id && read.byteCount == 4096 && read.previews == object.previews)
    }

    @Test("stop half-way, and go on until they are whole")
    func goingOn() async throws {
        let (host, ghosts, vault) = try await begin(pictures: true)
        var (begun, stored) = (0, UInt64(0))
        // To some of them nothing comes.
        while begun < 3 {
            try await ghosts.beginUpload(of: PhoneFile(byteCount: 300_000, pictureExponents: [14, 18]))
            let upload = try #require(ghosts.state.withLock { $0.uploads.last })
            #expect(try uploads(ghosts).count == 1)
            let files = try host.objectFiles()
            #expect(files.count == begun + (upload.part == nil ? 0 : 1))
            _ = ghosts.state.withLock { $0.uploads.removeLast() }
            try await ghosts.finish(upload, in: vault)
            #expect(try ghosts.store.ledger.readBlocking { try $0.upload(upload.row) } == nil)
            begun += 1
            stored = try #require(ghosts.state.withLock { $0.ghosts.flatMap(\.objects).last?.byteCount })
        }
        // In one run or two: whole blocks, and no fewer than the content needs.
        #expect(stored.isMultiple(of: 4096) && stored >= ObjectSize.ofOneRun(content: 300_000))
        let sizes = try host.objectFiles().map { try host.read("objects/\($0)").count }
        #expect(sizes.allSatisfy { $0 >= 300_000 && $0.isMultiple(of: 4096) } && sizes.count == begun)
        #expect(try ghosts.store.previews.count() == 2 * begun)
        try await host.stop()
    }

    @Test("expire seven days after they stopped, over a restart, with what came of them")
    func expiry() async throws {
        let day = Day()
        let (host, ghosts, _) = try await begin(pictures: false, day: day)
        while ghosts.state.withLock({ $0.uploads.allSatisfy { $0.part == nil } }) {
            try await ghosts.beginUpload(of: PhoneFile(byteCount: 300_000, pictureExponents: []))
        }
        let rows = try uploads(ghosts)
        let count = try host.objectFiles().count
        #expect(count > 0)
        // As a crash leaves them.
        let next = try await host.killed()
        let service = try await next.start()
        func left() throws -> Int {
            try service.store.ledger.readBlocking { reader in try rows.count { try reader.upload($0) != nil } }
        }
        for _ in 0..<7 {
            day.advance()
            await service.runDailyWork()
        }
        #expect(try left() == rows.count && next.objectFiles().count == count)
        day.advance()
        await service.runDailyWork()
        #expect(try left() == 0 && next.objectFiles().isEmpty)
        try await next.stop()
        try await host.stop()
    }

    @Test("that stopped half-way give way to photos, too, and are never more than a quarter of what there may be")
    func room() async throws {
        let (host, ghosts, _) = try await begin(pictures: false)
        for _ in 0..<60 { try await ghosts.beginUpload(of: PhoneFile(byteCount: 4 << 20, pictureExponents: [])) }
        let held = ghosts.state.withLock { $0.uploads.reduce(UInt64(0)) { $0 + $1.byteCount } }
        #expect(held > 0 && held <= 16 << 20)
        #expect(await ghosts.giveWay(to: held))
        #expect(try host.objectFiles().isEmpty && uploads(ghosts).isEmpty)
        try await host.stop()
    }

    @Test("are as large as a phone's, whatever comes, and never larger than there may be")
    func sizes() throws {
        let drawn = (0..<4000).compactMap { _ in PhoneFile.draw(atMost: 1 << 40) }
        #expect(drawn.count == 4000)
        let sorted = drawn.map(\.byteCount).sorted()
        // Photos of a phone at the median, pictures of messengers below, videos above.
        #expect((1_000_000...2_500_000).contains(sorted[2000]), "\(sorted[2000])")
        #expect(sorted[200] < 400_000 && sorted[3900] > 6_000_000, "\(sorted[200]) \(sorted[3900])")
        let sizes = (14...16, 15...20)
        for file in drawn where !file.pictureExponents.isEmpty {
            #expect(sizes.0.contains(file.pictureExponents[0]) && sizes.1.contains(file.pictureExponents[1]))
        }
        #expect(
            (0..<400).compactMap { _ in PhoneFile.draw(atMost: 300_000) }.allSatisfy { $0.objectByteCount <= 300_000 })
        #expect(PhoneFile.draw(atMost: 4096) == nil)
        // Of a window with some photos as often as of one with hundreds.
        let lists = (0..<1000).compactMap { _ in PhoneFile.drawList(atMost: 1 << 40) }.map(\.objectByteCount).sorted()
        #expect(lists[300] == 4096 && lists[950] > 64_000, "\(lists[300]) \(lists[950])")
    }
}
