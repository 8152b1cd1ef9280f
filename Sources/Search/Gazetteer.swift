import Glibc
import Media
import Synchronization

/// The towns of the world with their names, countries and time zones: what `scripts/pack-places` makes and describes.
///
/// The file is mapped, and public: nothing in it tells of a photo. An upgrade puts another one in its place.
package final class Gazetteer: Sendable {
    /// The file is none that this version reads.
    package struct Unreadable: Error, CustomStringConvertible {
        package let path: String
        package let reason: String

        package var description: String { "\(path), by which places are named, cannot be used: \(reason)" }
    }

    package struct Country: Sendable {
        /// ISO 3166, two letters.
        package let code: String
        /// At GeoNames.
        package let id: UInt32
        /// As `Language` has them.
        private let names: [String]
        /// With others by which people look for it, as they are compared, each ended by a zero.
        let foldedNames: [UInt8]

        init?(_ line: String) {
            let parts = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
            guard parts.count >= 6, let id = UInt32(parts[1]) else { return nil }
            let others = parts.dropFirst(6).flatMap { $0.split(separator: ";").map(String.init) }
            (code, self.id, names) = (parts[0], id, Array(parts[2...5]))
            foldedNames = (names + others).flatMap { FoldedText.fold($0) + [0] }
        }

        package func name(in language: Language) -> String { names[language.rawValue] }
    }

    /// The raw values are places among the names of a country.
    package enum Language: Int, Sendable {
        case english = 0
        case german = 1
        case simplifiedChinese = 2
        case traditionalChinese = 3

        /// Of the names of a town, where those come in another order.
        fileprivate var place: Int {
            switch self {
            case .english: 0
            case .simplifiedChinese: 1
            case .traditionalChinese: 2
            case .german: 3
            }
        }
    }

    private static let magic = Array("SLPL".utf8)
    private static let format: UInt8 = 1
    private static let headByteCount = 40
    /// Half degrees of latitude.
    static let rowCount = 360
    private static let landByteCount = 720 * 360 / 8

    private let file: MappedFile
    /// Towns by their numbers: the first of each half degree of latitude, from the south, and how many there are.
    let rows: [Int]
    private let columns: Columns
    private let zones: [String]
    /// As `zones`. Foundation remembers each zone that was asked for: all are, so that it does not tell which ones photos have.
    private let placeZones = Mutex<[PlaceZone?]>([])
    package let countries: [Country]
    private let regions: [String]
    /// Where in the file the names of each town begin, and where the last ones end.
    private let nameStarts: [UInt32]
    /// The same, as they are compared.
    private let foldedStarts: [UInt32]
    private let landStart: Int

    /// Where in the file each column begins.
    private struct Columns {
        let latitudes, longitudes, ids, people, zones, countries, regions, end: Int

        init(start: Int, count: Int) {
            latitudes = start
            longitudes = latitudes + 4 * count
            ids = longitudes + 4 * count
            people = ids + 4 * count
            zones = people + 4 * count
            countries = zones + 2 * count
            regions = countries + count
            end = regions + count
        }
    }

    package var count: Int { rows[Self.rowCount] }

    /// Blocking.
    /// - Throws: `Unreadable`.
    package convenience init(path: String) throws {
        guard let file = MappedFile(path: path) else { throw Unreadable(path: path, reason: "it cannot be read") }
        do {
            try self.init(file)
        } catch let fault as Fault {
            throw Unreadable(path: path, reason: fault.reason)
        }
    }

    private struct Fault: Error {
        let reason: String
    }

    private init(_ file: MappedFile) throws {
        self.file = file
        let data = file.bytes
        let head = Self.headByteCount
        guard data.count > head + 4 * (Self.rowCount + 1), data.prefix(4).elementsEqual(Self.magic),
            data[4] == Self.format
        else { throw Fault(reason: "it is no such file, or another version's") }
        let sizes = (0..<6).map { Int(data.number(at: 16 + 4 * $0)) }
        rows = (0...Self.rowCount).map { Int(data.number(at: head + 4 * $0)) }
        columns = Columns(start: head + 4 * (Self.rowCount + 1), count: sizes[0])
        guard rows[0] == 0, rows[Self.rowCount] == sizes[0], zip(rows, rows.dropFirst()).allSatisfy({ $0 <= $1 }),
            sizes.allSatisfy({ $0 < 1 << 28 }),
            data.count == columns.end + sizes[1...].reduce(0, +) + Self.landByteCount
        else { throw Fault(reason: "it is cut off, or was changed") }
        var offset = columns.end
        func block(_ size: Int) -> Range<Int> {
            defer { offset += size }
            return offset..<offset + size
        }
        zones = try Self.lines(data, block(sizes[1]))
        countries = try Self.lines(data, block(sizes[2])).map { line in
            guard let country = Country(line) else { throw Fault(reason: "it has a country without names") }
            return country
        }
        regions = try Self.lines(data, block(sizes[3]))
        nameStarts = try Self.starts(data, block(sizes[4]), count: sizes[0])
        foldedStarts = try Self.starts(data, block(sizes[5]), count: sizes[0])
        landStart = offset
        let (columns, zoneCount, countryCount, regionCount) = (columns, zones.count, countries.count, regions.count)
        for town in 0..<sizes[0] {
            let zone = Int(data[columns.zones + 2 * town]) << 8 | Int(data[columns.zones + 2 * town + 1])
            guard zone < zoneCount, Int(data[columns.countries + town]) < countryCount,
                Int(data[columns.regions + town]) < regionCount
            else { throw Fault(reason: "a town names what is not there") }
        }
    }

    private static func lines(_ data: UnsafeRawBufferPointer, _ range: Range<Int>) throws -> [String] {
        guard range.isEmpty || data[range.upperBound - 1] == UInt8(ascii: "\n"),
            let text = String(validating: data[range], as: UTF8.self)
        else { throw Fault(reason: "a list in it is no text") }
        return text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
    }

    private static func starts(_ data: UnsafeRawBufferPointer, _ range: Range<Int>, count: Int) throws -> [UInt32] {
        var starts = [UInt32(range.lowerBound)]
        starts.reserveCapacity(count + 1)
        var place = range.lowerBound
        while let base = data.baseAddress,
            let end = memchr(base + place, Int32(UInt8(ascii: "\n")), range.upperBound - place)
        {
            place = UnsafeRawPointer(end) - base + 1
            starts.append(UInt32(place))
        }
        guard starts.count == count + 1, starts[count] == range.upperBound else {
            throw Fault(reason: "not every town has its names")
        }
        return starts
    }

    // MARK: A town by its number

    /// Degrees.
    package func latitude(_ town: Int) -> Double { Double(signed(columns.latitudes, town)) / 1e5 }
    package func longitude(_ town: Int) -> Double { Double(signed(columns.longitudes, town)) / 1e5 }
    /// At GeoNames.
    package func id(_ town: Int) -> UInt32 { file.bytes.number(at: columns.ids + 4 * town) }
    package func people(_ town: Int) -> Int { Int(file.bytes.number(at: columns.people + 4 * town)) }
    package func country(_ town: Int) -> Int { Int(file.bytes[columns.countries + town]) }
    /// By the name that the time zone database has for it.
    package func zone(_ town: Int) -> String {
        zones[Int(file.bytes[columns.zones + 2 * town]) << 8 | Int(file.bytes[columns.zones + 2 * town + 1])]
    }
    /// Blocking for a moment, once.
    func placeZone(_ town: Int) -> PlaceZone? {
        let number = Int(file.bytes[columns.zones + 2 * town]) << 8 | Int(file.bytes[columns.zones + 2 * town + 1])
        return placeZones.withLock { known in
            if known.isEmpty {
                known = zones.map(PlaceZone.init(name:))
                for zone in known { _ = zone?.offsetMinutes(at: 0) }
            }
            return known[number]
        }
    }

    /// Nil where the table has none.
    package func region(_ town: Int) -> String? {
        let region = regions[Int(file.bytes[columns.regions + town])]
        return region.isEmpty ? nil : region
    }

    /// In English where there is none in a language.
    package func name(_ town: Int, in language: Language) -> String {
        let line = file.bytes[Int(nameStarts[town])..<Int(nameStarts[town + 1]) - 1]
        let names = line.split(separator: UInt8(ascii: "\t"), omittingEmptySubsequences: false)
        guard let english = names.first else { return "" }
        let own = language.place < names.count ? names[language.place] : english
        return String(decoding: own.isEmpty ? english : own, as: UTF8.self)
    }

    /// All its names as they are compared, each ended by a zero.
    func foldedNames(_ town: Int) -> Slice<UnsafeRawBufferPointer> {
        file.bytes[Int(foldedStarts[town])..<Int(foldedStarts[town + 1]) - 1]
    }

    /// The town of an id of GeoNames. It looks through all of them.
    package func town(id: UInt32) -> Int? {
        (0..<count).first { self.id($0) == id }
    }

    /// At GeoNames.
    package func id(_ name: Located.Name) -> UInt32 {
        switch name {
        case .town(let town): id(town)
        case .country(let country): countries[country].id
        }
    }

    /// Whether there is land, by half degrees.
    func isLand(latitude: Double, longitude: Double) -> Bool {
        let row = min(359, max(0, Int(((90 - latitude) * 2).rounded(.down))))
        let column = min(719, max(0, Int(((longitude + 180) * 2).rounded(.down))))
        let bit = row * 720 + column
        return file.bytes[landStart + bit / 8] >> UInt8(7 - bit % 8) & 1 == 1
    }

    private func signed(_ column: Int, _ town: Int) -> Int32 {
        Int32(bitPattern: file.bytes.number(at: column + 4 * town))
    }

    /// All towns whose names begin so, as they are compared: those with most people first.
    /// - Parameter isKnown: of these, all come before the others.
    package func towns(beginning text: String, most: Int, isKnown: (Int) -> Bool) -> [Int] {
        let needle = FoldedText.fold(text)
        guard !needle.isEmpty else { return [] }
        var found: [Int] = []
        let (bytes, search) = (file.bytes, ByteSearch(needle))
        var (offset, town) = (Int(foldedStarts[0]), 0)
        while let place = search.first(in: bytes, from: offset, to: Int(foldedStarts[count])) {
            while Int(foldedStarts[town + 1]) <= place { town += 1 }
            let isBeginning = place == Int(foldedStarts[town]) || bytes[place - 1] == 0
            if isBeginning { found.append(town) }
            offset = isBeginning ? Int(foldedStarts[town + 1]) : place + 1
        }
        let ranked = found.map { (town: $0, isKnown: isKnown($0), people: people($0)) }
        return ranked.sorted { ($0.isKnown ? 1 : 0, $0.people) > ($1.isKnown ? 1 : 0, $1.people) }.prefix(most).map(
            \.town)
    }
}

extension UnsafeRawBufferPointer {
    /// A number of four bytes, the highest first. The file was found long enough for all that is read of it.
    fileprivate func number(at offset: Int) -> UInt32 {
        UInt32(bigEndian: loadUnaligned(fromByteOffset: offset, as: UInt32.self))
    }
}

/// A file in memory for as long as this lives: pages that nobody reads take none.
private final class MappedFile: @unchecked Sendable {
    // It is mapped for reading only and unmapped by the last who has it, so that any thread may read it.
    let bytes: UnsafeRawBufferPointer

    init?(path: String) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_size > 0,
            let start = mmap(nil, Int(status.st_size), PROT_READ, MAP_PRIVATE, descriptor, 0), start != MAP_FAILED
        else { return nil }
        bytes = UnsafeRawBufferPointer(start: start, count: Int(status.st_size))
    }

    deinit { munmap(UnsafeMutableRawPointer(mutating: bytes.baseAddress), bytes.count) }
}
