import Bytes
import Foundation
import Glibc
import Media

extension SearchColumns {
    /// Places of the photos that a query means, in the order of the timeline; of all, for a query without parts. The
    /// video of a Live Photo goes with its photo, whatever it is called itself. Of a shot what is true of one file is true
    /// of both.
    /// - Parameters:
    ///   - albumNames: as they are compared, by their numbers.
    ///   - placeNames: what the places of these photos are called.
    package func places(
        _ query: SearchQuery, albumNames: [UInt32: [UInt8]] = [:], placeNames: PlaceNames? = nil
    ) -> [Int] {
        var found = [Bool](repeating: true, count: count)
        let matcher = SearchMatcher(columns: self, albumNames: albumNames, placeNames: placeNames)
        for group in matcher.groups(query.parts) {
            var any = [Bool](repeating: false, count: count)
            for part in group { matcher.mark(part, in: &any, among: found) }
            for (picture, raw) in raws where any[picture] != any[raw] { (any[picture], any[raw]) = (true, true) }
            for index in found.indices { found[index] = found[index] && any[index] }
        }
        for index in found.indices where traits[index].contains(.liveVideo) { found[index] = found[partners[index]] }
        return found.indices.filter { found[$0] }
    }
}

/// Which photos a part of a query means: one pass over a column each.
struct SearchMatcher {
    typealias Part = SearchQuery.Part

    let columns: SearchColumns
    let albumNames: [UInt32: [UInt8]]
    let placeNames: PlaceNames?

    /// Parts of a group mean any of them, groups all of them: nobody is of two formats, and no photo of two years.
    func groups(_ parts: [Part]) -> [[Part]] {
        var groups: [[Part]] = []
        var known: [String: Int] = [:]
        for part in parts {
            guard let name = Self.group(part) else {
                groups.append([part])
                continue
            }
            if let index = known[name] {
                groups[index].append(part)
            } else {
                known[name] = groups.count
                groups.append([part])
            }
        }
        return groups
    }

    private static func group(_ part: Part) -> String? {
        switch part.meaning {
        case .date(let date): date.isYearly ? "yearly" : "dates"
        case .trait(let trait) where trait.isFormat: "formats"
        default: nil
        }
    }

    /// - Parameter open: the only ones that matter.
    func mark(_ part: Part, in found: inout [Bool], among open: [Bool]) {
        switch part.meaning {
        case .word(let word): markWord(word, in: &found, among: open)
        case .date(let date): mark(date, in: &found, among: open)
        case .trait(let trait): mark(trait, in: &found, among: open)
        case .size(let bounds): for index in found.indices { found[index] = bounds.contains(columns.byteCounts[index]) }
        case .length(let bounds):
            for index in found.indices where columns.traits[index].contains(PhotoTraits(.video)) {
                found[index] = bounds.contains(UInt64(columns.lengths[index]))
            }
        case .album(let album): markAlbums([album], in: &found)
        case .camera: break
        case .place(let names): if let placeNames { mark(placeNames.marks(of: names), in: &found) }
        }
        guard !part.literal.isEmpty else { return }
        markLiteral(part.literal, isWhole: true, in: &found, among: open)
    }

    // MARK: Words

    /// What stands there as a whole; of a word in the plural that stands nowhere, the singular. A word of a script without blanks counts, too, where each of its parts of two or
    /// three characters stands somewhere: 京都旅行 finds 旅行 in the album 京都.
    private func markWord(_ word: [UInt8], in found: inout [Bool], among open: [Bool]) {
        markLiteral(word, isWhole: false, in: &found, among: open)
        if let singular = Self.singular(of: word), !zip(found, open).contains(where: { $0 && $1 }) {
            markLiteral(singular, isWhole: false, in: &found, among: open)
        }
        let letters = Array(String(decoding: word, as: UTF8.self).unicodeScalars)
        guard (4...Self.mostDivided).contains(letters.count), letters.allSatisfy(\.isIdeographic) else { return }
        // Entry n: whether the first n characters can be divided so.
        var divided = [[Bool]?](repeating: nil, count: letters.count + 1)
        divided[0] = open
        for end in 2...letters.count {
            var any = [Bool](repeating: false, count: found.count)
            for length in [2, 3] where end >= length {
                guard let before = divided[end - length] else { continue }
                var here = [Bool](repeating: false, count: found.count)
                let part = letters[end - length..<end].flatMap { Array(String($0).utf8) }
                markLiteral(part, isWhole: false, in: &here, among: before)
                for index in here.indices where here[index] && before[index] { any[index] = true }
            }
            divided[end] = any
        }
        guard let whole = divided[letters.count] else { return }
        for index in whole.indices where whole[index] { found[index] = true }
    }

