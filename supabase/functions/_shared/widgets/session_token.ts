import { errors, jwtVerify, SignJWT } from "jose";
import { z } from "zod";
import { readSecretsKeys, type SecretsKey } from "../secrets_keys.ts";
import { AppError } from "../errors.ts";

/** How long a voice widget's session may use the service's routes, in seconds: a long call and what comes after it. */
export const SESSION_TOKEN_S = 60 * 60;

const AUDIENCE = "voice-widget";

/** What a session may use: one widget of one company, and conversations with its agent. */
export interface VoiceSession {
  companyId: string;
  widgetId: string;
  agentId: string;
  /** Tells sessions apart. */
  sessionId: string;
}

const claimsSchema = z.object({ sub: z.uuid(), widget: z.uuid(), agent: z.string(), jti: z.uuid() });

/** Signs a token for a session that starts now, with the first key of `setting`, SECRETS_KEY. */
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
 * The session a token is for; any key of `setting`, SECRETS_KEY, may have signed it. Throws `unauthorized` for one that
 * is forged, expired or for something else.
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
