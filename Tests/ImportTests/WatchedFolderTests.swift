import Foundation
import Testing

@testable import Import

@Suite("A watched folder hands out files that are complete, and deletes none that changed")
struct WatchedFolderTests {
    private let path: String
    private let waker: Waker

    init() throws {
        path = FileManager.default.temporaryDirectory.appending(path: "watched-\(UUID())").path
        try FileManager.default.createDirectory(atPath: path + "/below", withIntermediateDirectories: true)
        waker = try Waker()
    }

    private func put(_ text: String, _ name: String) throws {
        try Data(text.utf8).write(to: URL(filePath: "\(path)/\(name)"))
    }

    private func text(_ name: String) -> String? { try? String(contentsOfFile: "\(path)/\(name)", encoding: .utf8) }

    private func remove() { try? FileManager.default.removeItem(atPath: path) }

    /// Blocking, for as long as a file takes to settle.
    private func next(_ folder: WatchedFolder) throws -> ArrivingFile {
        guard case .file(let file) = folder.next(.none) else { throw Unexpected() }
        return file
    }

    @Test("one that was read is deleted, and its neighbours stay")
    func removal() throws {
        defer { remove() }
        try put("one", "below/a.jpg")
        try put("two", ".hidden.jpg")
        let folder = try WatchedFolder(path: path, waker: waker)
        let file = try next(folder)
        #expect(file.name == "a.jpg" && file.sign.byteCount == 3 && file.isUnchanged)
        #expect(folder.remove(file))
        #expect(text("below/a.jpg") == nil && text(".hidden.jpg") == "two")
        #expect(folder.present().isEmpty)
    }

    @Test("one that was written to, replaced or moved after it was read is not", arguments: [0, 1, 2])
    func changes(kind: Int) throws {
        defer { remove() }
        try put("one", "a.jpg")
        let folder = try WatchedFolder(path: path, waker: waker)
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
        #expect(!folder.remove(file))
        #expect([text("a.jpg"), text("below/a.jpg")] == [["one!", "new", nil][kind], kind == 2 ? "one" : nil])
    }

    @Test("one that is open for writing is neither handed out nor deleted")
    func writers() throws {
        defer { remove() }
        try put("one", "a.jpg")
        let folder = try WatchedFolder(path: path, waker: waker)
        let file = try next(folder)
        let handle = try FileHandle(forUpdating: URL(filePath: path + "/a.jpg"))
        #expect(!folder.remove(file))
        folder.putBack(file)
        waker.wake()
        guard case .woken = folder.next(.until(.now)) else { throw Unexpected() }
        try handle.close()
        #expect(text("a.jpg") == "one")
    }

    @Test("one that was put aside when the power went comes back under its name, or beside what has it")
    func recovery() throws {
        defer { remove() }
        try put("one", ".safelight.a.jpg")
        try put("two", ".safelight.b.jpg")
        try put("new", "b.jpg")
        let folder = try WatchedFolder(path: path, waker: waker)
        let names = folder.present().map { String(decoding: $0.path, as: UTF8.self) }.sorted()
        #expect(names.count == 3 && names.contains("a.jpg") && names.contains("b.jpg"))
        #expect(text("a.jpg") == "one" && text("b.jpg") == "new")
        #expect(names.filter { $0.hasSuffix(" b.jpg") }.map { text($0) } == ["two"])
    }

    @Test("what the kernel did not keep is found by looking through everything")
    func overflow() throws {
        defer { remove() }
        let told = Box()
        let folder = try WatchedFolder(path: path, waker: waker) { path, _ in told.gone.append(path) }
        let handle = FileHandle(
            fileDescriptor: open(path + "/writing.jpg", O_CREAT | O_WRONLY, 0o600), closeOnDealloc: true)
        try handle.write(contentsOf: Data("one".utf8))
        waker.wake()
        guard case .woken = folder.next(.none) else { throw Unexpected() }
        // The kernel keeps 16,384 events, unless told otherwise, and puts no two moves together.
        let kept = try #require(
            Int(try String(contentsOfFile: "/proc/sys/fs/inotify/max_queued_events", encoding: .utf8).dropLast()))
        try put("", "there")
        for _ in 0...kept / 4 {
            rename(path + "/there", path + "/back")
            rename(path + "/back", path + "/there")
        }
        try handle.close()
        try put("two", "below/new.jpg")
        let found = [try next(folder), try next(folder)].map(\.name)
        #expect(Set(found) == ["writing.jpg", "new.jpg"] && told.gone.contains([]))
    }

    private final class Box: @unchecked Sendable {
        var gone: [SettlingFiles.Path] = []
    }

    private struct Unexpected: Error {}
}
