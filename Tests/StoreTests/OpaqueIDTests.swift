import Testing

@testable import Store

@Suite("An opaque id")
struct OpaqueIDTests {
    @Test("goes through bytes and file names unchanged")
    func roundTrip() throws {
        let bytes: [UInt8] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 254, 255]
        let id = try #require(ObjectID(bytes: bytes))
        #expect(id.bytes == bytes)
        #expect(id.hex == "000102030405060708090a0b0c0dfeff")
        #expect(ObjectID(hex: id.hex) == id)
        #expect(ObjectID.random() != ObjectID.random())
    }

    @Test("is made of 16 bytes and nothing else")
    func wrongSizes() {
        #expect(ObjectID(bytes: [UInt8](repeating: 0, count: 15)) == nil)
        #expect(ObjectID(bytes: [UInt8](repeating: 0, count: 17)) == nil)
        for name in ["", "+00102030405060708090a0b0c0dfeff", "000102030405060708090A0B0C0DFEFF", "g"] {
            #expect(ObjectID(hex: name) == nil)
        }
    }
}
