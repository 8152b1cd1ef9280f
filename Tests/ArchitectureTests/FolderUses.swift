/// Which folder of a target names types that another one of its folders declares. What an extension adds is not seen.
struct FolderUses {
    struct Use {
        let path: String
        let type: String
        let from: String
        let to: String
    }

    let names: Set<String>
    let uses: [Use]

    init(_ files: [SourceTree.File]) {
        names = Set(files.map(\.folder))
        var homes: [String: SourceTree.File] = [:]
        for file in files {
            for type in file.lines.compactMap(declaredType) where homes[type] == nil { homes[type] = file }
        }
        uses = files.flatMap { file in
            Set(linesOfCode(file.lines).flatMap { words(of: $0) }).filter { $0.first?.isUppercase == true }.map(
                String.init
            ).sorted().compactMap { type in
                guard let home = homes[type], home.folder != file.folder else { return nil }
                return Use(path: file.path, type: type, from: file.folder, to: home.folder)
            }
        }
    }
}

extension SourceTree.File {
    /// Below the target's own; empty for a file that stands beside the folders.
    var folder: String {
        path.split(separator: "/").dropFirst(2).dropLast().joined(separator: "/")
    }
}

/// `package final class Store: Sendable {` → `Store`; nil for lines that declare no type of the file's own level.
func declaredType(_ line: Substring) -> String? {
    let kinds: Set<Substring> = ["struct", "class", "enum", "actor", "protocol", "typealias"]
    let modifiers: Set<Substring> = ["package", "public", "private", "fileprivate", "final", "indirect"]
    guard line.first?.isWhitespace == false else { return nil }
    let words = words(of: line)
    guard let kind = words.firstIndex(where: kinds.contains), words[..<kind].allSatisfy(modifiers.contains) else {
        return nil
    }
    return words.dropFirst(kind + 1).first.map(String.init)
}

/// Without those of texts that go over several lines.
private func linesOfCode(_ lines: [Substring]) -> [Substring] {
    var isText = false
    return lines.filter { line in
        let wasText = isText
        if line.contains("\"\"\"") { isText.toggle() }
        return !wasText
    }
}
