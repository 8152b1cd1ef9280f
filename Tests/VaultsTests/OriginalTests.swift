import Foundation
import HostSupport
import NIOCore
import TestSupport
import Testing

@testable import Content
@testable import Records
@testable import Vaults

@Suite("A photo's bytes, piece by piece", .timeLimit(.minutes(10)))
struct OriginalTests {
    private let host: TestHost

    init() throws { host = try TestHost() }

    @Test("any range comes whole and in order")
    func ranges() async throws {
        let session = try await host.start().make("violet tram seven")
        let bytes = sampleBytes(1_500_000)
        let id = try await session.upload(bytes).id
        let ranges: [Range<UInt64>] = [
            0..<1_500_000, 0..<1, 16_383..<16_385, 65_535..<65_537, 65_536..<1_400_001, 1_499_999..<1_500_000,
            700_000..<700_000, 1_000_000..<9_000_000,
        ]
        for range in ranges {
            let expected = bytes[Int(range.lowerBound)..<min(Int(range.upperBound), bytes.count)]
            #expect(try await Self.read(session.photos.original(id), range) == Array(expected), "range \(range)")
        }
        try await host.stop()
    }

    @Test("many readers of one photo at once each get their own range")
    func sideBySide() async throws {
        let session = try await host.start().make("violet tram seven")
        let bytes = sampleBytes(1_500_000)
        let id = try await session.upload(bytes).id
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for index in 0..<16 {
                group.addTask {
                    let start = index * 50_001
                    let found = try await Self.read(
                        session.photos.original(id), UInt64(start)..<UInt64(start + 600_000))
                    return found == Array(bytes[start..<start + 600_000])
                }
            }
            for try await isRight in group { #expect(isRight) }
        }
        try await host.stop()
    }

    @Test("a byte that changed ends the pieces, and is found again by the next reader")
    func changed() async throws {
        let session = try await host.start().make("violet tram seven")
        let id = try await session.upload(sampleBytes(1_500_000)).id
        #expect(try await Self.read(session.photos.original(id), 0..<10).count == 10)
        let name = try "objects/" + #require(try host.objectFiles().first)
        var sealed = try host.read(name)
        sealed[1_200_000] ^= 1
        try sealed.write(to: host.file(name))
        for _ in 0..<2 {
            await #expect(throws: VaultError.damaged) {
                try await Self.read(session.photos.original(id), 0..<1_500_000)
            }
        }
        #expect(try await Self.read(session.photos.original(id), 0..<10).count == 10)
        try await host.stop()
    }

    @Test("locking ends the pieces of a reader that has begun")
    func locked() async throws {
        let service = try await host.start()
        let session = try await service.make("violet tram seven")
        let id = try await session.upload(sampleBytes(1_500_000)).id
        var pieces = try await session.photos.original(id).pieces(0..<1_500_000)
        #expect(try await pieces.next() != nil)
        try await service.lock(session)
        await #expect(throws: VaultError.sessionEnded) { _ = try await pieces.next() }
        try await host.stop()
    }

    @Test("whoever fetches much at once keeps nobody waiting for more than a piece or two")
    func turns() async throws {
        let service = try await host.start()
        let (hostile, honest) = (
            try await service.make("violet tram seven"), try await service.make("seven violet trams")
        )
        let ids = [try await hostile.upload(sampleBytes(100)).id, try await honest.upload(sampleBytes(200)).id]
        let (gate, order, visitor) = (
            service.engine.threads.readings, Recorder(), FairSemaphore.Visitor(ObjectIdentifier(service))
        )
        var taken = 0
        while gate.acquire(visitor, ifFewerThan: .max) { taken += 1 }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0...20 {
                let (session, id, name) = number == 20 ? (honest, ids[1], "honest") : (hostile, ids[0], "hostile")
                group.addTask {
                    let original = try await session.photos.original(id)
                    #expect(try await Self.read(original, 0..<original.byteCount).count > 0)
                    order.add(name)
                }
                while gate.waitingCount <= number { await Task.yield() }
            }
            // One place, so that they are read one after the other, and each comes in the order in which it was let in.
            gate.release(visitor)
            try await group.waitForAll()
        }
        for _ in 1..<taken { gate.release(visitor) }
        #expect(try #require(order.all.firstIndex(of: "honest")) < 10)
        try await host.stop()
    }

    @Test("a photo that was read and then deleted for good is held open by nobody")
    func deleted() async throws {
        let session = try await host.start().make("violet tram seven")
        let first = try await session.upload(sampleBytes(40_000)).id
        let second = try await session.upload(sampleBytes(50_000)).id
        for id in [first, second] { _ = try await session.content(id) }
        try await waitForOpenObjects(2)
        // One of them is being read at this moment.
        let reading = try await session.photos.original(second)
        _ = try await session.trash.move([first, second])
        _ = try await session.trash.empty()
        try await waitForOpenObjects(1)
        withExtendedLifetime(reading) {}
        try await host.stop()
    }

    @Test("what was read is open no longer than the vault")
    func closed() async throws {
        let service = try await host.start()
        let session = try await service.make("violet tram seven")
        _ = try await session.content(try await session.upload(sampleBytes(40_000)).id)
        try await waitForOpenObjects(1)
        try await service.lock(session)
        try await waitForOpenObjects(0)
        try await host.stop()
    }

    private static func read(_ original: Original, _ range: Range<UInt64>) async throws -> [UInt8] {
        var pieces = try original.pieces(range)
        var bytes: [UInt8] = []
        while let piece = try await pieces.next() { bytes += piece.readableBytesView }
        return bytes
    }

    /// Until this process has so many object files of the host open. The re-read has one open for a while, too.
    private func waitForOpenObjects(_ count: Int) async throws {
        while try openObjectCount() != count { await Task.yield() }
    }

    private func openObjectCount() throws -> Int {
        let folder = host.file("objects").path
        return try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap { name in
            try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(name)")
        }.filter { $0.hasPrefix(folder + "/") && $0.dropFirst(folder.count + 1).contains("/") }.count
    }
}