    /// Of an English word of four letters or more.
    private static func singular(of word: [UInt8]) -> [UInt8]? {
        guard word.count >= 4, word.last == UInt8(ascii: "s"), word.dropLast().last != UInt8(ascii: "s"),
            word.allSatisfy((UInt8(ascii: "a")...UInt8(ascii: "z")).contains)
        else { return nil }
        return Array(word.dropLast())
    }

    private static let mostDivided = 12

    private func markLiteral(_ literal: [UInt8], isWhole: Bool, in found: inout [Bool], among open: [Bool]) {
        markText(literal, isWhole: isWhole, in: &found, among: open)
        let albums = albumNames.filter { Self.stands(literal, in: $0.value, isWhole: isWhole) }.map(\.key)
        if !albums.isEmpty { markAlbums(Set(albums), in: &found) }
        if let marks = placeNames?.marks(having: literal, isWhole: isWhole) { mark(marks, in: &found) }
    }

    /// One search through all texts, which goes on behind a photo once that is found.
    private func markText(_ literal: [UInt8], isWhole: Bool, in found: inout [Bool], among open: [Bool]) {
        let (text, ends) = (columns.text.bytes, columns.textEnds)
        guard let last = ends.last else { return }
        let search = ByteSearch(literal)
        var (offset, index) = (0, 0)
        while let place = search.first(in: text, from: offset, to: last) {
            index = Self.place(of: place, in: ends, from: index)
            let isGood = !isWhole || Self.isWord(place..<place + literal.count, of: text, ending: last)
            if isGood { found[index] = true }
            offset = isGood || !open[index] ? ends[index + 1] : place + 1
        }
    }

    /// The photo in whose text an offset lies, at or behind `index`. Hits of a common word are near each other, those of
    /// a rare one far.
    private static func place(of offset: Int, in ends: [Int], from index: Int) -> Int {
        var (low, step) = (index, 1)
        while low + step < ends.count, ends[low + step] <= offset {
            low += step
            step *= 2
        }
        var high = min(low + step, ends.count - 1)
        while high - low > 1 {
            let middle = (low + high) / 2
            if ends[middle] <= offset { low = middle } else { high = middle }
        }
        return low
    }

    private static func stands(_ literal: [UInt8], in name: [UInt8], isWhole: Bool) -> Bool {
        let search = ByteSearch(literal)
        return name.withUnsafeBytes { text in
            var offset = 0
            while let place = search.first(in: text, from: offset, to: text.count) {
                if !isWhole || isWord(place..<place + literal.count, of: text, ending: text.count) { return true }
                offset = place + 1
            }
            return false
        }
    }

    /// Whether no Latin letter and no digit stands directly beside one of its own.
    static func isWord(_ range: Range<Int>, of text: UnsafeRawBufferPointer, ending end: Int) -> Bool {
        let (first, last) = (text[range.lowerBound], text[range.upperBound - 1])
        if range.lowerBound > 0, isPlain(first), isPlain(text[range.lowerBound - 1]) { return false }
        return !(range.upperBound < end && isPlain(last) && isPlain(text[range.upperBound]))
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    /// - Parameter places: by their numbers.
    private func mark(_ places: [Bool], in found: inout [Bool]) {
        for index in found.indices where !found[index] {
            if let number = columns.location(index) { found[index] = places[number] }
        }
    }

    private func markAlbums(_ albums: Set<UInt32>, in found: inout [Bool]) {
        for index in found.indices where !found[index] {
            if columns.albums(of: index).contains(where: albums.contains) { found[index] = true }
        }
    }

    // MARK: Kinds and days

    private func mark(_ trait: PhotoTrait, in found: inout [Bool], among open: [Bool]) {
        guard trait != .unfiled else { return markUnfiled(in: &found) }
        let wanted: PhotoTraits = trait == .live ? [PhotoTraits(.live), .livePhoto] : PhotoTraits(trait)
        for index in found.indices where open[index] {
            if !columns.traits[index].isDisjoint(with: wanted) { found[index] = true }
        }
    }

    /// An album that was deleted may still stand at its photos, and is none.
    private func markUnfiled(in found: inout [Bool]) {
        for index in found.indices {
            found[index] = !columns.albums(of: index).contains { albumNames[$0] != nil }
        }
    }

    private func mark(_ date: DateCondition, in found: inout [Bool], among open: [Bool]) {
        for alternative in date.alternatives {
            switch alternative {
            case .span(let days):
                for index in columns.places(in: days) { found[index] = true }
            case .yearly(let from, let to):
                for index in found.indices where open[index] {
                    let date = CalendarDate(daysSinceEpoch: columns.day(index))
                    let day = MonthDay(date.month, date.day)
                    found[index] = found[index] || (from <= to ? from <= day && day <= to : from <= day || day <= to)
                }
            }
        }
    }
}

extension SearchColumns {
    fileprivate static let dayMilliseconds: Int64 = 86_400_000

