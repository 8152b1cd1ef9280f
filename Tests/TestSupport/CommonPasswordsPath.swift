/// The file by which new passwords are judged, as the page has it.
package let commonPasswordsPath =
    #filePath.split(separator: "/").dropLast(3).reduce("") { "\($0)/\($1)" } + "/www/common-passwords.bin"
