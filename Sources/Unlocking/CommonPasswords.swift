import Bytes
import FoundationEssentials
import Records
import Sealing

/// What guessing programs try first, as a file that `scripts/make-common-passwords` makes and describes: hashes of the
/// roots of common passwords, rows of keyboards, words that count for little here, signs that stand for letters. The
/// page reads the same file.
package struct CommonPasswords: Sendable {
    /// A place in a row.
    package struct Place {
        package let row: Int
        package let index: Int
    }

    private static let magic = Array("SLCP".utf8)
    private static let format: UInt8 = 2
    private static let headByteCount = 7
    /// The least lengths of the classes by which roots are kept apart.
    private static let classes = [4, 8, 12, 16]

    /// Each in both directions.
    package let rows: [[UInt32]]
    package let places: [UInt32: [Place]]
    /// Hashes.
    package let words: Set<UInt32>
    /// By the sign; where it stands for several letters, each reading has one of them.
    let readings: [[UInt32: UInt32]]
    /// By class, in ascending order.
    private let roots: [[UInt32]]

    /// - Throws: `StartFailure` where the file cannot be read, or is none of this kind.
    package init(path: String) throws {
        guard let data = FileManager.default.contents(atPath: path), let read = Self([UInt8](data)) else {
            throw StartFailure(
                description: "\(path), by which common passwords are known, cannot be read. Install Safelight again, "
                    + "or name the folder of its page (--www DIR).")
        }
        self = read
    }

    private init?(_ bytes: [UInt8]) {
        let head = Self.headByteCount
        guard bytes.count > head, bytes.starts(with: Self.magic), bytes[4] == Self.format else { return nil }
        var rest = bytes.dropFirst(head)
        let text = rest.take(Int(bytes[5]) << 8 | Int(bytes[6]))
        let parts = String(decoding: text, as: UTF8.self).split(separator: "\n")
            .map { $0.split(separator: " ").map { $0.unicodeScalars.map(\.value) } }
        guard parts.count == 3, parts[2].allSatisfy({ $0.count == 2 }) else { return nil }
        var roots: [[UInt32]] = []
        for _ in Self.classes {
            let (lowBits, count, byteCount) = (rest.take(1).number, rest.take(4).number, rest.take(4).number)
            let codes = RiceCodes(bytes: rest.take(byteCount), lowBits: lowBits)
            guard (1...24).contains(lowBits), let found = codes.ascending(count) else { return nil }
            roots.append(found)
        }
        self.roots = roots
        rows = parts[0] + parts[0].map { $0.reversed() }
        places = Self.places(in: rows)
        words = Set(parts[1].map(Self.hash))
        readings = [parts[2].reversed(), parts[2]].map { pairs in pairs.reduce(into: [:]) { $0[$1[0]] = $1[1] } }
    }

    private static func places(in rows: [[UInt32]]) -> [UInt32: [Place]] {
        var places: [UInt32: [Place]] = [:]
        for (row, scalars) in rows.enumerated() {
            for (index, scalar) in scalars.enumerated() {
                places[scalar, default: []].append(Place(row: row, index: index))
            }
        }
        return places
    }

    func hasRoot(_ hash: UInt32, length: Int) -> Bool {
        guard let ofClass = Self.classes.lastIndex(where: { $0 <= length }) else { return false }
        let roots = roots[ofClass]
        let place = roots.indices.partitioningIndex { roots[$0] >= hash }
        return place < roots.count && roots[place] == hash
    }

    package static func hash(_ scalars: [UInt32]) -> UInt32 {
        scalars.reduce(into: ScalarHash()) { $0.append($1) }.value
    }
}

/// FNV-1a over scalars, and the last step of MurmurHash3.
struct ScalarHash {
    private var state: UInt32 = 0x811C_9DC5

    mutating func append(_ scalar: UInt32) { state = (state ^ scalar) &* 0x0100_0193 }

    var value: UInt32 {
        var value = (state ^ state >> 16) &* 0x85EB_CA6B
        value = (value ^ value >> 13) &* 0xC2B2_AE35
        return value ^ value >> 16
    }
}

/// Distances between numbers in Rice codes, the first bit of a byte the highest.
private struct RiceCodes {
    private let bytes: [UInt8]
    private let lowBits: UInt64
    private let bitCount: Int

    init(bytes: some Collection<UInt8>, lowBits: Int) {
        // So that eight bytes can be read wherever a code begins.
        self.bytes = bytes + [UInt8](repeating: 0, count: 8)
        self.lowBits = UInt64(lowBits)
        bitCount = bytes.count * 8
    }

    /// Nil where the codes end early, or lead further than 32 bits.
    func ascending(_ count: Int) -> [UInt32]? {
        guard count <= bitCount else { return nil }
        var areWhole = false
        let numbers = [UInt32](unsafeUninitializedCapacity: count) { numbers, foundCount in
            areWhole = bytes.withUnsafeBytes { read(count, of: $0, into: numbers, &foundCount) }
        }
        return areWhole ? numbers : nil
    }

    private func read(
        _ count: Int, of bytes: UnsafeRawBufferPointer, into numbers: UnsafeMutableBufferPointer<UInt32>,
        _ foundCount: inout Int
    ) -> Bool {
        var (position, number): (Int, UInt64) = (0, 0)
        while foundCount < count {
            guard position < bitCount else { return false }
            let window = bytes.loadUnaligned(fromByteOffset: position / 8, as: UInt64.self).bigEndian
            let bits = window &<< UInt64(position % 8)
            let ones = UInt64((~bits).leadingZeroBitCount)
            let length = Int(ones + 1 + lowBits)
            guard length <= 57, position + length <= bitCount else { return false }
            position += length
            number += ones &<< lowBits | (bits &<< (ones + 1)) &>> (64 - lowBits)
            guard number <= UInt32.max else { return false }
            numbers[foundCount] = UInt32(number)
            foundCount += 1
        }
        return true
    }
}

extension ArraySlice<UInt8> {
    /// Its first bytes, which it loses; fewer where it has no more.
    fileprivate mutating func take(_ count: Int) -> ArraySlice {
        defer { removeFirst(Swift.min(count, self.count)) }
        return prefix(count)
    }

    /// Highest byte first.
    fileprivate var number: Int { reduce(0) { $0 << 8 | Int($1) } }
}

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
