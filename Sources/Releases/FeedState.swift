import FoundationEssentials
import Signing

/// What is remembered of a feed over restarts.
package struct FeedState: Codable, Equatable, Sendable {
    /// A signed document, as it came.
    package struct Signed: Codable, Equatable, Sendable {
        package var document: [UInt8]
        package var signature: [UInt8]
        package var entityTag: String?
    }

    /// What no signature vouches for: whoever can write to the disk could change it there, so it stays in memory.
    package struct Unsigned: Equatable, Sendable {
        package var document: [UInt8]
        package var entityTag: String?
    }

    private enum CodingKeys: CodingKey {
        case feed, lastAsked, newest, signed
    }

    /// Which feed; another one begins anew.
    package var feed: String
    /// Seconds since 1970 of the last request.
    package var lastAsked: Int64?
    /// The newest version that the feed has named under a signature so far.
    package var newest: String?
    package var signed: Signed?
    package var unsigned: Unsigned?

    /// The entity tag of the document that is remembered.
    package var entityTag: String? { signed?.entityTag ?? unsigned?.entityTag }

    package init(feed: String) {
        self.feed = feed
    }

    /// Damaged bytes, and those of another feed, count as none.
    package init(feed: String, stored bytes: [UInt8]?) {
        guard let bytes, let state = try? JSONDecoder().decode(FeedState.self, from: Data(bytes)), state.feed == feed,
            state.lastAsked.map({ $0 >= 0 }) ?? true
        else {
            self.init(feed: feed)
            return
        }
        self = state
    }

    package var encoded: [UInt8] {
        get throws { Array(try JSONEncoder().encode(self)) }
    }
}

/// An answer of the feed.
package enum FeedAnswer: Equatable, Sendable {
    /// It has not changed since the document that is remembered.
    case unchanged
    case document([UInt8], signature: [UInt8]?, entityTag: String?)
}

/// Judges what a feed says.
package struct FeedJudge: Sendable {
    package let running: SemanticVersion
    package let key: FeedKey?

    package init(running: SemanticVersion, key: FeedKey?) {
        self.running = running
        self.key = key
    }

    /// What another key, or none, vouched for is not remembered; the feed is asked for it anew.
    package func forgetUnproven(_ state: inout FeedState) {
        if proven(state) != nil { return }
        state.signed = nil
        if key == nil { state.newest = nil }
    }

    /// What the remembered document says, when it can still be believed.
    package func release(in state: FeedState) -> Release? {
        guard let document = proven(state), let release = try? Release(document: document), release.version > running
        else { return nil }
        return release
    }

    private func proven(_ state: FeedState) -> [UInt8]? {
        guard let key else { return state.unsigned?.document }
        guard let signed = state.signed, key.isSignature(signed.signature, of: signed.document) else { return nil }
        return signed.document
    }

    /// - Parameter state: takes up what the answer changes
    /// - Returns: a version newer than the one that runs, or `nil` for none
    package func judge(_ answer: FeedAnswer, _ state: inout FeedState) throws(FeedError) -> Release? {
        switch answer {
        case .unchanged: return release(in: state)
        case .document(let document, let signature, let entityTag):
            if let key {
                guard let signature, key.isSignature(signature, of: document) else { throw .wrongSignature }
            }
            let release = try Release(document: document)
            try refuseOlder(release.version, state)
            // Without a key anybody in between could name a version that no real one follows.
            if key != nil { state.newest = release.version.description }
            keep(document, signature, entityTag, in: &state)
            return release.version > running ? release : nil
        }
    }

    private func keep(
        _ document: [UInt8], _ signature: [UInt8]?, _ entityTag: String?, in state: inout FeedState
    ) {
        if key == nil {
            state.unsigned = FeedState.Unsigned(document: document, entityTag: entityTag)
        } else {
            state.signed = signature.map {
                FeedState.Signed(document: document, signature: $0, entityTag: entityTag)
            }
        }
    }

    /// Somebody who holds an old signed feed must not make anybody go back to what it names.
    private func refuseOlder(_ version: SemanticVersion, _ state: FeedState) throws(FeedError) {
        let newest = [state.newest.flatMap { SemanticVersion($0) }, running].compactMap(\.self).max()
        if let newest, version < newest { throw .older(version) }
    }
}

/// When the feed is asked: not at the start but a little later, and never twice within 24 hours, over restarts.
package struct FeedSchedule: Sendable {
    /// After a start, before anything is asked.
    package static let patience: Duration = .seconds(5)
    package static let interval: Duration = .seconds(86_400)
    /// The most that chance adds to an interval, so that not all hosts ask at the same time of day.
    package static let spread: Duration = .seconds(3_600)

    /// How long to wait from now on.
    /// - Parameters:
    ///   - lastAsked: seconds since 1970 of the last request, begun, not ended; `nil` for none
    ///   - now: seconds since 1970
    ///   - isAtStart: the daemon has just started
    ///   - chance: 0 to 1
    package static func wait(lastAsked: Int64?, now: Int64, isAtStart: Bool, chance: Double) -> Duration {
        let least = isAtStart ? patience * (1 + chance) : .zero
        guard let lastAsked else { return least }
        // A clock that stood in the future must not silence the feed for ever.
        let begun = min(lastAsked, now)
        let due = Duration.seconds(begun - now) + interval + spread * chance
        return max(due, least)
    }
}

/// Where a release feed is: an https address whose signature lies beside it, under the same name with `.sig`.
package struct FeedAddress: Equatable, Sendable {
    package let text: String

    /// `nil` for anything but https with a host and a path, without name, password, query or fragment.
    package init?(_ text: String) {
        guard let url = URL(string: text), url.scheme == "https", url.host()?.isEmpty == false, url.user() == nil,
            url.password() == nil, url.query() == nil, url.fragment() == nil, url.path().utf8.count > 1
        else { return nil }
        self.text = text
    }

    package var signatureText: String { text + ".sig" }
}

/// The Ed25519 public key that a feed must be signed with.
package struct FeedKey: Sendable {
    private let key: Ed25519PublicKey

    /// - Parameter text: 32 bytes in base64, or the PEM form that openssl writes
    package init?(_ text: String) {
        let lines = text.split(whereSeparator: \.isNewline).filter { !$0.hasPrefix("-----") }
        guard let bytes = Data(base64Encoded: lines.joined()) else { return nil }
        guard let raw = Self.rawKey(Array(bytes)), let key = Ed25519PublicKey(bytes: raw) else { return nil }
        self.key = key
    }

    /// RFC 8410: in a SubjectPublicKeyInfo these twelve bytes stand before the key.
    private static let prefix: [UInt8] = [0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00]

    private static func rawKey(_ bytes: [UInt8]) -> [UInt8]? {
        switch bytes.count {
        case Ed25519PublicKey.byteCount: bytes
        case 44 where bytes.starts(with: prefix): Array(bytes.dropFirst(prefix.count))
        default: nil
        }
    }

    /// - Parameters:
    ///   - signature: base64 of 64 bytes, as it stands in `<feed>.sig`; white space around it is left out
    ///   - document: the feed's exact bytes
    package func isSignature(_ signature: [UInt8], of document: [UInt8]) -> Bool {
        let text = String(decoding: signature, as: UTF8.self).filter { !$0.isWhitespace }
        guard let bytes = Data(base64Encoded: text), bytes.count == Ed25519PublicKey.signatureByteCount else {
            return false
        }
        return key.isSignature(Array(bytes), of: document)
    }
}
