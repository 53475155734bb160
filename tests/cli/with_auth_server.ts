import { startAuthServer } from "../../local/auth/start.ts";
import { newSigningKey } from "../../local/auth/token_signer.ts";
import { type TestDatabase, withTestDatabase } from "../setup/database/database.ts";

export interface AuthServerFixture extends TestDatabase {
  supabaseUrl: string;
  supabaseSecretKey: string;
}

/** Calls `fn` with a migrated database and an auth server that keeps its users there. */
export async function withAuthServer(fn: (fixture: AuthServerFixture) => Promise<void>): Promise<void> {
  await withTestDatabase(async (database) => {
    const supabaseSecretKey = "sb_secret_test";
    const server = await startAuthServer({
      port: 0,
      databaseUrl: database.url,
      signingKey: await newSigningKey(),
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
