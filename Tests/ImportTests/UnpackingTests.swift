import Foundation
import Imaging
import ImagingProtocol
import TestSupport
import Testing

@testable import Import

@Suite("What the caged program unpacks")
struct UnpackingTests {
    private let folder: TemporaryFolder
    /// Text with words far apart and long repetitions, bytes that nothing packs, nothing, and a name beyond ASCII.
    private let files: [String: [UInt8]]

    init() throws {
        var generator = SeededGenerator(seed: 51)
        let noise = (0..<150_000).map { _ in UInt8.random(in: 0...255, using: &generator) }
        let words = (0..<30_000).flatMap { Array("\($0 % 977) fox ".utf8) }
        let repeated = [UInt8](repeating: 7, count: 90_000)
        files = [
            "2019/text.json": words + noise[..<50_000] + words[..<9_000] + noise[..<60_000] + repeated,
            "2019/noise.jpg": noise, "2019/Zürich 苏黎世.jpg": Array(words[..<400]), "empty.txt": [],
        ]
        folder = try TemporaryFolder()
        try FileManager.default.createDirectory(atPath: folder.path + "/in/2019", withIntermediateDirectories: true)
        for (name, content) in files { try folder.write("in/" + name, content) }
    }

    /// Runs a shell in the folder of the files.
    private func run(_ command: String) throws {
        try Program("/bin/sh", ["-c", "cd \"$0/in\" && \(command)", folder.path]).run()
    }

    private func read(_ name: String, by unpacker: Unpacker = .built) async throws -> ReadArchive {
        try await ReadArchive(at: folder.file(name).path, by: unpacker)
    }

    @Test(
        "is what real programs have packed, byte for byte",
        arguments: [
            "7z a ../a.7z .", "7z a -m0=BZip2 ../a.7z .", "7z a -ms=off ../a.7z .",
            "7z a -tzip -mm=Deflate64 ../a.zip .",
            "7z a -tzip -mm=BZip2 ../a.zip .", "7z a -tzip -mm=LZMA ../a.zip .", "zip -r -Z bzip2 ../a.zip .",
            "tar cjf ../a.tar.bz2 *", "tar cJf ../a.tar.xz *", "tar c --zstd -f ../a.tar.zst *",
            "python3 -c 'import os, zipfile\nwith zipfile.ZipFile(\"../a.zip\", \"w\", zipfile.ZIP_LZMA) as z:\n"
                + " [z.write(os.path.join(d, n)) for d, _, names in os.walk(\".\") for n in names]'",
        ])
    func whole(command: String) async throws {
        try run(command)
        let name = try #require(try folder.names().first { $0.hasPrefix("a.") })
        let read = try await read(name)
        #expect(read.failure == nil && read.refusals.isEmpty, "\(read.failure ?? "") \(read.refusals)")
        #expect(read.contents == files)
        // The second reading sends what the first one found.
        #expect(try await self.read(name).order == read.order && read.order.count == files.count)
    }

    @Test("is an entry of ZIP in zstd or xz, with its checksum", arguments: [("zstd", UInt16(93)), ("xz", UInt16(95))])
    func entries(program: String, method: UInt16) async throws {
        try run("\(program) -k 2019/text.json 2019/noise.jpg")
        let ending = program == "xz" ? "xz" : "zst"
        var packed = ["2019/text.json", "2019/noise.jpg"].map { name in ArchiveMaker.File(name, files[name] ?? []) }
        for index in packed.indices {
            let name = String(decoding: packed[index].name, as: UTF8.self)
            packed[index].packed = try folder.bytes("in/\(name).\(ending)")
            packed[index].method = method
        }
        var damaged = packed[0]
        (damaged.name, damaged.claimedChecksum) = (Array("damaged.json".utf8), 1)
        let read = try await ReadArchive(ArchiveMaker.zip([damaged] + packed))
        #expect(read.contents == files.filter { $0.key.hasSuffix("text.json") || $0.key.hasSuffix("noise.jpg") })
        #expect(read.refusals == ["damaged.json": "it is damaged: its checksum is another"])
    }

