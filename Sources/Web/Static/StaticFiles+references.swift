import NIOCore

extension StaticFiles {
    /// The files that the text of this one names between quotation marks or in `url(…)`, relative to itself or to the
    /// root. A template literal names the whole folder that stands before its first `${`.
    func addressesNamed(in address: String) -> Set<String> {
        guard let file = self[address], file.isText else { return [] }
        let folder = address.prefix(through: address.lastIndex(of: "/") ?? address.startIndex)
        var named: Set<String> = []
        for literal in literals(of: file.plain.bytes) {
            let isMoved = base != .none && literal.hasPrefix(base.path + "/")
            let reference = isMoved ? literal.dropFirst(base.path.count) : literal[...]
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

    /// What stands between quotation marks or brackets and ends as an address here does, or has a hole. By bytes, for
    /// little of a text is a reference, and every start of the daemon waits for this.
    private func literals(of text: ByteBuffer) -> [String] {
        text.withUnsafeReadableBytes { text in
            var (literals, literal) = ([String](), Literal())
            for index in 0...text.count {
                let byte = index < text.count ? text[index] : UInt8(ascii: "\"")
                switch byte {
                case UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "`"), UInt8(ascii: "("), UInt8(ascii: ")"):
                    if literal.mayBeReference(endingAt: index) {
                        let name = String(decoding: text[literal.nameStart..<(literal.nameEnd ?? index)], as: UTF8.self)
                        if literal.hasHole || name.isEmpty || names.contains(name) {
                            literals.append(String(decoding: text[literal.start..<index], as: UTF8.self))
                        }
                    }
                    literal = Literal(start: index + 1, nameStart: index + 1)
                case ...UInt8(ascii: " "): literal.hasSpace = true
                case UInt8(ascii: "$"): literal.hasHole = true
                case UInt8(ascii: "/") where literal.nameEnd == nil: literal.nameStart = index + 1
                case UInt8(ascii: "?"), UInt8(ascii: "#"): literal.nameEnd = literal.nameEnd ?? index
                default: break
                }
            }
            return literals
        }
    }

    /// One that is being read: where it begins, where its last component does, and where that ends, if before the end.
    private struct Literal {
        var start = 0
        var nameStart = 0
        var nameEnd: Int?
        var hasSpace = false
        var hasHole = false

        func mayBeReference(endingAt end: Int) -> Bool { !hasSpace && (1..<longestReference).contains(end - start) }
    }

    private static let longestReference = 256

    /// The address that a reference means, without what stands behind `?` and `#`; `nil` for what cannot be one.
    private static func resolve(_ literal: Substring, from folder: Substring) -> String? {
        guard !literal.contains(where: \.isWhitespace) else { return nil }
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
