/// Integers as ZIP writes them, at places that were checked before.
extension [UInt8] {
    func little16(_ offset: Int) -> UInt16 { UInt16(self[offset]) | UInt16(self[offset + 1]) << 8 }
    func little32(_ offset: Int) -> UInt32 { UInt32(little16(offset)) | UInt32(little16(offset + 2)) << 16 }
    func little64(_ offset: Int) -> UInt64 { UInt64(little32(offset)) | UInt64(little32(offset + 4)) << 32 }
}
