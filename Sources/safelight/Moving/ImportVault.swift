import Bytes
import FoundationEssentials
import NIOCore
import Records
import Unlocking
import Vaults
import Web

/// The vault into which an import brings: of a daemon that runs, or of a data directory that none uses.
protocol ImportVault: Sendable {
    /// Photos that wait to be read back from disk.
    func unreadCount() async throws -> Int
    /// What was read back with this content, in the order of the questions.
    func find(_ contents: [ImportPayload.Content]) async throws -> [ImportPayload.State?]
    /// Returns once the photo is on disk.
    func send(_ file: OutgoingFile) async throws -> ImportPayload.State
    func tell(_ words: [ImportPayload.Words]) async throws -> [ImportPayload.State]
    /// Nil for what was deleted for good.
    func states(of ids: [String]) async throws -> [ImportPayload.State?]
    /// Those that are whole, each read again from disk; nil for the others.
    func readAgain(_ ids: [String]) async throws -> [ImportPayload.State?]
    /// Keeps what the import proved, for the vault's owner.
    func note(_ proof: ImportProofPayload) async throws
    func close() async
}

/// One file on its way into the vault.
struct OutgoingFile: Sendable {
    /// Its place among the plan's photos.
    let photo: Int
    let name: String
    let byteCount: UInt64
    /// Milliseconds since 1970.
    let modifiedAt: Int64?
    /// As the plan's photo has it.
    let waitsAs: String?
    let pieces: PieceChannel
}

/// Why the vault did not take something.
enum ImportRefusal: Error {
    /// This file; others may be taken.
    case file(String)
    /// For the moment.
    case busy
    /// Nothing more is taken. What was taken before is on disk.
    case all(String)

    /// Codes of problems that one file has, and no other.
    private static let ofFiles: Set<String> = ["file-too-large", "name-invalid", "length-mismatch"]

    init(_ problem: DaemonProblem) {
        self.init(code: problem.code, title: problem.title, detail: problem.detail)
    }

    init(code: String, title: String, detail: String) {
        switch code {
        case "busy": self = .busy
        case _ where Self.ofFiles.contains(code): self = .file(title)
        default: self = .all(detail.isEmpty ? title : "\(title) \(detail)")
        }
    }
}

/// A vault of a data directory that no daemon uses.
struct OfflineImportVault: ImportVault {
    private let store: OfflineStore
    private let session: Session

    init(_ settings: Settings, password: Password) async throws {
        store = try await OfflineStore.open(settings)
        do {
            session = try await store.openVault(password)
        } catch {
            try? await store.close()
            throw error
        }
    }

    func unreadCount() async throws -> Int { try await translated { try await session.imports.unreadCount() } }

    func find(_ contents: [ImportPayload.Content]) async throws -> [ImportPayload.State?] {
        try await translated {
            let questions = contents.map { ($0.size, Hexadecimal.decode($0.sha256) ?? []) }
            return try await session.imports.find(questions).map { $0.map(ImportPayload.State.init) }
        }
    }

    func send(_ file: OutgoingFile) async throws -> ImportPayload.State {
        try await translated {
            let upload = try await session.uploads.begin(
                name: file.name, declaredByteCount: file.byteCount,
                lastModified: file.modifiedAt.map { Date(timeIntervalSince1970: Double($0) / 1000) },
                path: file.waitsAs, readsSidecars: file.waitsAs != nil)
            do {
                for try await piece in file.pieces { try await upload.append(piece) }
                return ImportPayload.State(try await upload.finish())
            } catch {
                await upload.abandon()
                throw error
            }
        }
    }

    func tell(_ words: [ImportPayload.Words]) async throws -> [ImportPayload.State] {
        try await translated {
            try await session.imports.tell(words.map { ($0.id, $0.words) }).map(ImportPayload.State.init)
        }
    }

    func states(of ids: [String]) async throws -> [ImportPayload.State?] {
        try await translated { try await session.imports.photos(ids).map { $0.map(ImportPayload.State.init) } }
    }

    func readAgain(_ ids: [String]) async throws -> [ImportPayload.State?] {
        try await translated { try await session.imports.readAgain(ids).map { $0.map(ImportPayload.State.init) } }
    }

    func note(_ proof: ImportProofPayload) async throws {
        try await translated { try await session.imports.note(proof.record(at: Milliseconds.now)) }
    }

    func close() async { try? await store.close() }

    private func translated<R>(_ body: () async throws -> R) async throws -> R {
        do {
            return try await body()
        } catch let error as VaultError {
            let problem = ProblemDetails(error)
            throw ImportRefusal(code: problem.code, title: problem.title, detail: problem.detail)
        }
    }
}
