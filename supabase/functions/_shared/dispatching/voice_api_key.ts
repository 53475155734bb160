import type { SecretOwner } from "../crypto/secret_owner.ts";
import type { Services } from "../services.ts";
import { type OpenedSecret, openSecret } from "./open_secret.ts";

/** The key a voice sender's calls are made with: its own, or else the service's. */
export async function voiceApiKey(
  { env, sealer }: Pick<Services, "env" | "sealer">,
  tokenSealed: string | null,
  owner: SecretOwner,
): Promise<OpenedSecret> {
  const own = await openSecret({ sealer }, tokenSealed, owner);
  const shared = env.ELEVENLABS_API_KEY;
  return own.kind === "missing" && shared !== undefined ? { kind: "opened", secret: shared } : own;
}
