import FoundationEssentials

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
