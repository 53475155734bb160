import { PlatformError } from "../http/platform_error.ts";
import type { TemplateBodyButton } from "./template_body.ts";
import { lengthOf, TEMPLATE_VARIABLE, variablesOf } from "./template_text.ts";

export interface TextRules {
  /** `header` or `body`. */
  component: string;
  format: "POSITIONAL" | "NAMED";
  maxLength: number;
  /** Names and values of the examples. */
  examples: Map<string, string>;
}

/** The minimum of fixed words per variable; the platform's own number is not public. */
const MIN_WORDS_PER_VARIABLE = 2;

/** Checks a text with variables: length, their names and order, where they stand, and an example for each. */
export function checkTemplateText(text: string, rules: TextRules): void {
  const { component, format, maxLength, examples } = rules;
  if (lengthOf(text) > maxLength) {
    refuseTemplate("Character limit exceeded", `${component}: at most ${maxLength} characters`);
  }
  const names = variablesOf(text);
  checkNames(names, component, format);
  checkPositions(text, component);
  checkDensity(text, component, names.length);
  const bare = names.find((name) => !examples.has(name));
  if (bare !== undefined) refuseTemplate("Invalid parameter", `${component}: {{${bare}}} needs an example`);
  if (examples.size > names.length) {
    refuseTemplate("Invalid parameter", `${component}: more examples than variables`);
  }
}

function checkNames(names: string[], component: string, format: TextRules["format"]): void {
  const good = format === "POSITIONAL"
    ? names.every((name, index) => name === String(index + 1))
    : names.every((name) => /^[a-z_]+$/.test(name));
  if (good) return;
  const rule = format === "POSITIONAL"
    ? "numbered from {{1}} without gaps"
    : "lower-case letters and underscores";
  refuseTemplate("Invalid parameter", `${component}: variables must be ${rule}`);
}

function checkPositions(text: string, component: string): void {
  const bare = text.trim();
  if (component === "body" && (/^\{\{[^{}]*\}\}/.test(bare) || /\{\{[^{}]*\}\}$/.test(bare))) {
    refuseTemplate("Leading or trailing variables", `${component}: a variable cannot start or end the text`);
  }
  if (/\}\}\s*\{\{/.test(text)) refuseTemplate("Invalid parameter", `${component}: variables cannot touch`);
}

function checkDensity(text: string, component: string, variables: number): void {
  if (component !== "body" || variables === 0) return;
  const words = text.replaceAll(TEMPLATE_VARIABLE, " ").split(/[^\p{L}\p{N}]+/u).filter(Boolean).length;
  if (words < variables * MIN_WORDS_PER_VARIABLE) {
    refuseTemplate(
      "Too many variables for the length",
      `${component}: more text is needed around the variables`,
    );
  }
}

const MAX_BUTTONS = 10;
const MAX_PER_KIND = { URL: 2, PHONE_NUMBER: 1, QUICK_REPLY: 10, COPY_CODE: 1, FLOW: 1 } as const;
const MAX_LABEL = 25;
const MAX_URL = 2000;
const MAX_CODE = 15;

/** Checks the buttons of a new template: their number, their order, and each by its kind. */
export function checkTemplateButtons(buttons: TemplateBodyButton[]): void {
  if (buttons.length === 0 || buttons.length > MAX_BUTTONS) {
    refuse(`between 1 and ${MAX_BUTTONS} are allowed`);
  }
  for (const [kind, max] of Object.entries(MAX_PER_KIND)) {
    if (buttons.filter(({ type }) => type === kind).length > max) refuse(`at most ${max} of type ${kind}`);
  }
  const runs = buttons.filter(({ type }, at) =>
    type === "QUICK_REPLY" && buttons[at - 1]?.type !== "QUICK_REPLY"
  );
  if (runs.length > 1) refuse("quick replies must stand together");
  for (const button of buttons) checkButton(button);
}

function checkButton(button: TemplateBodyButton): void {
  if (button.type !== "COPY_CODE") checkLabel(button.text);
  if (button.type === "URL") checkUrl(button);
  if (button.type === "FLOW") checkFlow(button);
  if (button.type === "PHONE_NUMBER" && !/^\+?\d{5,20}$/.test(button.phone_number ?? "")) {
    refuse("a phone button needs a phone_number of at most 20 digits");
  }
  if (button.type === "COPY_CODE" && !([button.example].flat()[0] ?? "").match(`^.{1,${MAX_CODE}}$`)) {
    refuse(`a copy code button needs an example of at most ${MAX_CODE} characters`);
  }
}

function checkLabel(text: string | undefined): void {
  if (text === undefined) refuse("a label is required");
  if (lengthOf(text) > MAX_LABEL) {
    refuseTemplate("Character limit exceeded", `buttons: at most ${MAX_LABEL} characters`);
  }
  if (variablesOf(text).length > 0) refuse("a label cannot hold variables");
}

function checkUrl({ url = "", example }: TemplateBodyButton): void {
  if (!/^https?:\/\/[^\s/]+/.test(url)) refuse("a URL button needs a url");
  if (url.length > MAX_URL) {
    refuseTemplate("Character limit exceeded", `buttons: a URL has at most ${MAX_URL} characters`);
  }
  const variables = variablesOf(url);
  if (variables.length === 0) return;
  if (variables.length > 1 || !url.endsWith("{{1}}")) {
    refuse("a URL has one variable, {{1}}, at its very end");
  }
  if ([example].flat()[0] === undefined) refuse("a URL with a variable needs an example");
}

function checkFlow({ flow_id, flow_action = "navigate", navigate_screen }: TemplateBodyButton): void {
  if (flow_id === undefined) refuse("a flow button needs a flow_id");
  if (flow_action === "data_exchange" && navigate_screen !== undefined) {
    refuse("navigate_screen belongs to the flow_action navigate");
  }
}

function refuse(rule: string): never {
  refuseTemplate("Invalid parameter", `buttons: ${rule}`);
}

/** The platform's subcodes for a refused template; the code is always 100. */
const SUBCODES = {
  "Message template limit reached": 2388019,
  "Message template name is blocked": 2388023,
  "Message template already exists": 2388024,
  "Character limit exceeded": 2388040,
  "Header format is not valid": 2388047,
  "Body format is not valid": 2388072,
  "Footer format is not valid": 2388073,
  "Too many variables for the length": 2388293,
  "Leading or trailing variables": 2388299,
  "Invalid parameter": undefined,
} as const;

/** Throws the refusal of a new template. */
export function refuseTemplate(title: keyof typeof SUBCODES, details: string): never {
  const subcode = SUBCODES[title];
  throw new PlatformError(100, details, { userTitle: title, ...(subcode === undefined ? {} : { subcode }) });
}
