import Logging

extension CertificateKeeper {
    /// What is on disk. Throws when it cannot be read, which is not the same as damaged: nothing is replaced then.
    func load() throws -> Kept {
        var kept = Kept()
        let folder = try CertificateFolder(path: path, logger: logger, willDo: willDo)
        kept.authority = try read(Kept.authorityFile, in: folder, &kept) { file throws(PairFile.Damage) in
            try Authority(file)
        }
        kept.host = try read(Kept.hostFile, in: folder, &kept) { file throws(PairFile.Damage) in
            try HostCertificate(file)
        }
        if let authority = kept.authority, let host = kept.host, !authority.hasSigned(host.certificate) {
            kept.unusable[Kept.hostFile] = "it was not signed by \(Kept.authorityFile)"
            kept.host = nil
        }
        return kept
    }

    private func read<Part>(
        _ name: String, in folder: CertificateFolder, _ kept: inout Kept,
        parse: (PairFile) throws(PairFile.Damage) -> Part
    ) throws -> Part? {
        guard var content = try folder.read(name) else { return nil }
        defer { content.wipe() }
        do {
            return try parse(PairFile(text: content.bytes))
        } catch {
            kept.unusable[name] = error.reason
            return nil
        }
    }
}
