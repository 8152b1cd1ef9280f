import Bytes
package import FoundationEssentials
import HTTPTypes
import Hummingbird
import Media
import NIOCore
package import Records
import Uploads
import Vaults

/// Resumable uploads by tus 1.0.0, and by the IETF's draft where a request names one of its iterations. An offset that is
/// answered is on disk.
struct TusRoutes {
    let service: VaultService
    let access: Access
    var base = "/api"

    func add(to routes: RouteTable) {
        for path in ["\(base)/uploads", "\(base)/uploads/{id}"] { routes.on(.options, path, describe) }
        routes.on(.post, "\(base)/uploads", create)
        routes.on(.head, "\(base)/uploads/{id}") { request, context in
            if let draft = draft(request) {
                return try await draft.status(of: try context.parameters.require("id"), request, context)
            }
            let (session, id) = try await upload(of: request, context)
            let status = try await session.uploads.status(of: id)
            var response = Response(status: .ok, headers: status.fields)
            // Only this answer says what the client said of its file.
            response.headers[.uploadMetadata] = status.metadata
            return response
        }
        routes.on(.patch, "\(base)/uploads/{id}", append)
        routes.on(.delete, "\(base)/uploads/{id}", remove)
        // Java's HttpURLConnection cannot send PATCH, and says by this field of tus 1.0.0 what it means.
        routes.on(.post, "\(base)/uploads/{id}") { request, context in
            switch request.headers[.methodOverride]?.uppercased() {
            case "PATCH": return try await append(request, context)
            case "DELETE": return try await remove(request, context)
            default: throw WebError.methodNotAllowed(allowed: [.options, .head, .patch, .delete])
            }
        }
    }

    @Sendable private func remove(_ request: Request, _ context: WebContext) async throws -> Response {
        let (session, id) = try await upload(of: request, context)
        try await session.uploads.remove(id)
        return Response(status: .noContent)
    }

    @Sendable private func describe(_ request: Request, _ context: WebContext) -> Response {
        Response(
            status: .noContent,
            headers: [
                .tusVersion: TusProtocol.version, .tusExtension: TusProtocol.extensions,
                .tusMaxSize: "\(service.hello().fileByteLimit)",
                .tusChecksumAlgorithm: TusProtocol.checksumAlgorithms,
                .acceptPatch: ([ResumableDraft.mediaType] + TusProtocol.contentTypes).joined(separator: ", "),
                .uploadLimit: ResumableDraft.limit(mostBytes: service.hello().fileByteLimit),
            ])
    }

    @Sendable private func create(_ request: Request, _ context: WebContext) async throws -> Response {
        if let answer = try await draft(request)?.create(
            named: { try UploadRoutes.rawName(of: request) }, .photo, request, context)
        {
            return answer
        }
        try request.requireTusVersion()
        let wanted = try TusCreation(request)
        let session = try await access.sendingSession(of: request, context)
        let creation = try await session.uploads.create(wanted.request, body: wanted.body)
        var status = creation.status
        if let run = creation.run {
            status = try await TusBody(request).send(to: run)
        } else if let body = wanted.body {
            status = try await TusBody(request).resend(body, to: status, in: session)
        }
        var response = Response(status: .created, headers: status.fields)
        // Relative to the request's own address, so that it is right behind any proxy and under any name.
        response.headers[.location] = "\(PageBase.current)\(base)/uploads/\(status.id)"
        return response
    }

    @Sendable private func append(_ request: Request, _ context: WebContext) async throws -> Response {
        if let draft = draft(request) {
            return try await draft.append(to: try context.parameters.require("id"), request, context)
        }
        let (session, id) = try await upload(of: request, context)
        let body = try request.tusBody()
        let offset = try request.tusByteCount(.uploadOffset)
        let run = try await session.uploads.resume(id, at: offset, body: body)
        return Response(status: .noContent, headers: try await TusBody(request).send(to: run).fields)
    }

    private func upload(of request: Request, _ context: WebContext) async throws -> (Session, String) {
        if draft(request) == nil { try request.requireTusVersion() }
        return (try await access.sendingSession(of: request, context), try context.parameters.require("id"))
    }

    private func draft(_ request: Request) -> ResumableUpload? {
        ResumableUpload(request, access: access, base: base)
    }
}

/// A request for a new upload, read from its header.
struct TusCreation {
    let request: UploadRequest
    /// The first bytes, if they come with it.
    let body: UploadBody?

