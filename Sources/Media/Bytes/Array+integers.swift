extension [UInt8] {
    /// Exactly `count` bytes from `offset` on, or nil.
    func bytes(at offset: Int, count: Int) -> [UInt8]? {
        guard offset >= 0, count >= 0, offset <= self.count, count <= self.count - offset else { return nil }
        return [UInt8](self[offset..<offset + count])
    }

    /// The integer at `offset`, most significant byte first unless `isLittleEndian`; nil where the bytes end before.
    func integer<Integer: FixedWidthInteger>(
        _: Integer.Type = Integer.self, at offset: Int, isLittleEndian: Bool = false
    ) -> Integer? {
        let size = Integer.bitWidth / 8
        guard offset >= 0, offset <= count, size <= count - offset else { return nil }
        var value: Integer = 0
        for index in 0..<size {
            let byte = self[offset + (isLittleEndian ? size - 1 - index : index)]
            value = value << 8 | Integer(truncatingIfNeeded: byte)
        }
        return value
    }

    /// The text before the first zero byte, without white space around it; nil if nothing is left of it.
    var text: String? {
        let decoded = String(decoding: prefix { $0 != 0 }, as: UTF8.self)
        let words = decoded.drop(while: \.isWhitespace)
        guard let last = words.lastIndex(where: { !$0.isWhitespace }) else { return nil }
        return String(words[...last])
    }
}
