import Foundation
import Imaging
import TestSupport

@testable import Import

/// What a reader makes of an archive: content by path, or why there is none.
struct ReadArchive: Sendable {
    var contents: [String: [UInt8]] = [:]
    var refusals: [String: String] = [:]
    /// All paths, as they came.
    var order: [String] = []
    var failure: String?

    /// - Parameter name: of the file, where it matters.
    init(
        _ bytes: [UInt8], named name: String = "archive", inPiecesOf count: Int = 7_001, by unpacker: Unpacker = .built
    ) async throws {
        let folder = try TemporaryFolder()
        try folder.write(name, bytes)
        try await self.init(at: folder.file(name).path, inPiecesOf: count, by: unpacker)
        withExtendedLifetime(folder) {}
    }

    /// On a thread of its own, for readers block.
    init(at path: String, inPiecesOf count: Int = 7_001, by unpacker: Unpacker = .built) async throws {
        let result: Result<Self, any Error> = await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                continuation.resume(returning: Result { try Self(reading: path, count, unpacker) })
            }
        }
        self = try result.get()
    }

    private init(reading path: String, _ count: Int, _ unpacker: Unpacker) throws {
        do {
            for source in try ImportSource.sources(at: path) { try read(source.open(unpacker), count) }
        } catch let error as ImportError {
            failure = error.description
        }
    }

    private mutating func read(_ reader: any EntryReader, _ count: Int) throws {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 1)
        defer { buffer.deallocate() }
        while let entry = try reader.next() {
            order.append(entry.path)
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

extension Unpacker {
    /// The real program, beside the bundle of the tests, where the package manager builds both.
    static let built = Unpacker(
        executable: URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
            .appendingPathComponent("safelight-archives").path)
}
