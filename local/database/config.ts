/**
 * postgresql.conf of the embedded database: small, as it shares a laptop with everything else.
 *
 * PGlite is one process without helpers, so the settings of autovacuum, the WAL writer and parallel queries do not
 * matter; `worker.ts` vacuums and checkpoints in their place.
 */
export const CONFIG = [
  "shared_buffers = 16MB",
  "max_connections = 5",
  "work_mem = 4MB",
  "maintenance_work_mem = 16MB",
  "max_wal_size = 64MB",
  "min_wal_size = 32MB",
  "jit = off",
  "timezone = 'UTC'",
  "log_timezone = 'UTC'",
];
