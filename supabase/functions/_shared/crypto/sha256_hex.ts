import { createHash } from "node:crypto";

/** Lower-case hex SHA-256 of `text` in UTF-8. */
export function sha256Hex(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
