import Foundation
import Releases
import SigningSupport
import Testing

@Suite("What a release feed says")
struct FeedJudgeTests {
    private let signer: Ed25519Signer
    private let running: SemanticVersion

    init() throws {
        signer = try Ed25519Signer()
        running = try #require(SemanticVersion("1.2.0"))
    }

    private static func document(
        _ version: String, page: String = "https://example.org/safelight", more: String = ""
    ) -> [UInt8] {
        Array(#"{"version":"\#(version)","page":"\#(page)"\#(more)}"#.utf8)
    }

    private func answer(_ document: [UInt8]) -> FeedAnswer { .document(document, signature: nil, entityTag: nil) }

    private func signed(_ document: [UInt8], tag: String? = "\"1\"") throws -> FeedAnswer {
        let signature = try Data(signer.signature(for: document)).base64EncodedString() + "\n"
        return .document(document, signature: Array(signature.utf8), entityTag: tag)
    }

    private var key: FeedKey {
        get throws { try #require(FeedKey(Data(signer.publicKey).base64EncodedString())) }
    }

    @Test("a newer version is a release, the same one is none")
    func newer() throws {
        let judge = FeedJudge(running: running, key: nil)
        var state = FeedState(feed: "https://example.org/feed.json")
        #expect(try judge.judge(answer(Self.document("1.2.0")), &state) == nil)
        let release = try #require(try judge.judge(answer(Self.document("1.3.0", more: #","other":[1]"#)), &state))
        #expect(release.version == SemanticVersion("1.3.0"))
        #expect(release.page == "https://example.org/safelight")
        #expect(!Upgrade(to: release, from: running).isNeeded)
    }

    @Test("what nobody signed is known until the daemon ends, and never lies on disk")
    func unsigned() throws {
        let judge = FeedJudge(running: running, key: nil)
        var state = FeedState(feed: "https://example.org/feed.json")
        let answer = FeedAnswer.document(Self.document("1.3.0"), signature: nil, entityTag: "\"7\"")
        _ = try judge.judge(answer, &state)
        #expect(state.entityTag == "\"7\"")
        #expect(try judge.judge(.unchanged, &state)?.version == SemanticVersion("1.3.0"))
        #expect(FeedState(feed: state.feed, stored: try state.encoded) == FeedState(feed: state.feed))
    }

    @Test("a version below the least one that is looked after needs the new one")
    func needed() throws {
        let release = try Release(document: Self.document("2.0.0", more: #","minimumVersion":"1.2.1""#))
        #expect(Upgrade(to: release, from: running).isNeeded)
    }

    @Test("a feed that goes back is not followed, over restarts either", arguments: ["1.1.9", "1.3.0"])
    func older(version: String) throws {
        let judge = FeedJudge(running: running, key: try key)
        var state = FeedState(feed: "https://example.org/feed.json")
        _ = try judge.judge(try signed(Self.document("1.4.0")), &state)
        state = FeedState(feed: state.feed, stored: try state.encoded)
        judge.forgetUnproven(&state)
        #expect(throws: FeedError.self) { try judge.judge(try signed(Self.document(version)), &state) }
        #expect(state.newest == "1.4.0")
    }

    @Test(
        "addresses that a person must not be led to make the feed worthless",
        arguments: [
            "http://example.org/", "javascript:alert(1)", "file:///etc/passwd", "https://", "https:///path",
            "https://user@example.org/", "https://user:word@example.org/", "https://example.org/\\u0022onclick",
            "https://example.org/a b", "data:text/html,x", "//example.org/", "",
        ])
    func addresses(page: String) {
        #expect(throws: FeedError.unsafeAddress) { try Release(document: Self.document("2.0.0", page: page)) }
        let notes = Self.document("2.0.0", more: #","notes":"\#(page)""#)
        #expect(throws: FeedError.unsafeAddress) { try Release(document: notes) }
    }

    @Test(
        "what is no feed is none",
        arguments: [
            "", "null", "[]", "{}", "<html>", #"{"version":"2.0.0"}"#, #"{"version":2,"page":"https://example.org/"}"#,
            #"{"version":"two","page":"https://example.org/"}"#,
            #"{"version":"2.0.0","minimumVersion":"x","page":"https://example.org/"}"#,
        ])
    func malformed(text: String) {
        #expect(throws: FeedError.malformed) { try Release(document: Array(text.utf8)) }
    }

    @Test("a document beyond 64 KiB is not read")
    func tooLarge() {
        let padding = String(repeating: " ", count: Release.longestDocument)
        #expect(throws: FeedError.tooLarge) { try Release(document: Self.document("2.0.0", more: padding)) }
    }

    @Test("with a key only its signature of the exact bytes counts")
    func signature() throws {
        let judge = FeedJudge(running: running, key: try key)
        var state = FeedState(feed: "https://example.org/feed.json")
        let document = Self.document("1.3.0")
        guard case .document(_, let signature, _) = try signed(document) else { return }
        let stranger = Array(Data(try Ed25519Signer().signature(for: document)).base64EncodedString().utf8)
        for wrong in [nil, [], stranger, Array("no base64!".utf8)] as [[UInt8]?] {
            let answer = FeedAnswer.document(document, signature: wrong, entityTag: nil)
            #expect(throws: FeedError.wrongSignature) { try judge.judge(answer, &state) }
        }
        let other = FeedAnswer.document(document + [0x20], signature: signature, entityTag: nil)
        #expect(throws: FeedError.wrongSignature) { try judge.judge(other, &state) }
        #expect(state == FeedState(feed: state.feed))
        #expect(try judge.judge(try signed(document), &state)?.version == SemanticVersion("1.3.0"))
    }

    @Test("a signed document is believed after a restart, a changed one is not")
    func remembered() throws {
        let judge = FeedJudge(running: running, key: try key)
        var state = FeedState(feed: "https://example.org/feed.json")
        _ = try judge.judge(try signed(Self.document("1.3.0")), &state)
        state = FeedState(feed: state.feed, stored: try state.encoded)
        #expect(judge.release(in: state)?.version == SemanticVersion("1.3.0"))
        #expect(try judge.judge(.unchanged, &state)?.version == SemanticVersion("1.3.0"))
        state.signed?.document = Self.document("9.9.9")
        #expect(judge.release(in: state) == nil)
        #expect(FeedState(feed: "https://example.org/other", stored: try state.encoded).signed == nil)
        #expect(FeedState(feed: state.feed, stored: [1, 2, 3]) == FeedState(feed: state.feed))
    }

    @Test("what another key vouched for is asked for anew")
    func otherKey() throws {
        let judge = FeedJudge(running: running, key: try key)
        var state = FeedState(feed: "https://example.org/feed.json")
        _ = try judge.judge(try signed(Self.document("1.3.0")), &state)
        let stranger = Data(try Ed25519Signer().publicKey).base64EncodedString()
        let other: FeedKey = try #require(FeedKey(stranger))
        FeedJudge(running: running, key: other).forgetUnproven(&state)
        #expect(state.signed == nil)
    }

    @Test("a time before all times is no time")
    func damagedTime() throws {
        var state = FeedState(feed: "https://example.org/feed.json")
        state.lastAsked = .min
        #expect(FeedState(feed: state.feed, stored: try state.encoded).lastAsked == nil)
    }

    @Test("a key is read as base64 of the bare key and of what openssl writes")
    func keyForms() throws {
        let document = Self.document("1.3.0")
        let signature = Array(Data(try signer.signature(for: document)).base64EncodedString().utf8)
        let information = Data(signer.publicKey)
        let prefix = Data([0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00])
        let base64 = (prefix + information).base64EncodedString()
        for text in [base64, "-----BEGIN PUBLIC KEY-----\n\(base64)\n-----END PUBLIC KEY-----\n"] {
            #expect(try #require(FeedKey(text)).isSignature(signature, of: document))
        }
        #expect(FeedKey("") == nil)
        #expect(FeedKey(Data(repeating: 1, count: 33).base64EncodedString()) == nil)
    }

    @Test(
        "a feed lies at a plain https address",
        arguments: [
            "http://example.org/feed.json", "https://example.org", "https://example.org/", "https://u@example.org/f",
            "https://example.org/f?x=1", "https://example.org/f#x", "feed.json", "",
        ])
    func feedAddresses(text: String) {
        #expect(FeedAddress(text) == nil)
    }
}
