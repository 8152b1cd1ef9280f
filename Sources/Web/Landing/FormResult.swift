import Records
import Vault

/// What became of one file of a form: a photo, or its name with the code of what went wrong.
enum FormResult: Encodable {
    struct Payload: Encodable {
        let photos: [FormResult]
    }

    case saved(Photo)
    case failed(name: String, VaultError)

    var error: VaultError? {
        if case .failed(_, let error) = self { error } else { nil }
    }

    /// What was not in the vault before.
    var newPhoto: Photo? {
        if case .saved(let photo) = self, photo.isDuplicate != true { photo } else { nil }
    }

    var name: String {
        switch self {
        case .saved(let photo): photo.name
        case .failed(let name, _): name
        }
    }

    private enum Key: String, CodingKey { case name, error }

    func encode(to encoder: any Encoder) throws {
        switch self {
        case .saved(let photo):
            try PhotoPayload(photo).encode(to: encoder)
        case .failed(let name, let error):
            var container = encoder.container(keyedBy: Key.self)
            try container.encode(name, forKey: .name)
            try container.encode(error.code, forKey: .error)
        }
    }
}
