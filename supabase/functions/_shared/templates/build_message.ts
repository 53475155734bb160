import {
  type BodyVariable,
  bodyVariables,
  dynamicComponents,
  findComponent,
  urlButtons,
  variableMismatch,
} from "./variables.ts";
import type { ParameterFormat, TemplateComponent } from "./template.ts";

/** One value of a component in the platform's send request. */
export type PlatformParameter =
  | { type: "text"; text: string; parameter_name?: string }
  | { type: "image"; image: { link: string } }
  | { type: "video"; video: { link: string } }
  | { type: "document"; document: { link: string; filename?: string } };

/** One entry of `template.components` in the platform's send request. */
export type PlatformComponent =
  | { type: "header" | "body"; parameters: PlatformParameter[] }
  | { type: "button"; sub_type: "url"; index: number; parameters: PlatformParameter[] };

interface FilledTemplate {
  components: TemplateComponent[];
  parameterFormat: ParameterFormat;
}

/**
 * Makes the function that fills a template: it builds `template.components` of the platform's send request from values
 * named as in `dynamicComponents()`. Components without a variable are left out, as the platform requires. Values for
 * names that the template does not have are ignored.
 *
 * The function throws `variable_mismatch` when a value is missing; after acceptance that means that the template changed.
 */
export function componentsBuilder(template: FilledTemplate): (values: Values) => PlatformComponent[] {
  const names = dynamicComponents(template.components, template.parameterFormat);
  const parts = [header(names), body(template), buttons(template)];
  return (values) => {
    requireAll(names, values);
    return parts.flatMap((part) => part(values));
  };
}

type Values = Record<string, string>;
type Part = (values: Values) => PlatformComponent[];
const NOTHING: Part = () => [];

function requireAll(names: string[], values: Values): void {
  if (names.every((name) => Object.hasOwn(values, name))) return;
  throw variableMismatch(names, Object.keys(values));
}

function header(names: string[]): Part {
  const name = names.find((candidate) => candidate.startsWith("header_"));
  if (name === undefined) return NOTHING;
  return (values) => [{ type: "header", parameters: [mediaParameter(name, values[name]!)] }];
}

function mediaParameter(name: string, link: string): PlatformParameter {
  if (name === "header_image") return { type: "image", image: { link } };
  if (name === "header_video") return { type: "video", video: { link } };
  const filename = filenameOf(link);
  return { type: "document", document: filename === "" ? { link } : { link, filename } };
}

function body({ components, parameterFormat }: FilledTemplate): Part {
  const variables = bodyVariables(findComponent(components, "BODY")?.text ?? "", parameterFormat);
  if (variables.length === 0) return NOTHING;
  const parameter = ({ variable, name }: BodyVariable, values: Values) => {
    const text = textParameter(values[name]!);
    return parameterFormat === "NAMED" ? { ...text, parameter_name: variable } : text;
  };
  return (values) => [{
    type: "body",
    parameters: variables.map((variable) => parameter(variable, values)),
  }];
}

function buttons({ components }: FilledTemplate): Part {
  const urls = urlButtons(findComponent(components, "BUTTONS")?.buttons ?? []);
  return (values) =>
    urls.map(({ name, index }) => ({
      type: "button",
      sub_type: "url",
      index,
      parameters: [textParameter(values[name]!)],
    }));
}

/** The platform refuses text with a line break, a tab or more than four spaces in a row (code 132018). */
function textParameter(value: string): { type: "text"; text: string } {
  const oneLine = value.replace(/\r\n|[\n\r\t\v\f\u0085\u2028\u2029]/g, " ");
  return { type: "text", text: oneLine.replace(/ {5,}/g, "    ") };
}

/** Returns the document's name as the recipient sees it; empty when the URL's path ends in a slash. */
function filenameOf(link: string): string {
  const segment = URL.parse(link)?.pathname.split("/").at(-1) ?? "";
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
