import Imaging
import Import
import Threads

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