    @Test("is, where it cannot be, told with what to do, and what stands before it is read")
    func unreadable() async throws {
        try run("7z a -ms=off -psecret ../locked.7z 2019; 7z a -mhe=on -psecret ../hidden.7z 2019")
        try run("7z a -ms=off ../two.7z 2019/text.json 2019/noise.jpg; 7z a -m0=Deflate64 ../odd.7z 2019")
        try run("7z a -tzip -mm=PPMd ../odd.zip 2019/text.json; 7z a -tzip -psecret -mem=AES256 ../locked.zip 2019")
        try run("cp ../two.7z ../a.7z.001; cp ../two.7z ../b.7z.002; cp ../two.7z ../c.part1.rar")
        for name in ["locked.7z", "hidden.7z"] {
            let read = try await read(name)
            #expect(read.contents.isEmpty)
            #expect((read.failure ?? "").hasPrefix("is encrypted: unpack it"), "\(name): \(read.failure ?? "")")
        }
        #expect(try await read("locked.zip").refusals.values.allSatisfy { $0.hasPrefix("it is encrypted: unpack it") })
        #expect(try await read("odd.zip").refusals["2019/text.json"]?.contains("(98): unpack it") == true)
        #expect(try await read("odd.7z").failure?.contains("not known here: unpack it") == true)
        // The directory lies at the end.
        var bytes = try folder.bytes("two.7z")
        let cut = try await ReadArchive(Array(bytes[..<(bytes.count - 40)]))
        #expect(cut.failure?.contains("its end is missing") == true && cut.contents.isEmpty)
        // The one that lies last is damaged, the other is there.
        for place in (bytes.count - 60_000)..<(bytes.count - 59_000) { bytes[place] ^= 0xFF }
        let damaged = try await ReadArchive(bytes)
        #expect(damaged.contents.count == 1 && damaged.contents.allSatisfy { files[$0.key] == $0.value })
        #expect(damaged.refusals.values.map { $0.contains("damaged") } == [true])
        for name in ["a.7z.001", "b.7z.002", "c.part1.rar"] {
            #expect(ImportSource.isArchiveName(name) && ImportSource.isPart(name))
            let read = try await read(name)
            #expect(read.failure == nil && read.contents.count == 1, "It is looked at as a file.")
        }
        #expect(!ImportSource.isPart("IMG.100") && !ImportSource.isPart("takeout-001.zip"))
    }

    @Test("is no bomb, no link, and has no name that leads out")
    func hostile() async throws {
        try run("head -c 100000000 /dev/zero >zeros; 7z a ../bomb.7z zeros")
        try run("xz -k zeros; tar cf - zeros | xz >../bomb.tar.xz")
        for name in ["bomb.7z", "bomb.tar.xz"] {
            let read = try await read(name)
            #expect(read.failure == ArchiveLimits.bombReason && read.contents.isEmpty, "\(name)")
        }
        var entry = ArchiveMaker.File("zeros", [])
        (entry.packed, entry.method) = (try folder.bytes("in/zeros.xz"), 95)
        // It says less than it unpacks to, so that its directory is harmless.
        entry.claimedSize = 900_000
        let good = ArchiveMaker.File("good.jpg", [1, 2, 3])
        let zip = try await ReadArchive(ArchiveMaker.zip([entry, good]))
        #expect(zip.contents == ["good.jpg": [1, 2, 3]] && zip.refusals.count == 1)
        try run("ln -s /etc/passwd link; 7z a -snl ../odd.7z link empty.txt 2019/noise.jpg")
        try run("7z rn ../odd.7z empty.txt ../../out.txt")
        let read = try await read("odd.7z")
        #expect(read.contents == ["2019/noise.jpg": files["2019/noise.jpg"] ?? []])
        #expect(read.refusals["link"] == "it is a link")
        #expect(read.refusals.values.contains("its name leads out of the archive"))
    }

    @Test("is told to be unread where the program is missing, and what needs none is read")
    func missing() async throws {
        try run("7z a ../a.7z .; tar cJf ../a.tar.xz *; 7z a -tzip -mm=BZip2 ../a.zip 2019; zip -0 ../a.zip empty.txt")
        let none = Unpacker(executable: "/nonexistent/safelight-archives")
        for name in ["a.7z", "a.tar.xz"] {
            let read = try await read(name, by: none)
            #expect(read.failure?.contains("/nonexistent/safelight-archives is missing") == true)
            #expect(read.contents.isEmpty)
        }
        let zip = try await read("a.zip", by: none)
        // What cannot be packed is stored as it is.
        #expect(zip.contents.allSatisfy { files[$0.key] == $0.value } && zip.contents["empty.txt"] != nil)
        #expect(zip.contents.count + zip.refusals.count == files.count && zip.refusals["2019/text.json"] != nil)
        #expect(zip.refusals.values.allSatisfy { $0.contains("install Safelight whole") })
    }
}

