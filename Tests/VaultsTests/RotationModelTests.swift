import Foundation
import HostSupport
import NIOCore
import Sealing
import TestSupport
import Testing

@testable import Content
@testable import Records
@testable import Store
@testable import Unlocking
@testable import Uploads
@testable import Vault
@testable import Vaults

@Suite("Passwords, codes, passkeys and rotation: random steps against a model")
struct RotationModelTests {
    @Test(
        "what is to open the vault opens it, and nothing else, whenever the daemon dies", arguments: ModelRun.seeds(10))
    func steps(seed: UInt64) async throws {
        await ModelRun.follow(seed) { run in
            let world = try await RotationWorld(run)
            for _ in 0..<20 { try await world.step() }
            try await world.restart()
            try await world.checkSecrets()
            try await world.end()
        }
    }
}

/// What somebody has to open the vault.
private enum Secret: Hashable {
    case password(String)
    case code(String)
    case passkey(UInt8)

    var kind: Way.Kind {
        switch self {
        case .password: .password
        case .code: .recovery
        case .passkey: .passkey
        }
    }

    /// What can be typed where a password is asked for.
    var text: String? {
        switch self {
        case .password(let text), .code(let text): text
        case .passkey: nil
        }
    }
}

private struct ModelWay: Equatable {
    var id: String
    var secret: Secret
}

/// A photo of which a part was sent, by a request that broke off.
private struct ModelUpload {
    let id: String
    let name: String
    let content: [UInt8]
    var offset: Int
}

/// A photo that a request is sending.
private struct ModelRequest {
    let name: String
    let content: [UInt8]
    let sent: Int
    let id: String?
    let upload: Upload?
    let run: UploadRun?
}

/// One daemon, one vault, and what opens it.
private final class RotationWorld {
    private enum Step: CaseIterable {
        case change, changeAgain, addPassword, addCode, addPasskey, remove, rotate, rotateBlocked
        case killedChange, killedChangeAgain, killedAddition, killedRemoval, killedRotation
        case refused, upload, uploadPart, goOn, send, openAnother, openMore, lock, restart, crash
    }

    private static let texts = [
        "violet tram seven", "quiet amber lamp", "seven violet trams", "lamp amber quiet", "green paper boats",
    ]
    private static let othersText = "somebody else's own"

    private let run: ModelRun
    private let clock = StandingClock()
    private var sample: TestHost
    private var session: Session
    private var ways: [ModelWay]
    /// What opened the vault once, or never did.
    private var closed: Set<Secret> = []
    private var others: [(session: Session, way: String, token: String)] = []
    private var photos: [String: [UInt8]] = [:]
    private var uploads: [ModelUpload] = []
    private var request: ModelRequest?
    private var photoCount = 0

    init(_ run: ModelRun) async throws {
        self.run = run
        sample = try TestHost { [clock] in $0.attemptClock = { clock.now } }
        session = try await sample.start().make(Self.texts[0])
        try await sample.service().lock(try await sample.service().make(Self.othersText))
        ways = [ModelWay(id: WayID.first.text, secret: .password(Self.texts[0]))]
    }

    func end() async throws { try await sample.stop() }

    func step() async throws {
        let step = run.pick(Step.allCases) ?? .upload
        switch step {
        case .change, .changeAgain: try await change()
        case .addPassword: try await addPassword()
        case .addCode: try await addCode()
        case .addPasskey: try await addPasskey()
        case .remove: try await remove()
        case .rotate: try await rotate()
        case .rotateBlocked: try await rotateBlocked()
        case .killedChange, .killedChangeAgain: try await killedChange()
        case .killedAddition: try await killedAddition()
        case .killedRemoval: try await killedRemoval()
        case .killedRotation: try await killedRotation()
        case .refused: try await refused()
        case .openAnother, .openMore: try await openAnother()
        case .lock: try await lock()
        case .restart: try await restart()
        case .crash: try await crash()
        default: try await send(step)
        }
        try await check()
    }

    // MARK: Choice

    private func passwords() -> [ModelWay] { ways.filter { $0.secret.kind == .password } }

    private func aPassword() -> ModelWay { run.pick(passwords()) ?? ways[0] }

    /// Of a password or of the code.
    private func aTypedWay() -> ModelWay { run.pick(ways.filter { $0.secret.text != nil }) ?? ways[0] }

    private func aFreeText() -> String? {
        run.pick(Self.texts.filter { text in !ways.contains { $0.secret == .password(text) } })
    }

    private func service() throws -> VaultService {
        // Those who guess wrong have to wait.
        clock.advance(.seconds(30 * 86_400))
        return try sample.service()
    }

