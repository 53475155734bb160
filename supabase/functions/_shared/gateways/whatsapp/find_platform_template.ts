import type { WhatsappConfig } from "./config.ts";
import { listTemplates, type PlatformTemplate } from "./list_templates.ts";

/**
 * The template of this name and language in a business account, or undefined when the platform has none.
 *
 * Throws as `listTemplates` does.
 */
export async function findPlatformTemplate(
  config: WhatsappConfig,
  { language, ...account }: { wabaId: string; token: string; name: string; language: string },
  options: { timeoutMs: number },
): Promise<PlatformTemplate | undefined> {
  for await (const page of listTemplates(config, account, options)) {
    const found = page.find((item) => item.name === account.name && item.language === language);
    if (found !== undefined) return found;
  }
  return undefined;
}
