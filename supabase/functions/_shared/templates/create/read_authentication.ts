import { badFormat } from "../../errors.ts";
import type { TemplateComponent } from "../template.ts";
import { readLabel } from "./read_buttons.ts";
import type { ComponentsRequest } from "./template_request.ts";

const FIELD = "components_template";
const FIXED = "nothing: the platform writes the text of AUTHENTICATION templates itself";

/**
 * Reads the components of a template of category AUTHENTICATION. Their text is the platform's own: a body with the code,
 * to which a security advice can be added, a footer that tells when the code expires, and the one button that copies
 * it. Once made, the platform lists it as a body with one variable and a URL button with one. Buttons that fill the
 * code into an app are not supported.
 *
 * Source: WhatsApp Cloud API, authentication templates. Throws `validation_failed`.
 */
export function readAuthentication(
  { HEADER, BODY, FOOTER, BUTTONS }: ComponentsRequest,
): TemplateComponent[] {
  if (HEADER) throw badFormat(`${FIELD}.HEADER`, HEADER, FIXED);
  if (BODY.text !== undefined) throw badFormat(`${FIELD}.BODY.text`, BODY.text, FIXED);
  if (BODY.example) throw badFormat(`${FIELD}.BODY.example`, BODY.example, FIXED);
  if (FOOTER?.text !== undefined) throw badFormat(`${FIELD}.FOOTER.text`, FOOTER.text, FIXED);
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
      `${FIELD}.BUTTONS`,
      buttons,
      'exactly one button, {"type": "OTP", "otp_type": "COPY_CODE"}, in a template of category AUTHENTICATION',
    );
  }
  const place = `${FIELD}.BUTTONS[0]`;
  if (button.url) throw badFormat(`${place}.url`, button.url, FIXED);
  if (button.example) throw badFormat(`${place}.example`, button.example, FIXED);
  const label = button.text === undefined ? {} : { text: readLabel(button.text, place) };
  return { type: "OTP", otp_type: "COPY_CODE", ...label };
}
