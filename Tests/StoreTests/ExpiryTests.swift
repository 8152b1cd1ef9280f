import Foundation
import Glibc
import StoreSupport
import Testing

@testable import Store

@Suite("What has passed its day")
struct ExpiryTests {
    @Test(
        "is expired by a clock that moved by two days at most, or that has run for a day",
        arguments: [
            (100, 100, 0, true), (100, 102, 0, true), (100, 103, 0, false), (100, 98, 0, true), (100, 97, 0, false),
            (100, 4000, 86_399, false), (100, 4000, 86_400, true), (100, 0, 90_000, true),
        ] as [(UInt32, UInt32, Int, Bool)])
    func trust(lastDay: UInt32, today: UInt32, seconds: Int, isTrusted: Bool) {
        #expect(
            Expiry.isTrusted(lastDay: lastDay, today: today, runningFor: .seconds(seconds)) == isTrusted)
        #expect(!Expiry.isTrusted(lastDay: nil, today: today, runningFor: .seconds(1)))
    }

    @Test("goes: sessions, uploads and guests, with their files; what has a day left stays")
    func expiry() throws {
        let sample = try SampleStore()
        try sample.open()
        let store = try sample.store
        let day = SampleStore.day
        let (part, photo, kept) = (try store.add([1]), try store.add([2]), try store.add([3]))
        try store.change { transaction in
            try transaction.addSampleUpload(part: part, expiresDay: day)
            try transaction.addSampleGuest(object: photo, expiresDay: day)
            try transaction.addSampleGuest(object: kept, expiresDay: day + 1)
            try transaction.addSampleSession(expiresDay: day)
            try transaction.addSampleSession(expiresDay: day + 1)
        }
        #expect(try store.expire() == ExpiryReport())
        sample.clock.advance(days: 1)
        let report = try store.expire()
        #expect((report.guests, report.uploads, report.sessions) == (1, 1, 1))
        #expect(try store.objects.byteCount(of: part) == nil)
        #expect(try store.objects.byteCount(of: photo) == nil)
        #expect(try store.content(of: kept) == [3])
        #expect(try store.ledger.readBlocking { try $0.sessionCount() } == 1)
        try sample.close()
    }

    @Test("stays after a jump of the clock, over restarts, until the daemon has run for a day")
    func jump() throws {
        let sample = try SampleStore()
        try sample.open()
        try sample.store.change { try $0.addSampleSession(expiresDay: SampleStore.day + 5) }
        try sample.close()
        sample.clock.advance(days: 3000)
        for _ in 0..<2 {
            #expect(try sample.open().expired == ExpiryReport(isClockTrusted: false))
            try sample.close()
        }
        try sample.open()
        sample.clock.advance(running: .seconds(86_399))
        #expect(try sample.store.expire() == ExpiryReport(isClockTrusted: false))
        sample.clock.advance(running: .seconds(1))
        #expect(try sample.store.expire().sessions == 1)
        try sample.close()
        #expect(try sample.open().expired.isClockTrusted)
        try sample.close()
    }

    @Test("stays after a jump of the clock amid a long run, for a day from when it was noticed")
    func jumpWhileRunning() throws {
        let sample = try SampleStore()
        try sample.open()
        let store = try sample.store
        try store.change { try $0.addSampleSession(expiresDay: SampleStore.day + 5) }
        sample.clock.advance(days: 1, running: .seconds(86_400 * 3))
        #expect(try store.expire() == ExpiryReport())
        #expect(try store.isClockTrusted())
        sample.clock.advance(days: 3000)
        #expect(try !store.isClockTrusted())
        #expect(try store.expire() == ExpiryReport(isClockTrusted: false))
        sample.clock.advance(running: .seconds(86_400))
        #expect(try store.expire().sessions == 1)
        try sample.close()
    }

    @Test(
        "is expired by a clock in doubt only if that has gone on from the day on which it jumped",
        arguments: [
            (100, 0, true), (102, 0, true), (103, 0, false), (98, 0, true), (97, 0, false), (100, 86_399, true),
            (103, 86_400, true), (104, 86_400, false), (99, 86_400, true), (98, 86_400, false), (0, 86_400, false),
        ] as [(UInt32, Int, Bool)])
    func doubt(today: UInt32, seconds: Int, isSame: Bool) {
        let doubt = ClockDoubt(since: .seconds(50), day: 100)
        #expect(doubt.isOf(today: today, at: .seconds(50 + seconds)) == isSame)
    }

    @Test("stays when a clock jumps that is in doubt already, for a day from the later jump")
    func secondJump() throws {
        let sample = try SampleStore()
        try sample.open()
        let store = try sample.store
        try store.change { try $0.addSampleSession(expiresDay: SampleStore.day + 30) }
        sample.clock.advance(days: 7)
        #expect(try store.expire() == ExpiryReport(isClockTrusted: false))
        sample.clock.advance(days: 3000, running: .seconds(23 * 3600))
        #expect(try !store.isClockTrusted())
        sample.clock.advance(running: .seconds(86_399))
        #expect(try store.expire() == ExpiryReport(isClockTrusted: false))
        sample.clock.advance(running: .seconds(1))
        #expect(try store.expire().sessions == 1)
        try sample.close()
    }

    @Test("stays for a day when a clock is set right that was behind for long, and is counted from the latest day")
    func behindForLong() throws {
        let sample = try SampleStore()
        try sample.open()
        let (store, day) = (try sample.store, SampleStore.day)
        sample.clock.stand(on: day - 5000)
        #expect(try !store.expire().isClockTrusted)
        sample.clock.advance(days: 1, running: .seconds(86_400))
        #expect(try store.expire().isClockTrusted)
        #expect(try store.lastTrustedDay() == day - 4999)
        #expect(try store.latestTrustedDay() == day)
        #expect(store.firstDay == day)
        try store.change { try $0.addSampleSession(expiresDay: day - 4999) }
        sample.clock.stand(on: day + 2)
        #expect(try store.expire() == ExpiryReport(isClockTrusted: false))
        #expect(store.firstDay == day + 2)
        sample.clock.advance(running: .seconds(86_399))
        #expect(try store.expire() == ExpiryReport(isClockTrusted: false))
        sample.clock.advance(running: .seconds(1))
        #expect(try store.expire().sessions == 1)
        #expect(try store.latestTrustedDay() == day + 2)
        try sample.close()
    }

    @Test("does not live longer by a clock that was ahead for long, if it is a session")
    func aheadForLong() throws {
        let sample = try SampleStore()
        try sample.open()
        let (store, day) = (try sample.store, SampleStore.day)
        sample.clock.advance(days: 5000)
        _ = try store.expire()
        sample.clock.advance(days: 1, running: .seconds(86_400))
        #expect(try store.expire().isClockTrusted)
        sample.clock.stand(on: day + 2)
        _ = try store.expire()
        sample.clock.advance(running: .seconds(86_400))
        #expect(try store.expire().isClockTrusted)
        #expect(store.sessionDay == day + 2)
        #expect(store.firstDay == day + 5001)
        try sample.close()
    }

    @Test("and cannot be removed from quarantine is noted at start, and does not keep the store from opening")
    func stuckQuarantine() throws {
        let sample = try SampleStore()
        try sample.open()
        try sample.close()
        // Of a name that is not UTF-8, which does not lead to its file.
        let folder = sample.file("quarantine/\(SampleStore.day - 100)").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        let name = Array("\(folder)/stray".utf8CString.dropLast()) + [CChar(truncatingIfNeeded: 0xFF), 0]
        let descriptor = Glibc.open(name, O_WRONLY | O_CREAT, 0o600)
        try #require(descriptor >= 0)
        close(descriptor)
        #expect(try sample.open().notes.count == 1)
        // The rest goes all the same.
        let object = try sample.store.add([1])
        try sample.store.change { try $0.doomObject(object) }
        #expect(throws: StoreError.self) { try sample.store.expire() }
        #expect(try sample.store.objects.byteCount(of: object) == nil)
        try sample.close()
        #expect(unlink(name) == 0)
    }

    @Test("in quarantine goes after thirty days")
    func quarantine() throws {
        let sample = try SampleStore()
        try sample.open()
        try sample.close()
        try Data([4]).write(to: sample.file("objects/00/stray"))
        #expect(try sample.open().quarantined == 1)
        let stray = sample.file("quarantine/\(SampleStore.day)/stray").path
        for _ in 0..<15 {
            sample.clock.advance(days: 2)
            #expect(try sample.store.expire().quarantinedFiles == 0)
        }
        #expect(FileManager.default.fileExists(atPath: stray))
        sample.clock.advance(days: 1)
        #expect(try sample.store.expire().quarantinedFiles == 1)
        #expect(!FileManager.default.fileExists(atPath: stray))
        try sample.close()
    }

    @Test("of a damaged ledger goes after thirty days, and nothing that only has such a name")
    func damagedLedger() throws {
        let sample = try SampleStore()
        try sample.open()
        let day = SampleStore.day
        let (old, young) = ("damaged-\(day)-1", "damaged-\(day + 1)-2")
        let others = ["damaged-\(day)", "damaged-0\(day)-1", "damaged-x-1", "damaged-\(day)-1-copy"]
        for name in [old, young] + others {
            try FileManager.default.createDirectory(at: sample.file(name), withIntermediateDirectories: false)
            try Data([1]).write(to: sample.file("\(name)/ledger.sqlite"))
        }
        try FileManager.default.createDirectory(
            at: sample.file("damaged-\(day)-3/previews.sqlite/own"), withIntermediateDirectories: true)
        for _ in 0..<15 {
            sample.clock.advance(days: 2)
            #expect(try sample.store.expire().damagedFiles == 0)
        }
        sample.clock.advance(days: 1)
        #expect(try sample.store.expire().damagedFiles == 1)
        let left = try FileManager.default.contentsOfDirectory(atPath: sample.file("").path)
        #expect(Set(left.filter { $0.hasPrefix("damaged") }) == Set([young, "damaged-\(day)-3"] + others))
        sample.clock.advance(days: 1)
        #expect(try sample.store.expire().damagedFiles == 1)
        try sample.close()
    }

    @Test("in quarantine is counted from the latest day that was sure, when the clock is behind")
    func quarantineByClockBehind() throws {
        let sample = try SampleStore()
        try sample.open()
        let object = try sample.store.add([5])
        try sample.close()
        try Data([4]).write(to: sample.file("objects/00/stray"))
        sample.clock.stand(on: SampleStore.day - 5000)
        #expect(try sample.open().quarantined == 1)
        let store = try sample.store
        #expect(try store.quarantine([object]) == 1)
        sample.clock.stand(on: SampleStore.day + 1)
        #expect(try store.expire() == ExpiryReport())
        for name in ["stray", object.hex] {
            #expect(FileManager.default.fileExists(atPath: sample.file("quarantine/\(SampleStore.day)/\(name)").path))
        }
        try sample.close()
    }
}