    // MARK: What opens the vault

    /// The way that a change of password replaces: with the code, that of the first password.
    private func replaced(by typed: ModelWay) -> String {
        typed.secret.kind == .password ? typed.id : WayID.first.text
    }

    private func change() async throws {
        let typed = aTypedWay()
        let new = run.once(in: 5) ? aPassword().secret.text : aFreeText()
        guard let current = typed.secret.text, let new else { return }
        let way = replaced(by: typed)
        run.note("change from \(current) to \(new)")
        if let taken = ways.first(where: { $0.secret == .password(new) }), taken.id != way {
            try await run.expect(.failure(.passwordTaken), "the change") {
                try await service().change(session, from: current, to: new)
                return true
            }
            return
        }
        try await service().change(session, from: current, to: new)
        noteChange(of: way, to: new)
        try await expectOthersEnded()
        let sets = try session.requireVault().slotSets(of: WayID(text: way)).count
        try run.expect(sets, 1, "how many sets of slots are listed for it")
    }

    private func noteChange(of way: String, to new: String) {
        let secret = Secret.password(new)
        if let index = ways.firstIndex(where: { $0.id == way }) {
            closed.insert(ways[index].secret)
            ways[index].secret = secret
        } else {
            ways.insert(ModelWay(id: way, secret: secret), at: 0)
        }
        closed.remove(secret)
    }

    private func addPassword() async throws {
        guard let new = aFreeText() else { return }
        let current = aPassword().secret.text ?? ""
        run.note("add \(new)")
        let way = try await service().addPassword(session, new, current: current)
        note(ModelWay(id: way.id, secret: .password(new)))
    }

    private func note(_ way: ModelWay) {
        ways.append(way)
        closed.remove(way.secret)
    }

    private func addCode() async throws {
        let present = ways.first { $0.secret.kind == .recovery }
        let (current, replaces) = (aPassword().secret.text ?? "", run.once(in: 2))
        run.note("add a code\(replaces ? " in place of the one there is" : "")")
        if present != nil, !replaces {
            try await run.expect(.failure(.recoveryExists), "the code") {
                try await service().addCode(session, current: current).way.id
            }
            return
        }
        if session.way.text == present?.id { try await finishRequest() }
        let added = try await service().addCode(session, current: current, replaces: replaces)
        if let present { try await noteRemoval(of: present) }
        note(ModelWay(id: added.way.id, secret: .code(added.code)))
        if session.isEnded { try await enterByAny() }
    }

    private func addPasskey() async throws {
        let (seed, current) = (UInt8(run.number(in: 1...3)), aPassword().secret.text ?? "")
        run.note("add passkey \(seed)")
        let added = try await service().addPasskey(session, seed, current: current)
        let present = ways.first { $0.secret == .passkey(seed) }
        try run.expect(added.isNew, present == nil, "whether it is new")
        if let present {
            try run.expect(added.way.id, present.id, "which one it is")
        } else {
            note(ModelWay(id: added.way.id, secret: .passkey(seed)))
        }
    }

    private func remove() async throws {
        guard let way = run.pick(ways) else { return }
        let current = aPassword().secret.text ?? ""
        run.note("remove \(way.secret)")
        guard way.secret.kind != .password || passwords().count > 1 else {
            try await run.expect(.failure(.lastPassword), "the removal") {
                try await service().removeWay(session, way.id, current: password(current), client: .here)
                return true
            }
            return
        }
        if session.way.text == way.id { try await finishRequest() }
        try await service().removeWay(session, way.id, current: password(current), client: .here)
        try await noteRemoval(of: way)
        try run.expect(session.isEnded, session.way.text == way.id, "whether this session has ended")
        if session.isEnded { try await enterByAny() }
    }

    private func noteRemoval(of way: ModelWay) async throws {
        ways.removeAll { $0.id == way.id }
        closed.insert(way.secret)
        for other in others where other.way == way.id {
            try run.expect(other.session.isEnded, true, "whether a session by \(way.secret) has ended")
            let revived = try await service().session(token: other.token)
            try run.expect(revived == nil, true, "whether a session by \(way.secret) is gone")
        }
        others.removeAll { $0.way == way.id }
    }

    private func rotate() async throws {
        let kept = aPassword()
        run.note("rotate, keeping \(kept.secret)")
        let (rows, ids) = (try rowIDs(), try await photoIDs())
        let isFinished = try await service().rotateKey(
            session, password: password(kept.secret.text ?? ""), client: .here)
        try run.expect(isFinished, true, "whether the rotation is finished")
        noteRotation(keeping: kept)
        try await expectOthersEnded()
        try run.expect(session.isKept, false, "whether this session stays")
        try run.expect(try await photoIDs(), ids, "what this session calls its photos")
        try await expectGone(rows)
    }

