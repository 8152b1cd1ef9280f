import Glibc
import Imaging
import Import
import Printing
import Threads

/// One line on standard error with how far it is, how fast, and how long it will take; on something that is no terminal,
/// a line for each tenth.
struct ImportProgress {
    /// What is counted.
    enum Unit {
        case bytes
        case photos

        /// Of so many in a second: "3 MB/s", "12 photos/s".
        func speed(_ rate: Double) -> String {
            switch self {
            case .bytes: "\(Figure.bytes(UInt64(rate)))/s"
            // Less than one in a second is told as how many in a minute.
            case .photos where rate < 1: "\(Figure.count(Int((rate * 60).rounded()), "photo", "photos"))/min"
            case .photos: "\(Figure.count(Int(rate.rounded()), "photo", "photos"))/s"
            }
        }
    }

    private let label: String
    private let unit: Unit
    private let isTerminal = isatty(STDERR_FILENO) == 1
    private let clock = ContinuousClock()
    private let start: ContinuousClock.Instant
    private var shownAt: ContinuousClock.Instant?
    private var shownTenth = -1

    init(_ label: String, of unit: Unit = .bytes) {
        self.label = label
        self.unit = unit
        start = clock.now
    }

    /// - Parameters:
    ///   - done: so many of the unit, as is the total.
    mutating func show(_ done: UInt64, of total: UInt64) {
        let percent = total == 0 ? 100 : min(100, Int(Double(done) / Double(total) * 100))
        if isTerminal {
            let now = clock.now
            if let shownAt, now - shownAt < .milliseconds(200), percent < 100 { return }
            shownAt = now
            Terminal.show("\r\(label): \(percent) %\(pace(done, total, now - start))\u{1B}[K")
        } else if percent / 10 > shownTenth {
            shownTenth = percent / 10
            Terminal.show("\(label): \(shownTenth * 10) %\(pace(done, total, clock.now - start))\n")
        }
    }

    func finish() { if isTerminal, shownAt != nil { Terminal.show("\n") } }

    private func pace(_ done: UInt64, _ total: UInt64, _ time: Duration) -> String {
        let seconds = Double(time.components.seconds) + Double(time.components.attoseconds) / 1e18
        guard seconds > 1, done > 0, done <= total else { return "" }
        let rate = Double(done) / seconds
        let left = UInt64(Double(total - done) / rate)
        return ", \(unit.speed(rate))" + (done < total ? ", \(Figure.duration(seconds: left)) left" : "")
    }
}

/// Sources that were looked at, and what is to be brought of them.
struct ScannedSources: Sendable {
    let sources: [ImportSource]
    /// Of all sources, one after the other.
    let files: [ImportFile]
    /// Where the files of each source begin.
    let starts: [Int]
    /// Sources that cannot be read to their end.
    let failures: [(source: Int, reason: String)]
    let plan: ImportPlan
    /// Reads them again as they were read.
    let unpacker: Unpacker

    /// - Throws: `ImportError` for a source that is not there.
    static func scan(
        _ paths: [String], _ options: ImportPlan.Options, _ unpacker: Unpacker
    ) async throws -> ScannedSources {
        let pool = BlockingPool(name: "import", threads: 1)
        do {
            let scanned = try await pool.run { try ScannedSources(paths, options, unpacker) }
            await pool.shutdown()
            return scanned
        } catch {
            await pool.shutdown()
            throw error
        }
    }

    private init(_ paths: [String], _ options: ImportPlan.Options, _ unpacker: Unpacker) throws {
        self.unpacker = unpacker
        sources = try paths.flatMap { path in
            do {
                return try ImportSource.sources(at: path)
            } catch let error as ImportError {
                throw ImportError.source("\(path) \(error.description)")
            }
        }
        let scan = ImportScan(unpacker)
        var starts: [Int] = []
        for (number, source) in sources.enumerated() {
            starts.append(scan.files.count)
            let name = source.path.split(separator: "/").last ?? "files"
            var bar = ImportProgress("Looking at \(name)")
            try scan.look(at: source, number: number) { bar.show($0, of: $1) }
            bar.finish()
        }
        (files, self.starts, failures) = (scan.files, starts, scan.failures)
        plan = ImportPlan(files, options, sources: sources.map(\.path))
    }

    /// "12 archives", "a folder"
    var described: String {
        let archives = sources.count(where: \.isArchive)
        // A folder that holds nothing but archives is but where they lie.
        let folders = sources.indices.count { number in
            !sources[number].isArchive && (archives == 0 || files.contains { $0.source == number })
        }
        let parts = [
            archives > 0 ? Figure.count(archives, "archive", "archives") : nil,
            folders > 0 ? Figure.count(folders, "folder", "folders") : nil,
        ]
        return parts.compactMap(\.self).joined(separator: " and ")
    }

    var word: String { sources.contains(where: \.isArchive) ? "archive" : "folder" }
}
