import { refuseTemplate } from "./check_components.ts";
import type { TemplateBody, TemplateBodyComponent } from "./template_body.ts";

const ADVICE = " For your security, do not share this code.";
const COPY_URL = "https://www.whatsapp.com/otp/code/?otp_type=COPY_CODE&code=otp";

/**
 * Writes the texts of an authentication template from its switches, as the platform does, and lists its copy button as
 * a URL button. Returns other templates as they are, unless they use these switches.
 */
export function expandAuthentication(body: TemplateBody): TemplateBody {
  if (body.category !== "AUTHENTICATION") {
    if (body.components.some(usesSwitches)) {
      refuseTemplate("Invalid parameter", "components: only authentication templates have these");
    }
    return body;
  }
  const button = body.components.find(({ type }) => type === "BUTTONS")?.buttons ?? [];
  if (button.length !== 1 || button[0]!.type !== "OTP" || button[0]!.otp_type !== "COPY_CODE") {
    refuseTemplate("Invalid parameter", "buttons: an authentication template has one button of type OTP");
  }
  return { ...body, components: body.components.map(expand) };
}

function usesSwitches(component: TemplateBodyComponent): boolean {
  return component.add_security_recommendation !== undefined ||
    component.code_expiration_minutes !== undefined ||
    (component.buttons ?? []).some(({ type }) => type === "OTP");
}

function expand(component: TemplateBodyComponent): TemplateBodyComponent {
  const { type, add_security_recommendation: advice, code_expiration_minutes: minutes } = component;
  if (type === "HEADER" || component.text !== undefined) {
    refuseTemplate("Invalid parameter", "components: the text of an authentication template is fixed");
  }
  if (type === "BODY") {
    const text = `*{{1}}* is your verification code.${advice ? ADVICE : ""}`;
    return { type, text, example: { body_text: [["123456"]] } };
  }
  if (type === "FOOTER") return { type, text: `This code expires in ${minutes ?? 10} minutes.` };
  const { text = "Copy code" } = component.buttons![0]!;
  return {
    type,
    buttons: [{ type: "URL", text, url: `${COPY_URL}{{1}}`, example: [`${COPY_URL}123456`] }],
  };
}
