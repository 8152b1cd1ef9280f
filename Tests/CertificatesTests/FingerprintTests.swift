import Testing

@testable import Certificates

@Suite("Fingerprints, as people compare them")
struct FingerprintTests {
}
