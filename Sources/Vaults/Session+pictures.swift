package import ImagingProtocol
import Records
import Sealing
import Store
import Threads
package import Vault

/// What there is to show of a photo.
package enum PictureAnswer: Sendable {
    case made(StoredPicture)
    /// One that a client made of what it sent. This host's own was moved to the front.
    case provisional(StoredPicture)
    /// Not yet; it was moved to the front.
    case pending
    case none
    case unreadable(UnreadableReason)
    /// No such photo.
    case unknown
}

extension Session {
    /// What photos look like.
    package var pictures: Pictures { Pictures(session: self) }

    /// Thumbnails and previews.
    package struct Pictures: Sendable {
        let session: Session

        /// Thumbnails asked for at once, at most.
        package static let mostPictures = 128
        /// Bytes of a thumbnail that a client made, at most.
        package static let provisionalByteLimit = PreviewSeal.provisionalByteLimit

        /// The one for a screen.
        /// - Throws: `noSuchPhoto`, `sessionEnded`.
        package func preview(_ id: String) async throws -> PictureAnswer { try await picture(id, .preview) }

        /// The one for a list.
        /// - Throws: `noSuchPhoto`, `sessionEnded`.
        package func thumbnail(_ id: String) async throws -> PictureAnswer { try await picture(id, .thumbnail) }

        func picture(_ id: String, _ size: PreviewSize) async throws -> PictureAnswer {
            let vault = try session.requireVault()
            return try await picture(try await session.libraryPhoto(id, in: vault), size, of: vault)
        }

        private func picture(
            _ photo: LibraryPhoto, _ size: PreviewSize, of vault: OpenVault
        ) async throws -> PictureAnswer {
            let isMade: Bool
            switch PhotoDetails.state(of: photo) {
            case .pending:
                isMade = false
                vault.pictures.wish(for: [photo.serial])
            case .none: return .none
            case .unreadable(let reason): return .unreadable(reason)
            case .made: isMade = true
            }
            // Made again only where it would be kept.
            guard vault.store.previews.isOpen else { return .pending }
            let stored = try await session.reading { try vault.storedPicture(size, of: photo) }
            if isMade, let stored, !stored.isProvisional { return .made(stored) }
            if isMade { vault.pictures.wishAgain(for: photo.serial) }
            // This host's own counts with its row, which is a moment behind.
            guard let stored, stored.isProvisional else { return .pending }
            return .provisional(stored)
        }

        /// Keeps a thumbnail that the client made of what it sent, until this host has looked into the photo.
        /// - Throws: `noSuchPhoto`, `sessionEnded`, `diskFull`.
        package func keep(provisional picture: Rendition, of id: String) async throws {
            let vault = try session.requireVault()
            try await translating {
                try await vault.keep(provisional: picture, of: try await session.libraryPhoto(id, in: vault))
            }
        }

        /// Those of these photos that have no pictures yet come first, in this order.
        package func wish(for ids: [String]) async throws {
            let vault = try session.requireVault()
            var waiting: [UInt64] = []
            for serial in ids.compactMap({ try? session.serial($0) }) {
                if let photo = try await vault.library.photoOrKept(serial: serial), photo.picture == nil {
                    waiting.append(photo.serial)
                }
            }
            vault.pictures.wish(for: waiting)
        }

        /// Gives the thumbnail as `picture` does, for one of many.
        /// - Parameters:
        ///   - deadline: until then a picture that is being made is waited for.
        ///   - own: what a client made counts for none.
        package func thumbnail(
            _ id: String, until deadline: ContinuousClock.Instant?, own: Bool = false
        ) async throws -> PictureAnswer {
            func look() async throws -> PictureAnswer {
                let answer = try await picture(id, .thumbnail)
                if own, case .provisional = answer { return .pending }
                return answer
            }
            do {
                let answer = try await look()
                guard case .pending = answer, let deadline, ContinuousClock.now < deadline,
                    let event = try await event(for: id)
                else { return answer }
                // It may have been made before anybody waited. The vault is not held: its keys end with its last session.
                if case .pending = try await look() { await Self.wait(for: event, until: deadline) }
                return try await look()
            } catch VaultError.noSuchPhoto {
                return .unknown
            }
        }

        /// Of the photo that is there: the id may be that of a duplicate, whose own serial nobody ever looks into.
        private func event(for id: String) async throws -> OneTimeEvent? {
            let vault = try session.requireVault()
            return vault.pictures.event(for: try await session.libraryPhoto(id, in: vault).serial)
        }

        static func wait(for event: OneTimeEvent, until deadline: ContinuousClock.Instant) async {
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await event.wait() }
                group.addTask { try? await Task.sleep(until: deadline, clock: .continuous) }
                await group.next()
                group.cancelAll()
            }
        }
    }
}
