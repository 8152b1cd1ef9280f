import Sealing

/// A password as a guessing program sees it: small letters, signs of full width as others. Wiped when it goes.
final class FoldedPassword {
    /// What a character costs who has to try all of its kind.
    package enum Kind {
        /// `wide`: a character may be a word.
        case letter, digit, sign, wide, separator, symbol

        package init(_ scalar: UInt32) {
            switch scalar {
            case 0x61...0x7A: self = .letter
            case 0x30...0x39: self = .digit
            case 0x3400...0x9FFF, 0xAC00...0xD7A3, 0x20000...0x3FFFF: self = .wide
            case 0x20, 0x21, 0x2C, 0x2D, 0x2E, 0x5F: self = .separator
            case ..<0xC0: self = .sign
            case 0x2000..<0x2E80, 0x1F000...: self = .symbol
            default: self = .letter
            }
        }

        /// In bits: to begin with it, and each.
        package var start: Int { self == .separator ? 0 : 2 }
        package var each: Int {
            switch self {
            case .letter: 5
            case .digit: 3
            case .sign: 4
            case .wide, .symbol: 8
            case .separator: 1
            }
        }

        var isOfWords: Bool { self == .letter || self == .wide }
    }

    private(set) var scalars: [UInt32]

    init(_ scalars: some Sequence<UInt32>) { self.scalars = Array(scalars) }

    /// - Parameter most: what comes behind so many scalars is left out.
    convenience init(utf8: UnsafeRawBufferPointer, most: Int) {
        self.init([])
        scalars.reserveCapacity(min(most, utf8.count))
        var (decoder, bytes) = (Unicode.UTF8(), utf8.makeIterator())
        while scalars.count < most, case .scalarValue(let scalar) = decoder.decode(&bytes) {
            scalars.append(Self.folded(scalar.value))
        }
    }

    deinit {
        scalars.withUnsafeMutableBytes { (bytes: UnsafeMutableRawBufferPointer) in cleanse(bytes) }
    }

    var count: Int { scalars.count }

    /// How long it is; a wide character counts as two, for so many letters at least a word has.
    var length: Int { scalars.reduce(0) { $0 + (Kind($1) == .wide ? 2 : 1) } }

    func kind(_ index: Int) -> Kind { Kind(scalars[index]) }

    func read(by likenesses: [UInt32: UInt32]) -> FoldedPassword {
        FoldedPassword(scalars.lazy.map { likenesses[$0] ?? $0 })
    }

    /// Only what words are made of, or only the rest.
    func filtered(ofWords: Bool) -> FoldedPassword {
        FoldedPassword(scalars.lazy.filter { Kind($0).isOfWords == ofWords })
    }

    /// How often letters and others take turns.
    var turns: Int {
        zip(scalars, scalars.dropFirst()).reduce(0) { $0 + (Kind($1.0).isOfWords == Kind($1.1).isOfWords ? 0 : 1) }
    }

    /// Nil unless every character stands twice.
    var halved: FoldedPassword? {
        guard count % 2 == 0, stride(from: 0, to: count, by: 2).allSatisfy({ scalars[$0] == scalars[$0 + 1] }) else {
            return nil
        }
        return FoldedPassword(stride(from: 0, to: count, by: 2).lazy.map { [scalars] in scalars[$0] })
    }

    private static func folded(_ scalar: UInt32) -> UInt32 {
        switch scalar {
        case 0x3000: 0x20
        case 0xFF01...0xFF5E: folded(scalar - 0xFEE0)
        case 0x41...0x5A, 0xC0...0xD6, 0xD8...0xDE, 0x410...0x42F: scalar + 0x20
        default: scalar
        }
    }
}
