import Bytes
import Content
import Hummingbird
import Media
import NIOCore
import Records
import Unlocking
import Uploads
import Vaults

/// Takes the events of a form: the password, if it comes first, and then one upload a file.
struct FormReceiver {
    private enum Part {
        case none
        case password([ByteBuffer])
        case file(name: String, Upload)
        /// Its name, or whether it is one, follows from its first bytes. Where it is none, it may be a field that says that
        /// a file comes in pieces.
        case nameless(head: ByteBuffer, type: String?, isFile: Bool, field: String?)
        /// The name of the album that the files behind it join.
        case album(ByteBuffer)
        /// Where the file behind it lies.
        case path(ByteBuffer)
        /// A field that is not looked at, or the rest of a file that failed.
        case skipped
    }

    let access: Access
    let client: Client
    /// What the form may take.
    let allowance: Allowance
    /// Each file behind the first counts as a request by itself, and waits for its turn as one would.
    private let waitForTurn: @Sendable () async throws -> Void
    private var hasBegunFile = false
    /// The batch that all files of the form name.
    let batch: String?
    /// The name of the album that they join.
    private var album: String?
    /// Where the next file lies.
    private var path: String?
    var session: Session?
    /// Whether a form may bring a vault's password in its first field. At a door nobody needs one.
    var takesPassword: Bool
    /// Whether the client writes names as aiohttp does.
    var namesArePercentEncoded = false
    /// A page for people instead of JSON.
    var answersWithPage = false
    private(set) var results: [FormResult] = []
    /// Reading on would not save another file.
    private(set) var isStopped = false
    private var part = Part.none
    /// A file all of whose bytes have come. It counts with the next file, or with the end of the whole body: a form that
    /// is shorter than was announced has a file that was cut off, as one that shrank while it was sent, and a field behind
    /// it may say that it is a piece.
    private var awaited: (name: String, upload: Upload)?
    private var partCount = 0
    /// Bytes of the part that is coming, as its head says, and as came.
    private var announcedByteCount: UInt64?
    private var receivedByteCount: UInt64 = 0
    /// What the form's fields say about its files being pieces.
    private var pieces = PieceWords()
    /// The memory that the results take.
    private var claim: ListMemoryBudget.Claim?

    /// What is kept of a file until the answer is sent, and the answer about it, in bytes; beside its name.
    private static let resultByteCount = 1200
    /// More than the name of an album can have.
    private static let albumByteCount = 4096
    /// A password field's size at most, in bytes.
    private static let passwordByteCount = 1024

    init(access: Access, _ request: Request, _ context: WebContext, batch: String?, album: String?) {
        self.access = access
        client = access.client(of: request, context)
        allowance = context.allowance
        waitForTurn = context.waitForTurn
        self.batch = batch
        self.album = album
        takesPassword = access.realm == .page
    }

    var savedCount: Int { results.count { $0.error == nil } }

    mutating func take(_ event: MultipartEvent) async throws {
        switch event {
        case .partBegin(let part): try await begin(part)
        case .body(let bytes):
            receivedByteCount += UInt64(bytes.readableBytes)
            try await append(bytes)
        case .partEnd: try await end()
        }
    }

    /// The whole body has come.
    mutating func finish() async throws { try await saveAwaited() }

    /// Puts to "Recently deleted" what was saved of a form of which one file is not whole. Not further: somebody may have
    /// sent the same content meanwhile, and was told that it is here.
    func takeBack() async throws {
        let saved = results.compactMap(\.newPhoto?.id)
        guard let session, !saved.isEmpty else { return }
        _ = try await session.trash.move(saved)
    }

    /// Throws the file in progress away.
    func abandon() async {
        await awaited?.upload.abandon()
        if case .file(_, let upload) = part { await upload.abandon() }
    }

    private mutating func begin(_ head: MultipartPart) async throws {
        partCount += 1
        (announcedByteCount, receivedByteCount) = (head.byteCount, 0)
        if takesPassword, partCount == 1, head.name == "password", head.filename == nil {
            answersWithPage = true
            part = .password([])
            return
        }
        guard session != nil else { throw WebError.notSignedIn }
        if let name = NamelessFile.given(head.filename) {
            try await beginFile(namesArePercentEncoded ? FileNameText.percentDecoded(name) ?? name : name)
        } else if head.filename == nil, head.name == "album" {
            part = .album(ByteBuffer())
        } else if head.filename == nil, head.name == "path" {
            part = .path(ByteBuffer())
        } else {
            part = Self.nameless(head)
        }
    }

    /// Photos may come without a name, and a form's other fields have none either. What has neither name nor a type of
    /// files may be both, and is told by its first bytes.
    private static func nameless(_ head: MultipartPart) -> Part {
        let type = head.contentType?.lowercased()
        let isText = type.map { $0.hasPrefix("text/") || $0.hasPrefix("application/json") } ?? true
        return .nameless(
            head: ByteBuffer(), type: isText ? nil : type, isFile: head.filename != nil || !isText,
            field: PieceWords.mayBe(head.name) ? head.name : nil)
    }

    /// Whether a field's value can begin so: the last character may be cut off.
    private static func isText(_ bytes: ByteBufferView) -> Bool {
        !bytes.contains(0)
            && (0...min(3, bytes.count)).contains { String(validating: bytes.dropLast($0), as: UTF8.self) != nil }
    }

