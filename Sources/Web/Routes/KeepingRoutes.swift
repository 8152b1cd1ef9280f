import Hummingbird
import Media
import Records
import Vault
import Vaults

/// What people say of their photos: hearts, captions, dates, which side is up, which part is shown.
struct KeepingRoutes {
    let access: Access
    let limits: WebLimits

    func add(to routes: RouteTable) {
        routes.on(.post, "/api/photos/favourite") { request, context in
            let session = try await access.session(of: request, context)
            let wanted = try await request.decodeJSON(MarkPayload.self, limit: limits.idListByteCount, context)
            let count = try await session.photos.setFavourite(wanted.ids, wanted.on)
            return try Response(from: context.allowance, status: .ok, json: CountPayload(count: count))
        }
        routes.on(.post, "/api/photos/archived") { request, context in
            let session = try await access.session(of: request, context)
            let wanted = try await request.decodeJSON(MarkPayload.self, limit: limits.idListByteCount, context)
            let count = try await session.photos.setArchived(wanted.ids, wanted.on)
            return try Response(from: context.allowance, status: .ok, json: CountPayload(count: count))
        }
        routes.on(.post, "/api/photos/shift") { request, context in
            let session = try await access.session(of: request, context)
            let wanted = try await request.decodeJSON(ShiftPayload.self, limit: limits.idListByteCount, context)
            let count = try await session.photos.shift(wanted.ids, minutes: wanted.minutes)
            return try Response(from: context.allowance, status: .ok, json: CountPayload(count: count))
        }
        routes.on(.patch, "/api/photos/{id}") { request, context in
            let session = try await access.session(of: request, context)
            let wanted = try await request.decodeChange(PhotoChangePayload.self, limit: limits.idListByteCount, context)
            let photo = try await session.photos.correct(
                try context.parameters.require("id"), try Self.correction(wanted))
            return try Response(from: context.allowance, status: .ok, json: PhotoPayload(photo))
        }
    }

    private static func correction(_ wanted: PhotoChangePayload) throws -> PhotoCorrection {
        var correction = PhotoCorrection()
        correction.rotation = wanted.rotation
        switch wanted.edit {
        case .said(let said):
            guard let edit = said.edit else { throw VaultError.editInvalid }
            correction.edit = .said(edit)
        case .some(.none): correction.edit = .some(.none)
        case nil: break
        }
        switch wanted.caption {
        case .said(let text):
            // An empty one says nothing.
            let caption = text.filter { $0 != "\0" }
            correction.caption = caption.allSatisfy(\.isWhitespace) ? .some(.none) : .said(caption)
        case .some(.none): correction.caption = .some(.none)
        case nil: break
        }
        switch wanted.takenAt {
        case .said(let text):
            guard let time = CaptureTime(said: text) else { throw VaultError.takenAtInvalid }
            correction.takenAt = .said(time)
        case .some(.none): correction.takenAt = .some(.none)
        case nil: break
        }
        return correction
    }
}
