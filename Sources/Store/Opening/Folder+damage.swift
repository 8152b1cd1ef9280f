extension Folder {
    /// Moves those of the files that are there, in this order, into a new folder.
    /// - Returns: its name.
    func moveDamagedAside(_ files: [String], day: UInt32) throws(StoreError) -> String {
        var number = 1
        while contains(StoreLayout.damagedFolder(day: day, number: number)) { number += 1 }
        let name = StoreLayout.damagedFolder(day: day, number: number)
        try makeFolder(name)
        let folder = try folder(name)
        for file in files where contains(file) { try rename(file, to: file, in: folder) }
        try folder.synchronize()
        try synchronize()
        return name
    }
}
