/**
 * An SQL expression that identifies a database: it has the same value on its streaming replicas,
 * and another value on every other database. It consists of the identifier that `initdb` has given
 * to the files of the server, and the number of the database in them. Every user may read both.
 */
export const DATABASE_ID = `(select system_identifier from pg_control_system()) || '/' ||
  (select oid from pg_database where datname = current_database())`
