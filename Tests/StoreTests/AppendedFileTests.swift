import Foundation
import Glibc
import TestSupport
import Testing

@testable import Store

@Suite("A file that grows at its end")
struct AppendedFileTests {
    private static let block = AppendedFile.blockByteCount

    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func open(in path: String? = nil, _ flags: Int32 = O_CREAT) throws -> OpenFile {
        try Folder.open(path: path ?? folder.path).open("file", O_RDWR | flags)
    }

    private func content(in path: String? = nil) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(fileURLWithPath: path ?? folder.path).appendingPathComponent("file")))
    }

    /// Those of their places, which no other block has in the same order.
    private func bytes(_ count: Int, after position: UInt64) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: count) { bytes, initializedCount in
            var place = position
            while initializedCount < count {
                bytes[initializedCount] = UInt8(truncatingIfNeeded: (place &* 0x9E37_79B9_7F4A_7C15) &>> 56)
                initializedCount &+= 1
                place &+= 1
            }
        }
    }

    /// As a segment lies in memory: from its block on, with something else before it.
    private func append(_ count: Int, to file: inout AppendedFile, shift: Int = 0) throws {
        let bytes = bytes(count, after: file.byteCount)
        let start = Int(file.byteCount % UInt64(Self.block))
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: shift + start + count, alignment: Self.block)
        defer { memory.deallocate() }
        memory.initializeMemory(as: UInt8.self, repeating: 0xEE)
        let blocks = UnsafeMutableRawBufferPointer(rebasing: memory[shift...])
        UnsafeMutableRawBufferPointer(rebasing: blocks[start...]).copyBytes(from: bytes)
        try file.append(blocks, from: start)
    }

    private func expectWhole(_ file: AppendedFile, in path: String? = nil) throws {
        let expected = bytes(Int(file.byteCount), after: 0)
        #expect(try content(in: path) == expected)
    }

    @Test(
        "has every byte in its place, whatever came at once",
        arguments: [
            [98_464, 524_800, 524_800, 1000], [5], [16_384], [16_383, 1, 16_384, 4096], [20_000, 20_000, 3, 70_001],
            [4095, 16_385, 4097, 100_000], [40_000],
        ])
    func pieces(_ counts: [Int]) throws {
        for shift in [0, 512] {
            var file = AppendedFile(try open(in: nil, O_CREAT | O_TRUNC), byteCount: 0)
            for count in counts { try append(count, to: &file, shift: shift) }
            try file.writeTail()
            #expect(file.byteCount == UInt64(counts.reduce(0, +)))
            try expectWhole(file)
        }
    }

    @Test("takes other memory in between, and goes on after what waited was written")
    func mixed() throws {
        var file = AppendedFile(try open(), byteCount: 0)
        for count in [50_000, 30_001, 66_000] {
            try append(count, to: &file)
            let more = bytes(7001, after: file.byteCount)
            try more.withUnsafeBytes { (bytes: UnsafeRawBufferPointer) in try file.append(bytes) }
            try append(20_011, to: &file)
            try file.writeTail()
            try expectWhole(file)
        }
    }

    @Test("goes on where another process stopped, within a block", arguments: [1, 4096, 5000, 100_001])
    func reopened(at count: Int) throws {
        var first = AppendedFile(try open(), byteCount: 0)
        try append(count, to: &first)
        try first.writeTail()
        var second = AppendedFile(try open(), byteCount: UInt64(count))
        for count in [30_000, 524_800] { try append(count, to: &second) }
        try second.writeTail()
        try expectWhole(second)
    }

    @Test("passes by the page cache with the blocks of a photo, and not with what has become larger")
    func direct() throws {
        guard try open().setDirect(true) else { return }  // A file system without O_DIRECT.
        var file = AppendedFile(try open(), byteCount: 0)
        try append(10_000, to: &file)
        #expect(!file.isDirect)
        for _ in 0..<15 {
            try append(524_800, to: &file)
            #expect(file.isDirect)
        }
        // A few bytes go with the blocks if they fill the last one, else they wait.
        try append(Self.block - Int(file.byteCount) % Self.block, to: &file)
        #expect(file.isDirect)
        for _ in 0..<2 { try append(524_800, to: &file) }
        #expect(!file.isDirect)
        try file.writeTail()
        try expectWhole(file)
    }

    @Test(
        "goes by the page cache where the file system has no other way",
        .enabled(if: SmallDisk.isAvailable, "needs root, to mount a file system"))
    func refused() throws {
        // A ramfs is nothing but page cache.
        let disk = try SmallDisk(type: "ramfs", megabytes: 4)
        var file = AppendedFile(try open(in: disk.folder.path), byteCount: 0)
        for count in [98_464, 524_800, 1000] {
            try append(count, to: &file)
            #expect(!file.isDirect)
        }
        try file.writeTail()
        try expectWhole(file, in: disk.folder.path)
    }

    @Test(
        "says that the disk is full", .enabled(if: SmallDisk.isAvailable, "needs root, to mount a small file system"))
    func full() throws {
        let disk = try SmallDisk(megabytes: 2)
        var file = AppendedFile(try open(in: disk.folder.path), byteCount: 0)
        #expect(throws: StoreError.diskFull) {
            for _ in 0..<6 { try append(524_800, to: &file) }
        }
    }
}
