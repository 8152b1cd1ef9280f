import Certificates
import Hummingbird
import Vaults

/// What a page has to know before anything is typed; the same whether or not any vault exists.
struct HelloRoutes {
    private struct Payload: Encodable {
        struct Limits: Encodable {
            let fileBytes: UInt64
            /// How long a deleted photo can be put back.
            let trashDays: Int
        }

        let version: String
        let session: String
        let guests: Bool
        let registration: String
        let codeNeeded: Bool
        let secure: Bool
        /// What this host is trusted by: `authority`, `own`, or null while there is no certificate.
        let certificate: String?
        /// Whom people ask, in the owner's words; null where nobody is named.
        let contact: String?
        let limits: Limits
        /// The piece in which a resumable upload is best sent.
        let chunk = 8 * 1024 * 1024
    }

    let service: VaultService
    let access: Access
    let configuration: WebConfiguration

    func add(to routes: RouteTable) {
        routes.on(.get, "/api/hello") { request, context in
            let hello = service.hello()
            // The page comes up for those, too, who cannot be let in at the moment; the next request tells them.
            let session = try? await access.cookieSession(of: request, context, isUse: false)
            let payload = Payload(
                version: configuration.version, session: session?.kind.rawValue ?? "none",
                guests: hello.takesGuests,
                registration: hello.registration.rawValue,
                codeNeeded: service.codeNeeded(for: access.client(of: request, context)), secure: context.isSecure,
                certificate: configuration.certificate()?.kind.rawValue, contact: configuration.contact,
                limits: .init(fileBytes: hello.fileByteLimit, trashDays: hello.trashDays))
            return try Response(from: context.allowance, status: .ok, json: payload)
        }
    }
}
