import type { Command } from "commander";
import { createTemplate } from "../actions/create_template.ts";
import { CommandError } from "../command_error.ts";
import { snakeKeys } from "../output/snake_keys.ts";
import type { Run } from "./answer.ts";
import { uuid } from "./values/uuid.ts";

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
The file holds the body of POST /admin/chatapp/create/template; company and account are taken from the options, and
so is every other option that is given. Variables are written {1}, {2}, …

Examples:
  deno task admin template create --company "$COMPANY" --waba-id "$WABA" --name order_ready --language en_US \\
    --category UTILITY --body "Hello {1}, your order {2} is ready." --url-button "Follow it=https://example.com/{1}"
  deno task admin template create --company "$COMPANY" --waba-id "$WABA" --file template.json`;

/** `template create`. */
export function addTemplateCreate(template: Command, run: Run): void {
  template.command("create").description("submit a template to the platform for review")
    .requiredOption("--company <id>", "whose template", uuid)
    .requiredOption("--waba-id <id>", "the business account it is made in")
    .option("--file <path>", "the template as JSON")
    .option("--name <name>", "lowercase letters, digits and underscores")
    .option("--language <code>", "such as es or en_US")
    .option("--category <category>", "MARKETING, UTILITY or AUTHENTICATION")
    .option("--header <text>", "a static line above the text; for media use --file")
    .option("--body <text>", "the text")
    .option("--footer <text>", "a static line below the text")
    .option("--url-button <label=url>", "a button that opens a URL; may be given twice", collect)
    .option("--quick-reply <label>", "a button that answers; may be given several times", collect)
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
  if (text === undefined) throw new CommandError("bad_value", "--url-button is written label=url");
  return { type: "URL", text, url };
}

async function readObject(path: string): Promise<Record<string, unknown>> {
  const text = await Deno.readTextFile(path).catch((cause) => {
    throw new CommandError("bad_value", `The file ${path} cannot be read`, { cause });
  });
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return { ...value };
  } catch {
    // Said below.
  }
  throw new CommandError("bad_value", `The file ${path} does not hold a JSON object`);
}
