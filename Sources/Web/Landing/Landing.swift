/// The page for devices that come without encryption, and which files of the folder it needs.
struct Landing: Sendable {
    /// Where the page lies; over HTTPS it is the help page.
    static let address = "/connect.html"

    let page: StaticFiles.File
    /// The page's own address, and those of every file that it names, directly or through another.
    let addresses: Set<String>
    /// Those that the page of a door names, for doors that take what comes unencrypted; without the page itself.
    let addressesAtDoors: Set<String>

    /// - Throws: `StaticFiles.Unreadable` when the folder has no such page.
    init(_ files: StaticFiles) throws {
        page = try files.required(Self.address)
        addresses = files.addressesNeeded(by: Self.address)
        addressesAtDoors = files.addressesNeeded(by: "/give/index.html").subtracting(["/give/index.html"])
    }
}

extension StaticFiles {
    /// A page's own address, and those of every file that it names, directly or through another.
    fileprivate func addressesNeeded(by page: String) -> Set<String> {
        var found: Set<String> = [page]
        var unread = [page]
        while let address = unread.popLast() {
            for other in addressesNamed(in: address) where !found.contains(other) {
                // A link to another page is no part of this one.
                guard !other.hasSuffix(".html"), !other.hasSuffix("/") else { continue }
                found.insert(other)
                unread.append(other)
            }
        }
        return found
    }
}
