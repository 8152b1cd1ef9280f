/// Bytes that repeat nowhere near. Tests make many millions of them, for which a closure each is slow in a debug build.
package func sampleBytes(_ count: Int, seed: UInt64 = 1) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: count) { bytes, initializedCount in
        var state = seed &* 0x9E37_79B9_7F4A_7C15
        while initializedCount < count {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            bytes[initializedCount] = UInt8(truncatingIfNeeded: state &>> 33)
            initializedCount &+= 1
        }
    }
}