    private func noteRotation(keeping kept: ModelWay) {
        closed.formUnion(ways.map(\.secret).filter { $0 != kept.secret })
        ways = [kept]
    }

    /// There is something in the way of a fresh copy of the ledger; a later opening finishes what that keeps back.
    private func rotateBlocked() async throws {
        let kept = aPassword()
        run.note("rotate behind an obstacle, keeping \(kept.secret)")
        let rows = try rowIDs()
        let obstacle = sample.file("ledger.copy-new")
        try FileManager.default.createDirectory(at: obstacle, withIntermediateDirectories: false)
        let isFinished = try await service().rotateKey(
            session, password: password(kept.secret.text ?? ""), client: .here)
        try run.expect(isFinished, false, "whether the rotation is finished")
        noteRotation(keeping: kept)
        try await expectOthersEnded()
        try await check()
        try run.expect(try session.requireVault().head.formerHead != nil, true, "whether it is still to be finished")
        try FileManager.default.removeItem(at: obstacle)
        switch run.number(below: 3) {
        case 0: try await restart()
        case 1: try await crash()
        default: _ = try await opens(kept.secret)
        }
        try await expectGone(rows)
    }

    private func rowIDs() throws -> [RowID] {
        let vault = try session.requireVault()
        return try (0..<vault.head.rowCount).map { try vault.rowID(.item($0)) } + [vault.rowID(.head)]
    }

    private func photoIDs() async throws -> [String] { try await session.photos.page(cursor: nil).photos.map(\.id) }

    /// Nothing stands under the old key, not in a copy either.
    private func expectGone(_ rows: [RowID]) async throws {
        try run.expect(try session.requireVault().head.formerHead == nil, true, "whether nothing is to be finished")
        for row in rows {
            try run.expect(try await service().row(row) == nil, true, "whether a row of the old key is gone")
            let copies = try service().store.ledger.rowsInCopies(row)
            try run.expect(copies.isEmpty, true, "whether a row of the old key is gone from the copies")
        }
    }

    private func expectOthersEnded() async throws {
        for other in others { try run.expect(other.session.isEnded, true, "whether another session has ended") }
        try await expectGone(others.map(\.token))
        others = []
    }

    private func expectGone(_ tokens: [String]) async throws {
        for token in tokens {
            let revived = try await service().session(token: token)
            try run.expect(revived == nil, true, "whether another session is gone")
        }
    }

    private func refused() async throws {
        let wrong = run.pick(closed.compactMap(\.text).sorted()) ?? "not it at all"
        run.note("refused: \(wrong)")
        guard let new = aFreeText() else { return }
        for text in [wrong, Self.othersText] {
            try await run.expect(.failure(.noSuchVault), "a change by \(text)") {
                try await service().change(session, from: text, to: new)
                return true
            }
            try await run.expect(.failure(.noSuchVault), "a rotation by \(text)") {
                try await service().rotateKey(session, password: password(text), client: .here)
            }
        }
        try await run.expect(.failure(.passwordTaken), "a change to another vault's password") {
            try await service().change(session, from: aPassword().secret.text ?? "", to: Self.othersText)
            return true
        }
        guard let code = ways.first(where: { $0.secret.kind == .recovery })?.secret.text else { return }
        try await run.expect(.failure(.passwordNeeded), "a rotation by the code") {
            try await service().rotateKey(session, password: password(code), client: .here)
        }
    }

    // MARK: Killed between two slots

    /// What a daemon leaves that dies while it writes slots, opened by another one.
    /// - Returns: the positions that were written before it died, and what `body` answers. Where it was done before,
    ///   there are no positions.
    private func kill<Answer>(
        _ what: String, during body: (VaultService) async throws -> Answer
    ) async throws -> (written: Set<UInt32>?, answer: Answer) {
        let count = run.number(below: 26)
        let isTorn = run.once(in: 2)
        run.note("killed behind \(count) slots\(isTorn ? ", the next one torn" : ""): \(what)")
        let (service, path) = (try service(), sample.dataPath)
        await service.inspectCopies()
        let next = try sample.sibling()
        let copy = next.dataPath
        let cut = CutWrites(service.store.slots, behind: count) { position in
            try TestHost.copyData(from: path, to: copy)
            if isTorn { try Self.tear(position, in: copy) }
        }
        let answer = try await body(service)
        cut.end()
        if cut.writtenBefore == nil { try TestHost.copyData(from: path, to: copy) }
        loseRequest()
        if let request { await abandon(request) }
        request = nil
        try await sample.stop()
        sample = next
        try await sample.start()
        return (cut.writtenBefore.map { Set($0) }, answer)
    }