@Suite("What a hostile archive makes the caged program say")
struct HostileUnpackerTests {
    private let seven: [UInt8] = [0x37, 0x7A, 0xBC, 0xAF, 0x27, 0x1C] + [UInt8](repeating: 0, count: 60)

    private func frame(_ message: ChildMessage) -> String { FakeChild.say(message.frame.encoded) }

    private func entry(_ name: String, _ byteCount: UInt64 = 3) -> String {
        frame(.entry(UnpackedEntry(name: name.utf8, kind: .file, byteCount: byteCount, modifiedAt: nil)))
    }

    /// What becomes of an archive of which the program says this.
    private func read(_ lines: String...) async throws -> ReadArchive {
        let child = try FakeChild(FakeChild.ready, FakeChild.takeJob, lines.joined(separator: "\n"), "exec sleep 1000")
        defer { child.remove() }
        return try await ReadArchive(seven, by: Unpacker(executable: child.path))
    }

    private var first: String { entry("first.jpg") + "\n" + frame(.content([1, 2, 3])) }

    @Test("is believed where it is in order")
    func inOrder() async throws {
        let read = try await read(first, frame(.unpacked))
        #expect(read.failure == nil && read.contents == ["first.jpg": [1, 2, 3]])
    }

    @Test("leaves what stood before a crash, a death and nonsense, and names the rest")
    func ends() async throws {
        for line in ["kill -SEGV $$", "exit 3", "printf nonsense >&3", frame(.ready), "kill -KILL $$"] {
            let read = try await read(first, entry("second.jpg"), line)
            #expect(read.contents == ["first.jpg": [1, 2, 3]], "\(line)")
            #expect(read.failure != nil, "\(line)")
        }
        #expect(try await read("kill -SEGV $$").failure?.contains("made to do harm") == true)
        #expect(try await read("kill -KILL $$").failure?.contains("more memory") == true)
    }

    @Test("ends by the patience of a clock where it says nothing any more")
    func hang() async throws {
        let child = try FakeChild(
            FakeChild.ready, FakeChild.takeJob, first, #"echo >"$0.said""#, "exec sleep 1000")
        defer { child.remove() }
        let clock = ManualClock()
        async let reading = ReadArchive(seven, by: Unpacker(executable: child.path, clock: clock))
        // Only then does the clock go on: what it does before is work.
        while !FileManager.default.fileExists(atPath: child.path + ".said") { await Task.yield() }
        let waking = Task { while !Task.isCancelled { await clock.wakeSleeper(within: .seconds(30)) } }
        defer { waking.cancel() }
        #expect(try await reading.failure?.contains("too long") == true)
        #expect(clock.now.offset < .seconds(300))
    }

    @Test("is no content without end, none beyond what was said, and no less")
    func sizes() async throws {
        let larger = try await read(entry("a.jpg", 2), frame(.content([1, 2, 3])), first, frame(.unpacked))
        #expect(larger.refusals == ["a.jpg": "it is larger than it says"] && larger.contents.count == 1)
        let smaller = try await read(entry("a.jpg", 4), frame(.content([1, 2, 3])), first, frame(.unpacked))
        #expect(smaller.refusals == ["a.jpg": "it is not as large as it says"] && smaller.contents.count == 1)
        let piece = FakeChild.say(Array(ChildMessage.content([UInt8](repeating: 0, count: 1 << 10)).frame.encoded))
        let endless = try await read(entry("a.jpg", 1 << 40), "while :; do \(piece); done")
        #expect(endless.failure == ArchiveLimits.bombReason && endless.contents.isEmpty)
    }

    @Test("has no name that is too long, and no failure that is told for ever")
    func endlessWords() async throws {
        let long = String(repeating: "n", count: 5_000)
        let named = try await read(entry(long), frame(.content([1, 2, 3])), frame(.unpacked))
        #expect(named.refusals.values.map { $0 } == ["its name is too long"] && named.contents.isEmpty)
        #expect(named.refusals.keys.allSatisfy { $0.utf8.count <= 200 })
        let failure = frame(.unpackingFailure(.damaged, isOfEntry: true))
        let endless = try await read(first, "while :; do \(failure); done")
        #expect(endless.failure?.contains("made to do harm") == true)
    }

    @Test("asks for no more than somebody reads for something")
    func endlessQuestions() async throws {
        let ask = frame(.read(.init(offset: 0, count: 1 << 20)))
        // It asks for all of it, and takes the answer: five bytes and these.
        let read = try await read("while :; do \(ask); head -c 71 <&3 >/dev/null || exit 1; done")
        #expect(read.failure?.contains("made to do harm") == true)
    }
}
