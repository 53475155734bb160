import { z } from "zod";
import type { TemplateVersion } from "../db/queue/send_context.ts";
import { AppError } from "../errors.ts";
import { componentsBuilder, templateValues } from "./build_message.ts";
import { type ParameterFormat, type TemplateComponent, templateComponentSchema } from "./template.ts";
import { unsupportedVariables, variableMismatch } from "./variables.ts";

/** A template that may be sent. */
export interface UsableTemplate {
  id: string;
  /** The language as the platform writes it. */
  language: string;
  category: string;
  /** Fingerprint of its components; accepted requests keep it. */
  shape: string;
  parameter_format: ParameterFormat;
  components: TemplateComponent[];
  /** The names of the values it must be sent with. */
  dynamic: string[];
  /** The names of the values it may be sent with as well. */
  optional: string[];
  /** Builds the message to one recipient. */
  build: ReturnType<typeof componentsBuilder>;
  /** The parts that keep it from being sent at all, in words. */
  unsupported: string[];
}

/**
 * Returns the version of a template in `language`, if it may be sent.
 *
 * Throws `template_not_found` when there is none in this language and `template_not_approved` when its state forbids it.
 */
export function findUsableTemplate(
  versions: TemplateVersion[],
  name: string,
  language: string,
): UsableTemplate {
  const version = versions.find((candidate) => candidate.language === language);
  if (version === undefined) {
    const others = versions.map((candidate) => candidate.language).sort();
    throw new AppError("template_not_found", `There is no template '${name}' in language '${language}'`, {
      details: { template_name: name, language, available_languages: others },
    });
  }
  if (version.status !== "approved") {
    throw new AppError("template_not_approved", `The template '${name}' is ${version.status}, not approved`, {
      details: { template_name: name, current_status: version.status, required_status: "approved" },
    });
  }
  return prepareTemplate(version);
}

/** Many requests are checked against the same version, so it is prepared once. */
const prepared = new WeakMap<TemplateVersion, UsableTemplate>();
const componentsSchema = z.array(templateComponentSchema);

function prepareTemplate(version: TemplateVersion): UsableTemplate {
  const known = prepared.get(version);
  if (known !== undefined) return known;
  const components = componentsSchema.parse(version.components);
  const values = templateValues({ components, parameter_format: version.parameter_format });
  const template = {
    ...version,
    components,
    dynamic: values.filter(({ isRequired }) => isRequired).map(({ name }) => name),
    optional: values.filter(({ isRequired }) => !isRequired).map(({ name }) => name),
    build: componentsBuilder({ components, parameter_format: version.parameter_format }),
    unsupported: unsupportedVariables(components),
  };
  prepared.set(version, template);
  return template;
}

/**
 * Throws `variable_mismatch` unless all of the template's dynamic components are provided, and nothing else except its
 * optional ones.
 */
export function requireMatchingVariables(template: UsableTemplate, provided: string[]): void {
  const { dynamic: expected, optional, unsupported } = template;
  if (unsupported.length > 0) {
    const message = `The template cannot be sent through this API: it has ${unsupported.join(" and ")}`;
    throw variableMismatch(expected, provided, { message, optional });
  }
  const given = new Set(provided);
  const known = new Set([...expected, ...optional]);
  const missing = expected.some((name) => !given.has(name));
  const unexpected = provided.some((name) => !known.has(name));
  if (missing || unexpected) throw variableMismatch(expected, provided, { optional });
}
