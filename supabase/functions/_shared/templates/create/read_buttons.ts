import { badFormat, missingField } from "../../errors.ts";
import type { TemplateButton, TemplateComponent } from "../template.ts";
import { readStaticText, requireLength } from "./read_text_parts.ts";
import type { ButtonRequest, ComponentsRequest } from "./template_request.ts";

const MAX_PER_TYPE: Partial<Record<ButtonRequest["type"], number>> = { URL: 2, COPY_CODE: 1, FLOW: 1 };
const MAX_LABEL_LENGTH = 25;

/**
 * Reads the buttons of a new template: how many of which kind (10 in all, so that many quick replies too), in which
 * order, and each by itself. Throws `validation_failed`.
 */
export function readButtons(buttons: ButtonRequest[], field: string): TemplateComponent {
  const read = buttons.map((button, index) => readButton(button, `${field}[${index}]`));
  for (const [kind, max] of Object.entries(MAX_PER_TYPE)) {
    if (buttons.filter(({ type }) => type === kind).length > max) {
      throw badFormat(field, buttons, `at most ${max} of type ${kind}`);
    }
  }
  const apart = buttons.findIndex((button, index) => isApart(buttons, button, index));
  if (apart >= 0) {
    throw badFormat(`${field}[${apart}]`, buttons[apart]!.type, "quick replies next to each other");
  }
  return { type: "BUTTONS", buttons: read };
}

/** A quick reply after a button of another kind that itself follows a quick reply. */
function isApart(buttons: ButtonRequest[], { type }: ButtonRequest, index: number): boolean {
  return type === "QUICK_REPLY" && index > 0 &&
    buttons[index - 1]!.type !== "QUICK_REPLY" &&
    buttons.slice(0, index).some((earlier) => earlier.type === "QUICK_REPLY");
}

function readButton(button: ButtonRequest, field: string): TemplateButton {
  if (button.type === "OTP" || button.otp_type !== undefined) {
    throw badFormat(`${field}.type`, button.type, "another type; OTP is for category AUTHENTICATION");
  }
  requireFieldsOf(button, field);
  if (button.type === "COPY_CODE") return { type: "COPY_CODE", example: readCode(button, field) };
  const text = readLabel(button.text, field);
  if (button.type === "URL") return { type: "URL", text, ...readUrl(button, field) };
  return button.type === "FLOW"
    ? { type: "FLOW", text, ...readFlow(button, field) }
    : { type: "QUICK_REPLY", text };
}

const FIELDS = {
  URL: ["text", "url", "example"],
  QUICK_REPLY: ["text"],
  COPY_CODE: ["example"],
  FLOW: ["text", "flow_id", "flow_action", "navigate_screen"],
} as const;

/** Throws `validation_failed` for a field that buttons of this type do not have. */
function requireFieldsOf({ type, ...fields }: ButtonRequest, path: string): void {
  const allowed: readonly string[] = type === "OTP" ? [] : FIELDS[type];
  const odd = Object.entries(fields).find(([name, value]) => value !== undefined && !allowed.includes(name));
  if (odd !== undefined) {
    throw badFormat(`${path}.${odd[0]}`, odd[1], `no ${odd[0]} in a button of type ${type}`);
  }
}

const MAX_CODE_LENGTH = 15;
const DEFAULT_CODE = "SAVE15";

function readCode({ example = DEFAULT_CODE }: ButtonRequest, path: string): string {
  const code = Array.isArray(example) ? example[0]! : example;
  if (code.trim() === "" || /[\r\n{}]/.test(code) || [...code].length > MAX_CODE_LENGTH) {
    throw badFormat(`${path}.example`, code, `a code of at most ${MAX_CODE_LENGTH} characters`);
  }
  return code;
}

function readFlow({ flow_id, flow_action = "navigate", navigate_screen }: ButtonRequest, path: string) {
  if (flow_id === undefined) throw missingField(`${path}.flow_id`);
  if (!/^\d{1,30}$/.test(flow_id)) {
    throw badFormat(`${path}.flow_id`, flow_id, "the digits of the form's id");
  }
  if (navigate_screen !== undefined && (flow_action !== "navigate" || navigate_screen.trim() === "")) {
    throw badFormat(`${path}.navigate_screen`, navigate_screen, "a screen, with flow_action navigate only");
  }
  return { flow_id, flow_action, ...(navigate_screen !== undefined && { navigate_screen }) };
}

/** Reads a button's label. Throws `validation_failed`. */
function readLabel(given: string | undefined, field: string): string {
  const text = readStaticText(`${field}.text`, given, "a label is the same for every recipient");
  if (/[\r\n]/.test(text)) throw badFormat(`${field}.text`, text, "one line");
  requireLength(`${field}.text`, text, MAX_LABEL_LENGTH);
  return text;
}

