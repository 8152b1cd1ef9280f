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
