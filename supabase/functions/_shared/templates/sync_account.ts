import type { Sealer } from "../crypto/seal.ts";
import type { Sql } from "../db/connect.ts";
import { type TemplateAccount, writeTemplates } from "../db/template_sync.ts";
import { AppError } from "../errors.ts";
import type { WhatsappConfig } from "../gateways/whatsapp/config.ts";
import { listTemplates } from "../gateways/whatsapp/list_templates.ts";
import { type TemplateFacts, templateFromPlatform } from "./from_platform.ts";

export interface SyncContext {
  sql: Sql;
  sealer: Sealer;
  whatsapp: WhatsappConfig;
}

export interface SyncedAccount {
  wabaId: string;
  /** On the platform. */
  templates: number;
  /** Of ours, written because they differed. */
  changed: number;
  /** Why the account could not be read; our copies of its templates are as they were. */
  error: string | null;
}

/**
 * Brings our copies of one business account's templates in line with the platform. `onPage` is told how many templates
 * each page held. What is wrong with the account, its token or the platform is told in `error`, not thrown.
 */
export async function syncAccount(
  { sql, sealer, whatsapp }: SyncContext,
  { companyId, wabaId, tokenSealed }: TemplateAccount,
  onPage: (count: number) => void = () => {},
): Promise<SyncedAccount> {
  try {
    const token = await openToken(sealer, tokenSealed);
    const templates: TemplateFacts[] = [];
    for await (const page of listTemplates(whatsapp, { wabaId, token })) {
      templates.push(...page.map(templateFromPlatform));
      onPage(page.length);
    }
    const changed = await writeTemplates(sql, { companyId, wabaId }, templates.map(templateRow));
    return { wabaId, templates: templates.length, changed, error: null };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { wabaId, templates: 0, changed: 0, error: error.message };
  }
}

async function openToken(sealer: Sealer, sealed: string | null): Promise<string> {
  if (sealed === null) throw new AppError("validation_failed", "None of its senders has a token");
  return await sealer.open(sealed).catch((cause) => {
    throw new AppError("validation_failed", "SECRETS_KEY is not the one its token was sealed with", {
      cause,
    });
  });
}

function templateRow(template: TemplateFacts) {
  return {
    provider_template_id: template.providerTemplateId,
    name: template.name,
    language: template.language,
    category: template.category,
    status: template.status,
    rejected_reason: template.rejectedReason,
    parameter_format: template.parameterFormat,
    components: template.components,
  };
}
