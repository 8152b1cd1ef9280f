package import ImagingProtocol
import Records
import Sealing
import Store
import Threads
package import Vault

/// What there is to show of a photo.
package enum PictureAnswer: Sendable {
    case made(StoredPicture)
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
            switch PhotoDetails.state(of: photo) {
            case .pending:
                vault.pictures.wish(for: [photo.serial])
                return .pending
            case .none: return .none
            case .unreadable(let reason): return .unreadable(reason)
            // Made again only where it would be kept.
            case .made: guard vault.store.previews.isOpen else { return .pending }
            }
            let stored = try await session.reading { try vault.storedPicture(size, of: photo) }
            guard let stored else {
                vault.pictures.wishAgain(for: photo.serial)
                return .pending
            }
            return .made(stored)
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
        /// - Parameter deadline: until then a picture that is being made is waited for.
        package func thumbnail(_ id: String, until deadline: ContinuousClock.Instant?) async throws -> PictureAnswer {
            do {
                let answer = try await picture(id, .thumbnail)
                guard case .pending = answer, let deadline, ContinuousClock.now < deadline,
                    let event = try await event(for: id)
                else { return answer }
                // It may have been made before anybody waited. The vault is not held: its keys end with its last session.
                if case .pending = try await picture(id, .thumbnail) { await Self.wait(for: event, until: deadline) }
                return try await picture(id, .thumbnail)
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
