import type { Command } from "commander";
import { createKeyedSlots } from "../../supabase/functions/_shared/concurrency/keyed_slots.ts";
import type { Sealer } from "../../supabase/functions/_shared/crypto/seal.ts";
import { CLI } from "../../supabase/functions/_shared/db/access/audit.ts";
import { readTemplateAccess } from "../../supabase/functions/_shared/db/templates/template_submissions.ts";
import { readTemplate } from "../../supabase/functions/_shared/db/templates/templates.ts";
import { AppError } from "../../supabase/functions/_shared/errors.ts";
import {
  readTemplateRequest,
  type TemplateOrder,
} from "../../supabase/functions/_shared/templates/create/read_template_request.ts";
import type { SubmitContext } from "../../supabase/functions/_shared/templates/create/submission.ts";
import { submitTemplate } from "../../supabase/functions/_shared/templates/create/submit_template.ts";
import { SAMPLE_UPLOADS } from "../../supabase/functions/_shared/templates/create/upload_sample_file.ts";
import { accountToken } from "../../supabase/functions/_shared/templates/account_token.ts";
import { CommandError } from "../errors/command_error.ts";
import { unknownCompany } from "../errors/refusals.ts";
import { snakeKeys } from "../terminal/render.ts";
import type { Run } from "../session.ts";
import { readJsonFile, uuid } from "../terminal/values.ts";

interface CreateOptions {
  company: string;
  wabaId: string;
  file?: string;
  name?: string;
  language?: string;
  category?: string;
  header?: string;
  body?: string;
  footer?: string;
  urlButton?: string[];
  quickReply?: string[];
}

const EXAMPLES = `
The file holds the body of POST /admin/chatapp/create/template. Options win over the file; company and account always
come from the options. Write variables as {1}, {2}, …

Examples:
  deno task admin template create --company "$COMPANY" --waba-id "$WABA" --name order_ready --language en_US \\
    --category UTILITY --body "Hello {1}, your order {2} is ready." --url-button "Follow it=https://example.com/{1}"
  deno task admin template create --company "$COMPANY" --waba-id "$WABA" --file template.json`;

/** `template create`. */
export function addTemplateCreate(template: Command, run: Run): void {
  template.command("create").description("submit a template to the platform for review")
    .requiredOption("--company <id>", "the template's company", uuid)
    .requiredOption("--waba-id <id>", "the business account to create it in")
    .option("--file <file>", "the template as JSON; - reads standard input")
    .option("--name <name>", "lowercase letters, digits and underscores")
    .option("--language <code>", "such as es or en_US")
    .option("--category <category>", "MARKETING, UTILITY or AUTHENTICATION")
    .option("--header <text>", "static text above the body; for media use --file")
    .option("--body <text>", "the body")
    .option("--footer <text>", "static text below the body")
    .option("--url-button <label=url>", "a button that opens a URL; repeatable, at most two", collect)
    .option("--quick-reply <label>", "a button that sends a reply; repeatable", collect)
    .action((options: CreateOptions) =>
      run(async ({ sql, sealer, whatsapp, sendTimeoutMs, allowPrivateWebhooks }) => {
        const context = { sql, sealer: sealer(), whatsapp, timeoutMs: sendTimeoutMs };
        const created = await createTemplate(
          { ...context, allowPrivate: allowPrivateWebhooks },
          await requestOf(options),
        );
        const text = `Template ${created.name} submitted: ${created.templateId}; it is ${created.status}`;
        return { json: snakeKeys(created), text };
      })
    )
    .addHelpText("after", EXAMPLES);
}

function collect(value: string, earlier: string[] = []): string[] {
  return [...earlier, value];
}

async function requestOf(options: CreateOptions): Promise<Record<string, unknown>> {
  const file = options.file === undefined ? {} : await readObject(options.file);
  const given = file.components_template;
  const components = typeof given === "object" && given !== null ? given as Record<string, unknown> : {};
  return {
    ...file,
    company_id: options.company,
    waba_id: options.wabaId,
    ...(options.name !== undefined && { name_template: options.name }),
    ...(options.language !== undefined && { language_template: options.language }),
    ...(options.category !== undefined && { category_template: options.category }),
    components_template: { ...components, ...partsOf(options) },
  };
}

function partsOf({ header, body, footer, urlButton = [], quickReply = [] }: CreateOptions) {
  const buttons = [
    ...urlButton.map(readUrlButton),
    ...quickReply.map((text) => ({ type: "QUICK_REPLY", text })),
  ];
  return {
    ...(header !== undefined && { HEADER: { format: "TEXT", text: header } }),
    ...(body !== undefined && { BODY: { text: body } }),
    ...(footer !== undefined && { FOOTER: { text: footer } }),
    ...(buttons.length > 0 && { BUTTONS: buttons }),
  };
}

function readUrlButton(value: string) {
  const [, text, url] = /^([^=]+)=(.+)$/.exec(value) ?? [];
  if (text === undefined) throw new CommandError("bad_value", "--url-button must have the form label=url");
  return { type: "URL", text, url };
}

async function readObject(path: string): Promise<Record<string, unknown>> {
  const value = await readJsonFile(path);
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return { ...value };
  throw new CommandError("bad_value", `The file ${path} does not hold a JSON object`);
}

export interface CreatedTemplate {
  templateId: string;
  name: string;
  /** `pending`, unless the platform judged the template at once. */
  status: string;
}

/**
 * Submits a template for review, as `POST /admin/chatapp/create/template` does; `body` is that of its request.
 *
 * @throws {CommandError} `bad_value`, `not_found`, `already_exists`, or `platform_error` when the platform refuses the
 * template or does not respond
 */
export async function createTemplate(
  { sealer, ...given }: Omit<SubmitContext, "mediaStore" | "sampleUploads"> & { sealer: Sealer },
  body: Record<string, unknown>,
): Promise<CreatedTemplate> {
  const context = { ...given, mediaStore: null, sampleUploads: createKeyedSlots(SAMPLE_UPLOADS) };
  try {
    const order = readTemplateRequest(body);
    const { companyId } = order;
    const token = await tokenOf(context, sealer, order);
    const submitted = await submitTemplate(context, { ...order, token, idempotency: null, by: CLI });
    await submitted.confirm();
    const templateId = submitted.templateId!;
    const { name, status } = (await readTemplate(context.sql, { companyId, templateId }))!;
    return { templateId, name, status };
  } catch (error) {
    throw error instanceof AppError ? commandError(error) : error;
  }
}

async function tokenOf({ sql }: SubmitContext, sealer: Sealer, order: TemplateOrder): Promise<string> {
  const { companyId, wabaId } = order;
  const access = await readTemplateAccess(sql, { companyId, wabaId, userId: null });
  if (access === undefined) throw unknownCompany(companyId);
  if (!access.is_known) {
    throw new CommandError("bad_value", `Company ${companyId} has no sender in business account ${wabaId}`);
  }
  return await accountToken(sealer, {
    company_id: companyId,
    sender_id: access.sender_id,
    token_sealed: access.token_sealed,
  });
}

function commandError(error: AppError): CommandError {
  const { service, field, reason } = error.details ?? {};
  const ofPlatform = service === "whatsapp";
  const exists = field === "name_template" && String(reason).startsWith("exists");
  const code = exists ? "already_exists" : ofPlatform ? "platform_error" : "bad_value";
  return new CommandError(code, error.message, { cause: error });
}
