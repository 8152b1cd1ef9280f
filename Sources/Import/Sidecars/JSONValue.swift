import FoundationEssentials

/// Some JSON, of which nobody knows what it says.
enum JSONValue: Decodable {
    case text(String)
    case number(Double)
    case truth(Bool)
    case list([JSONValue])
    case object([String: JSONValue])
    case none

    /// Nil for what is no JSON.
    static func parse(_ bytes: [UInt8]) -> JSONValue? {
        // Some programs put a mark of the byte order in front.
        let bytes = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes.dropFirst(3)) : bytes
        return try? JSONDecoder().decode(JSONValue.self, from: Data(bytes))
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let value = try? container.decode(Bool.self) {
            self = .truth(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else if let value = try? container.decode(String.self) {
            self = .text(value)
        } else if let value = try? container.decode([String: JSONValue].self) {
            self = .object(value)
        } else if let value = try? container.decode([JSONValue].self) {
            self = .list(value)
        } else {
            self = .none
        }
    }

    subscript(_ key: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members[key]
    }

    var string: String? { if case .text(let value) = self { value } else { nil } }
    var isTrue: Bool { if case .truth(let value) = self { value } else { false } }
    var isObject: Bool { if case .object = self { true } else { false } }

    var elements: [JSONValue] { if case .list(let values) = self { values } else { [] } }

    /// A number, or one that is written as text.
    var double: Double? {
        switch self {
        case .number(let value): value
        case .text(let value): Double(value)
        default: nil
        }
    }
}
