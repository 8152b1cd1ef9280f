import Foundation
import Imaging
import ImagingProtocol
import Media
import Synchronization
import TestSupport
import Testing

@Suite("A studio for pictures")
struct PictureStudioTests {
    private let picture: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE0]

    @Test(
        "without an executable that starts says that it is unavailable, not that the file is bad",
        arguments: ["/nonexistent/safelight-imaging", "/bin/false"])
    func noExecutable(path: String) async throws {
        try await expect(Surroundings.studio(executable: path)) { if case .unavailable = $0 { true } else { false } }
    }

    @Test("says of a video that nothing here can play that it may have a poster later")
    func noPlayer() async throws {
        let video = [0, 0, 0, 16] + Array("ftypisom".utf8) + [0, 0, 0, 0]
        try await Surroundings.withStudio { studio in
            let found = try await studio.examine(video, as: .mp4)
            #expect(found.isWithoutPlayer)
            #expect(found.thumbnail == nil)
        }
    }

    @Test("calls a file that ends its child a crash, and starts another child for the next")
    func crash() async throws {
        let child = try FakeChild(FakeChild.ready, FakeChild.takeJob, "kill -SEGV $$")
        defer { child.remove() }
        try await expect(Surroundings.studio(executable: child.path)) { $0.isUnreadable(.crashed) }
    }

    @Test("tells running out of memory and of time by how the child ended")
    func exitReasons() async throws {
        for (end, reason) in [
            ("exit 12", UnreadableReason.tooMuchMemory), ("kill -KILL $$", .tooMuchMemory), ("kill -XCPU $$", .tooSlow),
            ("exit 1", .crashed),
        ] {
            let child = try FakeChild(FakeChild.ready, FakeChild.takeJob, end)
            defer { child.remove() }
            try await expect(Surroundings.studio(executable: child.path)) { $0.isUnreadable(reason) }
        }
    }

    @Test("keeps what a child has told of a file before the file ended it")
    func factsOfACrash() async throws {
        for (end, reason) in [("kill -SEGV $$", UnreadableReason.crashed), ("exit 12", .tooMuchMemory)] {
            let child = try FakeChild(FakeChild.ready, FakeChild.takeJob, FakeChild.tell, end)
            defer { child.remove() }
            try await Surroundings.withStudio(Surroundings.studio(executable: child.path)) { studio in
                let found = try await studio.examine(picture, as: .jpeg)
                #expect(found.unreadable == reason)
                #expect(found.facts.width == 640)
                #expect(found.thumbnail == nil)
            }
        }
    }

    @Test("ends a child that tells facts twice")
    func factsTwice() async throws {
        let child = try FakeChild(
            FakeChild.ready, FakeChild.takeJob, FakeChild.tell, FakeChild.tell, "exec sleep 1000")
        defer { child.remove() }
        try await Surroundings.withStudio(Surroundings.studio(executable: child.path)) { studio in
            let found = try await studio.examine(picture, as: .jpeg)
            #expect(found.unreadable == .brokenProtocol)
        }
    }

    @Test("does not blame a file for a child that somebody stopped")
    func stopped() async throws {
        let child = try FakeChild(FakeChild.ready, FakeChild.takeJob, "kill -TERM $$")
        defer { child.remove() }
        try await expect(Surroundings.studio(executable: child.path)) {
            if case .unavailable = $0 { true } else { false }
        }
    }

    @Test("ends a child that talks nonsense")
    func nonsense() async throws {
        for words in [
            #"printf '\000\000\000\000\143'"#, #"printf '\377\377\377\377\022'"#, #"printf '\000\000\000\001\023\000'"#,
        ] {
            let child = try FakeChild(FakeChild.ready, FakeChild.takeJob, "\(words) >&3", "exec sleep 1000")
            defer { child.remove() }
            try await expect(Surroundings.studio(executable: child.path)) { $0.isUnreadable(.brokenProtocol) }
        }
    }

    @Test("loses patience with a child that does nothing, and does not blame the file")
    func patience() async throws {
        try await withClock("printf . >&4 2>/dev/null; exec sleep 1000") { studio, clock in
            // It may be killed before it has the job, too: then it is as if there were none.
            async let outcome: Void = expect(studio) { error in
                switch error {
                case .stalled, .unavailable: true
                case .unreadable, .source, .displaced: false
                }
            }
            await clock.waitForSleeper(of: .seconds(300))
            clock.advance(by: .seconds(301))
            try await outcome
        }
    }

    @Test("ends a child that stands still long before that, and does not blame the file")
    func stalled() async throws {
        let child = try FakeChild(
            FakeChild.ready, FakeChild.takeJob, #"echo $$ > "$0.new"; mv "$0.new" "$0.pid"; exec sleep 1000"#)
        defer { child.remove() }
        let clock = ManualClock()
        let studio = Surroundings.studio(executable: child.path, clock: clock)
        async let outcome: Void = expect(studio) { if case .stalled = $0 { true } else { false } }
        // Only then does the clock go on: what the child does before is work.
        while !isAsleep(child) { await Task.yield() }
        let waking = Task { while !Task.isCancelled { await clock.wakeSleeper(within: .seconds(30)) } }
        defer { waking.cancel() }
        try await outcome
        #expect(clock.now.offset < .seconds(300))
    }

    @Test("lets a child wait for the disk as long as that takes")
    func slowDisk() async throws {
        struct SlowDisk: ImagingSource {
            let clock: ManualClock
            let byteCount: UInt64 = 100
            func read(at offset: UInt64, count: Int) async throws -> [UInt8] {
                for _ in 0..<5 { await clock.wakeSleeper(within: .seconds(30)) }
                return [7]
            }
        }
        // It asks for a byte, then says what is wrong with the file.
        try await withClock(
            #"printf '\000\000\000\014\021\000\000\000\000\000\000\000\000\000\000\000\001' >&3"#,
            "head -c 6 <&3 >/dev/null", #"printf '\000\000\000\001\023\003' >&3"#, "exec sleep 1000"
        ) { studio, clock in
            await #expect { _ = try await studio.examine(SlowDisk(clock: clock), as: .jpeg) } throws: { error in
                if case .unreadable? = error as? ImagingError { true } else { false }
            }
            await studio.close()
        }
    }

    @Test("tells apart that the original could not be read")
    func sourceFails() async throws {
        struct Unreadable: ImagingSource {
            struct Fault: Error {}
            let byteCount: UInt64 = 100
            func read(at offset: UInt64, count: Int) async throws -> [UInt8] { throw Fault() }
        }
        try await Surroundings.withStudio { studio in
            await #expect {
                try await studio.examine(Unreadable(), as: .jpeg)
            } throws: { error in
                if case .source(is Unreadable.Fault)? = error as? ImagingError { true } else { false }
            }
            try await studio.expect(Surroundings.photo("odd/no_exif.jpg"), is: nil)
        }
    }

    @Test("stops when the task that waits is cancelled")
    func cancelled() async throws {
        try await withClock("exec sleep 1000") { studio, clock in
            let task = Task { try await studio.examine(picture, as: .jpeg) }
            await clock.waitForSleeper(of: .seconds(300))
            task.cancel()
            await #expect(throws: ImagingError.self) { try await task.value }
            await studio.close()
        }
    }

    @Test("lets a picture that somebody waits for take the place of one that nobody waits for, and go before others")
    func displaced() async throws {
        // The first child stands still; the second, begun for another owner too, says what is wrong with its file.
        let child = try FakeChild(
            FakeChild.ready, FakeChild.takeJob, #"if mkdir "$0.first" 2>/dev/null; then exec sleep 1000; fi"#,
            #"printf '\000\000\000\001\023\003' >&3"#, "exec sleep 1000")
        defer { child.remove() }
        let clock = ManualClock()
        let studio = Surroundings.studio(executable: child.path, clock: clock)
        let patient = Task { try await studio.examine(picture, as: .jpeg, of: [1]) }
        await clock.waitForSleeper(of: .seconds(300))
        while !FileManager.default.fileExists(atPath: child.path + ".first") { await Task.yield() }
        let behind = Task { try await studio.examine(picture, as: .jpeg, of: [1]) }
        await #expect { _ = try await studio.examine(picture, as: .jpeg, of: [2], isAwaited: true) } throws: { error in
            if case .unreadable? = error as? ImagingError { true } else { false }
        }
        await #expect { _ = try await patient.value } throws: { error in
            if case .displaced? = error as? ImagingError { true } else { false }
        }
        // It had the place for itself then.
        await #expect { _ = try await behind.value } throws: { error in
            if case .unreadable? = error as? ImagingError { true } else { false }
        }
        await studio.close()
    }

    @Test(
        "gives each processor but one a worker, as far as half of the memory goes",
        arguments: [
            (1, nil, 1), (4, nil, 3), (4, 1 << 30, 1), (4, 4 << 30, 2), (16, 64 << 30, 15), (200, nil, 64), (2, 0, 1),
        ] as [(Int, UInt64?, Int)])
    func workers(processors: Int, memory: UInt64?, count: Int) {
        #expect(
            ImagingConfiguration.defaultWorkerCount(processorCount: processors, availableByteCount: memory) == count)
    }

    @Test("starts children that the kernel ends first when memory runs out")
    func memory() async throws {
        /// Looks at the children of this process while one of them reads.
        final class Onlooker: ImagingSource {
            let bytes: [UInt8]
            let scores = Mutex<Set<String>>([])
            var byteCount: UInt64 { UInt64(bytes.count) }
            init(_ bytes: [UInt8]) { self.bytes = bytes }
            func read(at offset: UInt64, count: Int) async throws -> [UInt8] {
                scores.withLock { $0.formUnion(Self.scoresOfChildren()) }
                return try await bytes.read(at: offset, count: count)
            }
            private static func scoresOfChildren() -> [String] {
                let threads = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
                return threads.flatMap { (text("/proc/self/task/\($0)/children") ?? "").split(separator: " ") }
                    .filter { text("/proc/\($0)/comm")?.hasPrefix("safelight-imagi") == true }
                    .compactMap { text("/proc/\($0)/oom_score_adj") }
            }
            private static func text(_ path: String) -> String? { try? String(contentsOfFile: path, encoding: .utf8) }
        }
        let source = Onlooker(try Surroundings.photo("odd/no_exif.jpg"))
        try await Surroundings.withStudio { studio in
            _ = try await studio.examine(source, as: .jpeg)
        }
        #expect(source.scores.withLock { $0.contains("1000\n") })
    }

    @Test("ends looks under way and those that wait when it closes")
    func closing() async throws {
        try await withClock("exec sleep 1000") { studio, clock in
            let tasks = (0..<3).map { _ in Task { try await studio.examine(picture, as: .jpeg) } }
            await clock.waitForSleeper(of: .seconds(300))
            await studio.close()
            for task in tasks { await #expect(throws: ImagingError.self) { try await task.value } }
        }
    }

    @Test("asks for ranges and never for the whole of a large file")
    func ranges() async throws {
        final class Counting: ImagingSource {
            let bytes: [UInt8]
            let readCount = Mutex(0)
            var byteCount: UInt64 { UInt64(bytes.count) }
            init(_ bytes: [UInt8]) { self.bytes = bytes }
            func read(at offset: UInt64, count: Int) async throws -> [UInt8] {
                readCount.withLock { $0 += count }
                return try await bytes.read(at: offset, count: count)
            }
        }
        let source = Counting(try Surroundings.photo("odd/no_exif.jpg") + [UInt8](repeating: 0, count: 20 << 20))
        try await Surroundings.withStudio { studio in
            _ = try await studio.examine(source, as: .jpeg)
        }
        #expect(source.readCount.withLock { $0 } < 4 << 20)
    }

    @Test("leaves no process behind, replaces children after so many pictures, and shows all of them")
    func replacement() async throws {
        let photo = try Surroundings.photo("cameras/Canon_40D.jpg")
        try await Surroundings.withStudio(Surroundings.studio(workerCount: 2, picturesPerWorker: 3)) { studio in
            try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<10 { group.addTask { try await studio.examine(photo).thumbnail?.width ?? 0 } }
                for try await width in group { #expect(width == 100) }
            }
        }
    }

    /// Whether the program `sleep` has taken the child's place, and sleeps.
    private func isAsleep(_ child: FakeChild) -> Bool {
        guard let number = try? String(contentsOfFile: child.path + ".pid", encoding: .utf8) else { return false }
        let process = number.trimmingCharacters(in: .whitespacesAndNewlines)
        let state = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
        return state?.contains("(sleep) S") == true
    }

    /// A studio whose child takes a job and then does what `steps` say, and its clock. Whoever gets it closes it.
    private func withClock(
        _ steps: String..., body: (PictureStudio, ManualClock) async throws -> Void
    ) async throws {
        let child = try FakeChild(FakeChild.ready, FakeChild.takeJob, steps.joined(separator: "\n"))
        defer { child.remove() }
        let clock = ManualClock()
        try await body(Surroundings.studio(executable: child.path, clock: clock), clock)
    }

    private func expect(_ studio: PictureStudio, _ isRight: @escaping (ImagingError) -> Bool) async throws {
        do {
            _ = try await studio.examine(picture, as: .jpeg)
            Issue.record("looked into it")
        } catch {
            #expect(isRight(error), "\(error)")
        }
        await studio.close()
    }
}

extension ImagingError {
    func isUnreadable(_ reason: UnreadableReason) -> Bool {
        if case .unreadable(let found) = self { found == reason } else { false }
    }
}
