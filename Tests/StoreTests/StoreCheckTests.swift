import Foundation
import StoreSupport
import TestSupport
import Testing

@testable import Store

@Suite("The offline check")
struct StoreCheckTests {
    private static let object = Array("SLO1".utf8) + [1, 14, 0, 0] + [UInt8](repeating: 0, count: 4088)

    private func prepared() throws -> (sample: SampleStore, object: URL) {
        let sample = try SampleStore()
        try sample.open()
        let id = try sample.store.add(Self.object)
        try sample.close()
        return (sample, sample.file("objects/\(id.hex.prefix(2))/\(id.hex)"))
    }

    private func findings(_ sample: SampleStore) throws -> [Finding] {
        let before = try TemporaryFolder.tree(sample.path, contents: true)
        let findings = try StoreCheck.run(path: sample.path) { _, _ in }
        #expect(try TemporaryFolder.tree(sample.path, contents: true) == before, "the check changed something")
        return findings
    }

    @Test("finds nothing in a sound store, and tells how far it is")
    func sound() throws {
        let (sample, _) = try prepared()
        #expect(try findings(sample) == [])
        let progress = Box<[Int]>([])
        _ = try StoreCheck.run(path: sample.path) { done, all in progress.value += [done, all] }
        #expect(progress.value == [1, 1])
    }

    @Test("is refused while a daemon runs")
    func running() throws {
        let (sample, _) = try prepared()
        try sample.open()
        #expect(throws: StoreError.inUse(pid: getpid())) { try StoreCheck.run(path: sample.path) { _, _ in } }
        try sample.close()
        #expect(throws: StoreError.self) { try StoreCheck.run(path: "/proc/none") { _, _ in } }
        #expect(throws: StoreError.self) { try StoreCheck.run(path: sample.file("quarantine").path) { _, _ in } }
    }

    @Test("reads a log that a crash left, without merging it")
    func pendingLog() throws {
        let sample = try SampleStore()
        try sample.open()
        _ = try sample.store.add(Self.object)
        let killed = try SampleStore()
        try FileManager.default.copyItem(atPath: sample.path, toPath: killed.path)
        try sample.close()
        #expect(try Data(contentsOf: killed.file("ledger.sqlite-wal")).count > 0)
        #expect(try findings(killed).filter { !$0.text.contains("previews") } == [])
        try FileManager.default.removeItem(at: killed.file("ledger.sqlite-wal"))
        let without = try findings(killed).filter { !$0.text.contains("previews") }
        #expect(without.map(\.severity) == [.damage, .note], "without the log it is missed, and the object unknown")
    }

    enum Damage: CaseIterable {
        case headerCopy, slots, ledger, copy, missingObject, shortObject, cutObject, foreignObject
    }

    @Test("names every kind of damage", arguments: Damage.allCases)
    func damage(kind: Damage) throws {
        let (sample, object) = try prepared()
        func overwrite(_ name: String, at offset: Int, _ bytes: [UInt8]) throws {
            var content = try Data(contentsOf: sample.file(name))
            content.replaceSubrange(offset..<offset + bytes.count, with: bytes)
            try content.write(to: sample.file(name))
        }
        let noise = [UInt8](repeating: 0xA5, count: 100)
        switch kind {
        case .headerCopy: try overwrite("store.header", at: 4096, noise)
        case .slots: try FileManager.default.removeItem(at: sample.file("slots"))
        case .ledger: try overwrite("ledger.sqlite", at: 8192, noise)
        case .copy: try overwrite("ledger.copy-0", at: 8192, noise)
        case .missingObject: try FileManager.default.removeItem(at: object)
        case .shortObject: try Data(Self.object.prefix(79)).write(to: object)
        case .cutObject: try Data(Self.object.dropLast()).write(to: object)
        case .foreignObject: try Data(repeating: 1, count: 200).write(to: object)
        }
        let findings = try findings(sample)
        #expect(findings.map(\.severity) == [.damage], "\(findings)")
    }

    @Test("notes previews that are damaged or were not closed, and calls nothing lost for them")
    func previews() throws {
        let (sample, _) = try prepared()
        try sample.open()
        for _ in 0..<8 { try sample.store.previews.put([(.random(), [UInt8](repeating: 7, count: 60_000))]) }
        let killed = try SampleStore()
        try FileManager.default.copyItem(atPath: sample.path, toPath: killed.path)
        try sample.close()
        #expect(try findings(sample) == [])
        #expect(try findings(killed).map(\.text).filter { $0.contains("not closed") }.count == 1)
        var content = try Data(contentsOf: sample.file("previews.sqlite"))
        content.replaceSubrange(16_384..<16_484, with: [UInt8](repeating: 0xA5, count: 100))
        try content.write(to: sample.file("previews.sqlite"))
        let damaged = try findings(sample)
        #expect(damaged.map(\.severity) == [.note], "\(damaged)")
        #expect(damaged.first?.text.contains("previews are damaged") == true)
    }

    @Test("knows the files of unfinished uploads, and names those that are gone or are none")
    func parts() throws {
        let (sample, object) = try prepared()
        try sample.open()
        let id = try #require(ObjectID(hex: object.lastPathComponent))
        try sample.store.change { transaction in
            try transaction.putUpload(.random(), body: [1], part: id, expiresDay: .max)
            try transaction.putUpload(.random(), body: [1], part: nil, expiresDay: .max)
        }
        try sample.store.forget(id)
        try sample.close()
        #expect(try findings(sample) == [])
        try Data(repeating: 1, count: 200).write(to: object)
        #expect(try findings(sample).map(\.severity) == [.damage])
        try FileManager.default.removeItem(at: object)
        #expect(try findings(sample).map(\.severity) == [.damage])
    }

    @Test("notes files that the ledger does not know")
    func unknownFile() throws {
        let (sample, _) = try prepared()
        try Data([1]).write(to: sample.file("objects/00/stray"))
        #expect(try findings(sample).map(\.severity) == [.note])
        try sample.open()
        try sample.close()
        #expect(try findings(sample).map(\.severity) == [.note], "it now waits in quarantine")
    }
}
