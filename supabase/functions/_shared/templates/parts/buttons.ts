import type { TemplateButton } from "../template.ts";
import { findComponent, hasVariable } from "../template_texts.ts";
import {
  oneLine,
  type PartSource,
  type PlatformComponent,
  type PlatformParameter,
  type TemplatePart,
} from "./template_part.ts";

/** A button that takes values, and its index among all buttons. */
interface Button {
  button: TemplateButton;
  index: number;
  prefix: string;
  /** Among the buttons of its kind that take a value. */
  number: number;
}

/**
 * The kinds of buttons that take values. A number in a name, as in `buttons_url_0`, counts only the buttons of the kind
 * that take one.
 */
const KINDS: { takesValue: (button: TemplateButton) => boolean; part: (button: Button) => TemplatePart }[] = [
  { takesValue: (button) => isOf(button, "URL") && hasVariable(button.url), part: urlPart },
  { takesValue: (button) => isOf(button, "COPY_CODE"), part: copyCodePart },
  { takesValue: (button) => isOf(button, "QUICK_REPLY"), part: quickReplyPart },
  { takesValue: (button) => isOf(button, "FLOW"), part: flowPart },
];

/** Returns the buttons of a template, or of a card, that take values: kind by kind, each in the template's order. */
export function buttonParts({ components, prefix }: PartSource): TemplatePart[] {
  const buttons = (findComponent(components, "BUTTONS")?.buttons ?? [])
    .map((button, index) => ({ button, index }));
  return KINDS.flatMap(({ takesValue, part }) =>
    buttons.filter(({ button }) => takesValue(button))
      .map(({ button, index }, number) => part({ button, index, prefix, number }))
  );
}

function isOf({ type }: TemplateButton, kind: string): boolean {
  return type.toUpperCase() === kind;
}

function urlPart({ index, prefix, number }: Button): TemplatePart {
  const name = `${prefix}buttons_url_${number}`;
  return {
    values: [{ name, isRequired: true }],
    build: (values) => entry("url", index, { type: "text", text: oneLine(values[name]!) }),
  };
}

function copyCodePart({ button, index, prefix, number }: Button): TemplatePart {
  const name = `${prefix}buttons_copy_code_${number}`;
  const example = [button.example].flat()[0];
  return {
    values: [{ name, isRequired: true, example: typeof example === "string" ? example : undefined }],
    build: (values) => entry("copy_code", index, { type: "coupon_code", coupon_code: values[name]!.trim() }),
  };
}

/** Without a payload, the button's label comes back when it is pressed. */
function quickReplyPart({ index, prefix, number }: Button): TemplatePart {
  const name = `${prefix}buttons_quick_reply_${number}`;
  return {
    values: [{ name, isRequired: false }],
    build: (values) =>
      Object.hasOwn(values, name)
        ? entry("quick_reply", index, { type: "payload", payload: values[name]! })
        : [],
  };
}

function flowPart({ index, prefix, number }: Button): TemplatePart {
  const token = `${prefix}buttons_flow_token_${number}`;
  const data = `${prefix}buttons_flow_data_${number}`;
  return {
    values: [{ name: token, isRequired: false }, { name: data, isRequired: false }],
    build: (values) => {
      const action = {
        ...(Object.hasOwn(values, token) && { flow_token: values[token]! }),
        ...(Object.hasOwn(values, data) && { flow_action_data: JSON.parse(values[data]!) as unknown }),
      };
      return Object.keys(action).length > 0 ? entry("flow", index, { type: "action", action }) : [];
    },
  };
}

function entry(
  sub_type: Extract<PlatformComponent, { type: "button" }>["sub_type"],
  index: number,
  parameter: PlatformParameter,
): PlatformComponent[] {
  return [{ type: "button", sub_type, index, parameters: [parameter] }];
}
