import { createHash, timingSafeEqual } from "node:crypto";

/** Compares two secrets in a time that tells nothing about where, or by how much, they differ. */
export function equalSecrets(a: string, b: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}
