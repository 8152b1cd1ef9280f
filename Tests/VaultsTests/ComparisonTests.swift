import HostSupport
import ImagingProtocol
import Media
import Testing

@testable import Content
@testable import Records
@testable import Vault
@testable import Vaults

@Suite("What may be a copy of a photo")
struct ComparisonTests {
    private let maker = SampleMaker()

    init() {
        var facts = MediaFacts()
        facts.placeholder = [141, 60, 20, 20, 128, 128, 128] + (0..<18).map { UInt8(0x2C + $0 * 9) }
        (facts.width, facts.height) = (4000, 3000)
        maker.facts = facts
    }

    /// With two photos that look alike: which is larger is the best.
    private func start() async throws -> (TestHost, Session, copy: String) {
        let host = try TestHost { [maker] in $0.pictures = PictureMaking(maker: maker) }
        let session = try await host.start().make("violet tram seven")
        try await session.upload(photoBytes(1, 9, 9), name: "best.jpg")
        let copy = try await session.upload(photoBytes(2), name: "copy.jpg").id
        try await session.requireVault().pictures.pause()
        return (host, session, copy)
    }

    @Test("is compared once somebody asks, is none until then, and is not compared again")
    func once() async throws {
        let (host, session, copy) = try await start()
        #expect(maker.compared.isEmpty)
        maker.hold()
        let page = try await session.search.duplicates(cursor: nil)
        #expect(page.groups.map { $0.photos.map(\.name) } == [["best.jpg", "copy.jpg"]])
        #expect(page.groups.map(\.copies) == [[]])
        #expect((page.comparing, page.unseen) == (1, 1))
        let answer = Task { try await session.search.duplicates(cursor: nil, until: .now + .seconds(600)) }
        while maker.compared.isEmpty { await Task.yield() }
        maker.release()
        let known = try await answer.value
        #expect(known.groups.map(\.copies) == [[copy]])
        #expect((known.comparing, known.unseen) == (0, 0))
        #expect(try await session.search.duplicates(cursor: nil).groups.map(\.copies) == [[copy]])
        #expect(maker.compared.map(\.best) == [[1, 9, 9]] && maker.compared.map(\.copy) == [[2]])
        try await host.stop()
    }

    @Test("is none where its pixels are others, or where nobody can compare them, until somebody can")
    func none() async throws {
        let (host, session, copy) = try await start()
        maker.setAvailable(false)
        let unknown = try await session.search.duplicates(cursor: nil, until: .now + .seconds(600))
        #expect(unknown.groups.map(\.copies) == [[]] && unknown.comparing == 0)
        maker.setAvailable(true)
        try session.requireVault().pictures.wake()
        let known = try await session.search.duplicates(cursor: nil, until: .now + .seconds(600))
        #expect(known.groups.map(\.copies) == [[copy]])
        try await host.stop()
        let (other, others, _) = try await start()
        maker.difference = PictureDifference(thousandths: 1001)
        let different = try await others.search.duplicates(cursor: nil, until: .now + .seconds(600))
        #expect(different.groups.map(\.copies) == [[]] && different.comparing == 0)
        try await other.stop()
    }

    @Test("is given up when the vault is locked, with all that was read of it")
    func locked() async throws {
        let (host, session, _) = try await start()
        maker.hold()
        let answer = Task { try await session.search.duplicates(cursor: nil, until: .now + .seconds(600)) }
        while maker.compared.isEmpty { await Task.yield() }
        let pictures = try session.requireVault().pictures
        try await host.service().lock(session)
        await #expect(throws: VaultError.sessionEnded) { try await answer.value }
        maker.release()
        await pictures.pause()
        #expect(pictures.state.withLock { $0.sources.isEmpty })
        try await host.stop()
    }

    @Test("gives way to another picture, and is compared later")
    func queue() {
        func pair(_ number: UInt64) -> PhotoPair {
            PhotoPair(
                best: PhotoPair.Member(serial: number, object: .random()),
                copy: PhotoPair.Member(serial: number + 1, object: .random()))
        }
        let (one, other) = (pair(1), pair(3))
        var queue = ComparisonQueue()
        queue.want([one, other])
        let first = queue.next()
        #expect(first == one)
        queue.want([one])
        queue.end(one, .displaced)
        let rest = [queue.next(), queue.next(), queue.next()]
        #expect(rest == [other, one, nil])
        queue.end(other, .failed)
        queue.end(one, .isCopy(true))
        queue.want([one, other])
        #expect(queue.isCopy(one) == true && queue.isCopy(other) == false && !queue.hasWanted)
        queue.forgetFailed()
        #expect(queue.isCopy(other) == nil)
    }
}
