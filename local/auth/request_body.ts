import { z } from "zod";
import { AuthError, validationFailed } from "./errors.ts";

const MAX_BYTES = 1024 * 1024;

/** Reads a JSON body and checks it; throws `bad_json` or `request_entity_too_large`. */
export async function readBody<Schema extends z.ZodType>(
  request: Request,
  schema: Schema,
): Promise<z.infer<Schema>> {
  const result = schema.safeParse(parse(await readText(request)));
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  throw badJson(`${issue?.path.join(".")}: ${issue?.message}`);
}

async function readText(request: Request): Promise<string> {
  const bytes = new Uint8Array(
    await request.arrayBuffer().catch(() => {
      throw badJson("the body ended early");
    }),
  );
  if (bytes.length <= MAX_BYTES) return new TextDecoder().decode(bytes);
  throw new AuthError(
    413,
    "request_entity_too_large",
    `Request body too large (max ${MAX_BYTES} bytes)`,
  );
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw badJson((error as Error).message);
  }
}

function badJson(reason: string): AuthError {
  return new AuthError(400, "bad_json", `Could not parse request body as JSON: ${reason}`);
}

const metadata = z.record(z.string(), z.unknown()).nullish().transform((value) => value ?? {});

/** The fields of a user that an administrator may set. */
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
