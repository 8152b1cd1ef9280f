import Foundation

@testable import Import

/// What a reader makes of an archive: content by path, or why there is none.
struct ReadArchive {
    var contents: [String: [UInt8]] = [:]
    var refusals: [String: String] = [:]
    var failure: String?

    init(_ bytes: [UInt8], inPiecesOf count: Int = 7_001) throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "import-\(UUID().uuidString)").path
        try Data(bytes).write(to: URL(filePath: path))
        defer { try? FileManager.default.removeItem(atPath: path) }
        do {
            for source in try ImportSource.sources(at: path) { try read(source.open(), count) }
        } catch let error as ImportError {
            failure = error.description
        }
    }

    private mutating func read(_ reader: any EntryReader, _ count: Int) throws {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 1)
        defer { buffer.deallocate() }
        while let entry = try reader.next() {
            var content: [UInt8] = []
            do {
                while case let made = try reader.read(into: buffer), made > 0 {
                    content += UnsafeRawBufferPointer(rebasing: buffer[..<made])
                }
                contents[entry.path] = content
            } catch ImportError.entry(let reason) {
                refusals[entry.path] = reason
            }
        }
    }
}
