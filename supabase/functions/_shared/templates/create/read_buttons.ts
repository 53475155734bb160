import { badFormat } from "../../errors.ts";
import type { TemplateButton, TemplateComponent } from "../template.ts";
import { readStaticText, requireLength } from "./read_text.ts";
import { readUrl } from "./read_url.ts";
import type { ButtonRequest } from "./template_request.ts";

const FIELD = "components_template.BUTTONS";
const MOST_URLS = 2;
const LONGEST_LABEL = 25;

/**
 * Reads the buttons of a new template: how many of which kind (10 in all, so that many quick replies too), in which
 * order, and each by itself. Throws `validation_failed`.
 */
export function readButtons(buttons: ButtonRequest[]): TemplateComponent {
  const read = buttons.map((button, index) => readButton(button, `${FIELD}[${index}]`));
  const urls = buttons.filter(({ type }) => type === "URL").length;
  if (urls > MOST_URLS) throw badFormat(FIELD, buttons, `at most ${MOST_URLS} buttons of type URL`);
  const apart = buttons.findIndex((button, index) => isApart(buttons, button, index));
  if (apart >= 0) {
    throw badFormat(`${FIELD}[${apart}]`, buttons[apart]!.type, "quick replies next to each other");
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
export function readLabel(given: string | undefined, field: string): string {
  const text = readStaticText(`${field}.text`, given, "a label is the same for everybody");
  if (/[\r\n]/.test(text)) throw badFormat(`${field}.text`, text, "one line");
  requireLength(`${field}.text`, text, LONGEST_LABEL);
  return text;
}
