import FoundationEssentials

/// What a release feed says of the newest version.
package struct Release: Equatable, Sendable {
    package var version: SemanticVersion
    /// Versions below it are no longer looked after.
    package var minimumVersion: SemanticVersion?
    /// Where it is to be had: an https address.
    package var page: String
    /// What has changed: an https address.
    package var notes: String?

    package init(version: SemanticVersion, minimumVersion: SemanticVersion?, page: String, notes: String?) {
        self.version = version
        self.minimumVersion = minimumVersion
        self.page = page
        self.notes = notes
    }
}

/// A release newer than the version that runs.
package struct Upgrade: Equatable, Sendable {
    package let release: Release
    /// The version that runs is no longer looked after.
    package let isNeeded: Bool

    package init(to release: Release, from running: SemanticVersion) {
        self.release = release
        isNeeded = release.minimumVersion.map { running < $0 } ?? false
    }
}

extension Release {
    /// Largest document that is read.
    package static let longestDocument = 64 << 10

    private struct Document: Decodable {
        let version: String
        let minimumVersion: String?
        let page: String
        let notes: String?
    }

    /// - Parameter document: JSON in UTF-8: `{"version", "minimumVersion"?, "page", "notes"?}`; other keys are left
    ///   alone
    /// - Throws: `FeedError`
    package init(document: [UInt8]) throws(FeedError) {
        guard document.count <= Self.longestDocument else { throw .tooLarge }
        guard let content = try? JSONDecoder().decode(Document.self, from: Data(document)) else { throw .malformed }
        guard let version = SemanticVersion(content.version) else { throw .malformed }
        var minimum: SemanticVersion?
        if let text = content.minimumVersion {
            guard let version = SemanticVersion(text) else { throw .malformed }
            minimum = version
        }
        guard let page = Self.address(content.page) else { throw .unsafeAddress }
        var notes: String?
        if let text = content.notes {
            guard let address = Self.address(text) else { throw .unsafeAddress }
            notes = address
        }
        self.init(version: version, minimumVersion: minimum, page: page, notes: notes)
    }

    /// An https address that a person may be led to: with a host, without a name or password, in plain characters.
    private static func address(_ text: String) -> String? {
        let isPlain = text.utf8.allSatisfy { (0x21...0x7e).contains($0) && !Array("\"'<>\\^`{|}".utf8).contains($0) }
        guard isPlain, text.utf8.count <= 512, let url = URL(string: text), url.scheme == "https",
            url.host()?.isEmpty == false, url.user() == nil, url.password() == nil
        else { return nil }
        return text
    }
}

/// Why a feed is not believed. Nothing of it reaches the page.
package enum FeedError: Error, Equatable {
    case unreachable(String)
    /// It did not answer within ten seconds.
    case tooSlow
    /// Another status than 200 and 304; a redirection too, for it could lead anywhere.
    case unexpectedStatus(Int)
    /// More than 64 KiB.
    case tooLarge
    case malformed
    /// An address in it is not plain https.
    case unsafeAddress
    /// `<feed>.sig` is missing, or is not the signature of these bytes by `upgrade.key`.
    case wrongSignature
    /// It names an older version than it did before, or than the one that runs.
    case older(SemanticVersion)
}

extension FeedError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .unreachable(let reason): "it cannot be reached: \(reason)"
        case .tooSlow: "it did not answer within ten seconds"
        case .unexpectedStatus(let status): "it answered with status \(status)"
        case .tooLarge: "it is larger than 64 KiB"
        case .malformed: "it is not a release feed"
        case .unsafeAddress: "an address in it is not plain https"
        case .wrongSignature: "its signature is missing or wrong"
        case .older(let version): "it names version \(version), which is older"
        }
    }
}

/// A version as semver.org 2.0.0 writes and orders it; build metadata is left out.
package struct SemanticVersion: Equatable, Sendable {
    /// Longest text that is read.
    package static let longestText = 32

    private enum Identifier: Equatable, Sendable {
        case number(UInt64)
        case text(String)
    }

    private let numbers: [UInt64]
    private let prerelease: [Identifier]

    /// `nil` for what is no version, and for what is longer than 32 characters.
    package init?(_ text: String) {
        guard text.utf8.count <= Self.longestText else { return nil }
        let metadata = text.split(separator: "+", maxSplits: 1, omittingEmptySubsequences: false)
        if metadata.count == 2, !Self.areIdentifiers(metadata[1]) { return nil }
        let parts = metadata[0].split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        let numbers = parts[0].split(separator: ".", omittingEmptySubsequences: false).map(Self.number)
        guard numbers.count == 3, !numbers.contains(nil) else { return nil }
        self.numbers = numbers.compactMap(\.self)
        guard parts.count == 2 else {
            prerelease = []
            return
        }
        guard Self.areIdentifiers(parts[1]) else { return nil }
        var identifiers: [Identifier] = []
        for part in parts[1].split(separator: ".") {
            if part.utf8.allSatisfy(Self.isDigit) {
                guard let number = Self.number(part) else { return nil }
                identifiers.append(.number(number))
            } else {
                identifiers.append(.text(String(part)))
            }
        }
        prerelease = identifiers
    }

    /// Digits only, without a leading zero.
    private static func number(_ text: Substring) -> UInt64? {
        guard !text.isEmpty, text.utf8.allSatisfy(isDigit), text.utf8.count == 1 || text.utf8.first != UInt8(ascii: "0")
        else { return nil }
        return UInt64(text)
    }

    private static func areIdentifiers(_ text: Substring) -> Bool {
        text.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { part in
            !part.isEmpty && part.utf8.allSatisfy { isDigit($0) || isLetter($0) || $0 == UInt8(ascii: "-") }
        }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }
}

extension SemanticVersion: CustomStringConvertible {
    package var description: String {
        let core = numbers.map(String.init).joined(separator: ".")
        return prerelease.isEmpty ? core : core + "-" + prerelease.map(Self.text).joined(separator: ".")
    }

    private static func text(_ identifier: Identifier) -> String {
        switch identifier {
        case .number(let number): String(number)
        case .text(let text): text
        }
    }
}

extension SemanticVersion: Comparable {
    package static func < (one: Self, other: Self) -> Bool {
        if one.numbers != other.numbers { return one.numbers.lexicographicallyPrecedes(other.numbers) }
        // A release follows what came before it under the same numbers.
        if one.prerelease.isEmpty || other.prerelease.isEmpty {
            return !one.prerelease.isEmpty && other.prerelease.isEmpty
        }
        return one.prerelease.lexicographicallyPrecedes(other.prerelease, by: precedes)
    }

    /// Numbers before texts; texts by their ASCII codes.
    private static func precedes(_ one: Identifier, _ other: Identifier) -> Bool {
        switch (one, other) {
        case (.number(let one), .number(let other)): one < other
        case (.number, .text): true
        case (.text, .number): false
        case (.text(let one), .text(let other)): one.utf8.lexicographicallyPrecedes(other.utf8)
        }
    }
}