    private static func tear(_ position: UInt32, in path: String) throws {
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: path + "/slots"))
        try file.seek(toOffset: UInt64(position) * 256)
        try file.write(contentsOf: [UInt8](repeating: 0x5A, count: 256))
        try file.close()
    }

    private func killedChange() async throws {
        let typed = aTypedWay()
        guard let current = typed.secret.text, let new = aFreeText() else { return }
        let way = replaced(by: typed)
        let old = ways.first { $0.id == way }?.secret
        let positions = try await service().positions(new)
        let tokens = others.map(\.token)
        let (written, _) = try await kill("change from \(current) to \(new)") {
            try await $0.change(session, from: current, to: new)
        }
        others = []
        // With one slot of the new password on disk it opens the vault; the old one does as well until then.
        guard written.map({ !$0.isDisjoint(with: positions) }) ?? true else {
            closed.insert(.password(new))
            return try await enterByAny()
        }
        if let old, run.once(in: 2) { _ = try await opens(old) }
        noteChange(of: way, to: new)
        try await enter(.password(new))
        try await expectGone(tokens)
    }

    private func killedAddition() async throws {
        guard let new = aFreeText() else { return }
        let current = aPassword().secret.text ?? ""
        let positions = try await service().positions(new)
        let (written, way) = try await kill("add \(new)") { try await $0.addPassword(session, new, current: current) }
        others = []
        if written.map({ !$0.isDisjoint(with: positions) }) ?? true {
            note(ModelWay(id: way.id, secret: .password(new)))
        } else {
            closed.insert(.password(new))
        }
        try await enterByAny()
    }

    private func killedRemoval() async throws {
        guard passwords().count > 1, let way = run.pick(ways) else { return }
        let current = aPassword().secret.text ?? ""
        _ = try await kill("remove \(way.secret)") { service in
            try await service.removeWay(session, way.id, current: password(current), client: .here)
        }
        others = []
        ways.removeAll { $0.id == way.id }
        closed.insert(way.secret)
        try await enterByAny()
    }

    private func killedRotation() async throws {
        let kept = aPassword()
        let rows = try rowIDs()
        let tokens = others.map(\.token)
        _ = try await kill("rotate, keeping \(kept.secret)") { service in
            try await service.rotateKey(session, password: password(kept.secret.text ?? ""), client: .here)
        }
        others = []
        noteRotation(keeping: kept)
        for secret in closed where try await opens(secret) {
            throw Difference(description: "\(secret) opens the vault before the rotation is finished")
        }
        try await enterByAny()
        try await expectGone(tokens)
        try await expectGone(rows)
    }

    // MARK: Photos

    private func newPhoto() -> (name: String, content: [UInt8]) {
        photoCount += 1
        return ("photo \(photoCount)", run.bytes(2...5000))
    }

    private func send(_ step: Step) async throws {
        switch step {
        case .upload:
            let (name, content) = newPhoto()
            run.note("upload \(name)")
            try await session.upload(content, name: name)
            photos[name] = content
        case .uploadPart:
            let (name, content) = newPhoto()
            let part = run.number(in: 1...content.count - 1)
            run.note("upload \(part) bytes of \(name)")
            let status = try await session.announce(content.count, name: name)
            try await session.sendCut(content.prefix(part), to: status.id, at: 0)
            uploads.append(ModelUpload(id: status.id, name: name, content: content, offset: part))
        case .goOn:
            guard let index = run.pick(uploads.indices) else { return }
            let upload = uploads.remove(at: index)
            run.note("finish \(upload.name)")
            let status = try await session.send(
                upload.content.dropFirst(upload.offset), to: upload.id, at: upload.offset)
            try run.expect(status.photo?.name, upload.name, "what has become of it")
            photos[upload.name] = upload.content
        default:
            if request == nil { try await beginRequest() } else { try await finishRequest() }
        }
    }

    private func beginRequest() async throws {
        let (name, content) = newPhoto()
        let sent = run.number(in: 1...content.count - 1)
        let part = ByteBuffer(bytes: content.prefix(sent))
        run.note("begin to send \(name)")
        if run.once(in: 2) {
            let upload = try await session.uploads.begin(name: name, declaredByteCount: nil, lastModified: nil)
            try await upload.append(part)
            request = ModelRequest(name: name, content: content, sent: sent, id: nil, upload: upload, run: nil)
        } else {
            let status = try await session.announce(content.count, name: name)
            let writing = try await session.uploads.resume(status.id, at: 0)
            try await writing.append(part)
            request = ModelRequest(
                name: name, content: content, sent: sent, id: status.id, upload: nil, run: writing)
        }
    }

    private func finishRequest() async throws {
        guard let request else { return }
        run.note("finish sending \(request.name)")
        self.request = nil
        let rest = ByteBuffer(bytes: request.content.dropFirst(request.sent))
        if let upload = request.upload {
            try await upload.append(rest)
            _ = try await upload.finish()
        } else if let writing = request.run {
            try await writing.append(rest)
            _ = try await writing.finish()
        }
        photos[request.name] = request.content
    }

    /// What a request has sent is gone with the daemon; a resumable upload begins anew.
    private func loseRequest() {
        guard let request, let id = request.id else { return }
        uploads.append(ModelUpload(id: id, name: request.name, content: request.content, offset: 0))
    }

    private func abandon(_ request: ModelRequest) async {
        await request.upload?.abandon()
        await request.run?.abandon()
    }

    // MARK: Sessions

    private func open(_ secret: Secret, keep: Bool) async throws -> Opening {
        switch secret {
        case .password(let text), .code(let text): try await service().open(text, keep: keep)
        case .passkey(let seed): try await service().open(passkey: seed)
        }
    }

    private func opens(_ secret: Secret) async throws -> Bool {
        switch secret {
        case .password(let text), .code(let text): try await service().opens(text)
        case .passkey(let seed): try await service().opens(passkey: seed)
        }
    }

    /// Several devices have it open.
    private func openAnother() async throws {
        guard others.count < 3, let way = run.pick(ways), way.secret.text != nil else { return }
        run.note("open by \(way.secret) as well, to stay")
        let opening = try await open(way.secret, keep: true)
        others.append((opening.session, way.id, opening.token))
    }

    private func enter(_ secret: Secret) async throws {
        session = try await open(secret, keep: run.once(in: 2)).session
        try await checkBytes()
    }

    private func enterByAny() async throws {
        let secret = run.pick(ways)?.secret ?? ways[0].secret
        run.note("open by \(secret)")
        try await enter(secret)
    }

    private func lock() async throws {
        try await finishRequest()
        run.note("lock")
        try await service().lock(session)
        try await enterByAny()
    }

    func restart() async throws {
        try await finishRequest()
        run.note("restart")
        try await sample.stop()
        try await sample.start()
        try await enterByAny()
        try await takeUpOthers()
    }

    /// The data directory as it is at this moment, opened by another daemon: what a killed one leaves.
    private func crash() async throws {
        try await finishRequest()
        run.note("crash")
        let next = try await sample.killed()
        try await sample.stop()
        sample = next
        try await sample.start()
        try await enterByAny()
        try await takeUpOthers()
    }

    private func takeUpOthers() async throws {
        for index in others.indices {
            let found = try await service().session(token: others[index].token)
            guard let other = found else { throw Difference(description: "a session that was to stay is gone") }
            others[index].session = other
        }
    }

    // MARK: Expectations

    private func check() async throws {
        if let secret = run.pick(ways)?.secret {
            try run.expect(try await opens(secret), true, "whether \(secret) opens the vault")
        }
        if let secret = run.pick(closed.sorted { "\($0)" < "\($1)" }) {
            try run.expect(try await opens(secret), false, "whether \(secret) opens the vault")
        }
        try run.expect(session.damage == nil, true, "whether the vault is whole")
        // Of ways that were made on the same day either may come first.
        let found = try service().ways(of: session).map { "\($0.id) \($0.kind)" }
        try run.expect(found.sorted(), ways.map { "\($0.id) \($0.secret.kind)" }.sorted(), "the ways")
        for other in others { try run.expect(other.session.isEnded, false, "whether another session has ended") }
        try run.expect(Set(try await session.names()), Set(photos.keys), "the photos")
        for upload in uploads {
            let offset = try await session.uploads.status(of: upload.id).offset
            try run.expect(offset, UInt64(upload.offset), "what came of \(upload.name)")
        }
    }

    func checkSecrets() async throws {
        for way in ways { try run.expect(try await opens(way.secret), true, "whether \(way.secret) opens the vault") }
        for secret in closed { try run.expect(try await opens(secret), false, "whether \(secret) opens the vault") }
    }

    private func checkBytes() async throws {
        let found = try await session.photos.page(cursor: nil).photos
        try run.expect(Set(found.map(\.name)), Set(photos.keys), "the photos")
        for photo in found {
            guard let content = photos[photo.name] else { continue }
            try run.expect(content: try await session.content(photo.id), content, photo.name)
        }
    }
}
