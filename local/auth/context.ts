import type postgres from "postgres";
import type { TokenSigner } from "./token_signer.ts";

/** The context of every route of the auth server. */
export interface AuthContext {
  sql: postgres.Sql;
  signer: TokenSigner;
  publishableKey: string;
  secretKey: string;
}
