import { refuseTemplate } from "./refuse_template.ts";
import type { TemplateBodyButton } from "./template_body.ts";
import { lengthOf, variablesOf } from "./template_text.ts";

const MAX_BUTTONS = 10;
const MAX_OF_KIND = { URL: 2, PHONE_NUMBER: 1, QUICK_REPLY: 10, COPY_CODE: 1 } as const;
const MAX_LABEL = 25;
const MAX_URL = 2000;
const MAX_CODE = 15;

/** Checks the buttons of a new template: how many, in which order, and each by its kind. */
export function checkTemplateButtons(buttons: TemplateBodyButton[]): void {
  if (buttons.length === 0 || buttons.length > MAX_BUTTONS) {
    refuse(`between 1 and ${MAX_BUTTONS} are allowed`);
  }
  for (const [kind, max] of Object.entries(MAX_OF_KIND)) {
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

function refuse(rule: string): never {
  refuseTemplate("Invalid parameter", `buttons: ${rule}`);
}
