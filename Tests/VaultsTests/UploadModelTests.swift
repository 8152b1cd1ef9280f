import Foundation
import HostSupport
import NIOCore
import Sealing
import TestSupport
import Testing

@testable import Records
@testable import Uploads
@testable import Vaults

/// What an upload must be after any sequence of steps.
private struct Model {
    var id: String
    var content: [UInt8]
    /// Durable bytes.
    var offset = 0
    var isFinished: Bool { offset == content.count }
}

@Suite("Random steps against a model")
struct UploadModelTests {
    private enum Step: CaseIterable {
        case create, createWithBody, send, sendInPieces, cut, wrongDigest, rightDigest, cutDigest, takeover,
            abandonTwice
        case head, wrongOffset, remove, lock, restart, crash, putAlong
    }

    @Test(
        "whatever is answered holds, and no nonce is used twice", arguments: ModelRun.seeds(8))
    func steps(seed: UInt64) async throws {
        NonceRecord.start()
        let world = try await World(seed: seed)
        for _ in 0..<250 { try await world.step() }
        try await world.check()
        try await world.end()
        #expect(NonceRecord.counts.pairs > 0)
        #expect(NonceRecord.counts.repeated == 0)
    }

    /// One daemon, one vault, and what it must hold.
    private final class World {
        private var random: SeededGenerator
        private var host: TestHost
        private var session: Session
        private var uploads: [Model] = []
        private var photos = 0
        private let text = "violet tram seven"

        init(seed: UInt64) async throws {
            random = SeededGenerator(seed: seed)
            host = try TestHost { $0.limits.quietBeforeReread = seed.isMultiple(of: 2) ? .zero : nil }
            session = try await host.start().make(text)
        }

        func end() async throws { try await host.stop() }

        func step() async throws {
            let step = Step.allCases.randomElement(using: &random) ?? .create
            switch step {
            case .create: try await create(withBody: false)
            case .createWithBody: try await create(withBody: true)
            case .lock:
                try await host.service().lock(session)
                session = try await (try host.service()).open(text)
            case .restart: if random.next() % 4 == 0 { session = try await host.restart().open(text) }
            case .crash: if random.next() % 4 == 0 { try await crash() }
            case .putAlong:
                try await session.upload(unique(16 + Int(random.next() % 3000)), name: "put")
                photos += 1
            default:
                guard let index = uploads.indices.filter({ !uploads[$0].isFinished }).randomElement(using: &random)
                else { return }
                try await change(index, by: step)
            }
        }

