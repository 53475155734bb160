import { mediaIdIn } from "../../media/media_reference.ts";
import type { TemplateComponent } from "../template.ts";
import { findComponent, textVariables } from "../template_texts.ts";
import {
  oneLine,
  type PartSource,
  type PlatformParameter,
  type TemplatePart,
  type TemplateValue,
  type Values,
} from "./template_part.ts";

/** Returns the header of a template, or of a card, if it takes values. */
export function headerPart({ components, parameter_format, prefix }: PartSource): TemplatePart[] {
  const header = findComponent(components, "HEADER");
  if (header === undefined) return [];
  const format = header.format?.toUpperCase() ?? "TEXT";
  if (format === "TEXT") return textHeader(header, { parameter_format, prefix });
  if (format === "LOCATION") return prefix === "" ? [LOCATION_HEADER] : [];
  return Object.hasOwn(MEDIA, format)
    ? [mediaHeader(`${prefix}header_${format.toLowerCase()}`, MEDIA[format]!)]
    : [];
}

function textHeader(
  { text = "", example }: TemplateComponent,
  { parameter_format, prefix }: Omit<PartSource, "components">,
): TemplatePart[] {
  const [first] = textVariables(text, parameter_format);
  if (first === undefined) return [];
  const name = `${prefix}header_text_0`;
  const named = parameter_format === "NAMED" ? { parameter_name: first.variable } : {};
  return [{
    values: [{ name, isRequired: true, example: headerExample(example) }],
    build: (values) => [{
      type: "header",
      parameters: [{ type: "text", text: oneLine(values[name]!), ...named }],
    }],
  }];
}

function headerExample(example: unknown): string | undefined {
  const { header_text, header_text_named_params } = Object(example);
  const found = header_text?.[0] ?? header_text_named_params?.[0]?.example;
  return typeof found === "string" ? found : undefined;
}

const MEDIA: Record<string, (value: string) => PlatformParameter> = {
  IMAGE: (value) => ({ type: "image", image: mediumOf(value) }),
  VIDEO: (value) => ({ type: "video", video: mediumOf(value) }),
  DOCUMENT: (value) => {
    const filename = mediaIdIn(value) === undefined ? filenameOf(value) : "";
    return { type: "document", document: { ...mediumOf(value), ...(filename !== "" && { filename }) } };
  },
};

/** A file of the company's own stays as it was named until it is sent (`withPlatformMedia`). */
function mediumOf(value: string): { link: string } | { id: string } {
  return mediaIdIn(value) === undefined ? { link: value } : { id: value };
}

function mediaHeader(name: string, parameterOf: (link: string) => PlatformParameter): TemplatePart {
  return {
    values: [{ name, isRequired: true }],
    build: (values) => [{ type: "header", parameters: [parameterOf(values[name]!)] }],
  };
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

const LOCATION_VALUES: TemplateValue[] = [
  { name: "header_location_latitude", isRequired: true },
  { name: "header_location_longitude", isRequired: true },
  { name: "header_location_name", isRequired: false },
  { name: "header_location_address", isRequired: false, example: "1 Main Street" },
];

const LOCATION_HEADER: TemplatePart = {
  values: LOCATION_VALUES,
  build: (values) => [{ type: "header", parameters: [{ type: "location", location: locationOf(values) }] }],
};

function locationOf(values: Values) {
  const { header_location_name: name, header_location_address: address } = values;
  return {
    latitude: values.header_location_latitude!.trim(),
    longitude: values.header_location_longitude!.trim(),
    ...(name !== undefined && { name: oneLine(name) }),
    ...(address !== undefined && { address: oneLine(address) }),
  };
}