    func day(_ index: Int) -> Int {
        Int(shownAt[index].dividedDown(by: Self.dayMilliseconds).quotient)
    }

    /// The newest stand first.
    func places(in days: Range<Int>) -> Range<Int> {
        let start = (0..<count).partitioningIndex { day($0) < days.upperBound }
        return start..<(start..<count).partitioningIndex { day($0) < days.lowerBound }
    }
}

/// Where a few bytes stand among many, by Horspool's rule: a byte that is not among them lets the search leap over as
/// many as there are.
struct ByteSearch {
    let needle: [UInt8]
    private let leaps: [Int]

    init(_ needle: [UInt8]) {
        self.needle = needle
        var leaps = [Int](repeating: needle.count, count: 256)
        for (index, byte) in needle.dropLast().enumerated() { leaps[Int(byte)] = needle.count - 1 - index }
        self.leaps = leaps
    }

    /// The first place at or behind `start`; nil without one, and for no bytes.
    func first(in text: UnsafeRawBufferPointer, from start: Int, to end: Int) -> Int? {
        guard let base = text.baseAddress, let last = needle.last, start < end else { return nil }
        guard needle.count > 1 else {
            return memchr(base + start, Int32(last), end - start).map { UnsafeRawPointer($0) - base }
        }
        return needle.withUnsafeBytes { needle in
            leaps.withUnsafeBufferPointer { leaps in
                let bytes = base.assumingMemoryBound(to: UInt8.self)
                var place = start + needle.count - 1
                while place < end {
                    let byte = bytes[place]
                    let first = place - needle.count + 1
                    if byte == last, let start = needle.baseAddress, memcmp(base + first, start, needle.count) == 0 {
                        return first
                    }
                    place += leaps[Int(byte)]
                }
                return nil
            }
        }
    }
}

/// Text as it is compared: without case, accents and the difference between wide and narrow forms.
package enum FoldedText {
    /// UTF-8. Compatibility forms are taken apart (NFKD), so that both of Unicode's spellings of a letter are one, and
    /// marks above and below letters are left out.
    package static func fold(_ text: String) -> [UInt8] {
        var text = text
        if let plain = text.withUTF8(plain) { return plain }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count)
        for scalar in text.decomposedStringWithCompatibilityMapping.unicodeScalars where !isMark(scalar) {
            for small in (letters[scalar] ?? scalar.properties.lowercaseMapping).unicodeScalars where !isMark(small) {
                bytes.append(contentsOf: UTF8.encode(small) ?? UTF8.encodedReplacementCharacter)
            }
        }
        return bytes
    }

    static func folded(_ text: String) -> String { String(decoding: fold(text), as: UTF8.self) }

    /// Nil for what is not ASCII: most names are.
    private static func plain(_ bytes: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
        guard bytes.allSatisfy({ $0 < 0x80 }) else { return nil }
        return bytes.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
    }

    /// Signs that are letters of their own, as the vowels of Indic scripts, stay.
    private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
        guard scalar.value >= 0x300, scalar.properties.generalCategory == .nonspacingMark else { return false }
        let place = scalar.properties.canonicalCombiningClass
        return place != .notReordered && place != .virama && place != .nukta
    }

    /// Letters that Unicode does not take apart, and that people type without their strokes.
    private static let letters: [Unicode.Scalar: String] = [
        "ß": "ss", "ẞ": "ss", "ø": "o", "Ø": "o", "ł": "l", "Ł": "l", "đ": "d", "Đ": "d", "æ": "ae", "Æ": "ae",
        "œ": "oe", "Œ": "oe", "ı": "i", "ð": "d", "Ð": "d", "þ": "th", "Þ": "th", "ς": "σ", "’": "'",
    ]
}

extension Unicode.Scalar {
    /// Of scripts that are written without blanks between words: Han and Kana.
    var isIdeographic: Bool {
        switch value {
        case 0x2E80...0x2FFF, 0x3005...0x3007, 0x3021...0x3029, 0x3040...0x30FF, 0x3400...0x4DBF, 0x4E00...0x9FFF,
            0xF900...0xFAFF, 0x20000...0x3FFFF:
            true
        default: false
        }
    }
}
