import type postgres from "postgres";
import type { TokenSigner } from "./token_signer.ts";

/** What every route of the auth server works with. */
export interface AuthContext {
  sql: postgres.Sql;
  signer: TokenSigner;
  publishableKey: string;
  secretKey: string;
}
