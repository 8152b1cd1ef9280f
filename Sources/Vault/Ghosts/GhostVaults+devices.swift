import Bytes
import Records
import Sealing
import Store

/// Ghosts that go on in a later run. A row that was there at one look at the disk and is another at the next was changed
/// by somebody who had its key meanwhile. If only vaults had keys that outlive a run, that would name a vault; and a key
/// that lies on the disk, or in a vault, would be found with it. So it lies where the owner of the disk has it not: the
/// keys of some ghosts are derived from the cookie by which a device is known (`DeviceCookies`), which is stored nowhere
/// here. They go on once that device opens whichever vault, and what changes then is explained by no password.
extension GhostVaults {
    /// Of how many keys of a device ghosts are looked for: more than that are never derived from one.
    static let mostOfDevice = 32
    /// Of all devices together, in a run.
    private static let mostOld = 64

    /// A device that opens a vault has this cookie. Its ghosts go on, and some of those that are made next are its, too.
    /// What cannot be read is left alone.
    package func attend(_ cookie: [UInt8]) async {
        guard let seed = try? SharedSecret(SecretBytes(copying: cookie)),
            state.withLock({ !$0.isEnded && $0.devices.noteKnown(cookie) })
        else { return }
        guard let found = try? await engine.threads.run({ [self] in try findGhosts(of: seed) }) else {
            return state.withLock { $0.devices.forget(cookie) }
        }
        state.withLock { state in
            guard !state.isEnded else { return }
            let place = state.devices.adopt(seed, next: (found.numbers.max() ?? -1) + 1)
            let old = state.ghosts.count(where: \.isOld)
            for (number, var ghost) in found.ghosts.prefix(max(0, Self.mostOld - old)) {
                ghost.key = GhostDevices.Key(seed: place, number: number)
                state.ghosts.append(ghost)
            }
        }
    }

    /// The cookie for a device that has none and has opened that vault: one from which keys of this run's ghosts are
    /// derived, as long as there are such. One for each vault, for whoever has a password could collect them all. Nil
    /// where any other will do.
    package func takeCookie(for vault: [UInt8]) -> [UInt8]? {
        state.withLock { state -> [UInt8]? in
            guard !state.isEnded, state.devices.mayTake(for: vault) else { return nil }
            if let cookie = state.devices.takeCookie() { return cookie }
            return state.areMade ? nil : try? state.devices.adoptNew(drawCookie())
        }
    }

    /// Blocking.
    /// - Returns: those that are whole, by their numbers, and the numbers of all.
    private func findGhosts(of seed: SharedSecret) throws -> (ghosts: [(Int, Ghost)], numbers: [Int]) {
        var found: (ghosts: [(Int, Ghost)], numbers: [Int]) = ([], [])
        for number in 0..<Self.mostOfDevice {
            let key = try deriveGhostKey(number, from: seed.bytes)
            var codec = try RowCodec(vaultKey: key, home: .vault)
            let id = try codec.id(of: .head)
            guard let body = try store.ledger.readBlocking({ try $0.row(id, in: .vault) }) else { continue }
            found.numbers.append(number)
            let vault = try makeVault(key)
            // One that a later version wrote is left alone, and the others go on.
            guard let head = try? vault.headIfSound(body, id: id),
                var ghost = try store.ledger.readBlocking({ try Self.load(vault, head, $0) })
            else { continue }
            // `reclaim` may have put some aside.
            ghost.oldObjects = try ghost.oldObjects.filter { try store.objects.byteCount(of: $0.id) != nil }
            found.ghosts.append((number, ghost))
        }
        return found
    }

    /// Nil where a row is missing or another one: the head of a ghost that went on from there would fit nothing.
    private static func load(_ vault: OpenVault, _ head: VaultHead, _ reader: borrowing LedgerReader) throws -> Ghost? {
        var (ghost, draft) = (Ghost(vault: vault, isOld: true), VaultDraft(head: head, emptyNumbers: []))
        var accumulator = SetAccumulator()
        for number in 0..<head.rowCount {
            let id = try vault.rowID(.item(number))
            guard let body = try reader.row(id, in: vault.home), let piece = try vault.openIfSound(body, id: id) else {
                return nil
            }
            accumulator.add(try vault.element(id: id, body: body))
            if piece.kind == .empty { draft.emptyNumbers.append(number) }
            if let object = GhostObject(piece, at: number) { ghost.oldObjects.append(object) }
        }
        guard accumulator == head.accumulator else { return nil }
        vault.settle(draft, damage: nil, lostSerials: [], isReadOnly: false)
        return ghost
    }
}

