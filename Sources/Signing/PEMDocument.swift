import COpenSSL

/// Bytes in text form (RFC 7468), between `-----BEGIN label-----` and `-----END label-----`.
package struct PEMDocument: Sendable, Equatable {
    package let label: String
    /// Where they are a key, whoever has them wipes them.
    package var der: [UInt8]

    package init(label: String, der: [UInt8]) {
        self.label = label
        self.der = der
    }

    /// With a line feed at its end. Where it holds a key, the caller wipes it.
    package func text() throws(SigningError) -> [UInt8] {
        let output = BIO_new(BIO_s_mem())
        // What such a buffer held is overwritten as it is freed.
        defer { BIO_free(output) }
        guard output != nil, PEM_write_bio(output, label, "", der, der.count) > 0 else {
            throw .failed("PEM_write_bio")
        }
        var start: UnsafeMutableRawPointer?
        let count = BIO_ctrl(output, BIO_CTRL_INFO, 0, &start)
        return [UInt8](UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count))
    }

    /// All documents in a text, in their order; what stands around them is left out.
    /// - Throws: `malformed` where one is cut off or changed.
    package static func all(in text: [UInt8]) throws(SigningError) -> [PEMDocument] {
        guard let count = Int32(exactly: text.count) else { throw .unreadable("a text of documents") }
        var documents: [PEMDocument] = []
        let isWhole = text.withUnsafeBytes { text in
            let input = BIO_new_mem_buf(text.baseAddress, count)
            defer { BIO_free(input) }
            guard input != nil else { return text.isEmpty }
            while let document = next(in: input) { documents.append(document) }
            let last = ERR_peek_last_error()
            return ERR_GET_LIB(last) == ERR_LIB_PEM && ERR_GET_REASON(last) == PEM_R_NO_START_LINE
        }
        ERR_clear_error()
        guard isWhole else { throw .unreadable("whole documents") }
        return documents
    }

    private static func next(in input: OpaquePointer?) -> PEMDocument? {
        var label: UnsafeMutablePointer<CChar>?
        var header: UnsafeMutablePointer<CChar>?
        var start: UnsafeMutablePointer<UInt8>?
        var count = 0
        guard PEM_read_bio(input, &label, &header, &start, &count) == 1 else { return nil }
        defer {
            CRYPTO_free(label, nil, 0)
            CRYPTO_free(header, nil, 0)
            CRYPTO_clear_free(start, count, nil, 0)
        }
        guard let label else { return nil }
        return PEMDocument(
            label: String(cString: label), der: [UInt8](UnsafeBufferPointer(start: start, count: count)))
    }
}
