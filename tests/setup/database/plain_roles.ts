import type postgres from "postgres";

/** The two roles of docs/operations.md#roles: neither is a superuser. */
export interface PlainRoles {
  /** Owns the database: for the migrations. */
  owner: string;
  ownerUrl: string;
  /** May read and write rows: for the service. */
  service: string;
  serviceUrl: string;
}

/** Makes the roles in an empty database, calls `fn`, and drops the roles with all that they own there. */
export async function withPlainRoles(
  { sql, url }: { sql: postgres.Sql; url: string },
  fn: (roles: PlainRoles) => Promise<void>,
): Promise<void> {
  const suffix = crypto.randomUUID().slice(0, 8);
  const [owner, service] = [`owner_${suffix}`, `service_${suffix}`];
  const database = new URL(url).pathname.slice(1);
  await sql.unsafe(`
    create role ${owner} login;
    create role ${service} login;
    alter database ${database} owner to ${owner};
  `).simple();
  try {
    await fn({ owner, ownerUrl: as(url, owner), service, serviceUrl: as(url, service) });
  } finally {
    await sql.unsafe(`
      reassign owned by ${owner} to current_user;
      drop owned by ${owner}, ${service} cascade;
      drop role ${owner}, ${service};
    `).simple();
  }
}

function as(url: string, role: string): string {
  const changed = new URL(url);
  changed.username = role;
  return changed.href;
}
