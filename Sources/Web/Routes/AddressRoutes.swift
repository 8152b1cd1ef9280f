import Discovery
import HTTPTypes
import Hummingbird
import NIOCore

/// How the next device finds this host.
struct AddressRoutes {
    private struct Payload: Encodable {
        let addresses: [String]
        let reached: Bool
    }

    let access: Access
    let configuration: WebConfiguration

    func add(to routes: RouteTable) {
        routes.on(.get, "/api/addresses") { request, context in
            try await allow(request, context)
            let payload = Payload(addresses: configuration.addresses(), reached: configuration.reached())
            return try Response(from: context.allowance, status: .ok, json: payload)
        }
        routes.on(.get, "/api/qr.svg") { request, context in
            try await allow(request, context)
            guard let address = try request.query("address"), configuration.addresses().contains(address) else {
                throw WebError.notOurAddress
            }
            return Response(
                status: .ok, headers: [.contentType: "image/svg+xml"],
                body: ResponseBody(byteBuffer: ByteBuffer(string: try QRCode(address).svg)))
        }
    }

    /// For who has opened a vault, or sits at the host itself.
    private func allow(_ request: Request, _ context: WebContext) async throws {
        if context.isLocalPeer { return }
        guard try await access.cookieSession(of: request, context) != nil else {
            throw WebError.notSignedIn
        }
    }
}
