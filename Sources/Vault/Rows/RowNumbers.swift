/// A set of row numbers. They are counted from zero without large gaps: a bit each takes less than an entry of a hash
/// set, and sets are united word by word.
struct RowNumbers: Sendable {
    private var words: [UInt64] = []
    private(set) var count: UInt64 = 0

    func contains(_ number: UInt64) -> Bool {
        let (word, bit) = Self.place(of: number)
        return word < words.count && words[word] & bit != 0
    }

    mutating func insert(_ number: UInt64) {
        guard !contains(number) else { return }
        let (word, bit) = Self.place(of: number)
        grow(to: word + 1)
        words[word] |= bit
        count += 1
    }

    mutating func formUnion(_ other: RowNumbers) {
        grow(to: other.words.count)
        for (index, word) in other.words.enumerated() where word != 0 {
            count += UInt64((word & ~words[index]).nonzeroBitCount)
            words[index] |= word
        }
    }

    private mutating func grow(to count: Int) {
        guard count > words.count else { return }
        words += repeatElement(0, count: count - words.count)
    }

    private static func place(of number: UInt64) -> (word: Int, bit: UInt64) { (Int(number / 64), 1 << (number % 64)) }
}
