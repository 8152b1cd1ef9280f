import Content
import Glibc
import Records
import Sealing
import Store
import Synchronization

/// Unfinished uploads of ghosts. Some go on and become photos; others stay, and expire as anybody's do.
extension GhostVaults {
    private static let mostUploads = 16
    /// Of those that nobody goes on with, to one in so many nothing came.
    private static let withoutBytes = 8
    /// What the row of one says besides its runs, in bytes, and each of them.
    private static let (payload, payloadOfRun) = (480...620, 35)
    /// What clients send at a time.
    private static let pieceByteCount: UInt64 = 8 << 20

    /// Some of the file comes.
    func beginUpload(of file: PhoneFile) async throws {
        let received = Int.random(in: 0..<Self.withoutBytes) == 0 ? 0 : UInt64.random(in: 0..<file.byteCount)
        let byteCount =
            received == 0 ? 0 : UInt64(PhotoRecord.preamble.count) + ChunkLayout.sealedByteCount(plaintext: received)
        let isTooMuch = state.withLock { state in
            state.uploads.count >= Self.mostUploads
                || byteCount + state.uploadByteCount > byteLimit / 4
        }
        guard !isTooMuch else { return }
        try await makeRoom(for: byteCount)
        let payload = Int.random(in: Self.payload) + Self.payloadOfRun * Int(received / Self.pieceByteCount)
        let body = try randomBytes(MessageCipher.sealedByteCount(UploadRow.plaintextByteCount(payload: payload)))
        let staged = received == 0 ? nil : try await write(byteCount)
        let (row, day) = (RowID.random(), store.firstDay + UploadRecord.days)
        let part = Mutex<ObjectID?>(nil)
        try await store.ledger.commit(
            LedgerChange(object: staged.map { ArrivingObject($0, isWhole: false) }) { transaction, id in
                try transaction.putUpload(row, body: body, part: id, expiresDay: day)
                part.withLock { $0 = id }
            })
        let upload = GhostUpload(
            row: row, part: part.withLock { $0 }, file: file, received: received, byteCount: byteCount)
        state.withLock { $0.uploads.append(upload) }
    }

    /// One that goes on now; mostly none.
    func takeUpload() -> GhostUpload? {
        state.withLock { state in
            guard Int.random(in: 0..<4) == 0, let place = state.uploads.indices.randomElement() else { return nil }
            return state.uploads.remove(at: place)
        }
    }

    /// The rest comes, and it becomes a photo.
    func finish(_ upload: GhostUpload, in vault: OpenVault) async throws {
        let file = upload.file
        guard let part = upload.part else {
            try await makeRoom(for: file.objectByteCount)
            let staged = try await write(file.objectByteCount)
            return try await hold(file, of: file.objectByteCount, in: vault, ArrivingObject(staged)) { change in
                try upload.requireThere(change.transaction)
                return change.object
            }
        }
        let rest = file.byteCount - upload.received
        let padding = ObjectSize.padding(
            ofContent: file.byteCount, lastRunAt: upload.byteCount, runByteCount: rest)
        let more = ChunkLayout.sealedByteCount(plaintext: rest + padding)
        try await makeRoom(for: upload.byteCount + more)
        let staged = try await engine.threads.runIdly { [engine] in
            let staged = try engine.store.objects.resume(part, at: upload.byteCount)
            try Self.append(more, to: staged)
            return staged
        }
        do {
            // As with anybody's that has its name before it is whole.
            try await store.ledger.send(part)
            try await hold(file, of: upload.byteCount + more, in: vault) { change in
                try upload.requireThere(change.transaction)
                return part
            }
        } catch {
            // What the row does not list is cut off; it expires.
            staged.discard()
            throw error
        }
    }

    /// Any of them go, until no more are left.
    func keepUploads(_ count: Int) async throws {
        let gone = state.withLock { state in
            state.uploads.shuffle()
            defer { state.uploads = Array(state.uploads.prefix(count)) }
            return state.uploads.dropFirst(count)
        }
        guard !gone.isEmpty else { return }
        try await store.ledger.commit(
            LedgerChange(mayUseReserve: true) { transaction, _ in
                for upload in gone { try transaction.doomUpload(upload.row) }
            })
        try await engine.threads.runIdly { [store] in try store.reapDoomed() }
    }
}

/// An unfinished upload of a ghost. Its row is random bytes, for nobody goes on with it in a later run.
struct GhostUpload: Sendable {
    let row: RowID
    /// Nil where nothing came.
    let part: ObjectID?
    let file: PhoneFile
    /// Bytes of the content.
    let received: UInt64
    /// Bytes on disk.
    let byteCount: UInt64

