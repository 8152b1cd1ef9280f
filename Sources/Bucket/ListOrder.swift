/// Whether the pages of a list lead to its end: a store that gives the same names again and again, or none and always
/// another page, would be asked for ever.
package struct ListOrder {
    /// Stores pass over names of what was removed, and may give pages of nothing meanwhile.
    private static let mostEmptyPages = 1000

    private var last: String?
    private var emptyPages = 0

    package init() {}

    /// - Throws: `strange` where names do not ascend by their bytes, as those of every list do.
    package mutating func take(_ page: ListPage) throws(BucketError) {
        emptyPages = page.objects.isEmpty ? emptyPages + 1 : 0
        guard emptyPages <= Self.mostEmptyPages else { throw .strange("a list goes on and on, and names nothing") }
        for (key, _) in page.objects {
            if let last, !last.utf8.lexicographicallyPrecedes(key.utf8) {
                throw .strange("a list does not go on, but back")
            }
            last = key
        }
    }
}
