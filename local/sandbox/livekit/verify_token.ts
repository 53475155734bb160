import { jwtVerify } from "jose";
import { z } from "zod";

const grantsSchema = z.looseObject({
  roomCreate: z.boolean().optional(),
  roomList: z.boolean().optional(),
  roomAdmin: z.boolean().optional(),
  room: z.string().optional(),
});

export type Grants = z.infer<typeof grantsSchema>;

/** What a token allows; undefined when it is missing, forged, expired or another key's. */
export async function verifyToken(
  authorization: string | undefined,
  { apiKey, apiSecret }: { apiKey: string; apiSecret: string },
): Promise<Grants | undefined> {
  const token = /^Bearer (.+)$/i.exec(authorization ?? "")?.[1];
  if (token === undefined) return undefined;
  try {
    const secret = new TextEncoder().encode(apiSecret);
    const { payload } = await jwtVerify(token, secret, { issuer: apiKey, algorithms: ["HS256"] });
    return grantsSchema.safeParse(payload.video).data;
  } catch {
    return undefined;
  }
}
