import Bytes

extension Collection {
    /// The rows of a list that is answered, taken from what the request may take before one of them is made.
    /// - Throws: `Spent`, and what `make` throws.
    func rows<Row>(from allowance: Allowance, _ make: (Element) throws -> Row) throws -> [Row] {
        try allowance.take(.rows, count)
        return try map(make)
    }
}
