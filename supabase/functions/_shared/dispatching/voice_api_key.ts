import type { Services } from "../services.ts";

/** The key a voice sender's calls are made with: its own, or else the service's; null when there is none to be had. */
export async function voiceApiKey(
  { env, sealer }: Pick<Services, "env" | "sealer">,
  tokenSealed: string | null,
): Promise<string | null> {
  if (tokenSealed === null) return env.ELEVENLABS_API_KEY ?? null;
  return await sealer.open(tokenSealed).catch(() => null);
}
