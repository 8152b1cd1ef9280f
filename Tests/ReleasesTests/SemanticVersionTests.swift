import Releases
import Testing

@Suite("Versions")
struct SemanticVersionTests {
    @Test("versions stand in the order of the specification")
    func order() throws {
        let texts = [
            "0.1.0", "0.9.9", "0.10.0", "1.0.0-alpha", "1.0.0-alpha.1", "1.0.0-alpha.beta", "1.0.0-beta",
            "1.0.0-beta.2", "1.0.0-beta.11", "1.0.0-rc.1", "1.0.0", "1.0.1", "2.0.0",
        ]
        let versions = try texts.map { try #require(SemanticVersion($0)) }
        #expect(versions.shuffled().sorted() == versions)
        #expect(versions.map(\.description) == texts)
    }

    @Test("build metadata makes no difference")
    func metadata() {
        #expect(SemanticVersion("1.2.3+build.7") == SemanticVersion("1.2.3"))
    }

    @Test(
        "what is no version is none",
        arguments: [
            "", "1", "1.2", "1.2.3.4", "v1.2.3", "1.02.3", "1.2.3-", "1.2.3-01", "1.2.3-a..b", "1.2.3+", " 1.2.3",
            "1.2.x",
            "-1.2.3", "1.2.18446744073709551616", "1.2.3-ü", "1.2.3-" + String(repeating: "a", count: 32),
        ])
    func noVersions(text: String) {
        #expect(SemanticVersion(text) == nil)
    }
}
