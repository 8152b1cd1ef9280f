import HostSupport
import Media
import Testing

@testable import Records
@testable import Vault
@testable import Vaults

@Suite("Names that are numbers")
struct NumberedNamesTests {
    private let host: TestHost
    private let session: Session

    init() async throws {
        host = try TestHost()
        session = try await host.start().make("violet tram seven")
    }

    /// Of each photo whether its name was taken for a year.
    private func years() async throws -> [String: Bool] {
        let photos = try await session.photos.page(cursor: nil).photos
        return Dictionary(
            uniqueKeysWithValues: photos.map { ($0.name, $0.details.takenAt?.precision == .year) })
    }

    private func upload(_ names: String...) async throws {
        for name in names { try await session.upload(Array("GIF89a\(name), of no pixels".utf8), name: name) }
    }

    @Test("are years, until one beside them shows that they are a series, whichever came first")
    func series() async throws {
        try await upload("1964.jpg", "1971.jpg", "1980.jpg")
        #expect(try await years() == ["1964.jpg": true, "1971.jpg": true, "1980.jpg": true])
        try await upload("1965.jpg")
        #expect(
            try await years() == ["1964.jpg": false, "1971.jpg": true, "1980.jpg": true, "1965.jpg": false])
        try await upload("7.jpg", "1990.jpg")
        #expect(try await years().values.allSatisfy { !$0 })
        try await host.stop()
    }
}