    /// Takes the row out, unless the sweep was faster.
    fileprivate func requireThere(_ transaction: LedgerTransaction) throws {
        guard try transaction.containsUpload(row) else { throw VaultError.uploadGone }
        try transaction.deleteUpload(row)
    }
}

/// A photo or video as phones have them, or the list of a window, by its size alone. Cover is of such sizes, whatever really
/// comes: by those that came last it would tell of them.
struct PhoneFile: Sendable {
    /// Of many files on phones, one sort: its share, and its size, whose logarithm is normal.
    private struct Sort {
        let share: Double
        /// The median, in bytes.
        let median: Double
        /// Of the natural logarithm.
        let deviation: Double
        /// Of 2^k bytes that a preview takes of such a file, how likely each k is, from `leastExponent` on.
        let previews: [Double]
    }

    /// JPEG and HEIC of 12 to 50 megapixels; screenshots; what messengers have made smaller; videos.
    private static let sorts = [
        Sort(share: 0.58, median: 2.3e6, deviation: 0.5, previews: [0, 0.01, 0.07, 0.25, 0.42, 0.25]),
        Sort(share: 0.15, median: 6e5, deviation: 0.8, previews: [0.12, 0.28, 0.33, 0.2, 0.07, 0]),
        Sort(share: 0.23, median: 2e5, deviation: 0.7, previews: [0.03, 0.12, 0.35, 0.42, 0.08, 0]),
        Sort(share: 0.04, median: 1.5e7, deviation: 1, previews: [0.02, 0.1, 0.35, 0.43, 0.1, 0]),
    ]
    private static let leastExponent = 15
    /// The same of thumbnails, which are alike for all.
    private static let thumbnails = [0.75, 0.24, 0.01]
    private static let leastThumbnailExponent = 14
    /// Of a phone's photos, how many give no picture: what is damaged, and what no decoder knows.
    private static let shareWithoutPicture = 0.01
    /// Bytes on average, for sums over many.
    static let typicalByteCount = 2.5e6
    private static let fewestBytes = 10_000.0
    /// Of a window's list: photos, and what it says of each, in bytes.
    private static let (mostListed, bytesOfListed) = (1000.0, 180.0...260.0)

    /// Of the content.
    let byteCount: UInt64
    /// Of thumbnail and preview, as `PreviewSeal` pads them; none where there is no picture.
    let pictureExponents: [Int]
    /// Not a phone's at all, but what a window shows.
    var isList = false

    /// What it takes on disk.
    var objectByteCount: UInt64 { ObjectSize.ofOneRun(content: byteCount) }

    /// Draws one whose object has no more bytes than that, where there may be such.
    static func draw(atMost most: UInt64) -> PhoneFile? {
        guard Double(most) > 2 * fewestBytes else { return nil }
        while true {
            let sort = sorts[place(in: sorts.map(\.share))]
            let byteCount = max(fewestBytes, sort.median * exp(sort.deviation * standardNormal()))
            let file = PhoneFile(
                byteCount: UInt64(byteCount),
                pictureExponents: Double.random(in: 0..<1) < shareWithoutPicture
                    ? []
                    : [
                        leastThumbnailExponent + place(in: thumbnails), leastExponent + place(in: sort.previews),
                    ])
            if file.objectByteCount <= most { return file }
        }
    }

    /// The list of a window through which up to a thousand photos are seen, few as often as many.
    static func drawList(atMost most: UInt64) -> PhoneFile? {
        guard Double(most) > 2 * fewestBytes else { return nil }
        while true {
            let count = exp(Double.random(in: 0...log(mostListed)))
            let byteCount = UInt64(count * .random(in: bytesOfListed))
            let list = PhoneFile(byteCount: byteCount, pictureExponents: [], isList: true)
            if list.objectByteCount <= most { return list }
        }
    }

    /// One of the places, each as likely as its share says.
    private static func place(in shares: [Double]) -> Int {
        var left = Double.random(in: 0..<shares.reduce(0, +))
        for (place, share) in shares.enumerated() {
            if left < share { return place }
            left -= share
        }
        return shares.count - 1
    }

    /// By Box and Muller.
    private static func standardNormal() -> Double {
        (-2 * log(Double.random(in: .ulpOfOne...1))).squareRoot() * cos(2 * .pi * Double.random(in: 0..<1))
    }
}
