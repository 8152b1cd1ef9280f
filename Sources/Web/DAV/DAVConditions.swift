import HTTPTypes
import Hummingbird

/// What a request makes its effect depend on: `If-Match`, `If-None-Match` (RFC 9110, 13.1), and `If` (RFC 4918, 10.4) with
/// the tokens of locks.
struct DAVConditions {
    let tree: DAVTree
    let request: Request
    /// Tokens of locks that the client has.
    let tokens: Set<String>
    private let condition: IfHeader?

    init(tree: DAVTree, request: Request) throws {
        self.tree = tree
        self.request = request
        condition = try request.headers[.ifCondition].map { try IfHeader($0, from: tree.allowance) }
        tokens = condition?.tokens ?? []
    }

    /// - Throws: `preconditionFailed`.
    func require(at path: DAVPath, _ node: DAVNode?) async throws {
        let tags = request.tags(.ifMatch)
        if !tags.isEmpty {
            guard let node, tags.contains("*") || node.entityTag.map(tags.contains) == true else {
                throw DAVRefusal.preconditionFailed
            }
        }
        let others = request.tags(.ifNoneMatch)
        if let node, others.contains("*") || node.entityTag.map(others.contains) == true {
            throw DAVRefusal.preconditionFailed
        }
        guard let condition else { return }
        for list in condition.lists where try await holds(list, at: path) { return }
        throw DAVRefusal.preconditionFailed
    }

    /// - Throws: `locked`.
    func requireUnlocked(_ path: DAVPath, below: Bool = false) throws {
        // By a door's code nothing is overwritten that a lock would have to protect, and whoever has it could keep all
        // others out: locks are granted to programs that write with none, and keep nobody from anything.
        if tree.sendsOnly { return }
        guard tree.memory.withLocks({ $0.allow(tokens, at: path, below: below) }) else { throw DAVRefusal.locked }
    }

    /// What makes or takes away a name changes the folder, too; a lock on that alone counts, and one on the folder's tree
    /// covers the name already.
    /// - Throws: `locked`.
    func requireUnlocked(nameOf path: DAVPath, below: Bool = false) throws {
        try requireUnlocked(path, below: below)
        try requireUnlocked(path.parent)
    }

    /// One that gave way to others is as good.
    private func mayBeHeld(_ condition: IfHeader.Condition) -> Bool {
        tree.sendsOnly && condition.value.hasPrefix(DAVLock.tokenPrefix)
    }

    private func holds(_ list: IfHeader.List, at path: DAVPath) async throws -> Bool {
        var path = path
        if let resource = list.resource {
            guard let other = try? DAVPath(reference: resource, of: request) else { return false }
            path = try await tree.canonical(other)
        }
        let held = Set(tree.memory.withLocks { $0.covering(path) }.map(\.token))
        let tag = try await tree.node(at: path)?.entityTag
        return list.conditions.allSatisfy { condition in
            let holds =
                condition.isTag ? condition.value == tag : held.contains(condition.value) || mayBeHeld(condition)
            return holds != condition.isNegated
        }
    }
}

extension Request {
    /// Entity tags of a list, with their quotation marks; ours hold no comma.
    func tags(_ name: HTTPField.Name) -> [String] {
        headers[values: name].flatMap { value -> [Substring] in value.split(separator: ",") }.map { part -> String in
            part.filter { $0 != " " && $0 != "\t" }
        }
    }
}
