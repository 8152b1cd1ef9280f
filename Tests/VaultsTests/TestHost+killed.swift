import Foundation
import HostSupport

extension TestHost {
    /// Another host, over the data as it is at this moment: what a killed daemon leaves.
    func killed() async throws -> TestHost {
        // Behind what the last lock is at, for files are copied one after the other here, and a kill is one moment.
        await (try service()).inspectCopies()
        let next = try sibling()
        try Self.copyData(from: dataPath, to: next.dataPath)
        return next
    }

    /// Another host of the same configuration, with a folder of its own in which nothing is yet.
    func sibling() throws -> TestHost {
        try TestHost { [configuration] next in
            let path = next.dataPath
            next = configuration
            next.dataPath = path
        }
    }

    static func copyData(from path: String, to copy: String) throws {
        let manager = FileManager.default
        try manager.createDirectory(
            atPath: copy, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        for name in try manager.contentsOfDirectory(atPath: path) where name != "slots" {
            try manager.copyItem(atPath: "\(path)/\(name)", toPath: "\(copy)/\(name)")
        }
        try copyWithHoles("\(path)/slots", to: "\(copy)/slots")
    }

    /// `SEEK_DATA` and `SEEK_HOLE` of lseek(2), which Swift's Glibc does not name.
    private static let (nextData, nextHole): (Int32, Int32) = (3, 4)

    /// Of the slots nearly all are holes, and to write them out would take longer than the rest of a test.
    private static func copyWithHoles(_ path: String, to copy: String) throws {
        try Data().write(to: URL(fileURLWithPath: copy))
        let source = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
        let target = try FileHandle(forWritingTo: URL(fileURLWithPath: copy))
        try target.truncate(atOffset: try source.seekToEnd())
        var end: off_t = 0
        while case let start = lseek(source.fileDescriptor, end, Self.nextData), start >= 0 {
            end = lseek(source.fileDescriptor, start, Self.nextHole)
            try source.seek(toOffset: UInt64(start))
            try target.seek(toOffset: UInt64(start))
            if let bytes = try source.read(upToCount: Int(end - start)) { try target.write(contentsOf: bytes) }
        }
        try source.close()
        try target.close()
    }
}
