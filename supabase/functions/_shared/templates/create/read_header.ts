import { badFormat, missingField } from "../../errors.ts";
import type { TemplateComponent } from "../template.ts";
import { readStaticText, requireLength } from "./read_text.ts";
import type { HeaderRequest } from "./template_request.ts";

/** A file that stands for what a media header will show; fetched and uploaded before the template is submitted. */
export interface SampleFile {
  format: "IMAGE" | "VIDEO" | "DOCUMENT";
  url: string;
}

const FIELD = "components_template.HEADER";
const MOST = 60;

/**
 * Reads the header of a new template: a static text, or a medium with a sample that is a handle of the platform or the
 * URL of a file. Text is static, although the platform would take one variable: the contract has no name for its value,
 * so such a template could never be sent.
 *
 * Throws `validation_failed`.
 */
export function readHeader(
  header: HeaderRequest,
): { component: TemplateComponent; sample: SampleFile | null } {
  const { format } = header;
  if (format === "TEXT") return { component: textHeader(header), sample: null };
  if (header.text) throw badFormat(`${FIELD}.text`, header.text, `no text in a header of format ${format}`);
  const given = readSample(header);
  const isUrl = /^https?:\/\//i.test(given);
  return {
    component: { type: "HEADER", format, example: { header_handle: isUrl ? [] : [given] } },
    sample: isUrl ? { format, url: given } : null,
  };
}

function textHeader({ text: given }: HeaderRequest): TemplateComponent {
  const text = readStaticText(`${FIELD}.text`, given, "no value for one can be supplied when sending");
  if (/[\r\n]/.test(text)) throw badFormat(`${FIELD}.text`, text, "one line");
  requireLength(`${FIELD}.text`, text, MOST);
  return { type: "HEADER", format: "TEXT", text };
}

function readSample({ example }: HeaderRequest): string {
  const field = `${FIELD}.example.header_handle`;
  const handles = example?.header_handle;
  if (handles === undefined) throw missingField(field);
  const [handle = ""] = handles;
  if (handles.length !== 1 || handle.trim() === "") {
    throw badFormat(field, handles, "an array with one sample: a handle of the platform, or an https URL");
  }
  return handle;
}
