import { compare, hash } from "bcryptjs";
import { AuthError, validationFailed } from "./auth_error.ts";

const COST = 10;
const SHORTEST = 6;
/** bcrypt looks at no more. */
const LONGEST_BYTES = 72;

/** The hash of a password nobody knows, at the cost of the real ones. */
const NOBODY = "$2b$10$mML0cfQDsFxMSLlRM1uNnerhnKNlGiAeO8TaN1Wz88WgqXjC2Cvgu";

/** Whether the password is the one of the hash. Takes as long when there is no hash to compare with. */
export async function passwordMatches(password: string, passwordHash: string | null): Promise<boolean> {
  const matches = await compare(password, passwordHash || NOBODY);
  return matches && Boolean(passwordHash);
}

/** Hashes a password that satisfies the rules; throws `weak_password` or `validation_failed` otherwise. */
export async function hashPassword(password: string): Promise<string> {
  if (new TextEncoder().encode(password).length > LONGEST_BYTES) {
    throw validationFailed(`Password cannot be longer than ${LONGEST_BYTES} characters`);
  }
  if (password.length < SHORTEST) {
    throw new AuthError(422, "weak_password", `Password should be at least ${SHORTEST} characters.`, {
      weakPassword: ["length"],
    });
  }
  return await hash(password, COST);
}
