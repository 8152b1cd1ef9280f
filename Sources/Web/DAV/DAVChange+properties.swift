import FoundationEssentials
import HTTPTypes
import Hummingbird
import NIOCore
import Records
import Vaults
import XML

extension DAVChange {
    /// PROPPATCH: all of it, or nothing. Times of a file are kept with its photo; what else a client says is remembered
    /// until its session ends.
    func setProperties(_ body: XMLElement?) async throws -> Response {
        let update = try PropertyUpdate(body)
        guard let node = try await tree.node(at: path) else { throw WebError.notFound }
        let conditions = try DAVConditions(tree: tree, request: request)
        try await conditions.require(at: path, node)
        try conditions.requireUnlocked(path)
        // The times of what the vault has taken are its owner's to change.
        let isTaken = if case .taken = node { true } else { false }
        let isOwn = !isTaken && (DAVTree.isWritable(path) || memory.entry(at: path) != nil)
        let refusals = update.steps.map { isOwn ? refusal(of: $0) : .forbidden }
        if refusals.contains(where: { $0 != nil }) {
            return answer(node, zip(update.steps, refusals).map { ($0.name, $1 ?? .failedDependency) })
        }
        let values = try update.steps.map(value)
        for (step, value) in zip(update.steps, values) { try await carryOut(step, value, node) }
        return answer(node, update.steps.map { ($0.name, .ok) })
    }

    /// What is remembered of a step, written before anything is changed; nil where it takes something away.
    private func value(of step: PropertyUpdate.Step) throws -> String? {
        guard case .set(let element) = step else { return nil }
        do { return try element.inner(atMost: PropertyUpdate.longestValue, from: tree.allowance) } catch {
            throw DAVRefusal.longProperty
        }
    }

    private func refusal(of step: PropertyUpdate.Step) -> HTTPResponse.Status? {
        switch step {
        case .set(let element) where XMLName.times.contains(element.name):
            UTCTime.parse(element.text) == nil ? .conflict : nil
        default:
            LiveProperties.isLive(step.name) && step.name != .dav("creationdate") ? .forbidden : nil
        }
    }

    private func carryOut(_ step: PropertyUpdate.Step, _ value: String?, _ node: DAVNode) async throws {
        switch step {
        case .set(let element):
            if XMLName.times.contains(element.name), let time = UTCTime.parse(element.text) {
                if case .photo(let photo) = node { try await tree.session.files.setFileTime(photo.id, to: time) }
                if element.name.namespace == "DAV:" { return }
            }
            if LiveProperties.isLive(element.name) { return }
            try memory.setProperty(element.name, value, at: path)
        case .remove(let name): try memory.setProperty(name, nil, at: path)
        }
    }

    private func answer(_ node: DAVNode, _ results: [(name: XMLName, status: HTTPResponse.Status)]) -> Response {
        let groups = Dictionary(grouping: results, by: \.status.code).sorted { $0.key < $1.key }
        let text = DAVMultistatus.response(
            path, node,
            groups.map { group in
                (group.value[0].status, group.value.map { DAVMultistatus.element($0.name, nil) })
            })
        return Response(
            status: .multiStatus, headers: [.contentType: "application/xml; charset=utf-8"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: DAVMultistatus.start + text + DAVMultistatus.end)))
    }
}

extension HTTPResponse.Status {
    fileprivate static let failedDependency = Self(code: 424, reasonPhrase: "Failed Dependency")
}

extension XMLName {
    /// What Windows says after it has copied a file.
    static let win32LastModified = XMLName("urn:schemas-microsoft-com:", "Win32LastModifiedTime")
    /// Names by which clients say when a file was changed last.
    static let times: Set<XMLName> = [
        win32LastModified, .dav("getlastmodified"), .dav("lastmodified"),
        XMLName("http://owncloud.org/ns", "lastmodified"),
    ]
}
