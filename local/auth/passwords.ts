import { compare, hash } from "bcryptjs";
import { AuthError } from "./errors.ts";

/** A quarter of the work of Supabase's 10, because people wait for it. The stack's secrets lie beside these hashes. */
const COST = 8;
const MIN_LENGTH = 6;
/** The limit of bcrypt. */
const MAX_BYTES = 72;

/** The hash of an unknown password, at the cost of the real ones. */
const UNMATCHED_HASH = "$2b$08$QmitWXsOZx8kE7dH79RvUOohTcCGAzCSqBJn47v9x.IJUCpw54FD6";

/** Whether the password matches the hash. Takes the same time without a hash. */
export async function passwordMatches(password: string, passwordHash: string | null): Promise<boolean> {
  const matches = await compare(password, passwordHash || UNMATCHED_HASH);
  return matches && Boolean(passwordHash);
}

/** Throws `weak_password` for a password that is too short. */
export function checkPasswordStrength(password: string): void {
  if (password.length >= MIN_LENGTH) return;
  throw new AuthError(422, "weak_password", `Password should be at least ${MIN_LENGTH} characters.`, {
    weakPassword: ["length"],
  });
}

/** Hashes a password. Throws `unexpected_failure` (500), as Supabase Auth does, when bcrypt cannot hash all of it. */
export async function hashPassword(password: string): Promise<string> {
  if (new TextEncoder().encode(password).length > MAX_BYTES) {
    throw new AuthError(500, "unexpected_failure", "Error creating user");
  }
  return await hash(password, COST);
}
