import HostSupport
import ImagingProtocol
import Store
import Testing

@testable import Content
@testable import Records
@testable import Vault
@testable import Vaults

@Suite("Words in pictures")
struct TextRecognitionTests {
    private let text = "violet tram seven"
    private let maker = SampleMaker()
    private let host: TestHost
    /// Longer than what is left of a row.
    private let receipt = (1...60).map { "Coffee\($0) 2.50" }.joined(separator: "\n")

    init() throws {
        let making = PictureMaking(maker: maker)
        host = try TestHost { $0.pictures = making }
        maker.words = words(receipt)
    }

    private func words(_ text: String) -> PictureWords? { PictureWords(bytes: Array(text.utf8)) }

    private func settle(_ session: Session) async throws {
        let vault = try session.requireVault()
        await vault.pictures.pause()
        await vault.textRecognition.pause()
    }

    private func found(_ query: String, _ session: Session) async throws -> [String] {
        try await session.search.find(query).page.photos.map(\.name)
    }

    @Test("are sought once in the preview of each, stay with the photo, and are found after a restart")
    func sought() async throws {
        let session = try await host.start().make(text)
        let id = try await session.upload(photoBytes(1), name: "a.jpg").id
        try await settle(session)
        #expect(maker.read == [photoBytes(1, 2)])
        let photo = try await session.photos.photo(id)
        #expect(photo.details.words == receipt)
        #expect(try await session.storage().withoutWords == 0)
        #expect(try await found("coffee17", session) == ["a.jpg"])
        let next = try await host.restart().open(text)
        try await settle(next)
        #expect(maker.read.count == 1)
        #expect(try await found("coffee59", next) == ["a.jpg"])
        let listed = try #require(try await next.photos.page(cursor: nil).photos.first)
        #expect(listed.details.hasWords)
        #expect(listed.details.words == nil)
        #expect(try await next.photos.photo(listed.id).details.words == receipt)
        try await host.stop()
    }

    @Test("where there are none it is remembered, and what is listed stays as it was")
    func none() async throws {
        maker.words = nil
        let session = try await host.start().make(text)
        let id = try await session.upload(photoBytes(1)).id
        try await settle(session)
        let listing = session.listingNumber
        maker.words = PictureWords()
        try session.requireVault().textRecognition.wake()
        try await settle(session)
        #expect(maker.read.count == 1)
        #expect(session.listingNumber == listing)
        #expect(try await session.photos.photo(id).details.hasWords == false)
        let next = try await host.restart().open(text)
        try await settle(next)
        #expect(maker.read.count == 1)
        try await host.stop()
    }

    @Test("nobody is asked where nobody reads, and all are read once somebody does")
    func later() async throws {
        maker.words = nil
        let session = try await host.start().make(text)
        for number in 0..<3 { try await session.upload(photoBytes(UInt8(number))) }
        try await settle(session)
        #expect(maker.read.isEmpty)
        #expect(try await session.storage().withoutWords == nil)
        maker.words = words("hello")
        let next = try await host.restart().open(text)
        try await settle(next)
        #expect(maker.read.map(\.[3]) == [2, 1, 0])
        try await host.stop()
    }

    @Test("of a guest's photo they move along")
    func moved() async throws {
        let service = try await host.start()
        let guest = try await service.guest().session
        try await guest.upload(photoBytes(7), name: "a.jpg")
        try await settle(guest)
        #expect(maker.read.count == 1)
        // One that nobody has read before it moves.
        maker.words = nil
        try await guest.upload(photoBytes(8), name: "b.jpg")
        try await settle(guest)
        maker.words = words(receipt)
        _ = try await service.make("other words here")
        let session = try await service.open("other words here", guest: guest).session
        try await settle(session)
        let photos = try await session.photos.page(cursor: nil).photos
        #expect(photos.map(\.details.hasWords) == [true, true])
        #expect(try await session.photos.photo(photos[0].id).details.words == receipt)
        #expect(maker.read.map(\.[3]) == [7, 8])
        try await host.stop()
    }

    @Test("ghosts grow by the rows that words bring")
    func ghosts() async throws {
        let making = PictureMaking(maker: maker)
        let host = try TestHost {
            $0.pictures = making
            $0.cover = .upTo(0)
        }
        maker.words = nil
        let session = try await host.start().make(text)
        for number in 0..<12 { try await session.upload(photoBytes(UInt8(number))) }
        try await settle(session)
        maker.words = words(receipt)
        let next = try await host.restart().open(text)
        // One commit, of more rows than a new vault has empty ones; the next change of a vault brings them to a ghost.
        try await settle(next)
        #expect(maker.read.count == 12)
        let engine = try next.requireVault().engine
        #expect(engine.grownRows.load(ordering: .relaxed) > 0)
        let photo = try #require(try await next.photos.page(cursor: nil).photos.first)
        _ = try await next.photos.setFavourite([photo.id], true)
        #expect(engine.grownRows.load(ordering: .relaxed) == 0)
        try await host.stop()
    }
}
