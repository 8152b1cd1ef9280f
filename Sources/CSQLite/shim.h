#pragma once
#include <sqlite3.h>

/// Has a connection take what a database file says of itself as data from outside: no trigger or view of the file runs,
/// its schema calls no function that could do harm, and no statement changes that schema behind SQLite's back. Those of the
/// connection itself (TEMP) go on. Swift cannot call sqlite3_db_config, which is variadic.
/// Returns SQLITE_OK, or what SQLite says.
static inline int sqlite_distrust_file(sqlite3 *connection) {
    const int off[] = {
        SQLITE_DBCONFIG_TRUSTED_SCHEMA, SQLITE_DBCONFIG_ENABLE_TRIGGER, SQLITE_DBCONFIG_ENABLE_VIEW,
    };
    for (int i = 0; i < 3; i++) {
        int code = sqlite3_db_config(connection, off[i], 0, (int *)0);
        if (code != SQLITE_OK) return code;
    }
    return sqlite3_db_config(connection, SQLITE_DBCONFIG_DEFENSIVE, 1, (int *)0);
}