        private func change(_ index: Int, by step: Step) async throws {
            let upload = uploads[index]
            let part = nextPart(of: upload)
            let (id, offset) = (upload.id, upload.offset)
            switch step {
            case .send: try await expect(index, offset + part.count, try await session.send(part, to: id, at: offset))
            case .sendInPieces: try await sendInPieces(index, part)
            case .cut:
                try await session.sendCut(part, to: id, at: offset)
                advance(index, part.count)
            case .rightDigest:
                let digest = ExpectedDigest.sha256(try SHA256Hasher.hash(part))
                let status = try await session.send(part, to: id, at: offset, digest: digest)
                try await expect(index, offset + part.count, status)
            case .wrongDigest:
                let digest = ExpectedDigest.sha1([UInt8](repeating: 7, count: 20))
                await #expect(throws: VaultError.checksumMismatch) {
                    try await session.send(part, to: id, at: offset, digest: digest)
                }
            case .cutDigest:
                let digest = ExpectedDigest.sha256(try SHA256Hasher.hash(part))
                try await session.sendCut(part, to: id, at: offset, digest: digest)
            case .takeover: try await takeOver(index, part)
            case .abandonTwice:
                let run = try await session.uploads.resume(id, at: UInt64(offset))
                try await run.append(ByteBuffer(bytes: part))
                await run.abandon()
                await run.abandon()
                advance(index, part.count)
            case .head: #expect(try await session.uploads.status(of: id).offset == UInt64(offset))
            case .wrongOffset:
                await #expect(throws: VaultError.offsetMismatch(UInt64(offset))) {
                    try await session.send([1], to: id, at: offset + 1)
                }
            default:
                try await session.uploads.remove(id)
                uploads.remove(at: index)
            }
        }

        // MARK: Steps

        private func create(withBody: Bool) async throws {
            let content = unique(16 + Int(random.next() % 40_000))
            let request = UploadRequest(
                name: "\(uploads.count)", byteCount: UInt64(content.count), clientID: "\(random.next())")
            guard withBody else {
                let status = try await session.uploads.create(request).status
                uploads.append(Model(id: status.id, content: content))
                #expect(try await session.uploads.create(request).status.id == status.id)
                return
            }
            let creation = try await session.uploads.create(request, body: UploadBody())
            let part = content.prefix(1 + Int(random.next() % UInt64(content.count)))
            let run = try #require(creation.run)
            try await run.append(ByteBuffer(bytes: part))
            uploads.append(Model(id: creation.status.id, content: content))
            if random.next() % 2 == 0 {
                try await expect(uploads.count - 1, part.count, try await run.finish())
            } else {
                await run.abandon()
                advance(uploads.count - 1, part.count)
            }
        }

        private func sendInPieces(_ index: Int, _ part: [UInt8]) async throws {
            let upload = uploads[index]
            let run = try await session.uploads.resume(upload.id, at: UInt64(upload.offset))
            for start in stride(from: 0, to: part.count, by: 1777) {
                try await run.append(ByteBuffer(bytes: part[start..<min(start + 1777, part.count)]))
            }
            try await expect(index, upload.offset + part.count, try await run.finish())
        }

        private func takeOver(_ index: Int, _ part: [UInt8]) async throws {
            let upload = uploads[index]
            let old = try await session.uploads.resume(upload.id, at: UInt64(upload.offset))
            try await old.append(ByteBuffer(bytes: part))
            let other = try await (try host.service()).open(text)
            let status = try await other.uploads.status(of: upload.id)
            try await expect(index, upload.offset + part.count, status)
            if status.photo == nil {
                await #expect(throws: VaultError.uploadBusy) { try await old.append(ByteBuffer(bytes: [1])) }
            }
            await old.abandon()
            try await host.service().lock(other)
        }

        /// The data directory as it is at this moment, opened by another daemon: what a killed one leaves. A request is
        /// in the middle of its bytes.
        private func crash() async throws {
            let open = uploads.indices.filter { !uploads[$0].isFinished }.randomElement(using: &random)
            var run: UploadRun?
            if let open {
                let upload = uploads[open]
                run = try await session.uploads.resume(upload.id, at: UInt64(upload.offset))
                try await run?.append(ByteBuffer(bytes: nextPart(of: upload)))
            }
            try await session.settle()
            let next = try await host.killed()
            await run?.abandon()
            try await host.stop()
            host = next
            session = try await host.start().open(text)
        }

        // MARK: Expectations

        private func expect(_ index: Int, _ offset: Int, _ status: UploadStatus) async throws {
            #expect(status.offset == UInt64(offset))
            advance(index, offset - uploads[index].offset)
            #expect((status.photo != nil) == uploads[index].isFinished)
        }

        private func advance(_ index: Int, _ count: Int) {
            uploads[index].offset += count
            if uploads[index].isFinished { photos += 1 }
        }

        func check() async throws {
            session = try await host.restart().open(text)
            #expect(session.damage == nil)
            for upload in uploads {
                let status = try await session.uploads.status(of: upload.id)
                #expect(status.offset == UInt64(upload.offset))
                guard upload.isFinished else { continue }
                #expect(try await session.content(try #require(status.photo).id) == upload.content)
            }
            #expect(try await session.names().count == photos)
            let parts = uploads.count { !$0.isFinished && $0.offset > 0 }
            #expect(try host.objectFiles().count == photos + parts)
        }

        private func nextPart(of upload: Model) -> [UInt8] {
            let rest = upload.content.count - upload.offset
            let count = random.next() % 3 == 0 ? rest : 1 + Int(random.next() % UInt64(rest))
            return Array(upload.content[upload.offset..<upload.offset + count])
        }

        /// No two are the same, so none is a duplicate.
        private func unique(_ count: Int) -> [UInt8] { sampleBytes(count, seed: random.next() | 1) }
    }
}
