import Hummingbird
import NIOCore
import Vaults

/// Takes the events of a form: the password, if it comes first, and then one upload a file.
struct FormReceiver {
    private enum Part {
        case none
        case password([ByteBuffer])
        case file(name: String, Upload)
        /// A field that is not looked at, or the rest of a file that failed.
        case skipped
    }

    let access: Access
    let client: Client
    /// The batch that all files of the form name.
    let batch: String?
    var session: Session?
    /// A page for people instead of JSON.
    var answersWithPage = false
    private(set) var results: [FormResult] = []
    /// Reading on would not save another file.
    private(set) var isStopped = false
    private var part = Part.none
    private var partCount = 0

    /// A password field's size at most, in bytes.
    private static let passwordByteCount = 1024

    init(access: Access, client: Client, batch: String?) {
        self.access = access
        self.client = client
        self.batch = batch
    }

    var savedCount: Int { results.count { $0.error == nil } }

    mutating func take(_ event: MultipartEvent) async throws {
        switch event {
        case .partBegin(let part): try await begin(part)
        case .body(let bytes): try await append(bytes)
        case .partEnd: try await end()
        }
    }

    /// Throws the file in progress away.
    func abandon() async {
        if case .file(_, let upload) = part { await upload.abandon() }
    }

    private mutating func begin(_ head: MultipartPart) async throws {
        partCount += 1
        if partCount == 1, head.name == "password", head.filename == nil {
            answersWithPage = true
            part = .password([])
            return
        }
        guard let session else { throw WebError.notSignedIn }
        // A file field that was left empty comes without a name.
        guard let name = head.filename, !name.isEmpty else {
            part = .skipped
            return
        }
        do {
            part = .file(
                name: name,
                try await session.beginUpload(name: name, declaredByteCount: nil, lastModified: nil, batch: batch))
        } catch let error as VaultError {
            part = .skipped
            try fail(name, error)
        }
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
        case .none, .skipped: break
        }
    }

    private mutating func end() async throws {
        let ended = part
        part = .none
        switch ended {
        case .password(let pieces):
            session = try await access.service.authenticate(password: try Self.password(pieces), client: client)
        case .file(let name, let upload):
            do {
                results.append(.saved(try await upload.finish()))
            } catch let error as VaultError {
                await upload.abandon()
                try fail(name, error)
            }
        case .none, .skipped: break
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
