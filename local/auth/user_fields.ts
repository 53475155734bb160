import { z } from "zod";
import { validationFailed } from "./auth_error.ts";

const metadata = z.record(z.string(), z.unknown()).nullish().transform((value) => value ?? {});

/** What an administrator may set of a user. */
export const userFieldsSchema = z.object({
  id: z.string().nullish(),
  email: z.string().nullish().transform((value) => value ?? ""),
  password: z.string().nullish(),
  password_hash: z.string().nullish(),
  email_confirm: z.boolean().nullish(),
  role: z.string().nullish(),
  user_metadata: metadata,
  app_metadata: metadata,
  ban_duration: z.string().nullish(),
});

export type UserFields = z.infer<typeof userFieldsSchema>;

/** Throws `validation_failed` unless the text is an e-mail address. */
export function checkEmail(email: string): void {
  if (z.email().safeParse(email).success && email.length <= 255) return;
  throw validationFailed("Unable to validate email address: invalid format");
}

/** Reads `none` (null) or a duration as Go writes it, such as `24h` or `1h30m`. */
export function bannedUntil(duration: string | null | undefined): Date | null {
  if (!duration || duration === "none") return null;
  const [whole, hours = 0, minutes = 0, seconds = 0] = /^(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?$/.exec(duration) ??
    [];
  if (!whole) throw validationFailed("invalid format for ban duration");
  return new Date(Date.now() + ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000);
}