    /// - Throws: `malformedRequest`, `unsupportedMediaType`.
    init(_ request: Request) throws {
        guard request.headers[.uploadDeferLength] == nil else {
            throw WebError.malformedRequest("its length has to be known: Upload-Defer-Length is not offered")
        }
        guard request.headers[.uploadConcat] == nil else {
            throw WebError.malformedRequest("a file is one upload: Upload-Concat is not offered")
        }
        guard (request.headers[.uploadOffset].flatMap { UInt64($0) } ?? 0) == 0 else {
            throw WebError.malformedRequest("an upload begins at its beginning")
        }
        body = request.hasBody ? try request.tusBody() : nil
        let field = request.headers[.uploadMetadata] ?? ""
        let metadata = try TusMetadata(field: field)
        self.request = UploadRequest(
            name: Self.name(metadata), byteCount: try request.tusByteCount(.uploadLength),
            lastModified: metadata.lastModified, taken: metadata.taken, clientID: metadata.clientID,
            batch: try request.query("batch") ?? metadata.batch, metadata: field.isEmpty ? nil : field,
            album: try request.query("album") ?? metadata.album,
            path: try request.query("path") ?? metadata.path)
    }

    /// Creating an upload twice makes one only if it is called the same.
    private static func name(_ metadata: TusMetadata) -> String {
        if let name = NamelessFile.given(metadata.filename) { return name }
        guard let moment = metadata.lastModified ?? (metadata.clientID == nil ? Date() : nil) else { return "photo" }
        return NamelessFile.name(declaredType: metadata.type, at: moment)
    }
}

/// The body of a request on its way into an upload.
struct TusBody {
    private let request: Request

    init(_ request: Request) {
        self.request = request
    }

    /// Answers at once when somebody else ends the run, also while the client is silent.
    /// - Parameter skipped: bytes at the body's beginning that the upload has already.
    func send(to run: UploadRun, skipping skipped: UInt64 = 0) async throws -> UploadStatus {
        try await withThrowingTaskGroup(of: UploadStatus?.self) { group in
            // At once, so that what is there already is taken before anybody can end the run.
            group.addImmediateTask { try await feed(run, skipping: skipped) }
            group.addTask {
                await run.waitUntilEnded()
                return nil
            }
            while let status = try await group.next() {
                // Nobody waits for the body any longer, nor for the end.
                group.cancelAll()
                if let status { return status }
            }
            throw VaultError.internalFailure("a request without an end")
        }
    }

    private func feed(_ run: UploadRun, skipping skipped: UInt64) async throws -> UploadStatus {
        do {
            var left = skipped
            for try await piece in request.body {
                var piece = piece
                let known = Int(clamping: min(left, UInt64(piece.readableBytes)))
                piece.moveReaderIndex(forwardBy: known)
                left -= UInt64(known)
                if piece.readableBytes > 0 { try await run.append(piece) }
            }
            // A body that nobody waits for any longer may seem to end.
            if Task.isCancelled { await run.abandon() }
            return try await run.finish()
        } catch {
            let isCancelled = Task.isCancelled
            await run.abandon()
            guard isCancelled else { throw error }
            // It stopped waiting because the run had ended, and how is what counts.
            return try await run.finish()
        }
    }

    /// For a creation that was sent again, with its body, to an upload that got some of it the first time.
    func resend(_ body: UploadBody, to status: UploadStatus, in session: Session) async throws -> UploadStatus {
        guard status.photo == nil, body.digest == nil, (body.byteCount ?? .max) > status.offset else {
            return try await refuse(answering: status)
        }
        let rest = UploadBody(byteCount: body.byteCount.map { $0 - status.offset })
        let run = try await session.uploads.resume(status.id, at: status.offset, body: rest)
        return try await send(to: run, skipping: status.offset)
    }

    /// Reads what is not needed, since a browser that is still sending would take an early answer for a broken
    /// connection and try again for ever. A client that asks before it sends is answered at once.
    private func refuse(answering status: UploadStatus) async throws -> UploadStatus {
        guard request.headers[.expect] == nil else { return status }
        var byteCount: UInt64 = 0
        for try await piece in request.body {
            byteCount += UInt64(piece.readableBytes)
            guard byteCount <= status.byteCount else { break }
        }
        return status
    }
}

extension Request {
    /// What is announced of a body that is the bytes of an upload; parameters of its type do not matter.
    /// - Throws: `unsupportedMediaType` for another body, `malformedRequest`.
    func tusBody() throws(WebError) -> UploadBody {
        let type = headers[.contentType]?.prefix { $0 != ";" && $0 != " " && $0 != "\t" }
        guard let type = type?.lowercased(), TusProtocol.contentTypes.contains(type) else {
            throw .unsupportedMediaType
        }
        var digest = try headers[.uploadChecksum].map { field throws(WebError) in
            try ExpectedDigest(uploadChecksum: field)
        }
        if digest == nil, let content = try AnnouncedDigests.sha256OfContent(headers) { digest = .sha256(content) }
        return UploadBody(byteCount: declaredByteCount, digest: digest)
    }
}

