import Glibc
import Records

/// Where the files of the page lie.
enum Page {
    /// Beside an installed program (../share/safelight/www), else in the checkout that the program was built in.
    static func defaultFolder() throws -> String {
        var folder = try programFolder()
        var candidates = ["\(folder)/../share/safelight/www"]
        while let slash = folder.lastIndex(of: "/"), slash > folder.startIndex {
            folder = String(folder[..<slash])
            candidates.append("\(folder)/www")
        }
        guard let found = candidates.first(where: { access("\($0)/index.html", R_OK) == 0 }) else {
            throw StartFailure(description: "The files of the page were not found; name their folder (--www DIR).")
        }
        return found
    }

    /// The folder that this program lies in.
    static func programFolder() throws -> String {
        guard let path = realpath("/proc/self/exe", nil) else {
            throw StartFailure(
                description: "The program's own path cannot be read; name the folder of the page (--www DIR).")
        }
        defer { free(path) }
        let program = String(cString: path)
        return String(program[..<(program.lastIndex(of: "/") ?? program.startIndex)])
    }
}
