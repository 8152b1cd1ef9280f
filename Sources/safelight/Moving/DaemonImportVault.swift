import FoundationEssentials
import NIOHTTP1
import Records
import Unlocking
import Web

/// A vault of the daemon that runs, by the socket in its data directory.
final class DaemonImportVault: ImportVault {
    private let daemon: DaemonClient
    private let token: String

    /// - Throws: what the daemon says to the password, as `VaultError` where the commands know it.
    init(dataPath: String, password: Password) async throws {
        daemon = DaemonClient(dataPath: dataPath)
        do {
            // The heap of this program is wiped as it is freed.
            let credentials = password.bytes.withUnsafeBytes { Data([UInt8(ascii: ":")] + $0).base64EncodedString() }
            let session = try await daemon.ask(.POST, "/import", "Basic \(credentials)", ImportPayload.Session.self)
            token = session.token
        } catch {
            await daemon.close()
            guard let problem = error as? DaemonProblem else { throw error }
            switch problem.status {
            case 401: throw VaultError.noSuchVault
            case 429: throw VaultError.tooManyAttempts(retryAfter: .seconds(max(0, problem.retryAfter - 1)))
            default: throw ImportRefusal(problem)
            }
        }
    }

    func unreadCount() async throws -> Int {
        try await ask(.GET, "/import/unread", ImportPayload.Count.self).count
    }

    func find(_ contents: [ImportPayload.Content]) async throws -> [ImportPayload.State?] {
        try await ask(.POST, "/import/find", [ImportPayload.State?].self, contents)
    }

    func tell(_ words: [ImportPayload.Words]) async throws -> [ImportPayload.State] {
        try await ask(.POST, "/import/tell", [ImportPayload.State].self, words)
    }

    func states(of ids: [String]) async throws -> [ImportPayload.State?] {
        try await ask(.POST, "/import/states", [ImportPayload.State?].self, ImportPayload.IDs(ids: ids))
    }

    func readAgain(_ ids: [String]) async throws -> [ImportPayload.State?] {
        try await ask(.POST, "/import/read", [ImportPayload.State?].self, ImportPayload.IDs(ids: ids))
    }

    func note(_ proof: ImportProofPayload) async throws {
        _ = try await ask(.PUT, "/import/proof", DaemonClient.Nothing.self, proof)
    }

    func send(_ file: OutgoingFile) async throws -> ImportPayload.State {
        do {
            return try await daemon.send(
                file.pieces, ofByteCount: file.byteCount, to: "/import/photos/\(DaemonClient.escaped(file.name))",
                [
                    file.modifiedAt.map { "modified=\($0)" },
                    file.waitsAs.map { "waitsAs=\(DaemonClient.escaped($0))" },
                ], "Bearer \(token)", ImportPayload.State.self)
        } catch let problem as DaemonProblem {
            throw ImportRefusal(problem)
        }
    }

    func close() async {
        _ = try? await ask(.DELETE, "/import", DaemonClient.Nothing.self)
        await daemon.close()
    }

    private func ask<Value: Decodable & Sendable>(
        _ method: HTTPMethod, _ path: String, _ type: Value.Type, _ json: (any Encodable & Sendable)? = nil
    ) async throws -> Value {
        do {
            return try await daemon.ask(method, path, "Bearer \(token)", type, json)
        } catch let problem as DaemonProblem {
            throw ImportRefusal(problem)
        }
    }
}