extension ExpectedDigest {
    /// `Upload-Checksum`: an algorithm, a space, the digest in base64 that the bytes of this request must have.
    /// - Throws: `malformedRequest`, also for an algorithm that is not offered, as tus asks.
    package init(uploadChecksum field: String) throws(WebError) {
        let words = field.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 2, let digest = Base64.decode(words[1]) else {
            throw .malformedRequest("Upload-Checksum is not an algorithm and its digest in base64")
        }
        switch (words[0], digest.count) {
        case ("sha256", 32): self = .sha256(digest)
        case ("sha1", 20): self = .sha1(digest)
        case ("sha256", _), ("sha1", _):
            throw .malformedRequest("Upload-Checksum is not as long as its algorithm makes it")
        default:
            throw .malformedRequest("Upload-Checksum is not one of \(TusProtocol.checksumAlgorithms)")
        }
    }
}

/// `Upload-Metadata`: what a client says of its file. Keys that mean nothing here are checked for their form only.
package struct TusMetadata: Equatable, Sendable {
    private static let longestType = 255
    private static let longestTime = 64
    private static let longestID = 256

    package private(set) var filename: String?
    package private(set) var type: String?
    package private(set) var lastModified: Date?
    /// When the client thinks that it was taken, and in which zone.
    package private(set) var taken: CaptureHint?
    /// The client's own name of this upload, by which creating it twice makes one.
    package private(set) var clientID: String?
    package private(set) var batch: String?
    /// The name of the album that it is to join.
    package private(set) var album: String?
    /// Where it lies: folders and name.
    package private(set) var path: String?

    /// What decides where the photo goes, and has to be read rightly or not at all.
    private static let deciding: Set<Substring> = ["cid", "batch", "album"]

    /// Clients put other things there, too, and write them in other ways: a pair that cannot be read is left out, and of
    /// two with one key the first counts.
    /// - Parameter field: pairs of a key and base64, separated by commas; a value that is missing is empty.
    /// - Throws: `malformedRequest` where `cid`, `batch` or `album` cannot be read.
    package init(field: String) throws(WebError) {
        var values: [Substring: [UInt8]] = [:]
        for pair in field.split(separator: ",") {
            let words = pair.split { $0 == " " || $0 == "\t" }
            guard let key = words.first else { continue }
            let isDeciding = Self.deciding.contains(key)
            let value = words.count <= 2 ? Base64.decode(words.dropFirst().first ?? "") : nil
            guard !isDeciding || value != nil && values[key] == nil else {
                throw .malformedRequest("Upload-Metadata has a \(key) that is not base64, or two of them")
            }
            // A name that was written as it is says more than none.
            guard let value = value ?? Self.plain(pair, key), values[key] == nil else { continue }
            values[key] = value
        }
        try read(values)
    }

    private static func plain(_ pair: Substring, _ key: Substring) -> [UInt8]? {
        guard key == "filename" || key == "name" else { return nil }
        let isBlank = { (character: Character) in character == " " || character == "\t" }
        return Array(pair.drop(while: isBlank).dropFirst(key.count).drop(while: isBlank).utf8)
    }

    /// Of what only describes the file, odd values are left out: no photo is refused for them.
    private mutating func read(_ values: [Substring: [UInt8]]) throws(WebError) {
        filename = Self.description(["filename", "name"], values).map(FileNameText.decode)
        type = Self.description(["filetype", "type"], values)
            .flatMap { $0.count <= Self.longestType ? String(validating: $0, as: UTF8.self) : nil }
        lastModified = Self.description(["lastModified"], values)
            .flatMap { String(validating: $0.prefix(Self.longestTime), as: UTF8.self) }.flatMap(UTCTime.parse)
        taken = Self.description(["taken"], values)
            .flatMap { String(validating: $0.prefix(Self.longestTime), as: UTF8.self) }.flatMap(Self.hint)
        path = Self.description(["relativePath"], values).flatMap { String(validating: $0, as: UTF8.self)?.streamSafe }
        clientID = try Self.text("cid", values)
        batch = try Self.text("batch", values)
        album = try Self.text("album", values).flatMap { $0.isEmpty ? nil : $0 }
    }

    /// RFC 3339: with a zone, or it says nothing that the file does not say itself.
    private static func hint(_ text: String) -> CaptureHint? {
        guard let moment = UTCTime.parse(text), text.utf8.count > 6 else { return nil }
        var scanner = TextScanner(String(text.suffix(6)))
        return scanner.zone().map { CaptureHint(moment: moment, offsetMinutes: $0) }
    }

    /// The value of the first of these keys that has one.
    private static func description(_ keys: [Substring], _ values: [Substring: [UInt8]]) -> [UInt8]? {
        keys.lazy.compactMap { values[$0] }.first { !$0.isEmpty }
    }

    private static func text(_ key: Substring, _ values: [Substring: [UInt8]]) throws(WebError) -> String? {
        guard let bytes = values[key] else { return nil }
        guard bytes.count <= longestID, let text = String(validating: bytes, as: UTF8.self) else {
            throw .malformedRequest("Upload-Metadata has a \(key) that is too long or not UTF-8")
        }
        return text
    }
}
