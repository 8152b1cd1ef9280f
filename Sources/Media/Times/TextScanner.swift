/// Takes numbers and signs off the front of a short text.
package struct TextScanner {
    package private(set) var rest: Substring.UTF8View

    package init(_ text: String) { rest = Substring(text).utf8 }

    package var isAtEnd: Bool { rest.isEmpty }

    /// Exactly so many digits; takes nothing if there are fewer.
    package mutating func number(digits: Int) -> Int? {
        let taken = rest.prefix(digits)
        guard taken.count == digits, taken.allSatisfy(Self.isDigit) else { return nil }
        rest = rest.dropFirst(digits)
        return taken.reduce(0) { $0 * 10 + Int($1 - 48) }
    }

    mutating func oneOrTwoDigits() -> Int? { number(digits: 2) ?? number(digits: 1) }

    /// One or two digits, before which a blank may stand for a zero.
    mutating func paddedNumber() -> Int? {
        var ahead = self
        _ = ahead.skip(" ")
        guard let number = ahead.oneOrTwoDigits() else { return nil }
        self = ahead
        return number
    }

    /// An hour with `AM`, `p.m.` or the like behind it, which is taken, or without. Nil for one that no clock shows.
    mutating func hourOfDay(_ hour: Int) -> Int? {
        var ahead = self
        // A blank of whatever kind may stand between.
        ahead.rest = ahead.rest.drop { $0 == 0x20 || $0 == 0x5F || $0 >= 0x80 }
        guard let letter = ahead.rest.first.map({ $0 | 0x20 }), letter == 0x61 || letter == 0x70 else {
            return hour < 24 ? hour : nil
        }
        ahead.rest = ahead.rest.dropFirst().drop { $0 == 0x2E || $0 == 0x20 }
        guard let next = ahead.rest.first, next | 0x20 == 0x6D else { return hour < 24 ? hour : nil }
        ahead.rest = ahead.rest.dropFirst()
        // A longer word is another.
        guard ahead.rest.first.map({ !(0x61...0x7A).contains($0 | 0x20) }) ?? true else {
            return hour < 24 ? hour : nil
        }
        self = ahead
        guard hour <= 12 else { return hour < 24 ? hour : nil }
        return hour % 12 + (letter == 0x70 ? 12 : 0)
    }

    /// Takes one of these signs, if it is the next.
    package mutating func skip(_ signs: StaticString) -> Bool {
        guard let next = rest.first else { return false }
        let isOne = signs.withUTF8Buffer { $0.contains(next) }
        if isOne { rest = rest.dropFirst() }
        return isOne
    }

    mutating func skipWord(_ word: String) -> Bool {
        guard rest.starts(with: word.utf8) else { return false }
        rest = rest.dropFirst(word.utf8.count)
        return true
    }

    /// A few bytes that are neither digits nor separators, with a space and a digit behind them: "at", "um", "a las", "kl.".
    mutating func skipShortWord() {
        let word = rest.prefix(10).prefix { !Self.isDigit($0) && $0 != 0x5F && $0 != 0x2D }
        // A dot ends a word that is cut short; others stand before an extension.
        let isWord = word.last == 0x20 && word.dropLast().dropLast().allSatisfy { $0 != 0x2E }
        guard isWord, rest.dropFirst(word.count).first.map(Self.isDigit) == true else { return }
        rest = rest.dropFirst(word.count)
    }

    /// A word of letters of whichever script, which may be empty.
    mutating func word() -> Substring.UTF8View {
        let word = rest.prefix(32).prefix { Self.isLetter($0) || $0 >= 0x80 }
        rest = rest.dropFirst(word.count)
        return word
    }

    /// Whether what follows is no further number of a row: a digit, or a sign and a digit behind it.
    var endsNumbers: Bool {
        guard let next = rest.first else { return true }
        if Self.isDigit(next) || next == 0x2D { return false }
        return next != 0x2E || rest.dropFirst().first.map(Self.isDigit) != true
    }

    /// Whether ` AM` or ` PM` follows in large letters, before the name ends or goes on with something else.
    var hasLargeHalf: Bool {
        let words = String(decoding: rest.prefix(32), as: UTF8.self)
        return words.split { " \u{A0}\u{202F}.".contains($0) }.contains { $0 == "AM" || $0 == "PM" }
    }

    /// A fraction's digits, of which three count.
    package mutating func milliseconds() -> Int {
        let digits = rest.prefix(while: Self.isDigit)
        rest = rest.dropFirst(digits.count)
        let three = digits.prefix(3).reduce(0) { $0 * 10 + Int($1 - 48) }
        return (digits.count..<max(3, digits.count)).reduce(three) { value, _ in value * 10 }
    }

    /// `Z`, `+01:00`, `-0500`, `+01`, in minutes; nil if none of them comes next.
    package mutating func zone() -> Int? {
        _ = skip(" ")
        if skip("Zz") { return 0 }
        guard let sign = rest.first, sign == 0x2B || sign == 0x2D else { return nil }
        var ahead = self
        _ = ahead.skip("+-")
        guard let hours = ahead.number(digits: 2) else { return nil }
        _ = ahead.skip(":")
        let minutes = ahead.number(digits: 2) ?? 0
        guard hours <= 14, minutes < 60 else { return nil }
        self = ahead
        return (hours * 60 + minutes) * (sign == 0x2D ? -1 : 1)
    }

    static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }

    package static func isDigit(_ byte: UInt8) -> Bool { (48...57).contains(byte) }
}
