import ImagingProtocol
import Media

/// Deflate64, method 9 of ZIP (APPNOTE 4.4.5): Deflate (RFC 1951) with a window of 64 KiB, two more codes for distances, and
/// a last code for lengths that has 16 bits of its own. No library of Debian reads it.
struct Deflate64Stream {
    private static let windowByteCount = 64 << 10
    private static let longestMatch = 3 + 0xFFFF
    private static let pieceByteCount = 256 << 10

    private static let lengths: [(base: Int, extra: Int)] =
        [
            (3, 0), (4, 0), (5, 0), (6, 0), (7, 0), (8, 0), (9, 0), (10, 0), (11, 1), (13, 1), (15, 1), (17, 1),
            (19, 2),
            (23, 2), (27, 2), (31, 2), (35, 3), (43, 3), (51, 3), (59, 3), (67, 4), (83, 4), (99, 4), (115, 4),
            (131, 5), (163, 5), (195, 5), (227, 5), (3, 16),
        ]
    /// Each two of them have the same number of bits, and begin where those before end.
    private static let distances: [(base: Int, extra: Int)] = (0..<32).map { code in
        guard code > 3 else { return (code + 1, 0) }
        let extra = code / 2 - 1
        return (((2 + code % 2) << extra) + 1, extra)
    }
    /// In which order the lengths of the codes for lengths stand.
    private static let order = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]

    private var input: BitInput
    /// The window, and behind it what came out since.
    private var output = [UInt8](repeating: 0, count: windowByteCount + pieceByteCount + longestMatch)
    private var end = Deflate64Stream.windowByteCount
    /// How far back there is something.
    private var reach = 0

    init(_ source: any ByteSource) { input = BitInput(source) }

    /// - Parameter tell: gets what comes out, in pieces.
    mutating func unpack(_ tell: ([UInt8]) -> Void) throws(UnpackingFailure) {
        var isLast = false
        while !isLast {
            isLast = try input.take(1) == 1
            switch try input.take(2) {
            case 0: try copyStored(tell)
            case 1: try unpackBlock(Self.fixedLiterals(), Self.fixedDistances(), tell)
            case 2:
                let (literals, distances) = try readCodes()
                try unpackBlock(literals, distances, tell)
            default: throw .damaged
            }
        }
        flush(tell)
    }

    // MARK: Blocks

    private mutating func copyStored(_ tell: ([UInt8]) -> Void) throws(UnpackingFailure) {
        input.alignToByte()
        let (count, complement) = (try input.take(16), try input.take(16))
        guard count ^ complement == 0xFFFF else { throw .damaged }
        for _ in 0..<count {
            output[end] = UInt8(truncatingIfNeeded: try input.take(8))
            advance(1)
        }
        flushIfFull(tell)
    }

    private mutating func unpackBlock(
        _ literals: HuffmanCode, _ distances: HuffmanCode, _ tell: ([UInt8]) -> Void
    ) throws(UnpackingFailure) {
        while true {
            let symbol = try literals.symbol(from: &input)
            if symbol < 256 {
                output[end] = UInt8(truncatingIfNeeded: symbol)
                advance(1)
            } else if symbol == 256 {
                return
            } else {
                guard symbol - 257 < Self.lengths.count else { throw .damaged }
                let (base, extra) = Self.lengths[symbol - 257]
                let length = base + (try input.take(extra))
                let code = Self.distances[try distances.symbol(from: &input)]
                try copy(length, from: code.base + (try input.take(code.extra)))
            }
            flushIfFull(tell)
        }
    }

    /// What is copied may be what the copying itself has made.
    private mutating func copy(_ length: Int, from distance: Int) throws(UnpackingFailure) {
        guard distance <= reach else { throw .damaged }
        let (start, first) = (end, end - distance)
        output.withUnsafeMutableBufferPointer { bytes in
            for index in 0..<length { bytes[start + index] = bytes[first + index] }
        }
        advance(length)
    }

    private mutating func advance(_ count: Int) {
        end += count
        reach = min(Self.windowByteCount, reach + count)
    }

    /// Leaves room for the longest match and the longest stored block.
    private mutating func flushIfFull(_ tell: ([UInt8]) -> Void) {
        if end - Self.windowByteCount >= Self.pieceByteCount { flush(tell) }
    }

    private mutating func flush(_ tell: ([UInt8]) -> Void) {
        guard end > Self.windowByteCount else { return }
        tell(Array(output[Self.windowByteCount..<end]))
        let window = Array(output[(end - Self.windowByteCount)..<end])
        output.replaceSubrange(0..<Self.windowByteCount, with: window)
        end = Self.windowByteCount
    }

    // MARK: Codes

    private static func fixedLiterals() throws(UnpackingFailure) -> HuffmanCode {
        try HuffmanCode((0..<288).map { $0 < 144 ? 8 : $0 < 256 ? 9 : $0 < 280 ? 7 : 8 })
    }

    private static func fixedDistances() throws(UnpackingFailure) -> HuffmanCode {
        try HuffmanCode([UInt8](repeating: 5, count: 32))
    }

    private mutating func readCodes() throws(UnpackingFailure) -> (HuffmanCode, HuffmanCode) {
        let counts = (try input.take(5) + 257, try input.take(5) + 1)
        guard counts.0 <= 286 else { throw .damaged }
        var lengths = [UInt8](repeating: 0, count: 19)
        for place in 0..<(try input.take(4) + 4) { lengths[Self.order[place]] = UInt8(try input.take(3)) }
        let code = try HuffmanCode(lengths)
        lengths = []
        while lengths.count < counts.0 + counts.1 {
            let symbol = try code.symbol(from: &input)
            switch symbol {
            case 0..<16: lengths.append(UInt8(symbol))
            case 16:
                guard let last = lengths.last else { throw .damaged }
                lengths += repeatElement(last, count: 3 + (try input.take(2)))
            case 17: lengths += repeatElement(0, count: 3 + (try input.take(3)))
            default: lengths += repeatElement(0, count: 11 + (try input.take(7)))
            }
        }
        guard lengths.count == counts.0 + counts.1, lengths[256] > 0 else { throw .damaged }
        return (try HuffmanCode(Array(lengths[..<counts.0])), try HuffmanCode(Array(lengths[counts.0...])))
    }
}

