/// A picture in about 25 bytes, shown until its thumbnail is there.
package struct Placeholder: Equatable, Sendable {
    /// Longest side of the picture that it is made from.
    package static let sourceSide = 32

    package let bytes: [UInt8]
}
