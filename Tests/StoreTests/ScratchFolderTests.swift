import Foundation
import TestSupport
import Testing

@testable import Store

@Suite("Folders of a command, for what it needs beside the data directory")
struct ScratchFolderTests {
    private let parent: TemporaryFolder

    init() throws { parent = try TemporaryFolder() }

    private var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: parent.path).sorted() }
    }

    @Test("go with their command")
    func removal() throws {
        let folder = try ScratchFolder(below: parent.path)
        try folder.folder.open("a", O_RDWR | O_CREAT).write([1, 2, 3], at: 0)
        #expect(try names.count == 1)
        folder.remove()
        #expect(try names.isEmpty)
    }

    @Test("go with the next command where one was ended by force, and those of the living stay")
    func abandoned() throws {
        let living = try ScratchFolder(below: parent.path)
        for name in ["safelight-copy-of-the-dead", "safelight-else"] {
            try FileManager.default.createDirectory(
                atPath: parent.path + "/" + name, withIntermediateDirectories: false)
            try Data([1]).write(to: parent.file(name + "/ledger.sqlite"))
        }
        let next = try ScratchFolder(below: parent.path)
        let expected = [living.path, next.path].map { ($0 as NSString).lastPathComponent } + ["safelight-else"]
        #expect(try names == expected.sorted())
        living.remove()
        next.remove()
        #expect(try names == ["safelight-else"])
    }

    @Test("are said to have no place where there is none")
    func withoutPlace() {
        #expect(throws: StoreError.self) { try ScratchFolder(below: parent.path + "/missing") }
    }
}