const MAX_URL_LENGTH = 2000;
const VARIABLE_AT_END = /\{1\}$|\{\{1\}\}$/;
const DEFAULT_EXAMPLE = "a-1001";

/**
 * Reads the URL of a button: http or https, with at most one variable, `{1}`, at its very end. The example is the whole
 * URL, whether it was given so or as the part behind. Throws `validation_failed`.
 */
function readUrl(button: ButtonRequest, path: string): { url: string; example?: string[] } {
  const field = `${path}.url`;
  const { url: given } = button;
  if (given === undefined) throw missingField(field);
  const base = given.replace(VARIABLE_AT_END, "");
  const refuse = (rule: string) => badFormat(field, given, rule);
  if (/[{}]/.test(base)) throw refuse("at most one variable, {1}, at the very end of the URL");
  if (!/^https?:\/\/[^\s/?#]+/i.test(base) || /\s/.test(base) || !URL.canParse(base)) {
    throw refuse("a URL beginning with https:// or http://, with a host");
  }
  const hasVariable = base !== given;
  const url = hasVariable ? `${base}{{1}}` : base;
  requireLength(field, url, MAX_URL_LENGTH);
  if (!hasVariable && button.example !== undefined) {
    throw badFormat(`${path}.example`, button.example, "no example for a URL without a variable");
  }
  return hasVariable ? { url, example: [readExample(button, base, path)] } : { url };
}

function readExample({ example }: ButtonRequest, base: string, path: string): string {
  if (example === undefined) return base + DEFAULT_EXAMPLE;
  const given = Array.isArray(example) ? example[0]! : example;
  if (given.trim() === "" || /[{}\s]/.test(given)) {
    throw badFormat(`${path}.example`, given, "a value for the variable, or the whole URL with it");
  }
  return /^https?:\/\//i.test(given) ? given : base + given;
}

const COMPONENTS_FIELD = "components_template";
const FIXED = "nothing: the platform writes the text of AUTHENTICATION templates itself";

/**
 * Reads the components of a template of category AUTHENTICATION. Their text is the platform's own: a body with the code,
 * to which a security advice can be added, a footer that says when the code expires, and the one button that copies
 * it. Once made, the platform lists it as a body with one variable and a URL button with one. Buttons that fill the
 * code into an app are not supported.
 *
 * Source: WhatsApp Cloud API, authentication templates. Throws `validation_failed`.
 */
export function readAuthentication(
  { HEADER, BODY, FOOTER, BUTTONS, LIMITED_TIME_OFFER, CAROUSEL }: ComponentsRequest,
): TemplateComponent[] {
  requireAbsent({ LIMITED_TIME_OFFER, CAROUSEL }, "only in templates of category MARKETING");
  if (HEADER) throw badFormat(`${COMPONENTS_FIELD}.HEADER`, HEADER, FIXED);
  if (BODY.text !== undefined) throw badFormat(`${COMPONENTS_FIELD}.BODY.text`, BODY.text, FIXED);
  if (BODY.example) throw badFormat(`${COMPONENTS_FIELD}.BODY.example`, BODY.example, FIXED);
  if (FOOTER?.text !== undefined) throw badFormat(`${COMPONENTS_FIELD}.FOOTER.text`, FOOTER.text, FIXED);
  const minutes = FOOTER?.code_expiration_minutes;
  return [
    {
      type: "BODY",
      ...(BODY.add_security_recommendation !== undefined &&
        { add_security_recommendation: BODY.add_security_recommendation }),
    },
    ...(minutes === undefined ? [] : [{ type: "FOOTER", code_expiration_minutes: minutes }]),
    { type: "BUTTONS", buttons: [copyButton(BUTTONS)] },
  ];
}

/** Throws `validation_failed` for the first part that is there. */
export function requireAbsent(parts: Record<string, unknown>, rule: string): void {
  const [found] = Object.entries(parts).filter(([, part]) => part !== undefined);
  if (found !== undefined) throw badFormat(`${COMPONENTS_FIELD}.${found[0]}`, found[1], rule);
}

function copyButton(buttons: ComponentsRequest["BUTTONS"] = []) {
  const [button] = buttons;
  if (buttons.length !== 1 || button?.type !== "OTP") {
    throw badFormat(
      `${COMPONENTS_FIELD}.BUTTONS`,
      buttons,
      'exactly one button, {"type": "OTP", "otp_type": "COPY_CODE"}, in a template of category AUTHENTICATION',
    );
  }
  const path = `${COMPONENTS_FIELD}.BUTTONS[0]`;
  if (button.url) throw badFormat(`${path}.url`, button.url, FIXED);
  if (button.example) throw badFormat(`${path}.example`, button.example, FIXED);
  const label = button.text === undefined ? {} : { text: readLabel(button.text, path) };
  return { type: "OTP", otp_type: "COPY_CODE", ...label };
}
