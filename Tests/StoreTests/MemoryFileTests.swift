import Foundation
import StoreSupport
import Testing

@testable import Store

@Suite("A file that lies in memory alone")
struct MemoryFileTests {
    private let first = [UInt8](repeating: 1, count: 32)
    private let second = [UInt8](repeating: 2, count: 32)

    @Test("what was made once is found again, readable for nobody else")
    func found() throws {
        let folder = try MemoryFolder()
        #expect(MemoryFile.content("key", in: folder.path, new: first) == first)
        #expect(MemoryFile.content("key", in: folder.path, new: second) == first)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["key"])
        let mode = try FileManager.default.attributesOfItem(atPath: "\(folder.path)/key")[.posixPermissions] as? Int
        #expect(mode == 0o600)
    }

    @Test("nothing is written to a disk, and what others may have made is not taken")
    func refused() throws {
        let manager = FileManager.default
        let folder = try MemoryFolder()
        #expect(MemoryFile.content("key", in: folder.path, new: first, kind: 0xef53) == nil)
        #expect(try manager.contentsOfDirectory(atPath: folder.path).isEmpty)
        #expect(MemoryFile.content("key", in: "\(folder.path)/none", new: first) == nil)
        func place(_ bytes: [UInt8], _ mode: Int) throws {
            try? manager.removeItem(atPath: "\(folder.path)/key")
            try Data(bytes).write(to: URL(fileURLWithPath: "\(folder.path)/key"))
            try manager.setAttributes([.posixPermissions: mode], ofItemAtPath: "\(folder.path)/key")
        }
        try place(second, 0o644)
        #expect(MemoryFile.content("key", in: folder.path, new: first) == nil)
        try place([2], 0o600)
        #expect(MemoryFile.content("key", in: folder.path, new: first) == nil)
        try place(second, 0o600)
        #expect(MemoryFile.content("key", in: folder.path, new: first) == second)
        try manager.createSymbolicLink(atPath: "\(folder.path)/link", withDestinationPath: "\(folder.path)/key")
        #expect(MemoryFile.content("link", in: folder.path, new: first) == nil)
    }
}
