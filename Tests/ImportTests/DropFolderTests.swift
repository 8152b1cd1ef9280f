import Foundation
import Sealing
import Testing

@testable import Import

@Suite("A drop folder hands out files that are still, and deletes none that changed")
struct DropFolderTests {
    private let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory.appending(path: "drop-\(UUID())").path
        try FileManager.default.createDirectory(atPath: path + "/below", withIntermediateDirectories: true)
    }

    private func put(_ text: String, _ name: String) throws {
        try Data(text.utf8).write(to: URL(filePath: "\(path)/\(name)"))
    }

    private func text(_ name: String) -> String? { try? String(contentsOfFile: "\(path)/\(name)", encoding: .utf8) }

    private func remove() { try? FileManager.default.removeItem(atPath: path) }

    /// The first that is still, at once.
    private func next(_ folder: DropFolder) throws -> ArrivingFile {
        for (path, _) in folder.files() { if case .file(let file) = folder.look(at: path, rest: .zero) { return file } }
        throw Unexpected()
    }

    private func names(_ folder: DropFolder) -> [String] {
        folder.files().map { String(decoding: $0.path, as: UTF8.self) }
    }

    @Test("one that was read is deleted, and its neighbours stay")
    func removal() throws {
        defer { remove() }
        try put("one", "below/a.jpg")
        try put("two", ".hidden.jpg")
        let folder = try DropFolder(path: path)
        let file = try next(folder)
        #expect(file.name == "a.jpg" && file.sign.byteCount == 3 && file.isUnchanged)
        let content = try SHA256Hasher.hash(Array("one".utf8))
        #expect(try folder.remove(file) { try file.digest() == content } == .done)
        #expect(text("below/a.jpg") == nil && text(".hidden.jpg") == "two")
        #expect(folder.files().isEmpty)
    }

    @Test("one that was written to, replaced or moved after it was read is not", arguments: [0, 1, 2])
    func changes(kind: Int) throws {
        defer { remove() }
        try put("one", "a.jpg")
        let folder = try DropFolder(path: path)
        let file = try next(folder)
        switch kind {
        case 0:
            let handle = try FileHandle(forWritingTo: URL(filePath: path + "/a.jpg"))
            try handle.seekToEnd()
            try handle.write(contentsOf: Data("!".utf8))
            try handle.close()
        case 1:
            try put("new", "b")
            #expect(rename(path + "/b", path + "/a.jpg") == 0)
        default: #expect(rename(path + "/a.jpg", path + "/below/a.jpg") == 0)
        }
        #expect(try folder.remove(file) { true } == .changed)
        #expect([text("a.jpg"), text("below/a.jpg")] == [["one!", "new", nil][kind], kind == 2 ? "one" : nil])
    }

    /// What others may do while it is read for the last time, when nobody finds it by its name.
    @Test(
        "one that is not stored, or changes while that is looked at, is back under its name",
        arguments: Meddling.allCases)
    func lastLook(_ meddling: Meddling) throws {
        defer { remove() }
        try put("one", "a.jpg")
        #expect(link(path + "/a.jpg", path + "/.other") == 0)
        let folder = try DropFolder(path: path)
        let file = try next(folder)
        let removal = try? folder.remove(file) {
            switch meddling {
            case .none: return false
            case .stop: throw Unexpected()
            // With the size and the time that it had, by another name of its.
            case .rewritten: try rewrite(".other", as: "two", like: file)
            case .replaced: try put("new", "a.jpg")
            case .linked: #expect(rename(path + "/.other", path + "/.elsewhere") == 0)
            case .swapped:
                try put("new", ".new")
                #expect(rename(path + "/.new", path + "/.safelight.a.jpg") == 0)
            }
            return true
        }
        let expected: (DropFolder.Removal?, String?) =
            switch meddling {
            case .none: (.changed, "one")
            case .stop: (nil, "one")
            case .rewritten: (.changed, "two")
            // What was put aside went; what came meanwhile is another file.
            case .replaced: (.done, "new")
            // Its times changed, and nobody can tell why.
            case .linked: (.changed, "one")
            case .swapped: (.changed, "new")
            }
        #expect(removal == expected.0 && text("a.jpg") == expected.1)
    }

    enum Meddling: CaseIterable { case none, stop, rewritten, replaced, linked, swapped }

    private func rewrite(_ name: String, as text: String, like file: ArrivingFile) throws {
        let handle = try FileHandle(forUpdating: URL(filePath: "\(path)/\(name)"))
        try handle.write(contentsOf: Data(text.utf8))
        let (seconds, nanoseconds) = file.sign.modifiedAt.quotientAndRemainder(dividingBy: 1_000_000_000)
        var times = [timespec](repeating: timespec(tv_sec: Int(seconds), tv_nsec: Int(nanoseconds)), count: 2)
        #expect(futimens(handle.fileDescriptor, &times) == 0)
        try handle.close()
    }

    @Test("one that may not be deleted is not read once more")
    func refusals() throws {
        defer { remove() }
        let name = String(repeating: "n", count: 250) + ".jpg"
        try put("one", name)
        let folder = try DropFolder(path: path)
        let file = try next(folder)
        #expect(try folder.remove(file) { throw Unexpected() } == .refused)
        #expect(text(name) == "one")
    }

    @Test("one that is mapped for writing is not deleted, although it is closed and its times stay")
    func mappings() throws {
        defer { remove() }
        try put("one", "a.jpg")
        let folder = try DropFolder(path: path)
        let file = try next(folder)
        let descriptor = open(path + "/a.jpg", O_RDWR | O_CLOEXEC)
        let mapped = mmap(nil, 3, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0)
        close(descriptor)
        #expect(try folder.remove(file) { true } == .changed)
        munmap(mapped, 3)
        #expect(text("a.jpg") == "one")
        #expect(try folder.remove(file) { true } == .done)
    }

    @Test("one that is open for writing is neither handed out nor deleted")
    func writers() throws {
        defer { remove() }
        try put("one", "a.jpg")
        let folder = try DropFolder(path: path)
        let file = try next(folder)
        let handle = try FileHandle(forUpdating: URL(filePath: path + "/a.jpg"))
        #expect(try folder.remove(file) { true } == .changed)
        guard case .waits = folder.look(at: file.path, rest: .zero) else { throw Unexpected() }
        try handle.close()
        #expect(try next(folder).name == "a.jpg" && text("a.jpg") == "one")
    }

    @Test("one that was put aside when the power went comes back under its name, or beside what has it")
    func recovery() throws {
        defer { remove() }
        try put("one", ".safelight.a.jpg")
        try put("two", ".safelight.b.jpg")
        try put("new", "b.jpg")
        let folder = try DropFolder(path: path)
        let names = names(folder)
        #expect(names.count == 3 && names.contains("a.jpg") && names.contains("b.jpg"))
        #expect(text("a.jpg") == "one" && text("b.jpg") == "new")
        #expect(names.filter { $0.hasSuffix(" b.jpg") }.map { text($0) } == ["two"])
    }

    @Test("nothing is reached by a link, whatever takes the place of a folder")
    func links() throws {
        defer { remove() }
        try put("one", "below/a.jpg")
        let elsewhere = path + "-elsewhere"
        defer { try? FileManager.default.removeItem(atPath: elsewhere) }
        let folder = try DropFolder(path: path)
        let file = try next(folder)
        #expect(rename(path + "/below", elsewhere) == 0)
        #expect(symlink(elsewhere, path + "/below") == 0 && symlink(elsewhere + "/a.jpg", path + "/link.jpg") == 0)
        #expect(names(folder).isEmpty)
        for place in [file.path, Array("link.jpg".utf8)] {
            guard case .none = folder.look(at: place, rest: .zero) else { throw Unexpected() }
        }
        #expect(try folder.remove(file) { true } == .refused)
        #expect(try FileManager.default.contentsOfDirectory(atPath: elsewhere) == ["a.jpg"])
    }

    @Test("what came and went is found by looking again, without a word of the kernel")
    func again() throws {
        defer { remove() }
        let folder = try DropFolder(path: path)
        #expect(names(folder).isEmpty)
        try put("one", "a.jpg")
        try put("two", "below/b.jpg")
        #expect(names(folder) == ["a.jpg", "below/b.jpg"])
        #expect(rename(path + "/below", path + "/other") == 0 && unlink(path + "/a.jpg") == 0)
        #expect(names(folder) == ["other/b.jpg"])
    }

    @Test("a file waits until nothing has happened to it for a minute, by the clock of this host")
    func rest() throws {
        defer { remove() }
        try put("one", "a.jpg")
        let folder = try DropFolder(path: path)
        let (place, sign) = try #require(folder.files().first)
        let looks: [(Int64, Bool)] = [(0, false), (59, false), (60, true), (-3600, false), (-100_000, true)]
        for (seconds, isStill) in looks {
            let look = folder.look(at: place, rest: .seconds(60), now: sign.changedAt + seconds * 1_000_000_000)
            if case .file = look { #expect(isStill) } else { #expect(!isStill) }
        }
    }

    private struct Unexpected: Error {}
}
