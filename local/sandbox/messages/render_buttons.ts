import { PlatformError } from "../http/platform_error.ts";
import type { TemplateButton } from "../options.ts";
import { fillText, variablesOf } from "../templates/template_text.ts";
import type { SendComponent } from "./send.ts";
import { textValues } from "./text_values.ts";

/** A button as the person sees it. */
export interface RenderedButton {
  type: TemplateButton["type"];
  text: string;
  url?: string;
  phone_number?: string;
  code?: string;
  payload?: string;
  /** Of a flow. */
  flow_id?: string;
  flow_token?: string;
  flow_data?: Record<string, unknown>;
}

type ButtonComponent = Extract<SendComponent, { type: "button" }>;

const MAX_URL = 2000;

/**
 * Fills the buttons. Throws 131009 for an unknown or repeated index and a URL over 2000 characters, 132012 for a
 * different kind, 131008 for a missing parameter, 132000 for one too many.
 */
export function renderButtons(buttons: TemplateButton[], components: ButtonComponent[]): RenderedButton[] {
  const byIndex = new Map<number, ButtonComponent>();
  for (const component of components) {
    checkIndex(buttons, component, byIndex);
    byIndex.set(component.index, component);
  }
  return buttons.map((button, index) => renderButton(button, index, byIndex.get(index)));
}

function checkIndex(buttons: TemplateButton[], component: ButtonComponent, seen: Map<number, unknown>): void {
  const { index, sub_type } = component;
  const button = buttons[index];
  if (button === undefined) throw new PlatformError(131009, `buttons: there is no button at index ${index}`);
  if (seen.has(index)) throw new PlatformError(131009, `buttons: index ${index} is given twice`);
  if (button.type.toLowerCase() !== sub_type) {
    throw new PlatformError(
      132012,
      `buttons: Format mismatch at index ${index}, expected ${button.type}, received ${sub_type.toUpperCase()}`,
    );
  }
}

function renderButton(
  button: TemplateButton,
  index: number,
  component: ButtonComponent | undefined,
): RenderedButton {
  const rendered: RenderedButton = { type: button.type, text: button.text ?? "Copy offer code" };
  switch (button.type) {
    case "URL":
      return { ...rendered, url: fillUrl(button.url ?? "", index, component) };
    case "PHONE_NUMBER":
      return { ...rendered, ...(button.phone_number ? { phone_number: button.phone_number } : {}) };
    case "COPY_CODE":
      return { ...rendered, code: codeOf(index, component) };
    case "QUICK_REPLY":
      return { ...rendered, payload: payloadOf(index, component) ?? rendered.text };
    case "FLOW":
      return { ...rendered, ...(button.flow_id && { flow_id: button.flow_id }), ...flowOf(index, component) };
  }
}

function fillUrl(url: string, index: number, component: ButtonComponent | undefined): string {
  if (variablesOf(url).length > 0 && component === undefined) missing("Url", index);
  const parameters = component?.parameters ?? [];
  const filled = fillText(
    url,
    textValues({ component: "buttons", text: url, format: "POSITIONAL" }, parameters),
  );
  if (filled.length > MAX_URL) {
    throw new PlatformError(131009, `buttons: the URL at index ${index} is over ${MAX_URL} characters`);
  }
  return filled;
}

function codeOf(index: number, component: ButtonComponent | undefined): string {
  const parameter = onlyParameter(index, component);
  return parameter?.type === "coupon_code" ? parameter.coupon_code : missing("CopyCode", index);
}

function payloadOf(index: number, component: ButtonComponent | undefined): string | undefined {
  const parameter = onlyParameter(index, component);
  if (parameter === undefined) return undefined;
  if (parameter.type === "payload") return parameter.payload;
  throw new PlatformError(
    132012,
    `buttons: Format mismatch at index ${index}, expected PAYLOAD, received ${parameter.type.toUpperCase()}`,
  );
}

function flowOf(index: number, component: ButtonComponent | undefined) {
  const parameter = onlyParameter(index, component);
  if (parameter === undefined) return {};
  if (parameter.type !== "action") {
    throw new PlatformError(
      132012,
      `buttons: Format mismatch at index ${index}, expected ACTION, received ${parameter.type.toUpperCase()}`,
    );
  }
  const { flow_token, flow_action_data } = parameter.action;
  return {
    ...(flow_token !== undefined && { flow_token }),
    ...(flow_action_data !== undefined && { flow_data: flow_action_data }),
  };
}

function onlyParameter(index: number, component: ButtonComponent | undefined) {
  if ((component?.parameters.length ?? 0) > 1) {
    throw new PlatformError(132000, `buttons: the button at index ${index} takes one parameter`);
  }
  return component?.parameters[0];
}

function missing(kind: string, index: number): never {
  throw new PlatformError(131008, `buttons: Button at index ${index} of type ${kind} requires a parameter`);
}