/// Bits of a source, the lowest of each byte first.
struct BitInput {
    private let source: any ByteSource
    private var position: UInt64 = 0
    private var piece: [UInt8] = []
    private var index = 0
    private var bits: UInt64 = 0
    private var count = 0
    /// Zeros behind the end, which may be looked at, and not taken.
    private var missing = 0

    private static let pieceByteCount = 256 << 10

    init(_ source: any ByteSource) { self.source = source }

    /// Up to 32 of the next bits, and zeros behind the last one.
    mutating func peek(_ wanted: Int) -> Int {
        if count < wanted { fill() }
        return Int(bits & (1 << UInt64(wanted) - 1))
    }

    mutating func drop(_ taken: Int) throws(UnpackingFailure) {
        bits >>= UInt64(taken)
        count -= taken
        guard count >= missing else { throw .damaged }
    }

    mutating func take(_ wanted: Int) throws(UnpackingFailure) -> Int {
        let value = peek(wanted)
        try drop(wanted)
        return value
    }

    mutating func alignToByte() {
        bits >>= UInt64(count % 8)
        count -= count % 8
    }

    private mutating func fill() {
        while count <= 56 {
            if index == piece.count {
                piece = (try? source.read(at: position, count: Self.pieceByteCount)) ?? []
                position += UInt64(piece.count)
                index = 0
            }
            if index < piece.count {
                bits |= UInt64(piece[index]) << UInt64(count)
                index += 1
            } else {
                missing += 8
            }
            count += 8
        }
    }
}

/// A canonical code (RFC 1951, 3.2.2).
struct HuffmanCode {
    private static let longest = 15
    /// Bits of the table that is looked at first.
    private static let tableBits = 10

    /// Symbol and length (the lower four bits) by the next bits; 0 for codes that are longer, or none.
    private var table = [UInt16](repeating: 0, count: 1 << tableBits)
    private var counts = [Int](repeating: 0, count: longest + 1)
    private var symbols: [UInt16]

    /// - Parameter lengths: of the codes of the symbols, 0 for those without one.
    /// - Throws: `damaged` where there are more codes than can be. Fewer are met when one is read that is none.
    init(_ lengths: [UInt8]) throws(UnpackingFailure) {
        for length in lengths where length > 0 { counts[Int(length)] += 1 }
        var (next, code, place) = ([Int](repeating: 0, count: Self.longest + 2), 0, [Int](repeating: 0, count: 17))
        for length in 1...Self.longest {
            next[length] = code
            code = (code + counts[length]) << 1
            guard code <= 2 << length else { throw .damaged }
            place[length + 1] = place[length] + counts[length]
        }
        symbols = [UInt16](repeating: 0, count: place[Self.longest + 1])
        for (symbol, length) in lengths.enumerated() where length > 0 {
            let (count, own) = (Int(length), next[Int(length)])
            next[count] += 1
            symbols[place[count]] = UInt16(symbol)
            place[count] += 1
            guard count <= Self.tableBits else { continue }
            var entry = 0
            for bit in 0..<count where own >> bit & 1 != 0 { entry |= 1 << (count - 1 - bit) }
            for index in stride(from: entry, to: table.count, by: 1 << count) {
                table[index] = UInt16(symbol) << 4 | UInt16(length)
            }
        }
    }

    func symbol(from input: inout BitInput) throws(UnpackingFailure) -> Int {
        let bits = input.peek(Self.longest)
        let entry = Int(table[bits & (table.count - 1)])
        if entry != 0 {
            try input.drop(entry & 15)
            return entry >> 4
        }
        var (code, first, index) = (0, 0, 0)
        for length in 1...Self.longest {
            code |= bits >> (length - 1) & 1
            if code - counts[length] < first {
                try input.drop(length)
                return Int(symbols[index + code - first])
            }
            index += counts[length]
            first = (first + counts[length]) << 1
            code <<= 1
        }
        throw .damaged
    }
}