    private mutating func beginFile(_ name: String) async throws {
        guard let session else { throw WebError.notSignedIn }
        try await saveAwaited()
        guard !isStopped else {
            part = .skipped
            return
        }
        if hasBegunFile { try await waitForTurn() }
        hasBegunFile = true
        do {
            let claim = claim ?? session.listClaim()
            self.claim = claim
            try claim.grow(by: Self.resultByteCount + 2 * name.utf8.count)
            part = .file(
                name: name,
                try await session.uploads.begin(
                    name: name, declaredByteCount: nil, lastModified: nil, batch: batch, album: album,
                    path: path ?? name))
            path = nil
        } catch let error as VaultError {
            part = .skipped
            try fail(name, error)
        }
    }

    /// Enough has come of a part without a name.
    private mutating func decide(_ head: ByteBuffer, _ type: String?, isFile: Bool, _ field: String?) async throws {
        let bytes = head.readableBytesView
        // A file field that was left empty has no bytes.
        guard !bytes.isEmpty, isFile || MediaType.sniff(bytes) != .other || !Self.isText(bytes) else {
            part = .skipped
            if let field { pieces.add(field, String(buffer: head)) }
            guard !pieces.isPiece else { throw WebError.partOfFile }
            return
        }
        try await beginFile(NamelessFile.name(head: bytes, declaredType: type))
        try await append(head)
    }

    private mutating func append(_ bytes: ByteBuffer) async throws {
        switch part {
        case .password(let pieces):
            guard pieces.reduce(bytes.readableBytes, { $0 + $1.readableBytes }) <= Self.passwordByteCount else {
                throw VaultError.passwordTooLong
            }
            part = .password(pieces + [bytes])
        case .file(let name, let upload):
            do {
                try await upload.append(bytes)
            } catch let error as VaultError {
                await upload.abandon()
                part = .skipped
                try fail(name, error)
            }
        case .nameless(var head, let type, let isFile, let field):
            // The state must not keep a second reference, or each piece would copy what came before.
            part = .none
            head.writeImmutableBuffer(bytes)
            part = .nameless(head: head, type: type, isFile: isFile, field: field)
            let enough = max(MediaType.headByteCount, field == nil ? 0 : PieceWords.valueByteCount + 1)
            if head.readableBytes >= enough { try await decide(head, type, isFile: isFile, field) }
        case .album(var name):
            part = .none
            name.writeImmutableBuffer(bytes)
            guard name.readableBytes <= Self.albumByteCount else { throw VaultError.albumNameTooLong }
            part = .album(name)
        case .path(var text):
            part = .none
            text.writeImmutableBuffer(bytes)
            part = text.readableBytes <= SourceFolder.longestPath ? .path(text) : .skipped
        case .none, .skipped: break
        }
    }

    private mutating func end() async throws {
        if case .nameless(let head, let type, let isFile, let field) = part {
            try await decide(head, type, isFile: isFile, field)
        }
        if case .file = part, let announcedByteCount, announcedByteCount != receivedByteCount {
            throw WebError.partOfFile
        }
        let ended = part
        part = .none
        switch ended {
        case .password(let pieces):
            let opened = try await access.service.authenticate(password: try Self.password(pieces), client: client)
            allowance.admit(opened)
            session = opened
        case .file(let name, let upload):
            awaited = (name, upload)
        case .album(let name): try take(album: name)
        // What is no text is no path, and no photo is refused for it.
        case .path(let text): path = String(validating: text.readableBytesView, as: UTF8.self)?.streamSafe
        case .none, .nameless, .skipped: break
        }
    }

    /// For the files behind it. A field that was left empty says nothing.
    private mutating func take(album name: ByteBuffer) throws {
        guard let text = String(validating: name.readableBytesView, as: UTF8.self) else {
            throw WebError.malformedMultipart("the album's name is not UTF-8")
        }
        album = text.allSatisfy(\.isWhitespace) ? nil : text
    }

    private mutating func saveAwaited() async throws {
        guard let (name, upload) = awaited else { return }
        guard !pieces.sayPiece else { throw WebError.partOfFile }
        awaited = nil
        do {
            results.append(.saved(try await upload.finish()))
        } catch let error as VaultError {
            await upload.abandon()
            try fail(name, error)
        }
    }

    /// Notes that a file was not kept, and goes on with the next one if that can do better.
    /// - Throws: the error itself when it would meet every file and none is saved.
    private mutating func fail(_ name: String, _ error: VaultError) throws {
        switch error {
        case .nameInvalid, .fileTooLarge: break
        default:
            guard !results.isEmpty else { throw error }
            isStopped = true
        }
        results.append(.failed(name: name, error))
    }

    /// Puts the pieces together and overwrites them where they lie.
    private static func password(_ pieces: [ByteBuffer]) throws -> Password {
        var scratch = CleansedBytes(capacity: passwordByteCount)
        for var piece in pieces {
            for byte in piece.readableBytesView {
                guard scratch.append(byte) else { throw VaultError.passwordTooLong }
            }
            piece.wipe()
        }
        return try scratch.withBytes(in: 0..<scratch.count) { bytes throws(VaultError) in try Password(utf8: bytes) }
    }
}