/// From which cookies keys are derived in this run.
struct GhostDevices {
    struct Key {
        let seed: Int
        let number: Int
    }

    private struct Seed {
        let cookie: SharedSecret
        /// Whether a device has it.
        var isTaken: Bool
        /// The number of the next key.
        var next = 0
    }

    /// That get a cookie before there are ghosts.
    private static let mostSeeds = 16

    private var seeds: [Seed] = []
    /// Digests of the cookies of devices that came in this run, or got theirs in it.
    private var known: Set<[UInt8]> = []
    /// Vaults for which a cookie was given out.
    private var vaults: Set<[UInt8]> = []

    /// False when it was known.
    mutating func noteKnown(_ cookie: [UInt8]) -> Bool {
        (try? known.insert(SHA256Hasher.hash(cookie)).inserted) ?? false
    }

    mutating func forget(_ cookie: [UInt8]) { _ = try? known.remove(SHA256Hasher.hash(cookie)) }

    /// Some of the next ghosts are that device's.
    /// - Returns: its place among the seeds.
    mutating func adopt(_ cookie: SharedSecret, next: Int = 0) -> Int {
        seeds.append(Seed(cookie: cookie, isTaken: true, next: next))
        return seeds.count - 1
    }

    /// The same for a device that gets this cookie now. Nil where there are many already.
    mutating func adoptNew(_ cookie: [UInt8]) throws -> [UInt8]? {
        guard seeds.count < Self.mostSeeds else { return nil }
        _ = adopt(SharedSecret(try SecretBytes(copying: cookie)))
        _ = noteKnown(cookie)
        return cookie
    }

    /// Once for each vault.
    mutating func mayTake(for vault: [UInt8]) -> Bool { vaults.insert(vault).inserted }

    /// One from which keys are derived, and which no device has; nil where there is none.
    mutating func takeCookie() -> [UInt8]? {
        guard let place = seeds.firstIndex(where: { !$0.isTaken && $0.next > 0 }) else { return nil }
        seeds[place].isTaken = true
        let cookie = seeds[place].cookie.bytes.withUnsafeBytes { Array($0) }
        _ = noteKnown(cookie)
        return cookie
    }

    /// For another ghost. Half of all have one that nobody is ever given. Of the others half are of one device, for a house
    /// may have but one; a quarter of the next, and so on.
    mutating func nextKey(_ draw: () throws -> [UInt8]) throws -> Key? {
        guard Bool.random() else { return nil }
        var place = 0
        while Bool.random() || place < seeds.count && seeds[place].next >= GhostVaults.mostOfDevice { place += 1 }
        while seeds.count <= place {
            seeds.append(Seed(cookie: SharedSecret(try SecretBytes(copying: draw())), isTaken: false))
        }
        defer { seeds[place].next += 1 }
        return Key(seed: place, number: seeds[place].next)
    }

    func secret(of key: Key) throws -> SecretBytes {
        try deriveGhostKey(key.number, from: seeds[key.seed].cookie.bytes)
    }
}

/// An object of a ghost, as the row says that stands for it.
struct GhostObject {
    let id: ObjectID
    let rowNumber: UInt64
    let byteCount: UInt64
    /// Thumbnail and preview, whether or not they were made.
    let previews: [PreviewID]

    init(id: ObjectID, rowNumber: UInt64, byteCount: UInt64, previews: [PreviewID]) {
        self.id = id
        self.rowNumber = rowNumber
        self.byteCount = byteCount
        self.previews = previews
    }

    /// Nil for a row that stands for none.
    init?(_ piece: RowPiece, at number: UInt64) {
        var reader = ByteReader(piece.payload)
        guard piece.kind == .continuation, let id = reader.read(16).flatMap({ ObjectID(bytes: $0) }),
            let byteCount = reader.readUInt64()
        else { return nil }
        var previews: [PreviewID] = []
        while let preview = reader.read(PreviewID.byteCount).flatMap({ PreviewID(bytes: $0) }) {
            previews.append(preview)
        }
        self.init(id: id, rowNumber: number, byteCount: byteCount, previews: previews)
    }

    var piece: RowPiece {
        RowPiece(
            kind: .continuation, payload: id.bytes + byteCount.bigEndianBytes + previews.flatMap(\.bytes))
    }
}
