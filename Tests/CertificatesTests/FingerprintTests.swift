import Testing

@testable import Certificates

@Suite("Fingerprints, as people compare them")
struct FingerprintTests {
    /// SHA-256 of "abc" (FIPS 180-2, appendix B.1).
    let example: Fingerprint

    init() throws {
        example = try Fingerprint(ofCertificate: Array("abc".utf8))
    }

    @Test("the hexadecimal form is that of openssl and browsers")
    func hexadecimal() {
        #expect(
            example.hex == "BA:78:16:BF:8F:01:CF:EA:41:41:40:DE:5D:AE:22:23:"
                + "B0:03:61:A3:96:17:7A:9C:B4:10:FF:61:F2:00:15:AD")
    }

    @Test("the words of a fixed example never change")
    func words() {
        #expect(example.words == ["pocket", "kiwi", "box", "puzzle", "mitten", "actor", "shovel", "tulip"])
    }

    @Test("there are 256 words, sorted, told apart by their first three letters")
    func list() {
        let words = FingerprintWords.all
        #expect(words.count == 256)
        #expect(words == words.sorted())
        #expect(Set(words.map { $0.prefix(3) }).count == 256)
        #expect(words.allSatisfy { (3...6).contains($0.count) && $0.utf8.allSatisfy { (0x61...0x7A).contains($0) } })
    }
}
