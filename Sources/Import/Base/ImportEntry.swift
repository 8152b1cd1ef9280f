/// One file that a source holds: of a folder, or of an archive.
package struct ImportEntry: Sendable, Equatable {
    /// Grows from 0 within its source; the same each time that the source is read.
    package var ordinal: Int
    /// Folders and name, with `/` between them. Of a hostile entry as it stands there; data only, nothing is ever
    /// written under it.
    package var path: String
    /// The path is of an encoding that is not known, and may be another one.
    package var isPathGuessed = false
    /// As the source says before the content is read.
    package var byteCount: UInt64
    /// Milliseconds since 1970; nil where nobody says.
    package var modifiedAt: Int64?
    /// Why its content is not read, whatever it is; nil for what can be.
    package var refusal: String?
    /// The path of an entry before it, of which this is another name; it has no content of its own.
    package var target: String?

    package init(
        ordinal: Int, path: String, byteCount: UInt64, modifiedAt: Int64? = nil, refusal: String? = nil,
        target: String? = nil
    ) {
        self.ordinal = ordinal
        self.path = path
        self.byteCount = byteCount
        self.modifiedAt = modifiedAt
        self.refusal = refusal
        self.target = target
    }
}

/// Why something could not be read, in words for the person who wants it brought.
package enum ImportError: Error, Equatable, CustomStringConvertible {
    /// One entry; those behind it can be read.
    case entry(String)
    /// The source, from here on.
    case source(String)

    package var description: String {
        switch self {
        case .entry(let reason), .source(let reason): reason
        }
    }
}

/// Reads the entries of one source in their order. Blocking; for one thread at a time.
package protocol EntryReader: AnyObject {
    /// The next entry, or nil at the end. What was not read of the one before is passed over.
    /// - Throws: `ImportError.source`.
    func next() throws -> ImportEntry?

    /// Content of the present entry: at least one byte, or 0 once all of it was read and found whole.
    /// - Throws: `ImportError.entry`, `ImportError.source`.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int

    /// Bytes of the source that were read so far, for a bar that fills.
    var consumedByteCount: UInt64 { get }
    /// Bytes of the whole source, in the same measure.
    var totalByteCount: UInt64 { get }
}

/// What keeps a hostile archive from costing more than it is worth.
enum ArchiveLimits {
    /// Of what comes out to what went in.
    static let highestRatio: UInt64 = 100
    /// Below this nothing is a bomb: text of a page compresses well, too.
    static let harmlessByteCount: UInt64 = 1 << 20
    static let longestName = 4096
    static let mostEntries = 4_000_000
    static let largestDirectory: UInt64 = 1 << 30

    /// Whether so much can be the content of so few bytes.
    static func isBomb(produced: UInt64, consumed: UInt64) -> Bool {
        guard produced > harmlessByteCount else { return false }
        let (allowed, overflow) = consumed.multipliedReportingOverflow(by: highestRatio)
        return !overflow && produced - harmlessByteCount > allowed
    }

    static let bombReason = "it unpacks to more than a hundred times its size"
}
