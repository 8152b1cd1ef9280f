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

    /// A few bytes that are neither digits nor separators, with a space and a digit behind them: "at", "um", "a las".
    mutating func skipShortWord() {
        let word = rest.prefix(10).prefix { !Self.isDigit($0) && $0 != 0x2E && $0 != 0x5F && $0 != 0x2D }
        guard word.last == 0x20, rest.dropFirst(word.count).first.map(Self.isDigit) == true else { return }
        rest = rest.dropFirst(word.count)
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

    package static func isDigit(_ byte: UInt8) -> Bool { (48...57).contains(byte) }
}
