import { errors, jwtVerify, SignJWT } from "jose";
import { z } from "zod";
import { readSecretsKeys, type SecretsKey } from "../crypto/secrets_keys.ts";
import { AppError } from "../errors.ts";

/** The lifetime of a session token in seconds: enough for a long session and the feedback after it. */
const SESSION_TOKEN_S = 60 * 60;

const AUDIENCE = "voice-widget";

/** The scope of a session: one widget of one company, and conversations with its agent. */
export interface VoiceSession {
  companyId: string;
  widgetId: string;
  agentId: string;
  /** Unique for each session. */
  sessionId: string;
}

const claimsSchema = z.object({ sub: z.uuid(), widget: z.uuid(), agent: z.string(), jti: z.uuid() });

/** Signs a token for a session that starts now, with the first key of `setting` (OUTBOUND_SECRETS_KEY). */
export async function newSessionToken(
  setting: string,
  { now, companyId, widgetId, agentId, sessionId }: VoiceSession & { now: Date },
): Promise<{ token: string; expiresAt: Date }> {
  const expiresAt = new Date((Math.floor(now.getTime() / 1000) + SESSION_TOKEN_S) * 1000);
  const [key] = readSecretsKeys(setting);
  const token = await new SignJWT({ widget: widgetId, agent: agentId })
    .setProtectedHeader({ alg: "HS256", kid: key.id })
    .setSubject(companyId)
    .setAudience(AUDIENCE)
    .setJti(sessionId)
    .setIssuedAt(now)
    .setExpirationTime(expiresAt)
    .sign(signingKey(key));
  return { token, expiresAt };
}

/**
 * Returns the session of a token that any key of `setting` (OUTBOUND_SECRETS_KEY) signed. Throws `unauthorized` for a token that is
 * forged, expired or for another use.
 */
export async function readSessionToken(setting: string, token: string, now: Date): Promise<VoiceSession> {
  const keys = readSecretsKeys(setting);
  try {
    const { payload } = await jwtVerify(token, ({ kid }) => {
      return signingKey(keys.find(({ id }) => id === kid) ?? keys[0]);
    }, {
      algorithms: ["HS256"],
      audience: AUDIENCE,
      currentDate: now,
      requiredClaims: ["exp"],
    });
    const { sub, widget, agent, jti } = claimsSchema.parse(payload);
    return { companyId: sub, widgetId: widget, agentId: agent, sessionId: jti };
  } catch (cause) {
    const expired = cause instanceof errors.JWTExpired;
    throw new AppError("unauthorized", `The session token ${expired ? "has expired" : "is invalid"}`, {
      cause,
    });
  }
}

function signingKey(key: SecretsKey): Uint8Array {
  return key.derive("voice-session");
}
