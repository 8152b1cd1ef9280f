import Foundation
import Testing

/// What the kernel says of this process's memory.
enum KernelMemory {
    /// The kernel's two-letter flags of the mapping around `address`.
    static func flags(ofMappingAt address: UInt) throws -> Set<String> {
        let maps = try kernelText("/proc/self/smaps")
        var isInside = false
        for line in maps.split(separator: "\n") {
            let bounds = line.prefix { $0 != " " }.split(separator: "-").map { UInt($0, radix: 16) }
            if bounds.count == 2, let start = bounds[0], let end = bounds[1] {
                isInside = (start..<end).contains(address)
            }
            if isInside, line.hasPrefix("VmFlags:") {
                return Set(line.split(separator: " ").dropFirst().map(String.init))
            }
        }
        return []
    }

    /// The kernel hands such files out in pieces of a page and states no size, so they are read until nothing comes.
    private static func kernelText(_ path: String) throws -> String {
        let file = try FileHandle(forReadingFrom: URL(filePath: path))
        var text = Data()
        while let piece = try file.read(upToCount: 4_096), !piece.isEmpty { text += piece }
        return String(decoding: text, as: UTF8.self)
    }

    /// The pages of this process that are locked now.
    static func lockedKiB() throws -> Int {
        let status = try kernelText("/proc/self/status")
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmLck:") })
        return try #require(line.split(separator: " ").compactMap { Int($0) }.first)
    }
}
