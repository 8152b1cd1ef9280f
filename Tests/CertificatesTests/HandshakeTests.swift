import Foundation
import NIOCore
import NIOPosix
import NIOSSL
import NIOTLS
import Signing
import SigningSupport
import Testing

@testable import Certificates

@Suite("Handshakes with a client that trusts the authority")
struct HandshakeTests {
    @Test(
        "the host is believed under each of its names",
        arguments: ["photos.local", "photos.example.org", "localhost"])
    func names(name: String) async throws {
        let host = try SampleHost(at: Date())
        let certificates = await host.prepared()
        try await TestHandshake(certificates, trusting: certificates.facts).run(name: name)
    }

    @Test("and under its address, IPv4 and IPv6", arguments: ["127.0.0.1", "::1"])
    func addresses(address: String) async throws {
        let host = try SampleHost(at: Date())
        let certificates = await host.prepared()
        try await TestHandshake(certificates, trusting: certificates.facts, address: address).run(name: nil)
    }

    @Test("TLS 1.2 works, 1.1 does not; HTTP/1.1 is agreed on")
    func versions() async throws {
        let host = try SampleHost(at: Date())
        let certificates = await host.prepared()
        let handshake = TestHandshake(certificates, trusting: certificates.facts)
        #expect(try await handshake.run(name: "photos.local", version: .tlsv12) == "http/1.1")
        #expect(try await handshake.run(name: "photos.local", version: .tlsv13) == "http/1.1")
        await #expect(throws: (any Error).self) { try await handshake.run(name: "photos.local", version: .tlsv11) }
    }

    @Test("under any other name it is not believed")
    func otherName() async throws {
        let host = try SampleHost(at: Date())
        let certificates = await host.prepared()
        await #expect(throws: (any Error).self) {
            try await TestHandshake(certificates, trusting: certificates.facts).run(name: "example.com")
        }
    }

    @Test("nor by a client that trusts another host's authority")
    func otherAuthority() async throws {
        let certificates = await (try SampleHost(at: Date())).prepared()
        let other = await (try SampleHost(at: Date())).prepared()
        await #expect(throws: (any Error).self) {
            try await TestHandshake(certificates, trusting: other.facts).run(name: "photos.local")
        }
    }

    @Test("a device that trusted the authority believes the renewed certificate, at the new address as well")
    func renewed() async throws {
        let host = try SampleHost(at: Date())
        let certificates = await host.prepared()
        let facts = certificates.facts
        host.change { $0.names = CertificateNames(dnsNames: [], addresses: []) }
        try await TestHandshake(certificates, trusting: facts, address: "127.0.0.2").run(name: nil)
    }
}

/// A server that is served by the offers of `certificates`, and a client that trusts `facts` and nobody else. The client
/// judges by OpenSSL, because BoringSSL's own judge knows no name constraints of addresses and takes nothing
/// from an authority that has them.
struct TestHandshake {
    let certificates: HostCertificates
    let facts: CertificateFacts?
    var address = "127.0.0.1"

    init(_ certificates: HostCertificates, trusting facts: CertificateFacts?, address: String = "127.0.0.1") {
        self.certificates = certificates
        self.facts = facts
        self.address = address
    }

    /// Returns the protocol that was agreed on; throws when the client does not believe the host.
    @discardableResult
    func run(name: String?, version: TLSVersion = .tlsv13) async throws -> String? {
        let group = MultiThreadedEventLoopGroup.singleton
        let context = try #require(try await certificates.context(at: address))
        let server = try await ServerBootstrap(group: group)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: context))
                }
            }
            .bind(host: address, port: 0).get()
        defer { server.close(promise: nil) }
        let promise = group.next().makePromise(of: String?.self)
        let (client, verdict) = (try clientContext(version), try verdict(name))
        let channel = try await ClientBootstrap(group: group)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let judge = try NIOSSLClientHandler(
                        context: client, serverHostname: name, customVerificationCallback: verdict)
                    try channel.pipeline.syncOperations.addHandlers([judge, Outcome(promise)])
                }
            }
            .connect(to: try #require(server.localAddress)).get()
        defer { channel.close(promise: nil) }
        return try await promise.futureResult.get()
    }

    private func clientContext(_ version: TLSVersion) throws -> NIOSSLContext {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.minimumTLSVersion = version
        configuration.maximumTLSVersion = version
        configuration.applicationProtocols = ["h2", "http/1.1"]
        return try NIOSSLContext(configuration: configuration)
    }

    private typealias Verdict = @Sendable ([NIOSSLCertificate], EventLoopPromise<NIOSSLVerificationResult>) -> Void

    private func verdict(_ name: String?) throws -> Verdict {
        let facts = try #require(facts)
        let root = try X509Certificate(der: facts.der)
        let address = name == nil ? address : nil
        return { chain, promise in
            promise.completeWith(
                Result {
                    let leaf = try X509Certificate(der: try #require(chain.first).toDERBytes())
                    let client = ClientJudgement(trusting: root, at: Date(), name: name, address: address)
                    return try client.accepts(leaf) ? .certificateVerified : .failed
                })
        }
    }

    private final class Outcome: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        private let promise: EventLoopPromise<String?>

        init(_ promise: EventLoopPromise<String?>) {
            self.promise = promise
        }

        func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
            if case .handshakeCompleted(let agreed)? = event as? TLSUserEvent { promise.succeed(agreed) }
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            promise.fail(error)
            context.close(promise: nil)
        }

        func channelInactive(context: ChannelHandlerContext) {
            promise.fail(ChannelError.eof)
        }
    }
}
