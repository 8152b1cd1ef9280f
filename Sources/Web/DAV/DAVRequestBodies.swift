import Bytes
import Hummingbird
import NIOCore
import XML

typealias XMLName = XMLPullParser.Name

/// What a PROPFIND wants to know (RFC 4918, 14.20).
enum PropertyQuery: Equatable {
    case all
    case names
    /// Each once.
    case some([XMLName])

    static let most = 64
    /// Bytes that an answer has of names which none but the client knows: each row tells again that it has none of them.
    static let mostForeignBytes = 2048

    /// Nil stands for a request without a body, which asks for everything.
    init(_ body: XMLElement?) throws(DAVRefusal) {
        guard let body else {
            self = .all
            return
        }
        guard body.name == .dav("propfind") else { throw .malformed }
        let asked = body.elements.filter { [.dav("allprop"), .dav("propname"), .dav("prop")].contains($0.name) }
        guard asked.count == 1, let one = asked.first else { throw .malformed }
        switch one.name.local {
        case "allprop": self = .all
        case "propname": self = .names
        default: self = .some(try Self.distinct(one.elements.map(\.name)))
        }
    }

    private static func distinct(_ names: [XMLName]) throws(DAVRefusal) -> [XMLName] {
        var (seen, distinct, foreignByteCount) = (Set<XMLName>(), [XMLName](), 0)
        for name in names where seen.insert(name).inserted {
            distinct.append(name)
            if !LiveProperties.isLive(name) { foreignByteCount += DAVMultistatus.element(name, nil).utf8.count }
            guard distinct.count <= most, foreignByteCount <= mostForeignBytes else { throw .tooManyProperties }
        }
        return distinct
    }
}

/// The steps of a PROPPATCH (RFC 4918, 14.19), in their order.
struct PropertyUpdate {
    enum Step {
        case set(XMLElement)
        case remove(XMLName)

        var name: XMLName {
            switch self {
            case .set(let element): element.name
            case .remove(let name): name
            }
        }
    }

    private static let most = 64
    /// Of one property, written as XML, in bytes.
    static let longestValue = 16 << 10
    let steps: [Step]

    init(_ body: XMLElement?) throws(DAVRefusal) {
        guard let body, body.name == .dav("propertyupdate") else { throw .malformed }
        var steps: [Step] = []
        for part in body.elements where part.name == .dav("set") || part.name == .dav("remove") {
            for property in part.elements.filter({ $0.name == .dav("prop") }).flatMap(\.elements) {
                steps.append(part.name.local == "set" ? .set(property) : .remove(property.name))
            }
        }
        guard !steps.isEmpty else { throw .malformed }
        guard steps.count <= Self.most else { throw .tooManyProperties }
        self.steps = steps
    }
}

/// The lock that a LOCK asks for (RFC 4918, 14.11).
struct LockWish {
    private static let longestOwner = 2048
    let isShared: Bool
    /// XML, as the client gave it.
    let owner: String

    init(_ body: XMLElement, from allowance: Allowance) throws(DAVRefusal) {
        guard body.name == .dav("lockinfo"), body.first(.dav("locktype"))?.first(.dav("write")) != nil,
            let scope = body.first(.dav("lockscope"))?.elements.first?.name,
            scope == .dav("exclusive") || scope == .dav("shared")
        else { throw .malformed }
        isShared = scope.local == "shared"
        do {
            owner = try body.first(.dav("owner"))?.inner(atMost: Self.longestOwner, from: allowance) ?? ""
        } catch { throw .longOwner }
    }
}

extension Request {
    /// The body as XML; nil for none.
    func xmlBody(_ context: WebContext) async throws -> XMLElement? {
        guard (declaredByteCount ?? 0) <= UInt64(XMLPullParser.mostBytes) else {
            throw WebError.bodyTooLarge(limit: XMLPullParser.mostBytes)
        }
        var bytes: [UInt8] = []
        for try await piece in body {
            guard bytes.count + piece.readableBytes <= XMLPullParser.mostBytes else {
                throw WebError.bodyTooLarge(limit: XMLPullParser.mostBytes)
            }
            context.allowance.note(asked: piece.readableBytes)
            bytes += piece.readableBytesView
        }
        guard !bytes.isEmpty else { return nil }
        do { return try XMLElement(document: bytes, from: context.allowance) } catch {
            throw error.spent == nil ? DAVRefusal.unreadable(error.reason) : .tooMuch
        }
    }
}

extension XMLPullParser.Name {
    static func dav(_ local: String) -> Self { Self("DAV:", local) }
}
