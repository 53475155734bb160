import { exportJWK, generateKeyPair, importJWK, type JWK, type JWTPayload, jwtVerify, SignJWT } from "jose";
import { AuthError } from "./errors.ts";

/** The lifetime of an access token, in seconds. */
export const TOKEN_LIFETIME_S = 3600;

export interface TokenSigner {
  /** Signs an access token with the claims given and `iss`, `iat` and `exp`. */
  sign(claims: JWTPayload): Promise<{ token: string; expiresAt: number }>;
  /** Returns the claims of a token, or throws `bad_jwt`. Like Supabase Auth, it ignores `iss` and `aud`. */
  verify(token: string): Promise<JWTPayload>;
  /** `iss` of its tokens. */
  issuer: string;
  /** The body of `/.well-known/jwks.json`. */
  jwks: { keys: JWK[] };
}

/** Makes a private ES256 key for a signer. */
export async function newSigningKey(): Promise<JWK & { kid: string; d: string }> {
  const { privateKey } = await generateKeyPair("ES256", { extractable: true });
  const jwk = await exportJWK(privateKey);
  return { ...jwk, d: jwk.d!, kid: crypto.randomUUID() };
}

/** Makes a signer of ES256 tokens from a private key, whose `kid` goes into each token's header. */
export async function createTokenSigner(signingKey: JWK, issuer: string): Promise<TokenSigner> {
  const { kid, x, y } = signingKey;
  if (!kid || !x || !y) throw new TypeError("The signing key must be a private ES256 key with a kid");
  const publicJwk: JWK = {
    kty: "EC",
    crv: "P-256",
    alg: "ES256",
    kid,
    use: "sig",
    key_ops: ["verify"],
    x,
    y,
  };
  const privateKey = await importJWK({ ...signingKey, key_ops: ["sign"] }, "ES256");
  const publicKey = await importJWK(publicJwk, "ES256");
  return {
    issuer,
    jwks: { keys: [publicJwk] },
    async sign(claims) {
      const issuedAt = Math.floor(Date.now() / 1000);
      const expiresAt = issuedAt + TOKEN_LIFETIME_S;
      const token = await new SignJWT({ iss: issuer, ...claims, exp: expiresAt, iat: issuedAt })
        .setProtectedHeader({ alg: "ES256", kid, typ: "JWT" })
        .sign(privateKey);
      return { token, expiresAt };
    },
    async verify(token) {
      try {
        return (await jwtVerify(token, publicKey, { algorithms: ["ES256"] })).payload;
      } catch (error) {
        const reason = (error as Error).message;
        throw new AuthError(
          403,
          "bad_jwt",
          `invalid JWT: unable to parse or verify signature, ${reason}`,
        );
      }
    },
  };
}
