import Testing

@testable import Bucket

@Suite("A list comes to its end")
struct ListOrderTests {
    private func page(_ keys: String...) -> ListPage { ListPage(objects: keys.map { ($0, 1) }, next: "more") }

    @Test("names that ascend by their bytes, with pages of nothing between them, are one")
    func order() throws {
        var order = ListOrder()
        // What comes first in UTF-16, in which Swift could compare as well, is the last here.
        for page in [page("A", "a"), page(), page("a/b", "\u{FFFD}"), page("\u{1F600}")] { try order.take(page) }
    }

    @Test("one that names the same again, or goes back, is told of")
    func back() throws {
        for second in ["b", "a"] {
            var order = ListOrder()
            try order.take(page("a", "b"))
            #expect(throws: BucketError.self) { try order.take(page(second)) }
        }
    }

    @Test("one of nothing but further pages is told of")
    func nothing() throws {
        var (order, pages) = (ListOrder(), 0)
        #expect(throws: BucketError.self) {
            // What does not throw never ends.
            while pages < 1_000_000 {
                try order.take(page())
                pages += 1
            }
        }
    }
}
