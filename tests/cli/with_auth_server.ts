import { exportJWK, generateKeyPair } from "jose";
import { startAuthServer } from "../../local/auth/start.ts";
import { type TestDatabase, withTestDatabase } from "../setup/database.ts";

export interface AuthServerFixture extends TestDatabase {
  supabaseUrl: string;
  supabaseSecretKey: string;
}

/** Calls `fn` with a migrated database and an auth server that keeps its users there. */
export async function withAuthServer(fn: (fixture: AuthServerFixture) => Promise<void>): Promise<void> {
  await withTestDatabase(async (database) => {
    const { privateKey } = await generateKeyPair("ES256", { extractable: true });
    const supabaseSecretKey = "sb_secret_test";
    const server = await startAuthServer({
      port: 0,
      databaseUrl: database.url,
      signingKey: { ...await exportJWK(privateKey), kid: crypto.randomUUID() },
      publishableKey: "sb_publishable_test",
      secretKey: supabaseSecretKey,
    });
    try {
      await fn({ ...database, supabaseUrl: server.url, supabaseSecretKey });
    } finally {
      await server.close();
    }
  });
}
