import type { ManagedTemplateRequest } from "../../data/sdk.ts";
import type { TemplatePart } from "../../data/template_message.ts";

/** The kinds of buttons that the form makes. */
export type ButtonKind = "QUICK_REPLY" | "URL" | "COPY_CODE";

export interface ButtonDraft {
  type: ButtonKind;
  text: string;
  url: string;
}

/** The kinds of headers that the form makes. */
export type HeaderKind = "NONE" | "TEXT" | "IMAGE" | "VIDEO" | "DOCUMENT";

export type Category = ManagedTemplateRequest["category_template"];

/** A template as it is typed. Variables are `{1}`, `{2}`, …. */
export interface TemplateDraft {
  wabaId: string;
  name: string;
  language: string;
  category: Category;
  header: HeaderKind;
  headerText: string;
  /** The address of a sample file, or `media:` and the id of one of the company. */
  headerSample: string;
  /** The name of a file of the company. */
  sampleName: string;
  body: string;
  examples: string[];
  footer: string;
  buttons: ButtonDraft[];
  /** Of a verification code, whose text is the platform's: whether it warns, and for how many minutes it holds. */
  isCodeSecret: boolean;
  codeMinutes: string;
}

export const EMPTY_DRAFT: TemplateDraft = {
  wabaId: "",
  name: "",
  language: "en_US",
  category: "UTILITY",
  header: "NONE",
  headerText: "",
  headerSample: "",
  sampleName: "",
  body: "",
  examples: [],
  footer: "",
  buttons: [],
  isCodeSecret: true,
  codeMinutes: "10",
};

/** How many values the body takes: the highest number among its variables. */
export function variableCount(text: string): number {
  return Math.max(0, ...Array.from(text.matchAll(/\{?\{(\d{1,2})\}\}?/g), ([, number]) => Number(number)));
}

/** Returns the body of `POST …/templates`. */
export function requestOf(draft: TemplateDraft): ManagedTemplateRequest {
  const examples = draft.examples.slice(0, variableCount(draft.body));
  const hasExamples = examples.length > 0 && examples.every((each) => each.trim() !== "");
  return {
    waba_id: draft.wabaId,
    name_template: draft.name,
    language_template: draft.language,
    category_template: draft.category,
    components_template: draft.category === "AUTHENTICATION" ? codePartsOf(draft) : {
      ...headerOf(draft),
      BODY: { text: draft.body, ...(hasExamples && { example: { body_text: [examples] } }) },
      ...(draft.footer !== "" && { FOOTER: { text: draft.footer } }),
      ...(draft.buttons.length > 0 && { BUTTONS: draft.buttons.map(buttonOf) }),
    },
  };
}

function codePartsOf(
  { isCodeSecret, codeMinutes }: TemplateDraft,
): ManagedTemplateRequest["components_template"] {
  return {
    BODY: { add_security_recommendation: isCodeSecret },
    ...(codeMinutes !== "" && { FOOTER: { code_expiration_minutes: Number(codeMinutes) } }),
    BUTTONS: [{ type: "OTP", otp_type: "COPY_CODE" }],
  };
}

function headerOf(
  { header, headerText, headerSample }: TemplateDraft,
): Pick<ManagedTemplateRequest["components_template"], "HEADER"> {
  if (header === "NONE") return {};
  if (header === "TEXT") return { HEADER: { format: "TEXT", text: headerText } };
  return { HEADER: { format: header, example: { header_handle: [headerSample] } } };
}

function buttonOf({ type, text, url }: ButtonDraft) {
  if (type === "COPY_CODE") return { type };
  return type === "URL" ? { type, text, url } : { type, text };
}

/** Returns the parts of a draft as the platform writes them, for a preview. */
export function partsOf(draft: TemplateDraft): TemplatePart[] {
  const { header, headerText, body, footer, buttons } = draft;
  if (draft.category === "AUTHENTICATION") return codePreviewOf(draft);
  return [
    ...(header === "NONE" ? [] : [{ type: "HEADER", format: header, text: doubled(headerText) }]),
    { type: "BODY", text: doubled(body) },
    ...(footer === "" ? [] : [{ type: "FOOTER", text: footer }]),
    ...(buttons.length === 0
      ? []
      : [{ type: "BUTTONS", buttons: buttons.map(({ type, text }) => ({ type, text })) }]),
  ];
}

/** The platform writes these texts, in the language of the template. */
function codePreviewOf({ isCodeSecret, codeMinutes }: TemplateDraft): TemplatePart[] {
  const secret = isCodeSecret ? " For your security, do not share this code." : "";
  return [
    { type: "BODY", text: `*123456* is your verification code.${secret}` },
    ...(codeMinutes === "" ? [] : [{ type: "FOOTER", text: `This code expires in ${codeMinutes} minutes.` }]),
    { type: "BUTTONS", buttons: [{ type: "OTP", text: "Copy code" }] },
  ];
}

function doubled(text: string): string {
  return text.replaceAll(/\{?\{(\d{1,2})\}\}?/g, "{{$1}}");
}

/** A template that exists, as it is read to be changed. */
export interface Known {
  waba_id: string;
  name: string;
  language: string;
  category: string;
  components: TemplatePart[];
}

/** Begins a draft from a template that exists, under another name: names cannot be used twice. */
export function draftOf({ waba_id, name, language, category, components }: Known): TemplateDraft {
  const part = (type: string) => components.find((each) => each.type.toUpperCase() === type);
  const header = part("HEADER");
  const format = header?.format?.toUpperCase() ?? "NONE";
  const body = part("BODY");
  return {
    wabaId: waba_id,
    name: nextName(name),
    language,
    category: (["MARKETING", "AUTHENTICATION"] as const).find((each) => each === category) ?? "UTILITY",
    header: (["TEXT", "IMAGE", "VIDEO", "DOCUMENT"] as const).find((each) => each === format) ?? "NONE",
    headerText: single(header?.text),
    headerSample: "",
    sampleName: "",
    body: single(body?.text),
    examples: examplesOf(body),
    footer: part("FOOTER")?.text ?? "",
    buttons: (part("BUTTONS")?.buttons ?? []).flatMap(({ type, text = "", url }) =>
      type === "URL" || type === "QUICK_REPLY" || type === "COPY_CODE"
        ? [{ type, text, url: single(url) }]
        : []
    ),
    isCodeSecret: body?.add_security_recommendation !== false,
    codeMinutes: String(part("FOOTER")?.code_expiration_minutes ?? ""),
  };
}

function single(text = ""): string {
  return text.replaceAll(/\{\{(\d{1,2})\}\}/g, "{$1}");
}

function examplesOf(body: TemplatePart | undefined): string[] {
  const { body_text } = Object(body?.example) as { body_text?: string[][] };
  return body_text?.[0] ?? [];
}

/** Returns the stem that the versions of a template share: `order_ready` of `order_ready_2`. */
export function stemOf(name: string): string {
  return name.replace(/_\d{1,3}$/, "");
}

/** `order_ready` becomes `order_ready_2`, and that `order_ready_3`. */
export function nextName(name: string): string {
  const [, stem, number] = /^(.*?)(?:_(\d{1,3}))?$/.exec(name)!;
  return `${stem}_${Number(number ?? 1) + 1}`;
}
