import NIOCore

extension StaticFiles {
    /// The files that the text of this one names between quotation marks or in `url(…)`, relative to itself or to the
    /// root. A template literal names the whole folder that stands before its first `${`.
    func addressesNamed(in address: String) -> Set<String> {
        guard let file = self[address], file.isText else { return [] }
        let folder = address.prefix(through: address.lastIndex(of: "/") ?? address.startIndex)
        var named: Set<String> = []
        for literal in String(buffer: file.plain.bytes).split(whereSeparator: { "\"'`()".contains($0) }) {
            let isMoved = base != .none && literal.hasPrefix(base.path + "/")
            let reference = isMoved ? literal.dropFirst(base.path.count) : literal
            guard let target = Self.resolve(reference, from: folder) else { continue }
            if let hole = target.firstRange(of: "${") {
                let start = target[..<hole.lowerBound]
                if start.hasSuffix("/"), start != "/" { named.formUnion(addresses.filter { $0.hasPrefix(start) }) }
            } else if target != "/", self[target] != nil {
                named.insert(target)
            }
        }
        return named
    }

    /// The address that a reference means, without what stands behind `?` and `#`; `nil` for what cannot be one.
    private static func resolve(_ literal: Substring, from folder: Substring) -> String? {
        guard literal.utf8.count < 256, !literal.contains(where: \.isWhitespace) else { return nil }
        let reference = literal.prefix { $0 != "?" && $0 != "#" }
        if reference.isEmpty || reference.hasPrefix("/") { return String(reference) }
        // Most templates make texts, and say nothing about files.
        guard reference.hasPrefix(".") || !reference.contains("${") else { return nil }
        var components = folder.split(separator: "/")
        for component in reference.split(separator: "/") {
            switch component {
            case ".": break
            case "..": _ = components.popLast()
            default: components.append(component)
            }
        }
        return "/" + components.joined(separator: "/")
    }
}
