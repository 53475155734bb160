import { dynamicComponents } from "./dynamic_components.ts";
import type { ParameterFormat, TemplateComponent } from "./template.ts";
import { variableMismatch } from "./variable_mismatch.ts";
import { bodyVariables, findComponent, urlButtons } from "./variables.ts";

/** One value of a component in the platform's send call. */
export type PlatformParameter =
  | { type: "text"; text: string; parameter_name?: string }
  | { type: "image"; image: { link: string } }
  | { type: "video"; video: { link: string } }
  | { type: "document"; document: { link: string; filename?: string } };

/** One entry of `template.components` in the platform's send call. */
export type PlatformComponent =
  | { type: "header" | "body"; parameters: PlatformParameter[] }
  | { type: "button"; sub_type: "url"; index: number; parameters: PlatformParameter[] };

interface FilledTemplate {
  components: TemplateComponent[];
  parameterFormat: ParameterFormat;
}

/**
 * Builds `template.components` of the platform's send call from values named as in `dynamicComponents()`. Components
 * without a variable are left out, as the platform wants. Values for names the template does not have are ignored.
 *
 * Throws `variable_mismatch` when a value is missing, which after acceptance means that the template has changed since.
 */
export function buildTemplateComponents(
  template: FilledTemplate,
  values: Record<string, string>,
): PlatformComponent[] {
  const names = dynamicComponents(template.components, template.parameterFormat);
  requireAll(names, values);
  return [...header(names, values), ...body(template, values), ...buttons(template, values)];
}

function requireAll(names: string[], values: Record<string, string>): void {
  if (names.every((name) => Object.hasOwn(values, name))) return;
  throw variableMismatch(names, Object.keys(values));
}

function header(names: string[], values: Record<string, string>): PlatformComponent[] {
  const name = names.find((candidate) => candidate.startsWith("header_"));
  return name === undefined ? [] : [{ type: "header", parameters: [mediaParameter(name, values[name]!)] }];
}

function mediaParameter(name: string, link: string): PlatformParameter {
  if (name === "header_image") return { type: "image", image: { link } };
  if (name === "header_video") return { type: "video", video: { link } };
  const filename = filenameOf(link);
  return { type: "document", document: filename === "" ? { link } : { link, filename } };
}

function body(template: FilledTemplate, values: Record<string, string>): PlatformComponent[] {
  const text = findComponent(template.components, "BODY")?.text ?? "";
  const parameters = bodyVariables(text, template.parameterFormat).map(({ variable, name }) => {
    const parameter = textParameter(values[name]!);
    return template.parameterFormat === "NAMED" ? { ...parameter, parameter_name: variable } : parameter;
  });
  return parameters.length === 0 ? [] : [{ type: "body", parameters }];
}

function buttons(template: FilledTemplate, values: Record<string, string>): PlatformComponent[] {
  return urlButtons(findComponent(template.components, "BUTTONS")?.buttons ?? []).map(({ name, index }) => ({
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

/** What the recipient sees as the document's name; empty when the URL's path ends in a slash. */
function filenameOf(link: string): string {
  const segment = URL.parse(link)?.pathname.split("/").at(-1) ?? "";
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
