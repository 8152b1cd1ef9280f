import Content
package import FoundationEssentials
import Import
package import Records
import Sealing
import Store
package import Uploads
import Vault

extension Session {
    /// Bringing photos.
    package var uploads: Uploads { Uploads(session: self) }

    /// Photos that come: in one piece, and in parts that can be gone on with.
    package struct Uploads: Sendable {
        let session: Session

        package static let longestName = 1024

        /// Makes ready for one upload; everything that can be refused without the body is refused here.
        /// - Parameters:
        ///   - name: any UTF-8 of 1…1,024 bytes; it is data only and never a path.
        ///   - batch: as `createBatch` named it.
        ///   - album: the name of the album that it is to join, which is made where there is none.
        ///   - path: where it lies, folders and name, for what lies beside it; what is none is left out.
        ///   - readsSidecars: whether it is asked what it says of photos.
        /// - Throws: `albumNameEmpty`, `albumNameTooLong`, `vaultNeeded` where a guest names an album, `nameInvalid`, `noSuchBatch`, `fileTooLarge`, `vaultFull`, `guestFull`, `diskFull`, `busy`, `degraded`,
        ///   `sessionEnded`.
        package func begin(
            name: String, declaredByteCount: UInt64?, lastModified: Date?, batch: String? = nil,
            album: String? = nil, path: String? = nil, readsSidecars: Bool = true
        ) async throws -> Upload {
            let following = session.following
            guard following === session else {
                return try await following.uploads.begin(
                    name: name, declaredByteCount: declaredByteCount, lastModified: lastModified, batch: batch,
                    album: album, path: path, readsSidecars: readsSidecars)
            }
            let vault = try session.requireWritableVault()
            try requireValid(name: name)
            try requireValid(album: album, in: vault)
            let batch = try await batchID(batch, in: vault)
            try requireAllowed(byteCount: declaredByteCount ?? 0)
            let pass = try await session.enterDoor(bringing: declaredByteCount ?? 0)
            try await session.engine.requireDoorRoom(forAnnounced: declaredByteCount ?? 0, in: vault)
            let permit = try session.engine.admit(ObjectIdentifier(session), to: vault)
            permit.hold(pass)
            session.remember(permit)
            try await session.engine.requireRoom(
                forAnnounced: ObjectSize.ofOneRun(content: declaredByteCount ?? 0), in: vault)
            let claim = RoomClaim(session.engine.reservations.reserve(), in: vault, announced: declaredByteCount)
            let (upload, lane) = try translated {
                let record = UploadRecord(
                    id: try UploadID(), byteCount: declaredByteCount ?? .max, name: name,
                    modifiedAt: lastModified.map(Milliseconds.from), batch: batch, album: album,
                    path: Self.path(path))
                let upload = try UnfinishedUpload(
                    record, fileKey: SharedSecret(try SecretBytes(random: 32)), expiresDay: vault.store.today,
                    isStored: false, isResumable: false, readsSidecars: readsSidecars)
                let lane = try SealingLane(
                    store: vault.store, start: upload.start,
                    hashing: try ContentHashing(vault.demand(forContentOf: declaredByteCount)),
                    reservation: claim.reservation)
                return (upload, lane)
            }
            return Upload(
                UploadRun(
                    inOnePiece: upload, UploadBody(byteCount: declaredByteCount), session: session, lane: lane,
                    permit: permit, claim: claim))
        }

        /// Makes an upload, or finds the one that the same client id, name and size made before. Durable on return, unless
        /// `body` is given: then with the end of the returned run; or unless it is a guest's: then with its first bytes,
        /// which have to come soon.
        ///
        /// An upload of no bytes is a photo at once.
        /// - Throws: `nameInvalid`, `clientIDInvalid`, `metadataTooLong`, `noSuchBatch`, `fileTooLarge`, `vaultFull`,
        ///   `diskFull`, `checksumTooLong`, `lengthMismatch` for a body longer than the upload, `busy`, `degraded`, `readOnly`,
        ///   `sessionEnded`.
        package func create(_ request: UploadRequest, body: UploadBody? = nil) async throws -> UploadCreation {
            try await translating {
                let vault = try session.requireWritableVault()
                try requireValid(name: request.name)
                guard request.metadata?.utf8.count ?? 0 <= UploadRequest.longestMetadata else {
                    throw VaultError.metadataTooLong
                }
                try requireValid(album: request.album, in: vault)
                try requireAllowed(byteCount: request.byteCount)
                if let body { try requireFitting(body, missing: request.byteCount) }
                let pass = try await session.enterDoor(bringing: request.byteCount)
                defer { withExtendedLifetime(pass) {} }
                let creation = UploadMaking(
                    session: session, vault: vault, request: request, creation: try creationKey(request),
                    batch: try await batchID(request.batch, in: vault), body: body)
                while true {
                    if let found = try await creation.find() { return found }
                    if let made = try await creation.make() { return made }
                }
            }
        }

        /// Where an upload stands. A request that still writes to it is ended first, so that the offset can be used.
        /// - Throws: `noSuchUpload`, `uploadGone`, `uploadBusy`.
        package func status(of id: String) async throws -> UploadStatus {
            try await translating {
                let (vault, id) = (try session.requireVault(), try uploadID(id))
                let pass = try session.enterDoor()
                defer { withExtendedLifetime(pass) {} }
                vault.forgetAnnounced()
                if let upload = vault.uploads[id],
                    let status = try await takingOver(upload, of: vault, { session.status(of: upload) })
                {
                    return status
                }
                return try await session.finishedStatus(id, of: vault)
            }
        }

        /// Takes an upload over: a request that still writes to it is ended first, and what it brought is kept, unless it
        /// announced a digest.
        /// - Throws: `noSuchUpload`, `uploadGone`, `offsetMismatch` with the right offset, `lengthMismatch` for a body
        ///   longer than what is missing, `checksumTooLong`, `uploadBusy` when the other request cannot be ended,
        ///   `busy`, `diskFull`, `degraded`, `readOnly`.
        package func resume(_ id: String, at offset: UInt64, body: UploadBody = UploadBody()) async throws
            -> UploadRun
        {
            try await translating {
                let (vault, id) = (try session.requireWritableVault(), try uploadID(id))
                let pass = try await session.enterDoor(bringing: 0)
                defer { withExtendedLifetime(pass) {} }
                vault.forgetAnnounced()
                if let upload = vault.uploads[id],
                    let run = try await takingOver(
                        upload, of: vault,
                        {
                            let record = upload.record
                            guard offset == record.offset else { throw VaultError.offsetMismatch(record.offset) }
                            try requireFitting(body, missing: record.byteCount - record.offset)
                            return try await begin(upload, of: vault, body)
                        })
                {
                    return run
                }
                let status = try await session.finishedStatus(id, of: vault)
                guard offset == status.offset else { throw VaultError.offsetMismatch(status.offset) }
                try requireFitting(body, missing: 0)
                return UploadRun(finished: status, session: session)
            }
        }

        /// Throws an unfinished upload away. A finished one is only forgotten: its photo stays.
        /// - Throws: `noSuchUpload`, `uploadGone`, `uploadBusy`.
        package func remove(_ id: String) async throws {
            try await translating {
                let (vault, id) = (try session.requireVault(), try uploadID(id))
                let pass = try session.enterDoor()
                defer { withExtendedLifetime(pass) {} }
                if let upload = vault.uploads[id],
                    try await takingOver(
                        upload, of: vault, for: .removal, { try await UploadCommit(upload, vault).remove() })
                        != nil
                {
                    return
                }
                guard let finished = try await vault.library.finished(id, today: vault.store.today) else {
                    throw VaultError.noSuchUpload
                }
                _ = try await vault.update([finished.photo.serial], where: { _ in true }) { record in
                    record.origins.removeAll { $0.upload == id }
                }
            }
        }

        enum Purpose {
            case use
            /// What a request brings that still writes to it is not wanted.
            case removal
        }

        /// Runs `body` when nobody else writes to the upload, and nobody can begin.
        /// - Returns: nil when it is finished or removed by now.
        func takingOver<R>(
            _ upload: UnfinishedUpload, of vault: OpenVault, for purpose: Purpose = .use, _ body: () async throws -> R
        ) async throws -> R? {
            guard await upload.lock.acquire(within: session.engine.limits.takeoverPatience) else {
                throw VaultError.uploadBusy
            }
            defer { upload.lock.release() }
            if let writer = upload.writer, await !writer.end(.uploadBusy, keepingBytes: purpose == .use) {
                throw VaultError.uploadBusy
            }
            guard !upload.isGone else { return nil }
            if !upload.isOnlyAnnounced {
                guard try await vault.store.ledger.read({ try $0.containsUpload(upload.rowID) }) else {
                    vault.uploads.remove(upload)
                    throw VaultError.uploadGone
                }
            }
            // What stands on disk must be known before bytes are cut off.
            if upload.isDoubtful, purpose == .use { try await UploadCommit(upload, vault).storeAgain() }
            return try await body()
        }

        /// Begins to write; for whoever holds the upload's lock.
        func begin(_ upload: UnfinishedUpload, of vault: OpenVault, _ body: UploadBody) async throws -> UploadRun {
            let pass = try session.enterDoor()
            let permit = try session.engine.admit(ObjectIdentifier(session.following), to: vault.owner)
            permit.hold(pass)
            session.following.remember(permit)
            let lane: SealingLane
            do {
                if Compaction.isDue(upload.record) { try await Compaction(upload: upload, vault: vault).run() }
                let demand = vault.demand(for: body, of: upload.record)
                let room = session.engine.reservations.reserve(beyond: upload.storedByteCount)
                lane = try await session.engine.threads.run {
                    try vault.store.reserve.requireRoom(for: body.byteCount ?? 0)
                    return try SealingLane(
                        store: vault.store, start: upload.start, hashing: try ContentHashing(demand),
                        reservation: room)
                }
                upload.begin(room)
            } catch VaultError.damaged {
                // The file of its bytes is gone or cut. Nothing of it can be used.
                try await UploadCommit(upload, vault).remove()
                throw VaultError.uploadGone
            }
            let run = UploadRun(upload, of: vault, body, session: session, lane: lane, permit: permit)
            upload.setWriter(run)
            session.remember(run)
            if session.following !== session { session.following.remember(run) }
            // Whoever ended all requests of this session a moment ago did not see this one.
            if let reason: VaultError = session.following.isEnded
                ? .sessionEnded : session.engine.isDraining ? .draining : nil
            {
                _ = await run.end(reason, keepingBytes: true)
                throw reason
            }
            return run
        }

        /// Whether it lies in an export of Google's or Apple's, which says itself what is an album.
        package static func isOfExport(_ path: String) -> Bool { PathScope.isExport(path) }

        /// What says where a file lies, as far as it does.
        static func path(_ text: String?) -> String? {
            guard let text, text.utf8.count <= SourceFolder.longestPath else { return nil }
            return PathScope.checked(text)
        }

        func requireValid(name: String) throws(VaultError) {
            guard (1...Self.longestName).contains(name.utf8.count), !name.utf8.contains(0) else { throw .nameInvalid }
        }

        /// - Throws: `albumNameEmpty`, `albumNameTooLong`, `vaultNeeded` for a guest, who has no albums.
        func requireValid(album: String?, in vault: OpenVault) throws(VaultError) {
            guard let album else { return }
            guard !vault.isGuest else { throw .vaultNeeded }
            _ = try AlbumName(album)
        }

        func requireAllowed(byteCount: UInt64) throws(VaultError) {
            let limit = session.engine.limits.fileByteCount
            guard byteCount <= limit else { throw .fileTooLarge(limit: limit) }
        }

        /// - Throws: `noSuchBatch`.
        func batchID(_ text: String?, in vault: OpenVault) async throws -> BatchID? {
            guard let text else { return nil }
            guard let id = BatchID(text: text), try await vault.library.batch(id, today: vault.store.today) != nil
            else {
                throw VaultError.noSuchBatch
            }
            return id
        }

        func requireFitting(_ body: UploadBody, missing: UInt64) throws(VaultError) {
            guard let byteCount = body.byteCount else { return }
            guard byteCount <= missing else { throw .lengthMismatch }
            if body.digest != nil, byteCount > ExpectedDigest.requestByteLimit { throw .checksumTooLong }
        }

        private func creationKey(_ request: UploadRequest) throws -> CreationKey? {
            if let id = request.clientID, !(1...UploadRequest.longestClientID).contains(id.utf8.count) {
                throw VaultError.clientIDInvalid
            }
            return try CreationKey(request)
        }

        private func uploadID(_ text: String) throws(VaultError) -> UploadID {
            guard let id = UploadID(text: text) else { throw .noSuchUpload }
            return id
        }

        /// Questions in one call at most.
        package static let mostContentQuestions = 200

        /// Answers in the order of the questions. What is known need not be sent, and yet it lies where it lies: what lies
        /// beside it there speaks of it, too.
        /// - Parameter paths: folders and name of each file, as far as they are told.
        package func answers(
            to questions: [ContentQuestion], at paths: [String?] = []
        ) async throws -> [ContentAnswer] {
            try await translating {
                let vault = try session.requireVault()
                // Who came through a door is told of what they sent themselves.
                guard !vault.isGuest || vault.door != nil else { throw VaultError.vaultNeeded }
                let found = try await vault.library.answers(to: questions)
                let known = zip(found, paths).compactMap { found, path -> (UInt64, SourceFolder)? in
                    guard found.answer == .known, let serial = found.serial else { return nil }
                    return Self.path(path).map { (serial, SourceFolder(ofDuplicate: $0)) }
                }
                if !known.isEmpty, !vault.isGuest, !vault.isReadOnly {
                    try await vault.change { change in
                        for (serial, folder) in known { try change.note(folder, of: serial) }
                    }
                }
                let answers = found.map(\.answer)
                guard let taken = session.door?.takenLately, !taken.isEmpty else { return answers }
                return zip(questions, answers).map { question, answer in
                    guard answer == .new, case .whole(let byteCount, let sha256) = question,
                        taken.contains(where: { $0.byteCount == byteCount && $0.sha256 == sha256 })
                    else { return answer }
                    return .known
                }
            }
        }
    }
}

extension OpenVault {
    /// What is to be hashed on the way: what the client asks for, else content that is likely to be there already.
    func demand(for body: UploadBody, of record: UploadRecord) -> ContentHashing.Demand {
        switch body.digest {
        case .sha256: .sha256
        case .sha1: .sha1
        case nil where record.runs.isEmpty && (body.byteCount ?? record.byteCount) == record.byteCount:
            demand(forContentOf: record.byteCount)
        case nil: .none
        }
    }

    func demand(forContentOf byteCount: UInt64?) -> ContentHashing.Demand {
        guard !isGuest, let byteCount, byteCount > 0 else { return .none }
        return .sha256IfLikely { [library] in
            try library.hasLikelyDuplicate(byteCount: byteCount, firstPartDigest: $0)
        }
    }
}
