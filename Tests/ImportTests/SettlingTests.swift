import Testing

@testable import Import

@Suite("When a file of a watched folder is complete")
struct SettlingTests {
    private let path = Array("a.jpg".utf8)
    private let start = ContinuousClock.now
    private let box = Box()

    /// Expectations hold what they compare.
    private final class Box {
        var files = SettlingFiles()
    }

    private func sign(_ byteCount: UInt64, inode: UInt64 = 1) -> FileSign {
        FileSign(device: 1, inode: inode, byteCount: byteCount, modifiedAt: 1, changedAt: Int64(byteCount))
    }

    private func look(
        _ byteCount: UInt64 = 5, inode: UInt64 = 1, writer: SettlingFiles.Writer = .unknown, age: Duration = .zero,
        at seconds: Int
    ) -> Bool {
        box.files.isComplete(
            path, sign(byteCount, inode: inode), writer: writer, age: age, now: start + .seconds(seconds))
    }

    private func isDue(at seconds: Int) -> Bool { box.files.due(now: start + .seconds(seconds)) == [path] }

    @Test("one that was closed is taken when two looks are alike")
    func closed() {
        box.files.note(.closed, of: path, now: start)
        #expect(!isDue(at: 1) && isDue(at: 2))
        #expect(!look(at: 2))
        #expect(!isDue(at: 3) && isDue(at: 4))
        #expect(look(at: 4))
        #expect(box.files.count == 0 && box.files.nextDue == nil)
    }

    @Test("one that grows between the looks waits on")
    func growing() {
        box.files.note(.closed, of: path, now: start)
        let looks = (1...4).map { look(UInt64($0), at: 2 * $0) }
        #expect(looks == [false, false, false, false])
        #expect(look(4, at: 10))
    }

    @Test("one that somebody writes waits for its end, however long")
    func written() {
        box.files.note(.made, of: path, now: start)
        box.files.note(.written, of: path, now: start)
        #expect(box.files.nextDue == nil && box.files.count == 1)
        box.files.note(.touched, of: path, now: start)
        #expect(box.files.nextDue == nil)
        box.files.note(.closed, of: path, now: start + .seconds(1000))
        #expect(box.files.nextDue == start + .seconds(1002))
    }

    @Test("one that cannot be read is looked at in a minute, or when its rights change")
    func unreadable() {
        box.files.note(.closed, of: path, now: start)
        box.files.postpone(path, now: start + .seconds(2))
        #expect(!isDue(at: 61) && isDue(at: 62))
        box.files.note(.touched, of: path, now: start + .seconds(5))
        #expect(isDue(at: 5))
        // It could be read then: from here on it is a file as any other.
        #expect(!look(writer: .absent, at: 5))
        box.files.note(.touched, of: path, now: start + .seconds(6))
        #expect(!isDue(at: 6) && isDue(at: 7))
    }

    @Test("one that was found, and whose writer the kernel does not tell, must have rested for a minute")
    func found() {
        box.files.note(.found, of: path, now: start)
        #expect(!look(age: .seconds(10), at: 0))
        #expect(!isDue(at: 49) && isDue(at: 50))
        #expect(look(age: .seconds(60), at: 50))
        box.files.note(.found, of: path, now: start)
        #expect(!look(age: .seconds(3600), at: 0))
        #expect(isDue(at: 2) && look(age: .seconds(3602), at: 2))
    }

    @Test("one that was found open for writing waits for its end")
    func foundOpen() {
        box.files.note(.found, of: path, now: start)
        #expect(!look(writer: .present, age: .seconds(3600), at: 0))
        #expect(box.files.nextDue == nil)
        box.files.note(.closed, of: path, now: start)
        #expect(!look(writer: .absent, at: 2))
        #expect(look(writer: .absent, at: 4))
    }

    @Test("another file under its name begins anew")
    func replaced() {
        box.files.note(.movedIn, of: path, now: start)
        #expect(!look(at: 2))
        #expect(!look(inode: 2, writer: .absent, at: 4))
    }

    @Test("a folder that goes takes its files along, and no other's")
    func folders() {
        for name in ["a/b.jpg", "a/c/d.jpg", "ab.jpg"] { box.files.note(.closed, of: Array(name.utf8), now: start) }
        box.files.forgetAll(below: Array("a".utf8))
        #expect(box.files.due(now: start + .seconds(9)) == [Array("ab.jpg".utf8)])
    }

    @Test(
        "names of what is on its way are left alone",
        arguments: [
            ".a.jpg", ".syncthing.a.jpg.tmp", "~syncthing~a.jpg.tmp", "a.jpg.part", "A.JPG.PART", "a.crdownload",
            "a.jpg.tmp", "Thumbs.db", "desktop.ini", "a.jpg~", "", ".", "..", ".safelight.a.jpg", "@eaDir",
        ])
    func leftAlone(name: String) { #expect(ArrivingName.isLeftAlone(name.utf8)) }

    @Test("others are not", arguments: ["a.jpg", "part.jpg", "tmp", "a.tmp.jpg", "-rf", " .jpg", "照片.heic", "~a.jpg"])
    func taken(name: String) { #expect(!ArrivingName.isLeftAlone(name.utf8)) }
}
