import { badFormat, missingField } from "../../errors.ts";
import type { TemplateButton, TemplateComponent } from "../template.ts";
import { readStaticText, requireLength } from "./read_text_parts.ts";
import type { ButtonRequest, ComponentsRequest } from "./template_request.ts";

const BUTTONS_FIELD = "components_template.BUTTONS";
const MAX_URLS = 2;
const MAX_LABEL_LENGTH = 25;

/**
 * Reads the buttons of a new template: how many of which kind (10 in all, so that many quick replies too), in which
 * order, and each by itself. Throws `validation_failed`.
 */
export function readButtons(buttons: ButtonRequest[]): TemplateComponent {
  const read = buttons.map((button, index) => readButton(button, `${BUTTONS_FIELD}[${index}]`));
  const urls = buttons.filter(({ type }) => type === "URL").length;
  if (urls > MAX_URLS) throw badFormat(BUTTONS_FIELD, buttons, `at most ${MAX_URLS} buttons of type URL`);
  const apart = buttons.findIndex((button, index) => isApart(buttons, button, index));
  if (apart >= 0) {
    throw badFormat(`${BUTTONS_FIELD}[${apart}]`, buttons[apart]!.type, "quick replies next to each other");
  }
  return { type: "BUTTONS", buttons: read };
}

/** A quick reply after a button of another kind that itself follows a quick reply. */
function isApart(buttons: ButtonRequest[], { type }: ButtonRequest, index: number): boolean {
  return type === "QUICK_REPLY" && buttons[index - 1]?.type === "URL" &&
    buttons.slice(0, index).some((earlier) => earlier.type === "QUICK_REPLY");
}

function readButton(button: ButtonRequest, field: string): TemplateButton {
  if (button.type === "OTP" || button.otp_type !== undefined) {
    throw badFormat(`${field}.type`, button.type, "URL or QUICK_REPLY; OTP is for category AUTHENTICATION");
  }
  const text = readLabel(button.text, field);
  if (button.type === "URL") return { type: "URL", text, ...readUrl(button, field) };
  if (button.url) throw badFormat(`${field}.url`, button.url, "no url in a quick reply");
  if (button.example) throw badFormat(`${field}.example`, button.example, "no example in a quick reply");
  return { type: "QUICK_REPLY", text };
}

/** Reads a button's label. Throws `validation_failed`. */
function readLabel(given: string | undefined, field: string): string {
  const text = readStaticText(`${field}.text`, given, "a label is the same for everybody");
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
function readUrl(button: ButtonRequest, place: string): { url: string; example?: string[] } {
  const field = `${place}.url`;
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
    throw badFormat(`${place}.example`, button.example, "no example for a URL without a variable");
  }
  return hasVariable ? { url, example: [readExample(button, base, place)] } : { url };
}

function readExample({ example }: ButtonRequest, base: string, place: string): string {
  if (example === undefined) return base + DEFAULT_EXAMPLE;
  const given = Array.isArray(example) ? example[0]! : example;
  if (given.trim() === "" || /[{}\s]/.test(given)) {
    throw badFormat(`${place}.example`, given, "a value for the variable, or the whole URL with it");
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
  { HEADER, BODY, FOOTER, BUTTONS }: ComponentsRequest,
): TemplateComponent[] {
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

function copyButton(buttons: ComponentsRequest["BUTTONS"] = []) {
  const [button] = buttons;
  if (buttons.length !== 1 || button?.type !== "OTP") {
    throw badFormat(
      `${COMPONENTS_FIELD}.BUTTONS`,
      buttons,
      'exactly one button, {"type": "OTP", "otp_type": "COPY_CODE"}, in a template of category AUTHENTICATION',
    );
  }
  const place = `${COMPONENTS_FIELD}.BUTTONS[0]`;
  if (button.url) throw badFormat(`${place}.url`, button.url, FIXED);
  if (button.example) throw badFormat(`${place}.example`, button.example, FIXED);
  const label = button.text === undefined ? {} : { text: readLabel(button.text, place) };
  return { type: "OTP", otp_type: "COPY_CODE", ...label };
}
