import { jwtVerify, SignJWT } from "jose";
import { z } from "zod";
import { readSecretsKeys, type SecretsKey } from "../crypto/secrets_keys.ts";
import type { MediaIds } from "../db/media/media_files.ts";
import { AppError } from "../errors.ts";

const AUDIENCE = "media";

const claimsSchema = z.object({ sub: z.uuid(), media: z.uuid() });

/** Signs a token that opens one file until `expiresAt`, with the first key of `setting` (OUTBOUND_SECRETS_KEY). */
export async function newMediaToken(
  setting: string,
  { companyId, mediaId, expiresAt }: MediaIds & { expiresAt: Date },
): Promise<string> {
  const [key] = readSecretsKeys(setting);
  return await new SignJWT({ media: mediaId })
    .setProtectedHeader({ alg: "HS256", kid: key.id })
    .setSubject(companyId)
    .setAudience(AUDIENCE)
    .setExpirationTime(expiresAt)
    .sign(signingKey(key));
}

/**
 * Returns the file of a token that any key of `setting` (OUTBOUND_SECRETS_KEY) signed. Throws `not_found` for a token that is
 * forged, expired or for another use.
 */
export async function readMediaToken(setting: string, token: string, now: Date): Promise<MediaIds> {
  const keys = readSecretsKeys(setting);
  try {
    const { payload } = await jwtVerify(
      token,
      ({ kid }) => signingKey(keys.find(({ id }) => id === kid) ?? keys[0]),
      { algorithms: ["HS256"], audience: AUDIENCE, currentDate: now, requiredClaims: ["exp"] },
    );
    const { sub, media } = claimsSchema.parse(payload);
    return { companyId: sub, mediaId: media };
  } catch (cause) {
    throw new AppError("not_found", "The link has expired, or is none", { cause });
  }
}

function signingKey(key: SecretsKey): Uint8Array {
  return key.derive("media-link");
}
